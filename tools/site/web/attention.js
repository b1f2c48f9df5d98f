// One causal attention, as attn_teach's CausalAttention computes it. A table of numbers is a list of rows.
"use strict";

const dot = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0);
const times = (row, table) => table.map(line => dot(row, line));  // W x
const plus = (a, b) => a.map((number, i) => number + b[i]);
const normed = (row, [gain], eps) => {  // RMSNorm
  const root = Math.sqrt(dot(row, row) / row.length + eps);
  return Array.from(row, (number, i) => number / root * gain[i]);
};
const softmax = scores => {
  const most = Math.max(...scores), powers = scores.map(score => Math.exp(score - most));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map(power => power / sum);
};

// Rotary: the first `count` numbers turn in pairs, neighbors or the same places of two halves.
function turned(row, position, count, base, interleaved) {
  const made = [...row], half = count / 2;
  for (let pair = 0; pair < half; pair++) {
    const [i, j] = interleaved ? [2 * pair, 2 * pair + 1] : [pair, pair + half];
    const angle = position * base ** (-2 * pair / count), cos = Math.cos(angle), sin = Math.sin(angle);
    [made[i], made[j]] = [row[i] * cos - row[j] * sin, row[i] * sin + row[j] * cos];
  }
  return made;
}

// What the rows make of themselves and those before them, and every head's weights.
// `of` gives the numbers that a name in CausalAttention.state_dict() has; where there are none, the layer is
// without that part. A norm with more numbers than a head has is that of all heads at once.
function attention(rows, of, { heads, window = Infinity, share = 1, base = 1e4, interleaved = true, eps = 1e-6 }) {
  const plan = name => {  // of queries, keys or values, whole rows
    const [table, bias, norm] = [of(`W_${name}.weight`), of(`W_${name}.bias`), of(`${name}_norm.weight`)];
    const size = of("W_q.weight").length / heads, whole = norm && norm[0].length > size;
    return rows.map((row, position) => {
      let made = times(row, table);
      if (bias) made = plus(made, bias[0]);
      if (whole) made = normed(made, norm, eps);
      return Array.from({ length: made.length / size }, (_, head) => {
        let own = made.slice(head * size, (head + 1) * size);
        if (norm && !whole) own = normed(own, norm, eps);
        return name === "v" ? own : turned(own, position, share * size, base, interleaved);
      });
    });
  };
  const [q, k, v] = ["q", "k", "v"].map(plan), sink = of("sink"), gate = of("W_g.weight"), bias = of("W_o.bias");
  const group = heads / k[0].length, joined = rows.map(() => []), weights = [];
  for (let head = 0; head < heads; head++) {
    const read = Math.floor(head / group);
    weights.push(rows.map((_, i) => {
      const scores = rows.slice(0, i + 1).map((_, m) => (
        i - m < window ? dot(q[i][head], k[m][read]) / Math.sqrt(q[i][head].length) : -Infinity));
      const shares = softmax(sink ? [...scores, sink[0][head]] : scores).slice(0, i + 1);
      joined[i].push(...v[0][read].map((_, j) => shares.reduce((sum, share, m) => sum + share * v[m][read][j], 0)));
      return shares;
    }));
  }
  const output = joined.map((row, i) => {
    if (gate) row = times(rows[i], gate).map((number, j) => row[j] / (1 + Math.exp(-number)));
    const made = times(row, of("W_o.weight"));
    return bias ? plus(made, bias[0]) : made;
  });
  return { output, weights };
}
