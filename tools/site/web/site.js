// Questions answer, sliders move, and what scrolls can be reached by keyboard.
"use strict";

for (const asked of document.querySelectorAll(".predict")) {
  const said = JSON.parse(asked.dataset.said), buttons = [...asked.querySelectorAll("button")];
  const outcome = asked.nextElementSibling;
  for (const button of buttons) {
    button.addEventListener("click", () => {
      for (const each of buttons) each.setAttribute("aria-pressed", each === button);
      asked.querySelector(".said").innerHTML = `${button.value}. ${said[button.value]}`;
      outcome.open = true;
    });
  }
}

for (const figure of document.querySelectorAll(".explore")) {
  const { values, frames } = JSON.parse(figure.querySelector("script").textContent);
  const picture = figure.querySelector("img"), told = figure.querySelector("[role=status]");
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
  }
};
addEventListener("load", reach);
addEventListener("resize", reach);
addEventListener("toggle", reach, true);
