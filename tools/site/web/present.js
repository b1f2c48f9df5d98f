// The lesson in a hall: P shows this page step by step, in large letters; S opens notes and a clock.
"use strict";

{
  const INSIDE = "section, .reveal, details.outcome, details.solution";  // what steps go through
  const LARGEST = 0.048, USUAL = 0.03, SMALLEST = 0.022;  // of letters, as a part of the screen's height
  const article = document.querySelector("article"), root = document.documentElement;
  const steps = [];

  const collect = element => {
    for (const child of element.children) {
      if (child.matches("#answers-to-the-predictions, summary, script")) continue;
      if (child.matches(".step")) steps.push({ leaves: [], mark: child });
      else if (child.matches(INSIDE)) collect(child);
      else if (steps.length && !child.matches(".toctree-wrapper, .links, details.code, .to-run")) steps.at(-1).leaves.push(child);
    }
  };
  if (article) collect(article);
  for (let i = steps.length; i--;) if (!steps[i].leaves.length) steps.splice(i, 1);

  let pages = steps, place = 0, begun = null, speaker = null;
  const bar = document.createElement("nav");
  bar.className = "present-bar";
  bar.setAttribute("aria-label", "Steps");
  bar.innerHTML = '<button type="button" value="-1" aria-label="Back">‹</button><output></output>'
    + '<button type="button" value="1" aria-label="Next">›</button><button type="button" value="0">Close</button>';

  const on = () => root.classList.contains("presenting");
  const section = i => pages.slice(0, i + 1).reverse().find(step => "notes" in step.mark.dataset)?.mark.dataset ?? {};

  const high = () => 0.95 * (innerHeight - bar.offsetHeight);
  const height = leaves => leaves.at(-1).getBoundingClientRect().bottom - leaves[0].getBoundingClientRect().top;
  const letters = size => { article.style.fontSize = `${size * innerHeight}px`; };
  const picture = size => article.style.setProperty("--picture", `${size}px`);

  function only(leaves) {
    for (const each of article.querySelectorAll(".now, .in")) each.classList.remove("now", "in");
    for (const leaf of leaves) {
      leaf.classList.add("now");
      for (let up = leaf.parentElement; up !== article; up = up.parentElement) {
        up.classList.add("in");
        if (up.matches("details")) up.open = true;
      }
    }
  }

  // A step that is too much for one page, in letters of the usual size, becomes two or more.
  function paged() {
    letters(USUAL);
    picture(0.5 * high());
    return steps.flatMap(({ leaves, mark }) => {
      only(leaves);
      const made = [[]];
      for (const leaf of leaves) {
        const page = made.at(-1), announces = page.at(-1)?.textContent.trim().endsWith(":");
        if (page.length && height([page[0], leaf]) > high()) made.push(announces && page.length > 1 ? [page.pop()] : []);
        made.at(-1).push(leaf);
      }
      return made.map(page => ({ leaves: page, mark }));
    });
  }

  // The letters are as large as the page allows; then pictures take what is left.
  function fit() {
    const { leaves } = pages[place];
    picture(0.5 * high());
    let size = LARGEST + 0.001;
    do letters(size -= 0.001); while (size > SMALLEST && height(leaves) > high());
    picture(0.5 * high() + Math.max(0, high() - height(leaves)));
  }

  function show() {
    only(pages[place].leaves);
    bar.querySelector("output").textContent = `${place + 1} / ${pages.length}`;
    history.replaceState(null, "", `#present-${place + 1}`);
    fit();
    scrollTo(0, 0);
    tell();
  }

  function go(by) {
    const seen = pages[place].leaves.at(-1).getBoundingClientRect().bottom <= innerHeight;
    const bottom = scrollY + innerHeight >= root.scrollHeight - 2;
    if (by > 0 && !seen && !bottom) return scrollBy(0, 0.8 * innerHeight);  // of one long listing
    if (by < 0 && scrollY > 0) return scrollBy(0, -0.8 * innerHeight);
    begun ??= Date.now();
    place = Math.max(0, Math.min(pages.length - 1, place + by));
    show();
  }

  const closed = [];
  function start(at) {
    closed.push(...[...article.querySelectorAll("details.outcome")].filter(each => !each.open));
    root.classList.add("presenting");
    document.body.append(bar);
    pages = paged();
    place = Math.max(0, Math.min(pages.length - 1, at));
    show();
  }
  function stop() {
    const leaf = pages[place].leaves[0];
    root.classList.remove("presenting");
    article.style.fontSize = "";
    bar.remove();
    for (const each of closed.splice(0)) each.open = each.contains(leaf);
    history.replaceState(null, "", location.pathname + location.search);
    leaf.scrollIntoView();
  }

  // The speaker's window: which step, the section's notes and minutes, a clock, what comes next.
  const clock = ms => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;
  function tell() {
    if (!speaker || speaker.closed) return;
    const { notes = "", minutes = "", heading = "" } = section(place), page = speaker.document;
    const until = [...new Set(pages.slice(0, place + 1).map((_, i) => section(i)))].reduce((sum, each) => sum + Number(each.minutes || 0), 0);
    const next = pages[place + 1]?.leaves[0].textContent.trim().slice(0, 100) ?? "the end";
    page.querySelector("h1").textContent = `${place + 1} / ${pages.length} · ${heading}`;
    page.querySelector("#time").textContent = `${clock(begun ? Date.now() - begun : 0)} since the first step; this section takes ${minutes || 0} minutes and ends at ${until}:00`;
    page.querySelector("#notes").innerHTML = notes;
    page.querySelector("#next").textContent = next;
  }
  function notes() {
    speaker = open("", "speaker", "width=760,height=620");
    if (!speaker) return;
    speaker.document.title = "Notes";
    speaker.document.body.innerHTML = '<style>body { font: 1.2em/1.5 sans-serif; margin: 1.5em; }</style>'
      + '<h1></h1><p id="time"></p><div id="notes"></div><p><strong>Next:</strong> <span id="next"></span></p>';
    speaker.addEventListener("keydown", keys);
    tell();
  }
  setInterval(tell, 1000);

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest?.("input, select, textarea");
    if (!on()) {
      if (event.key === "p" && !field && steps.length) start(0);
      return;
    }
    const free = !field && !(event.key === " " && event.target.closest?.("button, summary, a"));
    const moves = { PageDown: 1, PageUp: -1 };  // a clicker's, wherever the focus is
    if (free) Object.assign(moves, { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1, " ": event.shiftKey ? -1 : 1, Backspace: -1 });
    if (event.key in moves) { event.preventDefault(); go(moves[event.key]); }
    else if (event.key === "Escape" || (event.key === "p" && free)) stop();
    else if (event.key === "s" && free) notes();
    else if (event.key === "f" && free) document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen();
    else if (event.key === "Home" && free) { place = 0; show(); }
    else if (event.key === "End" && free) { place = pages.length - 1; show(); }
  }
  addEventListener("keydown", keys);
  addEventListener("resize", () => {
    if (!on()) return;
    const leaf = pages[place].leaves[0];
    pages = paged();
    place = pages.findIndex(page => page.leaves.includes(leaf));
    show();
  });
  bar.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (button) button.value === "0" ? stop() : go(Number(button.value));
  });
  for (const link of document.querySelectorAll(".present")) {
    link.hidden = !steps.length;
    link.addEventListener("click", () => start(0));
  }
  const at = /^#present-(\d+)$/.exec(location.hash);
  if (at && steps.length) start(Number(at[1]) - 1);
}
