// The lesson presented: P shows this page step by step, in large letters; S opens notes and a clock.
"use strict";

{
  const INSIDE = "section, .reveal, details.outcome, details.waits, details.solution, details.found";  // what steps go through
  const LARGEST = 0.05, SMALLEST = 1 / 30, LOWEST = 0.35;  // of letters and of pictures, as a part of the screen's height
  const SHOWN = ".figure, .output.table";  // what stands for its code; C shows the code too
  const LEADS = "p:not(.to-run), ul, ol, .math-wrapper";  // what says why code comes; other code prepares if it prints nothing
  const article = document.querySelector("article"), root = document.documentElement;
  const parts = [];  // what may share a page: lists of leaves; a section begins a list, and so does an answer
  const steps = new Set(), sections = new Map();  // leaves that begin a step; what is told of a leaf's section
  const asked = new Map();  // the question whose outcome a leaf is

  const title = document.querySelector("article h1");
  let step = false, about = {}, question = null;
  const isCode = element => element.matches(".highlight-python");
  const isTurn = element => element.matches("section") && /^Your turn/.test(element.textContent.trim());
  const collect = element => {
    for (const child of element.children) {
      if (child.matches("#answers-to-the-predictions, summary, script")) continue;
      if (child.matches(".step")) {
        step = true;
        if ("notes" in child.dataset) [about, question] = [child.dataset, void parts.push(parts.length ? [] : [title])];
      } else if (child.matches(".to-run")) {
        if (isTurn(element)) parts.push([]);  // what follows a stub shows its result
      } else if (child.matches(INSIDE)) {
        const apart = child.matches("details.found, details.solution") || (isTurn(child) && parts.at(-1)?.length > 2);
        if (apart && parts.at(-1)?.length) parts.push([]);  // nothing is seen before it was tried
        collect(child);
        if (child.matches("details.outcome")) question = null;
      }
      else if (parts.length && !child.matches(".toctree-wrapper, .links, .without")) {
        parts.at(-1).push(child);
        sections.set(child, about);
        if (question) asked.set(child, question);
        if (step) steps.add(child);
        step = false;
        const after = child.nextElementSibling, shows = after?.matches(".output");
        const prepares = /^(from|import) /.test(child.textContent) || !child.previousElementSibling?.matches(LEADS);
        const behind = after?.matches(SHOWN) || (prepares && !shows);
        if (child.matches("details.code") || (behind && isCode(child))) child.classList.add("behind");
        if (child.matches(".predict")) [question] = [child, parts.push([])];
      }
    }
  };
  if (article) collect(article);
  if (parts.length) sections.set(title, sections.get(parts[0][1]));

  // What a reload keeps, until this window is closed: when it began, whether notes are open, votes, whether code is shown.
  const kept = (name, value) => {
    const key = `${location.pathname} ${name}`;
    try {
      if (value === undefined) return JSON.parse(sessionStorage.getItem(key));
      sessionStorage.setItem(key, JSON.stringify(value));
    } catch { value ??= null; }  // where nothing may be kept
    return value;
  };
  let pages = [], labels = [], place = 0, left = null, begun = kept("begun"), speaker = null;
  root.classList.toggle("with-code", Boolean(kept("code")));

  // How many hands went up for each letter.
  document.querySelectorAll(".predict").forEach((box, number) => {
    for (const button of box.querySelectorAll("button")) {
      const votes = document.createElement("input"), name = `votes ${number} ${button.textContent}`;
      Object.assign(votes, { type: "text", inputMode: "numeric", className: "votes", value: kept(name) ?? "" });
      votes.setAttribute("aria-label", `Hands for ${button.textContent}`);
      votes.title = votes.placeholder = "hands";
      votes.addEventListener("input", () => kept(name, votes.value = votes.value.replace(/\D/g, "")));
      const both = document.createElement("span");  // a line is broken between letters, not before a number
      both.className = "hands";
      button.replaceWith(both);
      both.append(button, votes);
    }
  });
  const bar = document.createElement("nav");
  bar.className = "present-bar";
  bar.setAttribute("aria-label", "Steps");
  bar.innerHTML = '<span></span><button type="button" value="code" aria-pressed="false">Code (C)</button>'
    + '<button type="button" value="notes">Notes (S)</button>'
    + '<button type="button" value="-1" aria-label="Back">‹</button><output></output>'
    + '<button type="button" value="1" aria-label="Next">›</button><button type="button" value="close">Close</button>';

  const tally = document.createElement("p");

  const on = () => root.classList.contains("presenting");
  const section = i => sections.get(pages[i][0]);
  const coded = () => root.classList.contains("with-code");
  const label = i => labels[i][1] > 1 ? labels[i].join(".") : labels[i][0];
  const at = () => `${label(place)} / ${labels.at(-1)[0]}`;

  const high = () => 0.95 * (innerHeight - bar.offsetHeight);
  const height = leaves => leaves.at(-1).getBoundingClientRect().bottom - (tally.parentElement ? tally : leaves[0]).getBoundingClientRect().top;
  const letters = size => { article.style.fontSize = `${size * innerHeight}px`; };
  const picture = size => {
    article.style.setProperty("--picture", `${size}px`);
    article.style.setProperty("--high", size);
  };

  function only(leaves) {
    for (const each of article.querySelectorAll(".now, .in")) each.classList.remove("now", "in");
    for (const leaf of leaves) {
      leaf.classList.add("now");
      if (leaf.matches("details")) leaf.open = true;
      for (let up = leaf.parentElement; up !== article; up = up.parentElement) {
        up.classList.add("in");
        if (up.matches("details")) up.open = true;
      }
    }
  }

  // What is too wide gets smaller letters than the page; much too wide, it is wrapped first.
  function narrow(leaves) {
    for (const leaf of leaves) {
      const box = leaf.querySelector("math[display=block], pre") ?? leaf, part = () => box.clientWidth / box.scrollWidth;
      leaf.style.fontSize = "";
      leaf.classList.remove("wraps");
      leaf.classList.toggle("wraps", part() < 0.75 && !isCode(leaf));
      if (part() < 1) leaf.style.fontSize = `${0.99 * part()}em`;
    }
  }

  // Whether nothing may come between two leaves: a heading, a colon, a list, a formula, a question or what to do leads on.
  const OBJECT = ".figure, .diagram, .output, .which";
  const joined = (a, b) => a.matches("h1, h2, h3") || /:$/.test(a.textContent.trim()) || b.matches("ul, ol, .math-wrapper, .predict")
    || (isCode(a) && b.matches("pre.output")) || /^Predict first/.test(a.textContent)
    || (/^(Choose|Drag|Switch|Type)\./.test(a.textContent) && b.matches(OBJECT));

  // Pages are cut as a printer breaks lines: as full as can be in the smallest letters, and rather between steps;
  // with the smallest pictures each must fit.
  function cut(leaves) {
    only(leaves);
    for (const view of leaves.flatMap(leaf => [...leaf.querySelectorAll(".head-view")])) {
      view.style.removeProperty("--natural");
      view.style.setProperty("--natural", view.offsetHeight);
    }
    letters(SMALLEST);
    const boxes = part => {
      picture(part * high());
      narrow(leaves);
      return leaves.map(leaf => leaf.getBoundingClientRect());
    };
    const least = boxes(LOWEST), usual = boxes(0.5), best = [{ cost: 0 }];
    for (let end = 1; end <= leaves.length; end++) {
      const last = leaves[end - 1], next = leaves[end], torn = last.matches(OBJECT) || (last.matches("p") && next?.matches(OBJECT));
      const apart = !next ? 0 : last.matches("h1, h2, h3") ? 9 : joined(last, next) ? 3 : next.matches("h2, h3") ? 0 : torn ? 0.8 : steps.has(next) ? 0 : 0.15;
      best.push({ cost: Infinity });
      for (let from = end - 1; from >= 0; from--) {
        const part = boxes => (boxes[end - 1].bottom - boxes[from].top) / high() + (asked.has(leaves[from]) ? 0.08 : 0);  // hands
        if (part(least) > 1.03 && from < end - 1) break;  // high() leaves a twentieth free, and a margin above it
        const full = part(usual);
        const bare = leaves.slice(from, end).every(isCode);
        const cost = best[from].cost + apart + bare + (full > 1 ? 20 : 1) * (1 - full) ** 2;
        if (cost < best[end].cost) best[end] = { cost, from };
      }
    }
    const made = [];
    for (let end = leaves.length; end; end = best[end].from) made.unshift(leaves.slice(best[end].from, end));
    return made;
  }
  function paged() {
    for (const each of article.querySelectorAll("img")) {
      const [wide, tall] = ["width", "height"].map(name => Number(each.getAttribute(name)));
      each.parentElement.style.setProperty("--ratio", (wide / tall || each.naturalWidth / each.naturalHeight || 1.5).toFixed(3));
    }
    let number = 0, before = null;
    pages = [];
    labels = [];
    for (const leaves of parts) {
      // What would be nothing but code is behind as well, unless the page before leads to it.
      const shown = cut(leaves.filter(leaf => !leaf.matches(".behind"))).filter(step => {
        const stays = !step.every(isCode) || (before && joined(before, step[0]));
        before = step.at(-1);
        return stays;
      });
      // Code belongs to the step that it leads to, else to the one before, and goes on under its number: 7, 7.2, 7.3.
      const found = leaves.map(leaf => shown.findIndex(step => step.includes(leaf))), groups = [];
      leaves.forEach((leaf, i) => {
        const [last, next] = [found.slice(0, i).findLast(n => n >= 0), found.slice(i).find(n => n >= 0)];
        (groups[(leaf.matches("details.code") ? last ?? next : next ?? last) ?? 0] ??= []).push(leaf);
      });
      for (const group of coded() ? groups : shown) {
        if (shown.length) number++;
        for (const page of coded() ? cut(group) : [group]) {
          labels.push([number, labels.at(-1)?.[0] === number ? labels.at(-1)[1] + 1 : 1]);
          pages.push(page);
        }
      }
    }
  }

  // The letters are as large as the page allows; then pictures take what is left.
  function fit() {
    const leaves = pages[place], count = kind => leaves.filter(leaf => leaf.matches(kind)).length;
    const pictures = Math.max(1, count(".figure") + 1.4 * count(".diagram"));
    picture(0.5 * high());
    let size = (count(".diagram") ? 1.1 * SMALLEST : LARGEST) + 0.001;  // a diagram's own letters are small
    do { letters(size = Math.max(SMALLEST, size - 0.001)); narrow(leaves); } while (size > SMALLEST && height(leaves) > high());
    picture(Math.max(LOWEST * high(), 0.5 * high() + (high() - height(leaves)) / pictures));
  }

  // How many hands went up for each letter of a question stands above what comes out.
  function hands(leaf) {
    const fields = [...asked.get(leaf)?.querySelectorAll(".votes") ?? []], all = fields.reduce((sum, field) => sum + Number(field.value), 0);
    tally.className = "tally now";
    tally.innerHTML = fields.map(field => {
      const share = `${Math.round(100 * field.value / all)}%`;
      return `<span style="--share: ${share}">${field.previousSibling.value} ${Number(field.value)} · ${share}</span>`;
    }).join("");
    all ? leaf.before(tally) : tally.remove();
  }

  function show() {
    only(pages[place]);
    hands(pages[place][0]);
    bar.querySelector("span").textContent = section(place).heading;
    bar.querySelector("[value=code]").setAttribute("aria-pressed", coded());
    bar.querySelector("output").textContent = at();
    history.replaceState(null, "", `#present-${label(place)}`);
    fit();
    scrollTo({ top: 0, behavior: "instant" });
    tell();
  }

  function go(by) {
    const seen = pages[place].at(-1).getBoundingClientRect().bottom <= innerHeight;
    const bottom = scrollY + innerHeight >= root.scrollHeight - 2;
    if (by > 0 && !seen && !bottom) return scrollBy({ top: 0.8 * innerHeight, behavior: "instant" });  // of one long listing
    if (by < 0 && scrollY > 0) return scrollBy({ top: -0.8 * innerHeight, behavior: "instant" });
    begun ??= kept("begun", Date.now());
    place = Math.max(0, Math.min(pages.length - 1, place + by));
    show();
  }

  const closed = [];
  function pageOf(leaf) {  // or the one before, if it is behind
    const all = parts.flat(), until = all.indexOf(leaf);
    return Math.max(0, pages.findLastIndex(page => all.indexOf(page[0]) <= until));
  }
  function start(from) {  // a page's label, or what was on the page that was left
    closed.push(...[...article.querySelectorAll("details")].filter(each => !each.open));
    root.classList.add("presenting");
    document.body.append(bar);
    paged();
    const [number, part = 1] = from.nodeType ? [] : from;
    place = from.nodeType ? pageOf(from) : Math.max(0, labels.findLastIndex(([n, k]) => n < number || (n === number && k <= part)));
    show();
  }
  function stop() {
    const leaf = left = pages[place][0];
    root.classList.remove("presenting");
    for (const each of [article, ...sections.keys()]) each.style.fontSize = "";
    bar.remove();
    tally.remove();
    for (const each of closed.splice(0)) each.open = each.contains(leaf);
    history.replaceState(null, "", location.pathname + location.search);
    leaf.scrollIntoView();
  }

  // The speaker's window: which step, the section's notes and minutes, a clock, what comes next.
  const clock = ms => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;
  const plain = leaf => (leaf.querySelector("img")?.alt ?? leaf.textContent).replace("¶", "").replace(/\s+/g, " ").trim();
  function said(leaves) {  // the next heading, sentence or picture
    const leaf = leaves.find(each => each.matches("h1, h2, h3, p, ul")) ?? leaves.find(each => each.querySelector("img"));
    const words = leaf ? /^.+?(?<!\d)[.?!:](?= |$)|^.+/.exec(plain(leaf))?.[0] ?? "" : "a table, or what code shows";
    return words.length > 140 ? `${words.slice(0, 140).replace(/ \S*$/, "")} …` : words;
  }
  function tell() {
    if (speaker?.closed) speaker = kept("notes", null);
    if (!speaker) return;
    const { notes = "", minutes = "", heading = "" } = section(place), page = speaker.document;
    const until = [...new Set(pages.slice(0, place + 1).map((_, i) => section(i)))].reduce((sum, each) => sum + Number(each.minutes || 0), 0);
    const next = pages[place + 1] ? said(pages[place + 1]) : "the end";
    page.querySelector("h1").textContent = `${at()} · ${heading}`;
    page.querySelector("#time").innerHTML = `<b>${clock(begun ? Date.now() - begun : 0)}</b> since the first step; this section takes ${minutes || 0} minutes and ends at ${until}:00`;
    page.querySelector("#notes").innerHTML = notes;
    page.querySelector("#next").textContent = next;
  }
  // A page from a file may not write into a window that it opened before a reload: the first key opens another.
  function notes() {
    const before = kept("notes"), name = `notes ${Date.now()}`;
    if (before && !speaker) open("", before)?.close();
    speaker = open("", name, "width=760,height=620");
    if (!speaker) return;
    kept("notes", name);
    speaker.document.title = "Notes";
    speaker.document.body.innerHTML = '<style>body { font: 1.2em/1.5 sans-serif; margin: 1.5em; } #time b { font-size: 2em; }</style>'
      + '<h1></h1><p id="time"></p><div id="notes"></div><p><strong>Next:</strong> <span id="next"></span></p>';
    speaker.addEventListener("keydown", keys);
    tell();
  }
  setInterval(tell, 1000);

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest?.("input, select, textarea");
    if (!on()) {
      if (event.key === "p" && !field && parts.length) start(left ?? [1]);
      return;
    }
    if (kept("notes") && !speaker) notes();
    const free = !field && !(event.key === " " && event.target.closest?.("button, summary, a"));
    const moves = { PageDown: 1, PageUp: -1 };  // a clicker's, wherever the focus is
    if (free) Object.assign(moves, { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1, " ": event.shiftKey ? -1 : 1, Backspace: -1 });
    if (event.key in moves) { event.preventDefault(); field?.blur(); go(moves[event.key]); }
    else if (event.key === "Escape" || (event.key === "p" && free)) stop();
    else if (event.key === "s" && free) notes();
    else if (event.key === "c" && free) code();
    else if (event.key === "f" && free) document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen();
    else if (event.key === "Home" && free) { place = 0; show(); }
    else if (event.key === "End" && free) { place = pages.length - 1; show(); }
  }
  addEventListener("keydown", keys);
  addEventListener("click", event => {  // with a mouse: the next space leads on
    if (on() && event.detail) event.target.closest("button, summary")?.blur();
  });
  function again() {  // where the screen, a picture or the code has made other pages
    if (!on()) return;
    const seen = pages[place].find(leaf => coded() || !leaf.matches(".behind")) ?? pages[place][0];
    paged();
    place = pageOf(seen);
    show();
  }
  function code() {
    kept("code", root.classList.toggle("with-code"));
    again();
  }
  addEventListener("resize", again);
  addEventListener("load", again);
  bar.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (button) ({ close: stop, code, notes }[button.value] ?? (() => go(Number(button.value))))();
  });
  for (const link of document.querySelectorAll(".present")) {
    link.hidden = !parts.length;
    link.addEventListener("click", () => start([1]));
  }
  const asks = /^#present-([\d.]+)$/.exec(location.hash);
  if (asks && parts.length) start(asks[1].split(".").map(Number));
}
