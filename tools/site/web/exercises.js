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
  async function load(tell) {
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
  async function check(name, code, tell = () => {}) {
    loaded ??= load(tell);
    ready ??= loaded.then(begin);
    try {
      await ready;
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
    set(place, text) { try { localStorage.setItem(this.key(place), text); } catch { /* private mode */ } },
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
  function colour(editor) {
    const escaped = text => text.replace(/[&<>]/g, sign => `&#${sign.charCodeAt(0)};`);
    let html = "", seen = 0;
    const code = editor.textContent;
    for (const found of code.matchAll(PARTS)) {
      const kind = CLASSES[found.slice(1).findIndex(part => part !== undefined)];
      html += `${escaped(code.slice(seen, found.index))}<span class="${kind}">${escaped(found[0])}</span>`;
      seen = found.index + found[0].length;
    }
    editor.innerHTML = html + escaped(code.slice(seen));
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

  for (const place of places) {
    const names = place.dataset.name.split(" "), name = names[0], stub = place.querySelector("pre").textContent.trimEnd();
    const editor = document.createElement("div"), panel = document.createElement("div");
    editor.className = "editor highlight";
    editor.setAttribute("role", "textbox");
    editor.setAttribute("aria-multiline", "true");
    editor.setAttribute("aria-label", `Your ${names.join(", ")}`);
    editor.setAttribute("aria-describedby", `${name}-keys`);
    editor.tabIndex = 0;
    panel.className = "answer";
    panel.innerHTML = '<p><button type="button" value="check">Check</button> <button type="button" value="again">Begin again</button> '
      + '<button type="button" value="take" hidden>Take what I wrote along, as a notebook</button> '
      + '<label hidden>Your name <input maxlength="60" size="14" style="font: inherit; padding: 0.2em"></label> '
      + '<button type="button" value="forget" hidden>Forget it</button></p>'
      + `<p id="${name}-keys"><small>Ctrl+Enter checks; Tab leads on from the editor, and Enter keeps the indentation. `
      + "Kept in this browser alone. It computes with NumPy under torch's names.</small></p>"
      + '<progress hidden></progress><div class="verdict" role="status"></div>';
    place.querySelector(".highlight, pre").replaceWith(editor);
    place.append(panel);
    const jar = CodeJar(editor, colour, { tab: "    ", indentOn: /[:([{]$/, catchTab: false, addClosing: false });
    const button = value => panel.querySelector(`[value=${value}]`), said = panel.querySelector(".verdict"), bar = panel.querySelector("progress");
    const field = panel.querySelector("input");
    const buttons = () => { for (const part of [button("take"), button("forget"), field.parentElement]) part.hidden = store.get(place) === null; };
    field.value = store.get(someone) ?? "";
    field.addEventListener("input", () => call(field.value));
    jar.updateCode(store.get(place) ?? stub, false);
    jar.onUpdate(code => { store.set(place, code); buttons(); });
    buttons();

    // Below one's own code, so that its lines keep their numbers: what it calls of one's other cells.
    const called = code => places.filter(other => other !== place && store.get(other) !== null
      && other.dataset.name.split(" ").some(each => new RegExp(`\\b${each}\\(`).test(code) && !code.includes(`def ${each}(`)))
      .map(other => store.get(other));

    const tells = words => { said.className = "verdict"; said.textContent = words; };
    async function ask() {
      button("check").disabled = true;
      said.textContent = "";
      said.className = "verdict";
      const tell = (seen, all) => {
        bar.hidden = seen === all;
        bar.max = all;
        bar.value = seen;
        said.textContent = seen === all ? "Python starts ..." : `Python comes into this page, once: ${whole(seen)} of ${whole(all)}`;
      };
      if (loaded && !said.textContent) said.textContent = "...";
      const told = [], code = jar.toString();
      for (const each of names) told.push([each, ...await check(each, [code, ...called(code)].join("\n\n"), tell)]);
      bar.hidden = true;
      said.className = `verdict ${["wrong", "cannot", "right"].find(status => told.some(each => each[1] === status))}`;
      said.textContent = told.map(([each, , message]) => (names.length > 1 ? `${each}: ${message}` : message)).join("\n\n");
      button("check").disabled = false;
    }
    panel.addEventListener("click", event => {
      const value = event.target.closest("button")?.value;
      if (value === "check") ask();
      else if (value === "take") takeAway();
      else if (value === "again") { jar.updateCode(stub, false); store.forget(place); buttons(); tells(""); editor.focus(); }
      else if (value === "forget") { store.forget(place); call(""); buttons(); tells("Forgotten. What stands here is kept again as soon as you type."); }
    });
    editor.addEventListener("keydown", event => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); event.stopPropagation(); ask(); }
    }, true);
    editor.addEventListener("keydown", event => event.stopPropagation());  // "/" is the theme's key for its search
  }
}
