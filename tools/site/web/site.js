// Questions answer, sliders move, and what scrolls can be reached by keyboard.
"use strict";

// What a reader has opened and answered stays in this browser; nothing is sent.
const kept = {
  read() { try { return JSON.parse(localStorage.getItem("learn-attention")) ?? {}; } catch { return {}; } },
  add(kind, key, value) {
    const all = this.read();
    all[kind] = { ...all[kind], [key]: value };
    try { localStorage.setItem("learn-attention", JSON.stringify(all)); } catch { /* where nothing may be kept */ }
  },
};

for (const asked of document.querySelectorAll(".predict")) {
  const said = JSON.parse(asked.dataset.said), buttons = [...asked.querySelectorAll("button")];
  const outcome = asked.nextElementSibling, number = asked.dataset.number;
  const choose = button => {
    for (const each of buttons) each.setAttribute("aria-pressed", each === button);
    asked.querySelector(".said").innerHTML = `${button.value}. ${said[button.value]}`;
    outcome.open = true;
  };
  for (const button of buttons) {
    button.addEventListener("click", () => { choose(button); kept.add("answered", number, button.value); });
    if (kept.read().answered?.[number] === button.value) choose(button);
  }
}
const page = location.pathname.split("/").at(-1);
if (/^\d\d_/.test(page)) kept.add("opened", page, true);

const progress = document.querySelector(".progress");
if (progress) {
  const show = () => {
    const { opened = {}, answered = {} } = kept.read();
    for (const card of document.querySelectorAll(".card")) {
      const lesson = Number(card.getAttribute("href").slice(0, 2));
      const done = Object.keys(answered).filter(number => Number(number.split(".")[0]) === lesson).length;
      const told = done ? `${done} of ${card.dataset.questions} questions answered` : opened[card.getAttribute("href")] ? "opened" : "";
      card.querySelector(".done").textContent = told;
    }
    progress.hidden = !Object.keys(opened).length;
  };
  progress.querySelector("button").addEventListener("click", () => { localStorage.removeItem("learn-attention"); show(); });
  show();
}

for (const figure of document.querySelectorAll(".explore")) {
  const { values, frames } = JSON.parse(figure.querySelector("script").textContent);
  const [picture, copy] = figure.querySelectorAll("img"), told = figure.querySelector("[role=status]");
  const folder = picture.getAttribute("src").replace(/[^/]*$/, "");
  const fields = [...figure.querySelectorAll("input, select")];
  const place = field => (field.type === "range" ? Number(field.value) : field.selectedIndex);
  const show = () => {
    const index = fields.reduce((sum, field, k) => sum * values[k].length + place(field), 0);
    fields.forEach((field, k) => {
      if (field.type !== "range") return;
      field.nextElementSibling.value = values[k][place(field)];
      field.setAttribute("aria-valuetext", values[k][place(field)]);
    });
    [picture.src, picture.alt] = [folder + frames[index][0], frames[index][1]];
    if (copy) [copy.src, copy.style.cssText] = [picture.src, frames[index][2]];
  };
  for (const field of fields) {
    field.addEventListener("input", show);
    field.addEventListener("change", () => { told.textContent = picture.alt; });
  }
  // The others are fetched once somebody comes near, so that none flickers.
  const fetch = new IntersectionObserver(([seen]) => {
    if (!seen.isIntersecting) return;
    fetch.disconnect();
    for (const [file] of frames) new Image().src = folder + file;
  }, { rootMargin: "100%" });
  fetch.observe(figure);
  show();  // a browser may keep a field's place over a reload
}

const reach = () => {
  for (const box of document.querySelectorAll("pre, .figure, .diagram, .table-wrapper, math[display=block]")) {
    const hidden = box.scrollWidth > box.clientWidth;
    if (hidden) box.tabIndex = 0; else box.removeAttribute("tabindex");
    box.classList.toggle("scrolls", hidden);
  }
};
addEventListener("load", reach);
addEventListener("resize", reach);
addEventListener("toggle", reach, true);
