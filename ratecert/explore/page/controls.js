// Sliders and fields. What is sent is text: the server reads it, and refuses it with the range where it has to.

import {h} from './tables.js';

const ZERO = 0.05;  // of a slider, at its left end, stands for 0 where that is allowed
const STEPS = 600;
const LONG = 2 ** 30;  // counts that reach so far move through powers of two
const GROUPS = {main: 'Main numbers', run: 'Run', steps: 'Steps', world: 'World and start'};

const doubling = c => c.whole && c.high > LONG;
const span = c => (c.linear ? [c.low, c.high] : [Math.log(Math.max(c.low, Number.MIN_VALUE)), Math.log(c.high)]);

function position(c) {
  if (c.choices) return c.choices.indexOf(c.text);
  const [low, high] = span(c), from = c.zero ? ZERO : 0;
  if (c.zero && c.value === 0) return 0;
  const part = ((c.linear ? c.value : Math.log(c.value)) - low) / (high - low || 1);
  return Math.round(STEPS * (from + (1 - from) * Math.min(Math.max(part, 0), 1)));
}

function textAt(c, place) {
  if (c.choices) return c.choices[place];
  const [low, high] = span(c), from = c.zero ? ZERO : 0, u = place / STEPS;
  if (c.zero && u < from) return '0';
  const part = low + ((u - from) / (1 - from)) * (high - low), value = c.linear ? part : Math.exp(part);
  if (doubling(c)) return doubled(c, value);
  return c.whole ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function doubled(c, value) {
  const k = Math.round(Math.log2(value));
  return 2 ** k <= c.high ? `2^${k}` : `2^${k - 1}`;
}

const same = (a, b) => a && a.length === b.length && a.every((c, i) => c.name === b[i].name && c.range === b[i].range);
let shown = null;

// Built anew only where other numbers are asked for, so that a slider stays in hand while it is dragged.
export function showControls(form, answer, changed) {
  if (!same(shown, answer.controls) || form.dataset.show !== answer.names.show) {
    form.dataset.show = answer.names.show;
    shown = answer.controls;
    const open = form.querySelector('details')?.open, rest = h('details', open ? {open: ''} : {}, h('summary', {}, 'All other numbers'));
    form.querySelectorAll('fieldset.numbers, details').forEach(old => old.remove());
    const main = answer.main.map(name => shown.find(c => c.name === name)), others = shown.filter(c => !main.includes(c));
    for (const [group, title] of Object.entries(GROUPS)) {
      const own = group === 'main' ? main : others.filter(c => c.group === group), place = group === 'main' ? form : rest;
      if (own.length) place.append(h('fieldset', {class: 'numbers'}, h('legend', {}, title), ...own.map(c => control(c, changed))));
    }
    if (others.length) form.append(rest);
  }
  for (const now of answer.controls) {
    const c = shown.find(each => each.name === now.name);
    if (now.value < c.low || now.value > c.high) [c.low, c.high] = [now.low, now.high];
    [c.value, c.text] = [now.value, now.text];
    const slider = document.getElementById(`at-${now.name}`), field = document.getElementById(`is-${now.name}`);
    if (document.activeElement !== slider) slider.value = position(c);
    if (document.activeElement !== field) field.value = now.text;
    field.classList.toggle('long', field.value.length > 12);
  }
}

function control(c, changed) {
  const slider = h('input', {type: 'range', id: `at-${c.name}`, min: 0, max: c.choices ? c.choices.length - 1 : STEPS, step: 1, 'aria-label': `${c.name}, ${c.says}`});
  const field = h('input', {type: 'text', id: `is-${c.name}`, autocomplete: 'off', spellcheck: 'false', title: `${c.name}: ${c.range}`});
  slider.addEventListener('input', () => { field.value = textAt(c, slider.value); changed(c.name, field.value); });
  field.addEventListener('change', () => changed(c.name, field.value.trim()));
  return h('div', {class: 'control'}, h('label', {for: `is-${c.name}`}, h('b', {}, c.name), c.says), slider, field);
}

export function showChoices(form, answer, shownNames, chosen) {
  const old = form.querySelector('fieldset.names');
  const fieldset = h('fieldset', {class: 'names'}, h('legend', {}, 'What is shown'));
  fieldset.append(choice('show', 'show', shownNames, answer.names.show, chosen));
  fieldset.append(choice('world', 'world', {'': Object.entries(answer.choices.world)}, answer.names.world, chosen));
  fieldset.append(choice('bound', 'bound', {'': Object.entries(answer.choices.bound)}, answer.names.bound, chosen));
  if (old) old.replaceWith(fieldset); else form.prepend(fieldset);
}

function choice(name, title, groups, now, chosen) {
  const select = h('select', {id: `choose-${name}`});
  for (const [group, options] of Object.entries(groups)) {
    const made = options.map(([value, text]) => h('option', {value}, text));
    select.append(...(group ? [h('optgroup', {label: group}, ...made)] : made));
  }
  select.value = now;
  select.addEventListener('change', () => chosen(name, select.value));
  return h('label', {class: 'choice'}, title, select);
}
