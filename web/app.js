// @ts-check
// The page: it starts the worker, paints each frame once, and turns what a person does into calls. What other programs
// may rely on is globalThis.informerscope, below; buttons call the same functions.
import { attr, h, put, reveal, s } from './dom.js';
import { exact, upper } from './format.js';
import * as fragment from './fragment.js';
import { language, setLanguage, t } from './i18n.js';
import { Link } from './link.js';
import { Model } from './model.js';
import { Rail, Scene } from './scene.js';
import { Tokens } from './tokens.js';
import { createApi } from './panels/api.js';
import { createController } from './panels/controller.js';
import { createIndexer } from './panels/indexer.js';
import { createListeners } from './panels/listeners.js';
import { createQueue } from './panels/queue.js';
import { createReflector } from './panels/reflector.js';
import { Away } from './away.js';
import { Cadence } from './cadence.js';
import { Caption } from './caption.js';
import { Explain } from './explain.js';
import { Files } from './files.js';
import { Holds } from './holds.js';
import { Inspector } from './inspector.js';
import { bindKeys, toggleHelp } from './keys.js';
import { Loading } from './loading.js';
import { closePopup, openPopup } from './popup.js';
import { openSimMenu } from './simmenu.js';
import { Timeline } from './timeline.js';
import { eras, faultOrder, TopBar } from './topbar.js';
import { Transport } from './transport.js';
import { Views } from './views.js';

/** @typedef {import('./types.js').Frame} Frame */

const app = /** @type {HTMLElement} */ (document.getElementById('app'));
const live = /** @type {HTMLElement} */ (document.getElementById('live'));
const asked = fragment.read();

const themes = ['dark', 'light', 'contrast', 'contrast-light'];
let theme = themes.includes(asked.get('theme') ?? '') ? /** @type {string} */ (asked.get('theme')) : matchMedia('(prefers-contrast: more)').matches ? 'contrast' : 'dark';
applyTheme();
setLanguage(asked.get('lang') ?? (navigator.language?.startsWith('zh') ? 'zh' : 'en'));

const model = new Model();
const scene = new Scene(app);
scene.readColours();
let selected = '';
let dirty = true;
let crashed = false;

/** @type {HTMLElement | null} */
let toast = null;
let toastTimer = 0;

/** @type {import('./types.js').Ctx & {tokens: Tokens}} */
const ctx = {
  model,
  scene,
  t,
  now: () => model.now(performance.now()),
  call: (name, ...args) => link.call(name, args),
  // A call whose failure is said on the page.
  act: (name, ...args) =>
    perform(name, args).catch((err) => {
      say(err.message, true);
      return undefined;
    }),
  select: (key) => pick(key),
  selected: () => selected,
  popup: (anchor, build, options) => openPopup(app, anchor, build, options),
  say,
  tokens: new Tokens(scene, model),
};
const tokens = ctx.tokens;

const rail = new Rail(scene);
const panels = { api: createApi(), reflector: createReflector(), queue: createQueue(), indexer: createIndexer(), listeners: createListeners(), controller: createController() };
const top = new TopBar(ctx, app, { theme: nextTheme, language: nextLanguage, help: () => toggleHelp(app), save: () => files.save(), open: () => files.open(), presenter: () => views.present(), stories: (b) => views.stories.open(b) });
for (const [id, p] of Object.entries(panels)) {
  const g = s('g');
  scene.back.append(g);
  const layers = [scene.back, scene.front, scene.over];
  const were = layers.map((l) => l.childElementCount);
  p.mount(g, ctx);
  // Whose each part is: a story makes the stations quiet that a step does not speak of.
  layers.forEach((l, i) => [...l.children].slice(i ? were[i] : -1).forEach((el) => (/** @type {HTMLElement} */ (el).dataset.station = id)));
}
scene.cells.dataset.station = 'indexer';
panels.api.onmenu = () => openSimMenu(ctx, panels.api.menuButton(), selected || panels.indexer.keys()[0] || '');
const holds = new Holds(ctx);
const explain = new Explain(ctx, app);
scene.order();
const captionLine = h('span', { class: 'say' });
const mergedText = h('span');
const merged = h('span', { class: 'no', hidden: '' },
  s('svg', { class: 'mgi', viewBox: '0 0 22 22', 'aria-hidden': 'true' }, s('rect', { x: 7, y: 1, width: 14, height: 14, rx: 3 }), s('rect', { x: 4, y: 4, width: 14, height: 14, rx: 3 }), s('rect', { class: 'f', x: 1, y: 7, width: 14, height: 14, rx: 3 })), mergedText);
