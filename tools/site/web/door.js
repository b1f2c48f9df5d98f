// The first screen: one broken attention after the other, as soon as the one before is mended.
"use strict";

for (const door of document.querySelectorAll(".door")) {
  const rounds = [...door.querySelectorAll(".door-round")], part = name => door.querySelector(`.door-${name}`);
  let mended = 0;
  door.addEventListener("judged", ({ detail, target }) => {
    const round = target.closest(".door-round"), here = rounds.indexOf(round) + 1;
    if (!detail || here <= mended) return;
    mended = here;
    part("count").textContent = `${mended} of ${rounds.length} mended. ${round.dataset.means}`;
    part("next").hidden = mended === rounds.length;
    door.classList.toggle("open", mended === rounds.length);
  });
  part("next").addEventListener("click", () => {
    rounds.forEach((round, i) => { round.hidden = i !== mended; });
    part("next").hidden = true;
    part("count").textContent = "";
    rounds[mended].querySelector("[value=check]").focus();
  });
  door.addEventListener("focusin", ({ target }) => {  // a phone asks for large letters there; they stay
    if (target.matches("textarea")) door.classList.add("typing");
  });
}
