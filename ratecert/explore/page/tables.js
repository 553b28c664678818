// Everything that is text: the verdict, the table of measures, the terms of the bound, the windows of corollaries.

import {number} from './chart.js';

export function h(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const formula = text => text.replaceAll('**', '^').replaceAll('*', ' ');

export function showVerdict(place, answer) {
  place.className = '';
  const bound = answer.bound;
  if (answer.nothing) return place.replaceChildren(h('b', {}, 'No number here. '), answer.nothing);
  if (!bound) return place.replaceChildren(h('b', {}, `${answer.run}. `), 'No bound is chosen: the curves stand for themselves.');
  if (bound.outside) {
    const parts = formula(bound.outside).replace(/^.* says nothing here: /, '').replace(/ rc\.admissible.*$/s, '').split(/; (?!their)/);
    return place.replaceChildren(h('b', {}, `${answer.theorem}, says nothing here: `), answer.run, h('ul', {}, ...parts.map(part => h('li', {}, part))));
  }
  const unsure = !bound.broken && bound.ratio > 1 + 1e-6;  // above, and not by more than doubles are off
  place.className = bound.broken ? 'broken' : unsure ? '' : 'inside';
  const times = bound.ratio === null ? 'more than any multiple of' : `${number(bound.ratio)} times`;
  const verdict = bound.broken ? 'breaks its bound here' : unsure ? 'cannot be decided here in doubles' : 'is not refuted here';
  place.replaceChildren(h('b', {}, `${answer.theorem}, ${verdict}. `), `${answer.run}: the left side, ${number(bound.left)}, is ${times} the bound, ${number(bound.total)}.`);
}

export function showMeasures(table, answer, enclosure) {
  const now = answer.names.view === 'now', last = answer.t.at(-1);
  const head = ['measure', ...(now ? [`at t = ${last}`] : []), 'average over t < T', 'exponent in T', ...(enclosure ? ['certified between'] : [])];
  const rows = answer.measures.map((row, i) => h('tr', {'data-measure': row.name},
    h('td', {}, h('span', {class: `swatch m${i % 4}`}), row.label, h('span', {class: 'wide small'}, ` ${row.formula}`)),
    ...(now ? [h('td', {class: 'n now'}, number(row.now.at(-1)))] : []),
    h('td', {class: 'n value', 'data-value': String(row.value)}, number(row.value)),
    h('td', {class: 'n exponent'}, row.exponent === null ? '–' : row.exponent.toFixed(4).replace('-', '−').replace('−0.0000', '0.0000')),
    ...(enclosure ? [h('td', {class: 'n'}, enclosure[row.name].map(String).join(' and '))] : [])));
  table.replaceChildren(
    h('thead', {}, h('tr', {}, ...head.map((text, i) => h('th', i ? {class: 'n'} : {}, text)))), h('tbody', {}, ...rows));
}

export function showBound(place, answer) {
  const bound = answer.bound;
  if (!bound || bound.outside) return place.replaceChildren();
  const zero = bound.terms.filter(term => term.value === 0).map(term => term.name);
  const terms = bound.terms.filter(term => term.value !== 0).map(term => {
    const bar = h('i', {});
    bar.style.width = `${100 * term.share}%`;
    return h('div', {class: 'term', 'data-term': term.name}, h('span', {}, term.name), h('span', {class: 'bar'}, bar),
      h('span', {class: 'value'}, number(term.value)));
  });
  const said = [bound.said, zero.length ? `zero here: ${zero.join(', ')}` : ''].filter(Boolean).map(part => `${part[0].toUpperCase()}${part.slice(1)}.`);
  place.replaceChildren(h('h2', {}, `The bound, term by term: ${bound.dominating} dominates`), ...terms, h('p', {class: 'small'}, said.join(' ')));
}

// measure <= the terms that are not zero here, each with its name below where there are several.
export function showFormula(place, answer) {
  const bound = answer.bound, terms = bound?.terms?.filter(term => term.value !== 0) ?? [], zero = (bound?.terms?.length ?? 0) - terms.length;
  place.hidden = !terms.length;
  place.replaceChildren(...(terms.length ? [h('span', {}, typeset(bound.measure), ' ≤')] : []), ...terms.map((term, i) =>
    h('span', {}, i ? '+ ' : '', h('span', {class: 'part'}, typeset(term.formula), terms.length > 1 ? h('small', {}, term.name) : ''))), zero ? `+ ${zero === 1 ? 'a term that is' : `${zero} terms that are`} zero here` : '');
}

// MathML of the server: it is read as a document of its own, in which nothing runs.
const typeset = text => document.importNode(new DOMParser().parseFromString(text, 'text/html').body.firstChild, true);

export function showWindows(place, answer) {
  if (!answer.windows.length) return place.replaceChildren();
  const rows = answer.windows.map(w => h('p', {}, h('b', {}, w.corollary), ` claims ${w.claim} for ${w.needs}: `,
    h('span', {class: w.inside ? 'inside-mark' : 'outside-mark'}, w.inside ? 'K and T are inside. ' : 'K and T are outside. '),
    w.scaled ? `Its orders here: ${w.scaled}.` : ''));
  place.replaceChildren(h('h2', {}, 'Where its corollaries speak'), ...rows);
}