app.append(h('div', { class: 'cap' }, captionLine, merged));
const caption = new Caption(ctx, captionLine, live);
const files = new Files(ctx, app);
const transport = new Transport(ctx, app, { mark: (n) => timeline.mark(n), share: (anchor) => files.menu(anchor) });
const timeline = new Timeline(ctx, app);
const inspector = new Inspector(ctx, app, () => {
  if (selected) pick('');
});
const loading = new Loading(scene);
const away = new Away(ctx);
const views = new Views(ctx, app, { caption, top, transport, theme: nextTheme, language: nextLanguage, find, explain: (i) => explain.open(i, null) });
views.onback = recolour;

/** @type {(v: string) => void} */
let nowReady;
const ready = new Promise((resolve) => {
  nowReady = () => resolve(undefined);
});

const token = asked.get('token') ?? '';
const web = location.protocol === 'http:' || location.protocol === 'https:';
const link = new Link({
  url: new URL('worker.js', import.meta.url),
  init: {
    fragment: location.hash.replace(/^#/, ''),
    token,
    // Without a token there is no relay to speak to: the address that the server prints carries one.
    relay: web && token ? `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/relay` : '',
  },
  progress: (p) => {
    loading.progress(p);
    dirty = true;
  },
  ready: () => {
    loading.progress({ stage: 'first', loaded: 0, total: 0 });
    begin();
    dirty = true;
  },
  crash: showCrash,
  silent: (seconds) => {
    mute = seconds;
    dirty = true;
    if (!seconds && !link.dead) unlost();
  },
});
/** For how many seconds the worker has left a question unanswered. */
let mute = 0;
/** Takes back that the worker was given up. */
let unlost = () => {};

/** What could not be begun, in the worker's words. */
let beginError = '';
/** The moment that the address asks for, until the log has come so far. */
let wantedSeq = 0;
/** The moment that a story is being played to. */
let hurry = 0;
/** What the address selected when it was last followed. */
let followed = '';

function sceneOf() {
  try {
    return JSON.stringify({ ...fragment.selection(fragment.read()), at: 0 });
  } catch {
    return ''; // what cannot be read is told when it is followed
  }
}

/** Goes to an event once the log has come so far. @param {number} seq */
function awaitMoment(seq) {
  wantedSeq = seq;
  if (seq && model.view.head < seq) say(t('file.waiting', { n: exact(seq) }));
}

/** Goes to the moment to which the cluster's story is being played. @param {number} seq */
async function arrive(seq) {
  hurry = seq;
  const there = await link.call('arrive', []);
  if (hurry !== seq) return; // something else was begun meanwhile
  hurry = 0;
  files.remember();
  if (there) return ctx.act('seek', seq);
  say(t('file.unreached', { n: exact(seq) }), true);
  return ctx.act('live');
}

/**
 * Begins what the address says; without a word there it is the simulated cluster, so nothing is contacted unasked.
 * @param {string} [before] the address that an open page had: what cannot be begun leaves it as it was
 */
async function begin(before) {
  try {
    const p = fragment.read();
    if (before) fragment.speed(p);
    // A story selects for itself.
    const scene = fragment.selection(p);
    if (scene.do) {
      await link.call('checkStory', [scene.do]).catch((err) => {
        if (before) throw new Error(t('frag.doBad', { w: err.message }));
        say(t('frag.do', { w: err.message }), true);
        scene.do = '';
      });
    }
    hurry = wantedSeq = 0;
    if (!p.get('story')) await link.call('select', [scene]);
    followed = sceneOf();
    files.remember();
    const speed = fragment.speed(p);
    if (speed && speed !== 1 && !scene.at) await link.call('play', [speed]);
    if (scene.at) arrive(Number(scene.at)).catch((err) => say(err.message, true));
    else awaitMoment(Number(p.get('at')) || 0);
  } catch (err) {
    beginError = upper(err instanceof Error ? err.message : String(err));
    if (before) history.replaceState(null, '', before);
    if (model.any) say(beginError, true);
    else loading.fail();
  }
  const story = fragment.read().get('story');
  if (story) views.stories.start(story).catch((err) => say(err.message, true));
  nowReady('');
  dirty = true;
}

/** Calls that change nothing that a link tells of. */
const looks = ['play', 'pause', 'step', 'seek', 'seekTime', 'mark', 'live', 'record', 'export', 'sources', 'resources', 'namespaces', 'object', 'index', 'groupBy'];

/**
 * Performs a call and keeps the fragment beside it, so that a link is a scene.
 * @param {string} name
 * @param {any[]} args
 */
async function perform(name, args) {
  const result = await link.call(name, args);
  if (!looks.includes(name)) files.remember();
  if (name === 'select') {
    beginError = '';
    loading.progress({ stage: 'first', loaded: 0, total: 0 });
    const o = args[0] ?? {};
    /** @type {Record<string, any>} */
    const write = {};
    if ('source' in o) write.source = o.source;
    if ('context' in o) write.context = o.context;
    if ('resource' in o) write.resource = fragment.formatResource({ group: o.group ?? '', version: o.version ?? '', resource: o.resource });
    for (const k of ['namespace', 'era', 'seed', 'objects', 'rate']) if (k in o) write[k] = o[k];
    write.at = write.do = write.from = null;
    hurry = wantedSeq = 0;
    fragment.write(write);
    followed = sceneOf();
    pick('');
  } else if (name === 'play') {
    fragment.write({ speed: args[0] && args[0] !== 1 ? args[0] : null, at: null, do: null, from: null });
  } else if (name === 'live') {
    fragment.write({ at: null, do: null, from: null });
  } else if (name === 'seek' || name === 'pause' || name === 'step' || name === 'seekTime' || name === 'mark') {
    setTimeout(async () => {
      if (model.view.mode !== 'paused') return;
      const { seq } = model.view;
      const story = model.state.source.kind === 'sim' ? await files.story(seq).catch(() => null) : null;
      fragment.write(story ?? { at: seq });
      followed = sceneOf();
    }, 300);
  }
  dirty = true;
  return result;
}

/** @param {string} text @param {boolean} [bad] */
function say(text, bad = false) {
  toast?.remove();
  clearTimeout(toastTimer);
  toast = h('div', { class: bad ? 'toast bad' : 'toast', role: bad ? 'alert' : 'status' });
  toast.textContent = text;
  app.append(toast);
  toastTimer = window.setTimeout(() => toast?.remove(), bad ? 9000 : 4000);
}

/** @param {string} key */
function pick(key) {
  if (selected === key) {
    if (key && !inspector.isOpen) inspector.open(key);
    return;
  }
  selected = key;
  link.call('follow', [key]).catch(() => {}); // its tokens then never merge with others
  tokens.selected = key;
  tokens.dirty = true;
  dirty = true;
  if (key) inspector.open(key);
  else inspector.close();
}

function applyTheme() {
  const c = document.documentElement.classList;
  c.toggle('is-light', theme === 'light' || theme === 'contrast-light');
  c.toggle('is-contrast', theme.startsWith('contrast'));
}

function nextTheme() {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  fragment.write({ theme: theme === 'dark' ? null : theme });
  applyTheme();
  recolour();
}

function recolour() {
  scene.readColours();
  tokens.resize();
  for (const p of Object.values(panels)) p.resize(scene.scale);
  timeline.resize();
  views.resize();
  dirty = true;
}

function nextLanguage() {
  setLanguage(language() === 'zh' ? 'en' : 'zh');
  fragment.write({ lang: language() === 'zh' ? 'zh' : null });
  caption.again();
  loading.paint();
  inspector.render();
  closePopup();
  recolour();
}

function find() {
  panels.indexer.find();
}

/** @param {import('./link.js').Crash} c */
function showCrash(c) {
  unlost();
  crashed = true;
  dirty = true;
  model.view.mode = 'paused'; // no clock runs on, and nothing calls itself live
  const box = h('div', { class: 'ov', role: 'alertdialog', 'aria-modal': 'true', 'aria-label': t(c.end === 'lost' ? 'crash.lost' : 'crash.title') });
  unlost = () => {
    unlost = () => {};
    box.remove();
    crashed = false;
  };
  const reload = h('button', { class: 'key', type: 'button' }, t('crash.reload'));
  reload.addEventListener('click', () => location.reload());
  const look = h('button', { class: 'key', type: 'button' }, t('crash.look'));
  look.addEventListener('click', () => box.remove());
  const back = files.again();
  const again = h('button', { class: 'key', type: 'button' }, t('crash.again', { n: exact(model.view.seq) }));
  again.addEventListener('click', () => back?.());
  const said = h('p');
  said.textContent = c.end ? t(`crash.${c.end}.x`) : c.message;
  const card = h('div', { class: 'crash' },
    h('h2', {}, s('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, s('use', { href: '#i-x' })), t(c.end === 'lost' ? 'crash.lost' : 'crash.title')), ...(c.end ? [] : [h('p', { class: 's' }, t('crash.what'))]), said);
  if (c.stack) {
    const pre = h('pre', { tabindex: 0 });
    pre.textContent = c.stack;
    card.append(pre);
  }
  card.append(h('p', { class: 's' }, t('crash.do')), h('div', { class: 'row2' }, reload, ...(back ? [again] : []), ...(model.any ? [look] : [])));
  box.append(h('div', { class: 'scrim' }), card);
  app.append(box);
  reload.focus();
}

/** @type {HTMLElement | null} */
let blackout = null;
function black() {
  if (blackout) {
    blackout.remove();
    blackout = null;
    return true;
  }
  blackout = h('div', { class: 'black' });
  blackout.addEventListener('click', black);
  document.body.append(blackout);
  return false;
}

bindKeys({
  toggle: () => transport.toggle(),
  step: (n) => transport.step(n),
  faster: (n) => transport.faster(n),
  start: () => transport.toStart(),
  live: () => transport.live(),
  mark: (n) => timeline.mark(n),
  find,
  escape: () => {
    if (blackout) return black();
    if (closePopup()) return true;
    if (toggleHelp(app, false)) return true;
    if (views.escape()) return true;
    if (explain.close()) return true;
    if (inspector.isOpen) {
      inspector.close();
      return true;
    }
    return false;
  },
  hold: (d) => {
    const stage = ['store', 'pop', 'deliver', 'take'][d - 1];
    if (stage) holds.toggle(stage, stage === 'deliver' ? panels.listeners.large().find(Boolean) : undefined);
  },
  release: (n) => holds.releaseEverywhere(n),
  fault: (d) => faultOrder[d - 1] && top.fault(faultOrder[d - 1]),
  black,
  theme: nextTheme,
  language: nextLanguage,
  era: () => ctx.act('select', { era: eras[(eras.indexOf(model.state.era.split(',')[0]) + 1) % eras.length] }),
  help: () => toggleHelp(app),
  explain: (n) => explain.step(n),
});

/** The path of the selected object, as far as it has come. */
function highlight() {
  let solid = '';
  let dotted = '';
  if (selected) {
    const q = model.state.queue;
    const inBatch = q.batch.some((i) => i.key === selected);
    const inQueue = !inBatch && q.items.some((i) => i.key === selected);
    const handling = model.state.listeners.some((l) => l.handling?.key === selected);
    const wq = model.state.workqueue;
    const inWork = !!wq && (wq.queue.includes(selected) || wq.processing.some((p) => p.key === selected));
    const inStore = !!panels.indexer.cellAt(selected);
    const end = wq ? 1197 : 994;
    const to = inQueue ? 440 : inBatch ? 513 : inWork ? end : handling ? 994 : inStore ? 732 : 0;
    if (to) {
      solid = `M30 152H${to}`;
      dotted = to < end ? (to < 994 ? `M${to} 152H878M942 152H994${wq ? 'M1046 152H1197' : ''}` : `M1046 152H1197`) : '';
      const cell = panels.indexer.cellAt(selected);
      if (cell && to >= 732) solid += `M732.5 161V${(cell.y + cell.size / 2).toFixed(1)}H${(cell.x + cell.size / 2).toFixed(1)}`;
    }
  }
  attr(rail.stemIndexer, 'opacity', solid.includes('V') ? 0 : null);
  attr(rail.hl1, 'd', solid);
  attr(rail.hl2, 'd', dotted);
}

/** The listeners, and where the tokens to each of them go. */
function paintListeners() {
  panels.listeners.paint(null, model.state);
  tokens.lanes.clear();
  panels.listeners.large().forEach((id, i) => id && tokens.lanes.set(id, i));
  tokens.moved();
}

/** What stands around the stage, whichever view shows. @param {number} clock */
function paintBars(clock) {
  top.paint();
  transport.paint();
  timeline.paint();
  inspector.refresh();
  caption.paint(clock, crashed ? t('cap.crash') : mute ? t('cap.mute', { n: mute }) : hurry ? t('file.playing', { n: exact(hurry) }) : undefined);
}

/** Until when the line that counts merged tokens stands. */
let mergedUntil = 0;

/**
 * The parts of the stage. While events stream they take turns, and an animation frame that brings news writes no words: it moves
 * tokens and cells, which needs no layout. A part is then at most two frames for each of them old. What stands still, what jumps
 * and what is another state than before is painted whole.
 * @type {((clock: number) => void)[]}
 */
const parts = [
  (clock) => {
    paintListeners();
    const large = panels.listeners.large();
    rail.paint(model, large.length, large, panels.listeners.total() > 3);
    holds.paint(large);
    explain.paint();
    const tally = tokens.tally();
    if (tally.merged > 0) mergedUntil = clock + 2000;
    reveal(merged, clock < mergedUntil && (tally.merged > 0 || !merged.hidden));
    if (tally.merged > 0) put(mergedText, t('merged', { a: exact(tally.merged), b: exact(tally.all) }));
  },
  () => {
    panels.api.paint(null, model.state);
    panels.reflector.paint(null, model.state);
  },
  () => {
    panels.queue.paint(null, model.state);
    panels.indexer.paint(null, model.state);
  },
  () => {
    panels.controller.paint(null, model.state);
    highlight();
  },
  paintBars,
];
/** Parts of a view in place of the stage, which paints itself. */
const viewParts = [paintListeners, paintBars];
let turn = 0;
/** How many parts have not been painted since the last news. */
let due = 0;
/** Whether the next animation frame is the words', even when news wait. */
let words = false;
/** When words were written last. Where animation frames are rare, one writes more parts, so that none is older than a third of a second. */
let wordsAt = 0;
/** How long words stand at least while events stream, in ms: numbers that change faster than six times a second are not read, and each costs a layout. */
const stand = 30;

/** @param {Frame | null} frame @param {number} clock @param {boolean} news @param {boolean} whole */
function paint(frame, clock, news, whole) {
  if (!model.any) {
    top.pending = beginError;
    top.paint();
    transport.paint();
    timeline.paint();
    caption.paint(clock, crashed ? t('cap.crash') : beginError || (loading.stage < 3 ? t('cap.loading') : t('cap.start')));
    return;
  }
  if (whole) paintListeners();
  if (frame) {
    if (frame.jump) tokens.clear();
    else if (frame.lanes?.[0]?.moves?.length) tokens.add(frame.lanes[0].moves);
    caption.note(clock, !!frame.jump);
  }
  const todo = (news ? views.paint(clock) : views.shown) ? viewParts : parts;
  if (news) {
    panels.indexer.cells(frame, whole);
    due = todo.length;
    words = true;
    if (!whole) return;
  }
  words = false;
  let n = whole ? due : 1 + (clock - wordsAt) / 80;
  wordsAt = clock;
  do todo[turn++ % todo.length](clock);
  while (--due && --n >= 1);
}

const cadence = new Cadence(navigator.hardwareConcurrency);
let lastPaint = 0;
/** @param {number} clock */
function loop(clock) {
  if (!cadence.draws(clock, performance.now(), model.view.mergedTokens)) {
    requestAnimationFrame(loop);
    return;
  }
  const ready = clock - wordsAt >= stand;
  const frame = due && words && ready && !dirty ? null : link.take();
  let turned = false;
  if (frame) {
    const before = model.any;
    const { phase } = model.state.reflector;
    const { mode, speed } = model.view;
    model.apply(frame, clock);
    // What makes buttons come and go, and what several stations show, they show at once.
    const st = frame.lanes?.[0]?.state;
    turned = mode !== model.view.mode || speed !== model.view.speed || (!!st && ('holds' in st || 'faults' in st || 'source' in st || model.state.reflector.phase !== phase));
    away.note(frame);
    views.apply(frame, clock);
    if (model.any && !before) {
      loading.toggle(false);
      dirty = true;
    }
    if (wantedSeq && model.view.head >= wantedSeq) {
      ctx.act('seek', wantedSeq);
      wantedSeq = 0;
    }
  }
  // Where time stands still, only the log's end moves on.
  const stands = model.view.mode === 'paused' && !dirty && !turned && !(frame && model.told);
  // Clocks and countdowns run on between frames, ten times a second.
  const rare = !due && clock - lastPaint > 100;
  const news = dirty || (!stands && (!!frame || rare));
  if (stands && rare) {
    lastPaint = clock;
    if (views.shown) views.paint(clock);
    else parts[turn++ % parts.length](clock);
    paintBars(clock);
  } else if (news || (due && ready)) {
    const whole = dirty || turned || (!!frame && (frame.jump || model.view.mode === 'paused'));
    dirty = false;
    if (news) lastPaint = clock;
    paint(frame, clock, news, whole);
  }
  if (views.shown) views.draw(clock);
  else tokens.draw(clock);
  link.want();
  requestAnimationFrame(loop);
}

// A press with the pointer does not keep the focus, so that the space bar still plays and pauses.
document.addEventListener('click', (e) => {
  const b = /** @type {HTMLElement} */ (e.target).closest('button');
  if (b && e.detail > 0 && !b.closest('.pop, .ov, .drawer') && document.activeElement === b) b.blur();
});

let pending = 0;
addEventListener('resize', () => {
  cancelAnimationFrame(pending);
  pending = requestAnimationFrame(() => {
    scene.measure();
    recolour();
  });
});
addEventListener('hashchange', (e) => {
  // A link that was given away is without the token that the page has.
  if (token && !fragment.read().has('token')) history.replaceState(null, '', `${location.hash}&token=${token}`);
  const p = fragment.read();
  if ((p.get('token') ?? '') !== token) {
    location.reload(); // the relay is asked with the token that the page began with
    return;
  }
  const at = Number(p.get('at')) || 0;
  if (!followed || sceneOf() !== followed || (at > model.view.head && model.state.source.kind === 'sim')) begin(e.oldURL);
  else awaitMoment(at);
  const nextTheme2 = p.get('theme') ?? 'dark';
  if (themes.includes(nextTheme2) && nextTheme2 !== theme) {
    theme = nextTheme2;
    applyTheme();
    recolour();
  }
  const l = p.get('lang');
  if (l && l !== language()) nextLanguage();
});

tokens.resize();
timeline.resize();
requestAnimationFrame(loop);

/** The automation interface. It is promised: tests, stories and talk scripts use it. */
const informerscope = {
  /** Resolves when calls are answered. */
  ready,
  state: () => link.call('state', []),
  select: (/** @type {any} */ o) => perform('select', [o]),
  fault: (/** @type {string} */ name, /** @type {any} */ args) => perform('fault', [name, args ?? {}]),
  hold: (/** @type {any[]} */ ...a) => perform('hold', a),
  release: (/** @type {any[]} */ ...a) => perform('release', a),
  step: (/** @type {number} */ n = 1) => perform('step', [n]),
  seek: (/** @type {number} */ seq) => perform('seek', [seq]),
  seekTime: (/** @type {number} */ ms) => perform('seekTime', [ms]),
  mark: (/** @type {number} */ n) => perform('mark', [n]),
  play: (/** @type {number} */ v = 1) => perform('play', [v]),
  pause: () => perform('pause', []),
  live: () => perform('live', []),
  record: () => perform('record', []),
  load: (/** @type {any} */ trace) => perform('load', [trace]),
  story: (/** @type {string} */ id) => views.stories.start(id),
  sources: () => perform('sources', []),
  resources: () => perform('resources', []),
  namespaces: () => perform('namespaces', []),
  object: (/** @type {any[]} */ ...a) => perform('object', a),
  cluster: (/** @type {string} */ verb, /** @type {any} */ args) => perform('cluster', [verb, args ?? {}]),
  groupBy: (/** @type {string} */ index) => perform('groupBy', [index]),
  index: (/** @type {any[]} */ ...a) => perform('index', a),
  addIndex: (/** @type {string} */ name, /** @type {string} */ expression) => perform('addIndex', [name, expression]),
  panic: (/** @type {number} */ id) => perform('panic', [id]),
  writes: (/** @type {boolean} */ on) => perform('writes', [on]),
  addListener: (/** @type {any} */ o) => perform('addListener', [o]),
  removeListener: (/** @type {number} */ id) => perform('removeListener', [id]),
  pace: (/** @type {number} */ id, /** @type {number} */ ms) => perform('pace', [id, ms]),
  selectObject: (/** @type {string} */ key) => pick(key),
};
/** @type {any} */ (globalThis).informerscope = informerscope;
