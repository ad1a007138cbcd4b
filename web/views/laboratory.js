// @ts-check
// The laboratory: one controller in three lanes, unguarded, with a consistency store and with waiting reads, at a lag that a knob turns. The worker plays the
// lanes (core/lab/ownwrites); here they are drawn.
import { button, h, s } from '../kit/dom.js';
import { exact } from '../kit/format.js';
import { addWords, t } from '../kit/i18n.js';
import { openDialog } from '../kit/popup.js';
import { limits } from '../kit/commands.js';
import * as fragment from '../wire/fragment.js';

/** @import { LabLane, LabResult } from '../wire/types.js' */

addWords({
  'lab.title': ['Read your own writes', '读到自己的写入'],
  'lab.note': [
    'one controller three times: {p} parents with {c} children each, changed by a user', '同一个 controller 运行三份：{p} 个父对象各要 {c} 个子对象，用户在修改它们'],
  'lab.lag': ['a watch event is late by', 'watch 事件延迟'],
  'lab.ms': ['{n} ms', '{n} 毫秒'],
  'lab.plays': ['playing …', '运行中…'],
  'lab.failed': ['The laboratory cannot play: {w}', '实验无法运行：{w}'],
  'lab.unguarded': ['Unguarded', '没有防护'],
  'lab.store': ['Consistency store', 'ConsistencyStore'],
  'lab.reads': ['Waiting reads', '读操作等待'],
  'lab.unguarded.x': ['it reads the store as it is', '直接读本地缓存'],
  'lab.store.x': ['kube-controller-manager 1.36', 'kube-controller-manager 1.36'],
  'lab.reads.x': ['controller-runtime 0.25, if enabled', 'controller-runtime 0.25，需启用'],
  'lab.wrote': ['it wrote {n}', '它写了 {n}'],
  'lab.has': ['store has {n}', '本地缓存到 {n}'],
  'lab.created': ['creates {n} again', '再创建 {n} 个'],
  'lab.conflict': ['409 Conflict', '409 Conflict'],
  'lab.went': ['goes on', '继续执行'],
  'lab.refused': ['back to the queue, {n}×', '退回队列，{n} 次'],
  'lab.waits': ['the read waits', '读操作等待'],
  'lab.duplicates': ['[n:duplicate|duplicates]', '个重复'],
  'lab.held': ['held back', '次被拦下'],
  'lab.waited': ['ms waited in all', '毫秒，共等待'],
  'lab.axis': ['each bar is a reconcile, over {s} s', '每条是一次调谐，共 {s} 秒'],
  'lab.fresh': ['Each reconcile found its own writes in the store.', '每次调谐都在本地缓存里看到了自己的写入。'],
  'lab.say.unguarded': [
    '{n} [n:child was|children were] created again, because the store did not have the first ones yet.', '{n} 个子对象被再次创建，因为本地缓存里还没有先前的那些。'],
  'lab.say.unguardedNone': [
    'Its stores were behind its writes, and still no child was created twice.', '本地缓存落后于它的写入，但没有子对象被重复创建。'],
  'lab.say.store': [
    'A key goes back to the queue until the stores have its writes; the worker takes other keys meanwhile. The longest delay was {w} ms.',
    'key 退回队列，直到本地缓存有了它的写入；其间 worker 处理别的 key。最长等了 {w} 毫秒。'],
  'lab.say.reads': [
    'The read itself waits until the store has the writes, and the one worker with it. The longest wait was {w} ms.',
    '读操作自己等待，直到本地缓存有了这些写入；唯一的 worker 也一起等。最长等了 {w} 毫秒。'],
  'lab.others': ['{n} [n:conflict|conflicts]', '{n} 次冲突'],
  'lab.end': ['at rest after {s} s', '{s} 秒后平静'],
});

