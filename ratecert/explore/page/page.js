// The link in the address bar is the state; every answer writes it there.

import {draw, number} from './chart.js';
import {showChoices, showControls} from './controls.js';
import {h, showBound, showFormula, showMeasures, showVerdict, showWindows} from './tables.js';

const $ = id => document.getElementById(id);
let now = null, certified = null, names = {};
let busy = false, next = null;

// An answer of the server; a page of the docs has some with it, of the point of its grid that a link names.
async function told(where, query) {
  if (globalThis.BEFOREHAND) return beforehand(where, new URLSearchParams(query));
  const response = await fetch(`${where}?${query}`);
  return response.ok ? await response.json() : {refused: await response.text()};
}

function beforehand(where, link) {
  if (where === 'presets') return BEFOREHAND.presets;
  const own = BEFOREHAND.theorems[link.get('show')] ?? BEFOREHAND.theorems[BEFOREHAND.first];
  const at = Object.entries(own.grid).map(([name, values]) => values.includes(link.get(name)) ? link.get(name) : own.begin[name]);
  return own.answers[at.join(' ')];
}

// One question at a time; of those that come meanwhile only the last one counts.
async function ask(query, before = '', where = 'answer') {
  if (busy) { next = {query, before, where}; return; }
  busy = true;
  document.body.dataset.busy = 'yes';
  const begun = performance.now();
  let answer;
  try {
    answer = await told(where, query);
  } catch {
    refuse('the explorer has ended: start it again with `ratecert explore`.');
  }
  if (answer && next === null) show(answer, performance.now() - begun, before);
  busy = false;
  if (next !== null) { const last = next; next = null; await ask(last.query, last.before, last.where); } else document.body.dataset.busy = 'no';
}

function refuse(sentence) {
  $('refused').hidden = !sentence;
  $('refused').textContent = sentence ? sentence[0].toUpperCase() + sentence.slice(1) : '';
}

function show(answer, milliseconds, before) {
  refuse(answer.refused ?? before);
  if (answer.refused) {
    if (now === null) next = {query: '', before: `${answer.refused} What is shown is the first counterexample.`};
    return;
  }
  now = answer;
  if (certified?.query !== now.query) certified = null;
  if (!globalThis.BEFOREHAND) history.replaceState(null, '', `?${now.query}`);
  showChoices($('controls'), now, names, chosen);
  showControls($('controls'), now, changed);
  $('time').textContent = `Answered in ${Math.round(milliseconds)} ms.`;
  showVerdict($('verdict'), now);
  for (const id of ['measures', 'certificate', 'actions', 'bound', 'formula', 'windows', 'code']) $(id).hidden = Boolean(now.nothing);
  $('chart').hidden = Boolean(now.nothing);
  if (!now.nothing) numbers();
}

function numbers() {
  showMeasures($('measures'), now, certified?.enclosure);
  showCertificate();
  showBound($('bound'), now);
  showFormula($('formula'), now);
  showWindows($('windows'), now);
  $('python').textContent = now.python;
  views();
  chart();
}

function chart() {
  if (!now?.measures) return;
  const view = now.names.view, bound = now.bound, unit = bound?.curve?.find((value, i) => value > 0 && Number(now.t[i]) >= 1) ?? 1;
  const lines = now.measures.map((row, i) => ({name: row.name, label: row.label, values: row[view], kind: `m${i % 4}`}));
  if (bound?.curve) {
    lines.push({name: 'bound', label: 'the bound', values: bound.curve, kind: 'mb', look: 'thick'});
    lines.push({name: 'left', label: 'its left side', values: bound.left_curve, kind: 'ml', look: 'left'});
  }
  for (const line of lines) line.values = line.values.map(value => (value === null ? null : value / unit));
  draw($('chart'), now.t, lines, unit === 1 ? '' : `in units of the bound’s first value, ${number(unit)}`);
}

function views() {
  const buttons = Object.entries(now.choices.view).map(([name, title]) => {
    const button = h('button', {type: 'button', 'aria-pressed': String(name === now.names.view)}, title);
    button.addEventListener('click', () => changed('view', name));
    return button;
  });
  $('views').replaceChildren(...buttons);
}

function changed(name, text) {
  const link = new URLSearchParams(next?.query ?? now.query);
  link.set(name, text);
  ask(link.toString());
}

// Another method begins with its own numbers; another world or bound keeps the steps and T.
function chosen(name, value) {
  const link = new URLSearchParams({...now.names, [name]: value});
  if (name === 'show') return ask(new URLSearchParams({show: value, view: now.names.view}).toString());
  if (name === 'bound') return changed('bound', value);
  for (const c of now.controls) if (c.group === 'steps' || c.name === 'T') link.set(c.name, c.text);
  ask(link.toString());
}

async function certify() {
  const button = $('certify');
  [button.disabled, button.textContent] = [true, 'Certifying …'];
  try {
    certified = await told('certify', now.query);
    if (certified.query === now.query) numbers();
  } finally {
    [button.disabled, button.textContent] = [false, 'Certify this point'];
  }
}

function showCertificate() {
  const poor = now.precision === null || now.precision > 1e-6;
  const doubt = poor ? 'These doubles are not good to six digits; certify the point.' : '';
  $('certificate').textContent = certified ? certified.nothing ?? certified.said : doubt;
}

// The picture as it is seen, with the page's own look inside it.
function takeFigure() {
  const picture = $('chart').querySelector('svg').cloneNode(true), look = document.createElementNS(picture.namespaceURI, 'style');
  look.textContent = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules]).map(rule => rule.cssText).join('\n');
  picture.prepend(look);
  $('figure').href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(picture)], {type: 'image/svg+xml'}));
}

async function copy(text, said) {
  try { await navigator.clipboard.writeText(text); } catch { said = 'The browser does not let a page copy; mark the text by hand.'; }
  $('said').textContent = said;
  setTimeout(() => { $('said').textContent = ''; }, 2500);
}

async function begin() {
  const found = await told('presets', '');
  names = Object.fromEntries(Object.entries(found.shown).map(([group, list]) => [group, list.map(name => [name, name])]));
  for (const [group, list] of Object.entries(found.presets))
    $('presets').append(h('optgroup', {label: group}, ...list.map(([title, query]) => h('option', {value: query}, title))));
  $('presets').addEventListener('change', () => { if ($('presets').value) ask($('presets').value, '', 'begin'); });
  if (now) showChoices($('controls'), now, names, chosen);
}

$('certify').addEventListener('click', certify);
$('figure').addEventListener('click', takeFigure);
$('copy').addEventListener('click', () => copy(now.python, 'Copied.'));
$('link').addEventListener('click', () => copy(location.href, 'Copied.'));
$('controls').addEventListener('submit', event => event.preventDefault());
new ResizeObserver(() => chart()).observe($('chart'));
ask(location.search.slice(1)).then(begin);
