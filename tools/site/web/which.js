// "Which model is it?": switches set the parts of one attention (attention.js), until it computes what a
// published layer did. which-numbers.js has the models; tools/site/which.py says where they are from.
"use strict";

const MODELS = whichNumbers.models.map(({ tokens, output, numbers, ...about }) => {
  const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const rows = (flat, width) => Array.from({ length: flat.length / width }, (_, i) => [...flat.slice(i * width, (i + 1) * width)]);
  const small = (text, width) => rows([...new Int8Array(bytes(text).buffer)].map(number => number / whichNumbers.unit), width);
  const tables = Object.entries(numbers).map(([name, text]) => [name, small(text, whichNumbers.widths[name])]);
  const width = whichNumbers.widths["W_q.weight"];
  return { ...about, tables: Object.fromEntries(tables), tokens: small(tokens, width), output: rows(new Float32Array(bytes(output).buffer), width) };
});

// What the layer makes of the model's tokens, and each head's weights; `chosen` has the places of settings.
function computed(model, chosen) {
  const parts = Object.assign({}, ...Object.entries(chosen).map(([name, place]) => whichNumbers.parts[name][place]));
  const has = { "W_q.bias": parts.bias, "W_k.bias": parts.bias, "W_v.bias": parts.bias, "W_o.bias": parts.out_bias,
    "W_g.weight": parts.gate, sink: parts.sink };
  const of = name => (has[name] ?? true ? model.tables[name] ?? model.tables[`${parts.qk_norm}.${name}`] : undefined);
  const settings = { heads: whichNumbers.heads, window: parts.window ? whichNumbers.window : Infinity,
    share: parts.turned, base: model.bases[parts.base], interleaved: parts.interleaved };
  const off = (row, i) => Math.max(...row.map((number, j) => Math.abs(number - model.output[i][j])));
  const made = attention(model.tokens, of, settings);
  return { ...made, off: made.output.map(off), values: { BASE: settings.base, TURNED: 16 * parts.turned, HALF: 8 * parts.turned } };
}

function which(box) {
  const part = name => box.querySelector(`.which-${name}`), NEAR = 1e-4;
  const fields = [...box.querySelectorAll("input")], lines = [...box.querySelectorAll("pre [data-when]")];
  const kinds = lines.map(line => JSON.parse(line.dataset.when));
  const found = () => kept.read().found ?? {};
  const chosen = () => Object.fromEntries(fields.filter(field => field.checked).map(field => [field.name.slice(6), Number(field.value)]));
  const last = MODELS.findIndex(model => !model.told);  // which no switch finds

  // Squares, each as dark as its number, up to 1; and what they say where they are not seen.
  const squares = (svg, left, top, rows, told) => {
    const number = (x, y, text) => `<text x="${x}" y="${y}">${text}</text>`;
    const across = rows.at(-1).map((_, m) => number(left + 20 * m + 10, top - 5, m));
    const down = rows.length > 1 ? rows.map((_, i) => number(left - 9, top + 20 * i + 14, i)) : [];
    const all = rows.flatMap((row, i) => row.map((share, m) => `<rect x="${left + 20 * m}" y="${top + 20 * i}" width="19" height="19" `
      + `fill-opacity="${Math.min(1, share).toFixed(3)}"><title>${rows.length > 1 ? `query ${i}, key ${m}` : `token ${m}`}: ${share.toFixed(4)}</title></rect>`));
    svg.innerHTML = [...across, ...down, ...all].join("");
    svg.setAttribute("aria-label", told);
  };

  function show() {
    const place = part("model").selectedIndex, model = MODELS[place], choice = chosen();
    const { off, weights, values } = computed(model, choice), most = Math.max(...off), right = most < NEAR;
    if (right) kept.add("found", place + 1, true);
    part("number").textContent = most.toFixed(4);
    part("name").textContent = right ? model.name : "?";
    box.classList.toggle("right", right);
    const wrong = off.map((each, i) => (each < NEAR ? "" : i)).filter(each => each !== "");
    const where = wrong.length ? `Tokens that are off: ${wrong.join(", ")}.` : "No token is off.";
    squares(part("tokens").querySelector("svg"), 1, 18, [off], where);
    const head = part("head").selectedIndex;
    const whole = weights[head].map(row => off.map((_, m) => row[m] ?? 0));
    squares(part("looks").querySelector("svg"), 18, 18, whole, `Weights of head ${head + 1}. Each token looks most at: ${
      whole.map(row => row.indexOf(Math.max(...row))).join(", ")}.`);
    lines.forEach((line, i) => { line.hidden = !Object.entries(kinds[i]).every(([name, places]) => places.includes(choice[name])); });
    for (const value of box.querySelectorAll("[data-value]")) {
      value.textContent = values[value.dataset.value];
      value.classList.toggle("part", choice[value.dataset.of] > 0);
    }
    part("told").innerHTML = right ? model.told : "";
    box.querySelector(".which-last").hidden = place !== last;
    const said = `Largest difference ${most.toFixed(4)}. ${right ? `Found: ${model.name}.` : where}`;
    if (part("said").textContent !== said) part("said").textContent = said;
    counted();
  }
  function counted() {
    const all = found(), count = Object.keys(all).length;
    part("count").textContent = `Found ${count} of ${MODELS.length - 1}`;
    part("clear").hidden = !count;
    for (const [i, option] of [...part("model").options].entries()) option.textContent = all[i + 1] ? `${i + 1}: ${MODELS[i].name}` : i + 1;
  }
  function begin() {  // with all switches off
    for (const field of fields) field.checked = field.value === "0";
    part("gloss").textContent = "";
    show();
  }

  part("draw").addEventListener("click", () => {
    const here = part("model").selectedIndex, others = MODELS.map((_, i) => i).filter(i => i !== here);
    const left = others.filter(i => !found()[i + 1] && i !== last), from = left.length ? left : others;
    part("model").selectedIndex = from[Math.floor(Math.random() * from.length)];
    begin();
  });
  part("clear").addEventListener("click", () => {
    kept.clear("found");
    part("model").focus();
    begin();
  });
  part("model").addEventListener("change", begin);
  part("head").addEventListener("change", show);
  for (const field of fields) field.addEventListener("change", () => {
    show();
    part("gloss").textContent = field.closest("[data-told]").dataset.told;
  });
  box.hidden = false;
  show();
}

which(document.querySelector(".which"));