/** The sentence about a lane: true of what it did. @param {LabLane} l */
export function sentence(l) {
  if (!l.first) return t('lab.fresh');
  if (l.guard !== 'unguarded') return t('lab.say.' + l.guard, { w: exact(l.worstMillis) });
  return l.duplicates ? t('lab.say.unguarded', { n: exact(l.duplicates) }) : t('lab.say.unguardedNone');
}

/** What became of the first reconcile that came too early. @param {NonNullable<LabLane['first']>} m */
export function outcome(m) {
  if (m.held) return t('lab.refused', { n: m.refusals ?? 0 });
  if (m.waited) return t('lab.waits');
  if (m.duplicates) return t('lab.created', { n: m.duplicates });
  return m.error ? t('lab.conflict') : t('lab.went');
}

const seconds = (/** @type {number} */ ms) => (ms / 1000).toFixed(1);

/** Its first stale read: the store's version, the own write ahead of it, and what the guard made of that. @param {LabLane} l */
function moment(l) {
  const m = l.first;
  const svg = s('svg', { viewBox: '0 0 360 132', class: 'labm', role: 'img' });
  if (!m) return svg;
  const held = m.held || m.waited;
  svg.setAttribute('aria-label', [t('lab.has', { n: m.read ?? 0 }), t('lab.wrote', { n: m.wrote ?? 0 }), outcome(m)].join(', '));
  svg.append(
    s('path', { d: 'M0 46H80', class: 'has' }), s('path', { d: 'M80 46H360', class: 'gap' }), s('path', { d: 'M358 34v24', class: 'has' }),
    s('circle', { cx: 80, cy: 46, r: 8, class: 'at' }),
    s('text', { x: 0, y: 22 }, t('lab.has', { n: m.read ?? 0 })), s('text', { x: 360, y: 22, class: 'end' }, t('lab.wrote', { n: m.wrote ?? 0 })),
    s('path', { d: held ? 'M0 94H318M318 80v28' : 'M0 94H80', class: held ? 'wait' : 'has' }),
    s('circle', { cx: held ? 348 : 80, cy: 94, r: 10, class: held ? 'ok' : m.duplicates ? 'dup' : 'at' }),
    s('text', { x: held ? 0 : 104, y: held ? 128 : 101, class: m.duplicates ? 'bad' : '' },
      outcome(m) + (held ? ` · ${t('lab.ms', { n: exact(m.waitedMillis ?? 0) })}` : '')));
  return svg;
}

/** All reconciles of a lane along time. @param {LabLane} l @param {number} end of the longest lane, in ms */
function strip(l, end) {
  const svg = s('svg', { viewBox: '0 0 360 34', class: 'labs', 'aria-hidden': 'true' });
  const x = (/** @type {number} */ ms) => (ms / end) * 360;
  const bar = (/** @type {number} */ at, /** @type {number} */ took, /** @type {number} */ y, /** @type {number} */ tall, /** @type {string} */ cls) =>
    svg.append(s('rect', { x: x(at).toFixed(1), y, width: Math.max(1.5, x(took)).toFixed(1), height: tall, class: cls }));
  svg.append(s('path', { d: 'M0 32.5H360', class: 'axis' }));
  for (const r of l.timeline) {
    if (r.held) bar(r.at, 0, 18, 14, 'held');
    else if (r.waited) bar(r.at, r.waited, 8, 24, 'wait');
    else bar(r.at, r.took, 8, 24, r.duplicates ? 'dup' : 'run');
  }
  return svg;
}

/** @param {LabLane} l @param {number} end */
function column(l, end) {
  const num = (/** @type {number} */ n, /** @type {string} */ name, cls = '') =>
    h('div', { class: `labn ${cls}`, 'data-count': name }, h('b', {}, exact(n)), h('span', {}, t('lab.' + name, { n })));
  return h('section', { class: 'labc', 'data-guard': l.guard, 'aria-label': t('lab.' + l.guard) },
    h('h3', {}, t('lab.' + l.guard), h('small', {}, t(`lab.${l.guard}.x`))), moment(l),
    h('div', { class: 'labr' }, num(l.duplicates, 'duplicates', l.duplicates ? 'bad' : ''), num(l.held, 'held'), num(l.waitedMillis, 'waited')),
    h('p', {}, sentence(l)), strip(l, end),
    h('small', {}, [l.conflicts ? t('lab.others', { n: exact(l.conflicts) }) : '', t('lab.end', { s: seconds(l.endMillis) })].filter(Boolean).join(' · ')));
}

