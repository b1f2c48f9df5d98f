// Exercises answered in the page: an editor, Check, and Python in a worker that can be stopped.
"use strict";

{
  const SECONDS = 10;  // for one check
  const places = [...document.querySelectorAll(".exercise")];
  const scripts = document.querySelector("script[src*='_static/exercises.js']")?.src.replace(/exercises\.js.*$/, "python/");
  const whole = bytes => `${(bytes / 1e6).toFixed(0)} MB`;

  // Python: loaded once, when it is first needed; a new worker where the last had to be stopped.
  let loaded = null, ready = null, worker = null, number = 0;
  const waiting = new Map();
  let tell = () => {};  // shows the reader who waits how much of Python is here

  const script = name => new Promise((done, failed) => {
    const element = document.createElement("script");
    element.src = `${scripts}${name}.js`;
    element.onload = done;
    element.onerror = () => failed(new Error(`${name} could not be read`));
    document.head.append(element);
  });
  function bytes(name) {
    const text = atob(PYTHON[name]), data = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) data[i] = text.charCodeAt(i);
    delete PYTHON[name];
    return data;
  }
  async function load() {
    await script("course");
    const sizes = Object.entries(COURSE.sizes), all = sizes.reduce((sum, [, size]) => sum + size, 0);
    let seen = 0;
    for (const [name, size] of sizes) {
      tell(seen, all);
      await script(name);
      seen += size;
    }
    tell(all, all);
    const files = {};
    for (const [name] of sizes) files[name] = bytes(name);
    const text = name => new TextDecoder().decode(files[name]);
    const source = [text("pyodide.asm.js"), text("pyodide.js"), COURSE.worker];
    const blob = URL.createObjectURL(new Blob(source.map(part => `${part}\n;`), { type: "text/javascript" }));
    return { files, blob };
  }
  function begin({ files, blob }) {
    worker = new Worker(blob);
    return new Promise((done, failed) => {
      worker.onmessage = ({ data }) => {
        if (data.ready) done();
        else if (waiting.has(data.id)) waiting.get(data.id)(data);
        else if (data.failed) failed(new Error(data.failed));
      };
      worker.onerror = event => failed(new Error(event.message));
      worker.postMessage({ files, course: COURSE.files });
    });
  }
  const prepare = () => ready ??= (loaded ??= load()).then(begin);
  async function check(name, code) {
    try {
      await prepare();
    } catch (error) {
      loaded = ready = null;
      return ["cannot", `Python could not be started in this page (${error.message}). In the notebook it works.`];
    }
    const id = ++number;
    return new Promise(done => {
      const late = setTimeout(() => {
        waiting.delete(id);
        worker.terminate();
        ready = loaded.then(begin);  // by itself: the next check need not wait as long
        done(["wrong", `It had not ended after ${SECONDS} seconds, and was stopped. Is there a loop without an end, or a huge tensor?`]);
      }, 1000 * SECONDS);
      waiting.set(id, ({ said, failed }) => {
        clearTimeout(late);
        waiting.delete(id);
        done(said ?? ["cannot", `This page could not run it. In the notebook it works. (${failed.trim().split("\n").pop()})`]);
      });
      worker.postMessage({ id, name, code });
    });
  }
  globalThis.exercises = { check };

  // What a reader wrote, kept in this browser alone, by course, lesson and exercise.
  const store = {
    key: place => `attn-teach/${place.dataset.lesson}/${place.dataset.name}`,
    get(place) { try { return localStorage.getItem(this.key(place)); } catch { return null; } },
    set(place, text) {
      if (place.dataset.recorded) return;  // the first screen begins anew
      try { localStorage.setItem(this.key(place), text); } catch { /* private mode */ }
    },
    forget(place) { try { localStorage.removeItem(this.key(place)); } catch { /* the same */ } },
  };
  const someone = { dataset: { lesson: "who", name: "" } };  // whose answers they are: asked once
  function call(who) {
    if (who) store.set(someone, who); else store.forget(someone);
    for (const field of document.querySelectorAll(".answer input")) if (field.value !== who) field.value = who;
  }
  const kept = () => places.filter(place => store.get(place) !== null);

  const PARTS = /(#.*)|("""[^]*?"""|"[^"\n]*"|'[^'\n]*')|\b(and|as|assert|class|def|del|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|try|while|with|yield)\b|\b(\d[\d.e]*)\b/g;
  const CLASSES = ["c1", "s2", "k", "mi"];  // as the page's other code
  function* coloured(code) {
    let seen = 0;
    for (const found of code.matchAll(PARTS)) {
      yield ["", code.slice(seen, found.index)];
      yield [CLASSES[found.slice(1).findIndex(part => part !== undefined)], found[0]];
      seen = found.index + found[0].length;
    }
    yield ["", code.slice(seen)];
  }

  // A text field, so that what is shown is what is judged, however it was put in; its colors lie over it.
  function editorFor(place, names, stub, changed) {
    const box = document.createElement("div");
    box.className = "editor highlight";
    box.innerHTML = `<textarea aria-label="Your ${names.join(", ")}" aria-describedby="editor-keys" spellcheck="false"`
      + ' autocapitalize="none" autocomplete="off" autocorrect="off"></textarea><div aria-hidden="true"></div>';
    const [field, over] = box.children;
    function show() {  // no node is taken away: Chromium would undo single letters then
      const parts = [...coloured(field.value)];
      while (over.childElementCount < parts.length) over.appendChild(document.createElement("span")).append("");
      [...over.children].forEach((span, i) => { [span.className, span.firstChild.data] = parts[i] ?? ["", ""]; });
      place.classList.toggle("changed", field.value.trimEnd() !== stub);
    }
    const insert = text => document.execCommand("insertText", false, text);  // which can be undone
    field.addEventListener("input", () => { show(); changed(field.value); });
    field.addEventListener("beforeinput", event => {
      if (event.inputType !== "insertLineBreak" || !event.cancelable) return;
      event.preventDefault();
      const line = field.value.slice(0, field.selectionStart).split("\n").pop();
      insert(`\n${/^[ \t]*/.exec(line)[0]}${/[:([{]\s*$/.test(line) ? "    " : ""}`);
    });
    field.value = store.get(place) ?? stub;
    show();
    place.querySelector(".highlight, pre").replaceWith(box);
    return { field, begin() { field.focus(); field.select(); insert(stub); } };
  }

  function cell(code) {
    return { cell_type: "code", execution_count: null, id: Math.random().toString(36).slice(2, 10), metadata: {}, outputs: [], source: code };
  }
  function takeAway() {
    const written = kept().map(place => cell(`${store.get(place).trimEnd()}\n\n${place.dataset.name.split(" ").map(name => `check(${name})`).join("\n")}`));
    const first = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\nfrom attn_teach import *\nfrom attn_lesson import check";
    const notebook = { cells: [cell(first), ...written], metadata: {}, nbformat: 4, nbformat_minor: 5 };
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(notebook, null, 1)], { type: "application/json" }));
    const who = (store.get(someone) ?? "").replace(/[\\/:*?"<>|\p{C}]+/gu, "-").replace(/^[\s.]+|\s+$/g, "");
    link.download = `${who || "my_answers"}_${places[0].dataset.lesson}.ipynb`;
    link.click();
  }

  const touched = matchMedia("(pointer: coarse)").matches;  // where there may be no keys
  const KEYS = touched ? "" : "Ctrl+Enter checks; Tab leads on from the editor, and Enter keeps the indentation. ";
  for (const place of places) {
    const names = place.dataset.name.split(" "), stub = place.querySelector("pre").textContent.trimEnd();
    const panel = document.createElement("div");
    panel.className = "answer";
    panel.innerHTML = '<p><button type="button" value="check">Check</button> <button type="button" value="again">Begin again</button> '
      + '<button type="button" value="take" hidden>Download my answers</button> '
      + '<label hidden>Your name <input maxlength="60" size="14" style="font: inherit; padding: 0.2em"></label> '
      + '<button type="button" value="forget" hidden>Clear</button></p>'
      + (place === places[0] ? `<p id="editor-keys"><small>${KEYS}Kept in this browser alone. It computes with NumPy under torch's names.</small></p>` : "")
      + '<p class="coming" hidden><progress></progress> <small></small></p><div class="verdict" role="status"></div>';
    place.append(panel);
    const button = value => panel.querySelector(`[value=${value}]`), said = panel.querySelector(".verdict");
    const coming = panel.querySelector(".coming"), bar = coming.firstChild;
    const field = panel.querySelector("input");
    const buttons = () => { for (const part of [button("take"), button("forget"), field.parentElement]) part.hidden = store.get(place) === null; };
    field.value = store.get(someone) ?? "";
    field.addEventListener("input", () => call(field.value));
    const editor = editorFor(place, names, stub, code => { store.set(place, code); buttons(); });
    buttons();

    // Below one's own code, so that its lines keep their numbers: what it calls of one's other cells.
    const called = code => places.filter(other => other !== place && store.get(other) !== null
      && other.dataset.name.split(" ").some(each => new RegExp(`\\b${each}\\(`).test(code) && !code.includes(`def ${each}(`)))
      .map(other => store.get(other));

    const tells = words => { said.className = "verdict"; said.textContent = words; };
    const shows = (seen, all) => {
      coming.hidden = false;
      Object.assign(bar, { max: all, value: seen });
      coming.lastChild.textContent = seen === all ? "Python starts ..." : `Python comes into this page, once: ${whole(seen)} of ${whole(all)}`;
    };
    const came = () => { coming.hidden = true; };
    async function ask() {
      button("check").disabled = true;
      said.className = "verdict";
      said.textContent = "";
      tell = shows;
      const code = editor.field.value, known = code.trimEnd() === stub && place.dataset.recorded;
      const told = known ? JSON.parse(known) : [];  // and Python comes while that is read
      if (known) prepare().then(came, came);
      else {
        said.textContent = loaded ? "..." : "";
        for (const each of names) told.push([each, ...await check(each, [code, ...called(code)].join("\n\n"))]);
        came();
      }
      said.className = `verdict ${["wrong", "cannot", "numbers", "right"].find(status => told.some(each => each[1] === status))}`;
      said.textContent = told.map(([each, , message]) => (names.length > 1 ? `${each}: ${message}` : message)).join("\n\n");
      button("check").disabled = false;
      place.dispatchEvent(new CustomEvent("judged", { bubbles: true, detail: said.classList.contains("right") }));
    }
    panel.addEventListener("click", event => {
      const value = event.target.closest("button")?.value;
      if (value === "check") ask();
      else if (value === "take") takeAway();
      else if (value === "again") { editor.begin(); store.forget(place); buttons(); tells(""); }
      else if (value === "forget") { store.forget(place); call(""); buttons(); tells("Cleared. What stands here is kept again as soon as you type."); }
    });
    editor.field.addEventListener("keydown", event => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); ask(); }
    });
  }
}
