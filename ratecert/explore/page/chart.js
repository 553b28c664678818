// Curves on logarithmic axes, as SVG: iterations in powers of two, values in powers of ten.

const NS = 'http://www.w3.org/2000/svg';
const UP = {'-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹'};
const DIGITS = 14;  // decades below its own largest value that a line is drawn; further down doubles are rounding
const DEEPEST = 24;  // and below the largest of all

export const power = (base, n) => base + String(n).replace(/./g, c => UP[c] ?? c);

export function number(value) {
  if (value === null || value === undefined) return '∞';
  if (value === 0) return '0';
  const e = Math.floor(Math.log10(Math.abs(value)));
  if (e >= -3 && e < 6) return Number(value.toPrecision(5)).toString();
  return `${(value / 10 ** e).toPrecision(4)}·${power('10', e)}`;
}

function node(name, attributes, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function logs(values, digits) {
  const y = values.map(v => (v > 0 ? Math.log10(v) : null)), most = Math.max(...y.filter(v => v !== null));
  return y.map(v => (v !== null && v >= most - digits ? v : null));
}

// lines: {name, values, kind} with values at the times t; `kind` is the class that gives the colour. `units` is said above.
export function draw(place, times, lines, units) {
  const t = times.map(Number), kept = t.map((u, i) => i).filter(i => t[i] >= 1);
  const x2 = kept.map(i => Math.log2(t[i]));
  const found = lines.map(line => ({...line, y: logs(kept.map(i => line.values[i]), line.name === 'bound' ? Infinity : DIGITS)}));
  const top = Math.max(...found.flatMap(l => l.y).filter(y => y !== null), -300);
  const curves = found.filter(l => l.y.some(y => y !== null && y >= top - DEEPEST));
  const wide = place.clientWidth, narrow = wide < 560;
  const box = {left: 46, right: narrow ? 10 : 132, top: units ? 26 : 12, bottom: 38, width: Math.max(wide, 280), height: narrow ? 300 : 400};
  const svg = node('svg', {viewBox: `0 0 ${box.width} ${box.height}`, role: 'img', 'aria-label': 'Curves over iterations'});
  const all = curves.flatMap(l => l.y).filter(y => y !== null);
  let high = top, low = Math.min(...all.filter(y => y >= top - DEEPEST), 300);
  if (!all.length) [low, high] = [-1, 1];
  const room = Math.max((high - low) * 0.06, 0.15);
  [low, high] = [low - room, high + room];
  const last = Math.max(...x2, 1);
  const X = u => box.left + (u / last) * (box.width - box.left - box.right);
  const Y = v => box.top + ((high - v) / (high - low)) * (box.height - box.top - box.bottom);
  axes(svg, box, {X, Y, low, high, last});
  if (units) svg.append(node('text', {x: 4, y: 12}, units));
  over(svg, curves, x2, X, Y, low);
  for (const line of curves) svg.append(node('path', {d: path(x2, line.y, X, Y, low), class: `${line.kind} ${line.look ?? ''}`}));
  labels(svg, box, curves, Y, low, narrow);
  place.replaceChildren(svg);
  pointer(place, svg, box, {t: kept.map(i => times[i]), x2, X, curves});
}

function path(x2, y, X, Y, low) {
  let text = '', pen = false;
  y.forEach((v, i) => {
    if (v === null || v < low) {  // down to the floor, and no further
      if (pen && v !== null) text += `L${X(x2[i - 1] + ((y[i - 1] - low) / (y[i - 1] - v)) * (x2[i] - x2[i - 1])).toFixed(1)},${Y(low).toFixed(1)}`;
      pen = false;
      return;
    }
    text += `${pen ? 'L' : 'M'}${X(x2[i]).toFixed(1)},${Y(v).toFixed(1)}`;
    pen = true;
  });
  return text;
}

function axes(svg, box, {X, Y, low, high, last}) {
  const right = box.width - box.right, bottom = box.height - box.bottom;
  const step = [1, 2, 3, 4, 5, 10].find(s => (high - low) / s <= 7) ?? 20;
  for (let e = Math.ceil(low / step) * step; e <= high; e += step) {
    svg.append(node('line', {x1: box.left, x2: right, y1: Y(e), y2: Y(e), class: 'grid'}));
    svg.append(node('text', {x: box.left - 8, y: Y(e) + 4, 'text-anchor': 'end'}, e ? power('10', e) : '1'));
  }
  const most = box.width < 560 ? 5 : 9, leap = [1, 2, 4, 5, 10, 20].find(s => last / s <= most) ?? 20;
  for (let k = 0; k <= last + 1e-9; k += leap) {
    svg.append(node('line', {x1: X(k), x2: X(k), y1: box.top, y2: bottom, class: 'grid'}));
    svg.append(node('text', {x: X(k), y: bottom + 17, 'text-anchor': 'middle'}, power('2', k)));
  }
  svg.append(node('line', {x1: box.left, x2: right, y1: bottom, y2: bottom, class: 'axis'}));
  svg.append(node('text', {x: (box.left + right) / 2, y: box.height - 4, 'text-anchor': 'middle'}, 'iterations'));
}

// Where the left side of the theorem is above its bound.
function over(svg, curves, x2, X, Y, low) {
  const [left, bound] = ['left', 'bound'].map(name => curves.find(line => line.name === name));
  if (!left || !bound) return;
  const at = x2.map((_, i) => i).filter(i => left.y[i] !== null && bound.y[i] !== null && left.y[i] > bound.y[i]);
  if (!at.length) return;
  const from = Math.max(at[0] - 1, 0), above = [], below = [];
  let before = null;
  if (from < at[0] && left.y[from] !== null && bound.y[from] !== null) {
    const a = left.y[from] - bound.y[from], b = left.y[at[0]] - bound.y[at[0]], s = a / (a - b);
    before = [x2[from] + s * (x2[at[0]] - x2[from]), bound.y[from] + s * (bound.y[at[0]] - bound.y[from])];
  }
  if (before) above.push(before);
  for (const i of at) { above.push([x2[i], left.y[i]]); below.unshift([x2[i], bound.y[i]]); }
  const points = [...above, ...below].map(([u, v]) => `${X(u).toFixed(1)},${Y(Math.max(v, low)).toFixed(1)}`);
  svg.append(node('path', {d: `M${points.join('L')}Z`, class: 'over'}));
}

// At the ends of the curves: beside them, or above them inside a narrow picture.
function labels(svg, box, curves, Y, low, inside) {
  const ends = curves.map(line => {
    const shown = line.y.filter(v => v !== null);
    return {line, y: Y(Math.max(shown[shown.length - 1], low)) - (inside ? 12 : 0)};
  }).sort((a, b) => a.y - b.y);
  for (let i = 1; i < ends.length; i++) ends[i].y = Math.max(ends[i].y, ends[i - 1].y + 15);
  const bottom = box.height - box.bottom;
  for (let i = ends.length - 1, most = bottom; i >= 0; i--, most -= 15) ends[i].y = Math.min(ends[i].y, most);
  for (const {line, y} of ends)
    svg.append(node('text', {x: box.width - box.right + (inside ? -6 : 8), y: y + 4, class: `end ${line.kind}`, 'text-anchor': inside ? 'end' : 'start'}, line.label));
}

function pointer(place, svg, box, {t, x2, X, curves}) {
  svg.addEventListener('pointermove', event => {
    const frame = svg.getBoundingClientRect(), scale = box.width / frame.width;
    const at = (event.clientX - frame.left) * scale;
    let near = 0;
    x2.forEach((u, i) => { if (Math.abs(X(u) - at) < Math.abs(X(x2[near]) - at)) near = i; });
    clear(place, svg);
    svg.append(node('line', {x1: X(x2[near]), x2: X(x2[near]), y1: box.top, y2: box.height - box.bottom, class: 'rule'}));
    const tip = document.createElement('div');
    tip.className = 'tip';
    tip.textContent = [`t = ${t[near]}`, ...curves.map(l => `${l.label}  ${l.y[near] === null ? '–' : number(10 ** l.y[near])}`)].join('\n');
    place.append(tip);
    const left = X(x2[near]) / scale;
    tip.style.top = '8px';
    tip.style.left = `${Math.max(0, left + 12 + tip.offsetWidth > frame.width ? left - 12 - tip.offsetWidth : left + 12)}px`;
  });
  svg.addEventListener('pointerleave', () => clear(place, svg));
}

function clear(place, svg) {
  place.querySelectorAll('.tip').forEach(tip => tip.remove());
  svg.querySelectorAll('.rule').forEach(rule => rule.remove());
}
