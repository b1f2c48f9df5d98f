// The first page's model: it writes towns that do not exist, in the reader's browser.
// Two blocks of attention (attention.js) as in lesson 09, with its trained numbers (towns-numbers.js).
"use strict";

// The model.

const half = bits => {  // a number of 16 bits: sign, exponent, fraction
  const exponent = bits >> 10 & 31, fraction = (bits & 1023) / 1024;
  return (bits >> 15 ? -1 : 1) * (exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction);
};

const unpacked = encoded => {  // a header and {name: rows}; tools/site/towns.py says what the file holds
  const bytes = Uint8Array.from(atob(encoded), letter => letter.charCodeAt(0));
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const halves = new Uint16Array(bytes.buffer, 4 + length), tables = {};
  let place = 0;
  for (const [name, shape] of header.numbers) {
    const width = shape.at(-1), size = shape.length > 1 ? shape[0] : 1;
    tables[name] = Array.from({ length: size }, () => Float32Array.from(halves.subarray(place, place += width), half));
  }
  return { ...header, tables, layers: Object.keys(tables).filter(name => name.endsWith("W_q.weight")).length };
};

// The scores of the next letter after each of the rows, and every head's weights.
function read(model, rows) {
  const { heads, layers, base, eps, tables } = model, looks = [];
  for (let layer = 0; layer < layers; layer++) {
    const of = name => tables[`blocks.${layer}.${name}.weight`];
    const Y = rows.map(row => normed(row, of("norm_1"), eps));
    const { output, weights } = attention(Y, name => tables[`blocks.${layer}.attention.${name}`], { heads, base });
    looks.push(weights);
    rows = rows.map((row, i) => plus(row, output[i]));
    rows = rows.map(row => {
      const y = normed(row, of("norm_2"), eps), up = times(y, of("W_up"));
      const gate = times(y, of("W_gate")).map((g, i) => g / (1 + Math.exp(-g)) * up[i]);
      return plus(row, times(gate, of("W_down")));
    });
  }
  return { scores: rows.map(row => times(normed(row, tables["norm.weight"], eps), tables["embedding.weight"])), looks };
}

// What is read: a mixture of two countries, then letters.
function rowsOf(model, [a, b, share], letters) {
  const row = sign => Array.from(model.tables["embedding.weight"][model.tokens.indexOf(sign)]);
  const [first, second] = [row(a), row(b)];
  return [first.map((number, i) => (1 - share) * number + share * second[i]), ...letters.map(row)];
}

// The page.