export class Laboratory {
  /** @param {import('../wire/page-types.js').Ctx} ctx @param {HTMLElement} app */
  constructor(ctx, app) {
    this.ctx = ctx;
    this.app = app;
    /** @type {HTMLDialogElement | null} */
    this.root = null;
    /** What shows. @type {LabResult | null} */
    this.result = null;
    this.lag = 250;
    this.busy = false;
  }

  /** Opens it if the address asks for it, and closes it if the address does not. */
  follow() {
    const asked = fragment.read().get('laboratory');
    if (asked === null) return this.root?.close();
    const lag = asked === '' ? this.lag : Number(asked);
    if (lag >= 0 && lag <= limits.laboratory) this.lag = Math.round(lag);
    this.open();
  }

  open() {
    if (!this.root) {
      this.knob = /** @type {HTMLInputElement} */ (h('input', { type: 'range', min: 0, max: limits.laboratory, step: 10, value: this.lag, id: 'lab-lag' }));
      this.knob.addEventListener('input', () => this.play(Number(this.knob?.value)));
      this.label = h('label', { for: 'lab-lag' });
      this.value = h('output', { for: 'lab-lag' });
      this.note = h('small', { role: 'status' });
      this.title = h('b', {});
      this.columns = h('div', { class: 'labx' });
      const root = openDialog(this.app, { class: 'ov lab', 'aria-label': t('lab.title') }, [
        h('header', {}, this.title, this.label, this.knob, this.value, button({ class: 'key', 'aria-label': `esc ${t('close')}` }, () => root.close(), 'esc')),
        this.columns, this.note]);
      root.addEventListener('close', () => {
        this.root = this.result = null;
        fragment.write({ laboratory: null });
      });
      this.root = root;
      this.knob.focus();
    }
    if (this.knob) this.knob.value = String(this.lag);
    this.play(this.lag);
  }

  /** Plays at a lag, or at the newest that was asked for meanwhile. @param {number} lag */
  async play(lag) {
    this.lag = lag;
    this.paint();
    if (this.busy) return;
    this.busy = true;
    try {
      do {
        lag = this.lag;
        this.result = await this.ctx.call('laboratory', lag);
        this.paint();
      } while (lag !== this.lag && this.root);
      if (this.root) fragment.write({ laboratory: lag });
    } catch (err) {
      if (this.note) this.note.textContent = t('lab.failed', { w: err instanceof Error ? err.message : String(err) });
    } finally {
      this.busy = false;
    }
  }

  /** Paints what shows; after a change of the language, too. */
  paint() {
    if (!this.root || !this.title || !this.label || !this.value || !this.note) return;
    const result = this.result;
    this.title.textContent = t('lab.title');
    this.label.textContent = t('lab.lag');
    this.value.textContent = t('lab.ms', { n: exact(this.lag) });
    this.knob?.setAttribute('aria-valuetext', t('lab.ms', { n: this.lag }));
    if (!result || result.lagMillis !== this.lag) {
      this.note.textContent = t('lab.plays');
      return;
    }
    const end = Math.max(1, ...result.lanes.map((l) => l.endMillis));
    this.note.textContent = [
      t('lab.note', { p: result.parents, c: result.children }), t('lab.axis', { s: seconds(end) }), t('top.seed', { seed: result.seed })].join(' · ');
    this.columns?.replaceChildren(...result.lanes.map((l) => column(l, end)));
  }
}
