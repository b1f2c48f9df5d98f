// Questions answer, sliders move, and what scrolls can be reached by keyboard.
"use strict";

// What a reader has opened and answered stays in this browser; nothing is sent.
const kept = {
  read() { try { return JSON.parse(localStorage.getItem("learn-attention")) ?? {}; } catch { return {}; } },
  add(kind, key, value) {
    this.write({ ...this.read(), [kind]: { ...this.read()[kind], [key]: value } });
  },
  clear(kind) { this.write({ ...this.read(), [kind]: {} }); },
  write(all) { try { localStorage.setItem("learn-attention", JSON.stringify(all)); } catch { /* where nothing may be kept */ } },
};

const page = location.pathname.split("/").at(-1);
// What follows a question in its section would answer it, and waits: until a letter is chosen, or somebody goes on without.
const BOUNDS = "section:has(> :is(h1, h2))";
function waiting(outcome) {
  const made = [];
  for (let from = outcome; !from.matches(BOUNDS); from = from.parentElement) {
    const after = [];
    for (let next = from.nextElementSibling; next && !next.matches(BOUNDS); next = next.nextElementSibling) after.push(next);
    if (after.every(each => each.matches(".step"))) continue;
    const rest = document.createElement("details");
    rest.className = "waits";
    rest.innerHTML = "<summary hidden></summary>";
    from.after(rest);
    rest.append(...after);
    made.push(rest);
  }
  return made;
}
for (const asked of document.querySelectorAll(".predict")) {
  const said = JSON.parse(asked.dataset.said), buttons = [...asked.querySelectorAll("button")];
  const outcome = asked.nextElementSibling, key = `${page} ${asked.dataset.number}`;
  const rest = waiting(outcome), line = outcome.querySelector("summary"), told = line.textContent;
  const choose = button => {
    for (const each of buttons) each.setAttribute("aria-pressed", each === button);
    asked.querySelector(".said").innerHTML = `${button.value}. ${said[button.value]}`;
    outcome.open = true;
  };
  const follow = () => {
    const open = [outcome, ...rest].some(each => each.open) || !rest.length || asked.querySelector("[aria-pressed=true]");
    for (const each of rest) each.open = open;
    line.textContent = open ? told : "Go on without choosing: what comes out, and the rest of this section";
  };
  for (const each of [outcome, ...rest]) each.addEventListener("toggle", follow);
  line.addEventListener("click", () => kept.add("passed", key, true));
  for (const button of buttons) {
    button.addEventListener("click", () => {
      choose(button);
      kept.add("answered", key, button.value);
      asked.querySelector(".said").scrollIntoView({ block: "nearest" });
    });
    if (kept.read().answered?.[key] === button.value) choose(button);
  }
  if (kept.read().passed?.[key]) outcome.open = true;
  follow();
}
// Whoever comes to a place finds it open; from a search, to where the words stand.
let sought = "";
try { sought = localStorage.getItem("sphinx_highlight_terms") ?? ""; } catch { /* where nothing may be kept */ }
function arrive() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!place) return;
  const words = [sought, ...sought.split(" ")].map(word => word.replace(/s$/, "")).filter(Boolean), count = each => words.filter(word => each.textContent.toLowerCase().includes(word)).length;
  const there = [...place.querySelectorAll("h2, h3, p, li, dt, dd, td, pre")].reduce((a, b) => (count(b) > a[1] ? [b, count(b)] : a), [place, 0])[0];
  sought = "";
  for (let up = there; up; up = up.parentElement) if (up.matches("details")) {
    up.open = true;
    up.dispatchEvent(new Event("toggle"));  // at once: what else waited opens before the page scrolls, not above it afterwards
  }
  const word = there.querySelector(".highlighted") ?? there;  // of a long listing
  word.scrollIntoView({ block: there === place ? "start" : "center", behavior: "instant" });
}
addEventListener("load", arrive);
addEventListener("hashchange", arrive);
if (/^\d\d_/.test(page)) kept.add("opened", page, true);

const progress = document.querySelector(".progress");
if (progress) {
  const show = () => {
    const { opened = {}, answered = {} } = kept.read();
    for (const card of document.querySelectorAll(".card")) {
      const done = Object.keys(answered).filter(key => key.startsWith(`${card.getAttribute("href")} `)).length;
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