function towns(box, model) {
  const part = name => box.querySelector(`.towns-${name}`);
  const END = ".", LIKELY = 10, TEMPERATURE = 0.7, LONGEST = 14, SEED = 104729;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const known = model.tokens.slice(model.countries).filter(sign => sign !== END);
  let letters = [], running = !still, timer = null, elsewhere = null, rounds = 0;
  const drawing = seed => () => (seed = seed * 16807 % 2147483647) / 2147483647;  // the same towns each time
  const drawn = drawing(SEED);
  const begun = () => [...part("begin").value.toLowerCase()].filter(letter => known.includes(letter));

  const mixture = () => [part("from").value, part("to").value, Number(part("share").value) / 100];
  const chances = scores => softmax(scores.map((score, i) => (i < model.countries ? -Infinity : score / TEMPERATURE)));
  const next = (shares, draw = drawn) => {
    let left = draw();
    return model.tokens[Math.max(0, shares.findIndex(share => (left -= share) < 0))];
  };
  const named = sign => (sign === END ? "the end" : sign);

  function show() {
    const { scores, looks } = read(model, rowsOf(model, mixture(), letters.filter(sign => sign !== END)));
    const [layer, head] = part("head").value.split(".").map(Number);
    const [across, down] = placeOf(document.activeElement);
    part("columns").replaceChildren(column(countries(), [], -1), ...scores.map(
      (each, i) => column(letters[i] ?? "", chances(each), i)));
    if (across) part("columns").children[across]?.children[down]?.focus({ preventScroll: true });
    reached();
    lines(looks[layer][head]);
    part("name").scrollLeft = part("name").scrollWidth;  // the newest letter is seen on a phone, too
    part("share").disabled = part("from").value === part("to").value;
    const [a, b, share] = mixture();
    part("share").setAttribute("aria-valuetext", `${Math.round(100 * share)} percent ${b}, the rest ${a}`);
  }

  // Of all letters one is reached by Tab, the others from it by arrow keys.
  const placeOf = held => (held.closest?.(".towns-columns button")
    ? [held.parentElement, held].map(each => [...each.parentElement.children].indexOf(each)) : []);
  function reached() {
    const all = [...part("columns").querySelectorAll("button")];
    const held = all.find(each => each === document.activeElement) ?? all.findLast(each => each.ariaPressed === "true") ?? all.at(-1);
    for (const each of all) each.tabIndex = each === held ? 0 : -1;
  }
  const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  function moveTo(event) {
    const [across, down] = placeOf(document.activeElement), way = WAYS[event.key];
    if (!way || !across) return;
    event.preventDefault();
    part("columns").children[across + way[0]]?.children[down + way[1]]?.focus();
    reached();
    resume();
  }

  const countries = () => {
    const [a, b, share] = mixture();
    return a === b || share === 0 ? a : share === 1 ? b : `${a}/${b}`;
  };

  // One letter, and below it what was likeliest in its place.
  function column(sign, shares, place) {
    const made = document.createElement("div");
    const head = document.createElement("span");
    head.className = "towns-sign";
    head.textContent = sign;
    made.append(head);
    const order = shares.map((share, i) => [share, i]).sort((a, b) => b[0] - a[0]);
    const chosen = order.findIndex(([, i]) => model.tokens[i] === sign), shown = matchMedia("(max-width: 46em)").matches ? LIKELY - 5 : LIKELY;
    if (chosen >= shown) order.splice(shown - 1, 0, ...order.splice(chosen, 1));  // what was chosen is always there
    order.splice(shown);
    for (const [share, i] of order) {
      const button = document.createElement("button"), letter = model.tokens[i];
      button.type = "button";
      button.textContent = letter;
      button.style.setProperty("--share", Math.sqrt(share).toFixed(3));
      button.setAttribute("aria-pressed", letter === sign);
      button.title = `${Math.round(100 * share)} %`;
      button.setAttribute("aria-label", `${named(letter)}, ${Math.round(100 * share)} percent`);
      button.addEventListener("click", () => {
        letters = [...letters.slice(0, place), letter];
        if (!running) while (!ended()) step();
        show();
        part("columns").children[place + 1]?.querySelector("[aria-pressed=true]")?.focus();
        resume();
      });
      made.append(button);
    }
    return made;
  }

  // From the newest sign to those it looks at, as thick as the weight.
  function lines(weights) {
    const svg = part("lines"), columns = [...part("columns").children].map(each => each.firstChild);
    const left = part("columns").getBoundingClientRect().left;
    const middle = sign => { const at = sign.getBoundingClientRect(); return at.left + at.width / 2 - left; };
    const newest = weights.length - 1, from = middle(columns[newest]);
    svg.replaceChildren(...(newest ? weights[newest] : []).map((weight, i) => {
      const line = document.createElementNS("http://www.w3.org/2000/svg", "path"), to = middle(columns[i]);
      const high = 54 - Math.min(50, 12 + 0.22 * Math.abs(from - to));
      line.setAttribute("d", i === newest ? `M${from - 7},54 C${from - 16},26 ${from + 16},26 ${from + 7},54`
        : `M${from},54 C${from},${high} ${to},${high} ${to},54`);
      line.setAttribute("stroke-width", (10 * weight).toFixed(2));
      return line;
    }));
    svg.setAttribute("width", part("columns").scrollWidth);
  }

  const ended = () => letters.at(-1) === END || letters.length >= LONGEST;
  function step() {
    if (ended()) letters = begun();
    const { scores } = read(model, rowsOf(model, mixture(), letters));
    letters.push(next(chances(scores.at(-1))));
  }

  // What it makes of the same beginning in each country, one after the other so that the page stays awake.
  function others() {
    clearTimeout(elsewhere);
    const draw = drawing(SEED * (2 * ++rounds + 1)), all = part("from").options.length;
    const left = [...part("from").options], start = begun(), list = part("others");
    part("told-of").textContent = start.length ? "The same beginning elsewhere" : "A town in each country";
    const write = () => {
      const country = left.shift(), town = [...start];
      while (town.at(-1) !== END && town.length < LONGEST) {
        town.push(next(chances(read(model, rowsOf(model, [country.value, country.value, 0], town)).scores.at(-1)), draw));
      }
      const [name, told] = ["dt", "dd"].map(tag => document.createElement(tag));
      name.textContent = country.text;
      told.textContent = town.filter(sign => sign !== END).join("");
      const row = document.createElement("div");
      row.append(name, told);
      const old = list.children[all - left.length - 1];
      if (old) old.replaceWith(row); else list.append(row);
      if (left.length) elsewhere = setTimeout(write, 20);
    };
    write();
  }

  function tick() {
    clearTimeout(timer);
    if (!running) return;
    if (!document.hidden) { step(); show(); }
    timer = setTimeout(tick, ended() ? 3000 : 550);
  }
  function resume() {
    clearTimeout(timer);
    if (running) timer = setTimeout(tick, 1500);
  }
  function whole() {  // a name at once
    letters = begun();
    do step(); while (!ended());
    show();
  }

  part("play").addEventListener("click", () => {
    running = !running;
    part("play").textContent = running ? "Pause" : "Go on";
    tick();
  });
  part("another").addEventListener("click", () => {
    others();
    if (running) { letters = begun(); tick(); } else { whole(); part("told").textContent = letters.slice(0, -1).join(""); }
  });
  part("begin").addEventListener("input", () => {
    const unknown = [...new Set(part("begin").value.toLowerCase())].filter(letter => !known.includes(letter));
    part("unknown").textContent = unknown.length ? `No town that it learned from has ${unknown.map(letter => (letter === " " ? "a space" : letter)).join(" or ")}` : "";
    others();
    if (running) { letters = begun(); show(); resume(); } else whole();
  });
  part("columns").addEventListener("keydown", moveTo);
  part("columns").addEventListener("focusin", reached);
  for (const name of ["from", "to", "share", "head"]) {
    part(name).addEventListener("input", () => { show(); resume(); });
  }
  part("columns").addEventListener("pointerdown", resume);  // a letter stays where it is while it is pressed
  addEventListener("resize", show);
  part("play").textContent = running ? "Pause" : "Go on";
  box.hidden = false;
  whole();
  others();
  if (running) timer = setTimeout(tick, 3000);
}

if (document.querySelector(".towns")) {
  window.townsModel = unpacked(window.townsNumbers);
  towns(document.querySelector(".towns"), window.townsModel);
}
