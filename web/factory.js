// @ts-check
// Several informers of one factory, and one that is not shared beside them: a row each, what has not synced first. What stands in the rows
// comes from the worker. A row opens its informer on the stage; the way back is a button there, and Escape.
import { lamp } from './draw/lamp.js';
import { ring } from './draw/ring.js';
import { attr, h, place, put, reveal, s, show, text } from './dom.js';
import { count, exact, fit, middle, version } from './format.js';
import * as fragment from './fragment.js';
import { addWords, language } from './i18n.js';
import { rowAt, stage } from './layouts/factory.js';
import { same } from './same.js';
import { plain } from './trouble.js';

/** @typedef {import('./types.js').FactoryRow} FactoryRow */

addWords({
  'factory.api': ['API server', 'API server'],
  'factory.open': ['open requests', '打开的请求'],
  'factory.objects': ['objects in all stores', '所有 store 里的对象'],
  'factory.col.name': ['informer', 'informer'],
  'factory.col.phase': ['Reflector', 'Reflector'],
  'factory.col.version': ['resourceVersion', 'resourceVersion'],
  'factory.col.queue': ['queue', '队列'],
  'factory.col.store': ['store', 'store'],
  'factory.col.ring': ['fullest ring', '最满的环'],
  'factory.col.lamps': ['synced', '已同步'],
  'factory.col.requests': ['requests', '请求'],
  'factory.stage.': ['SharedInformerFactory {era}', 'SharedInformerFactory {era}'],
  'factory.stage.started': ['{era}: WaitForCacheSync waits, {n} of {m} synced', '{era}：WaitForCacheSync 在等，{m} 个中 {n} 个已同步'],
  'factory.stage.synced': ['{era}: WaitForCacheSync has returned', '{era}：WaitForCacheSync 已返回'],
  'factory.stage.stopping': ['{era}: Shutdown waits for its informers', '{era}：Shutdown 在等 informer 结束'],
  'factory.stage.stopped': ['{era}: shut down', '{era}：已关闭'],
  'factory.shutdown': ['Shutdown', 'Shutdown'],
  'factory.start': ['Start a new one', '启动一个新的'],
  'factory.shutdownTitle': ['Stop all informers of the factory, and wait until they have ended', '停止 factory 的所有 informer，等它们结束'],
  'factory.startTitle': ['A factory that was shut down starts nothing more: begin a new one', '关闭了的 factory 不再启动任何东西：新建一个'],
  'factory.unshared': ['not shared', '未共享'],
  'factory.twice': ['+ its own', '+ 单独一个'],
  'factory.end': ['end it', '结束它'],
  'factory.twiceTitle': ['Run a second informer of {name} outside of the factory', '在 factory 之外再运行一个 {name} 的 informer'],
  'factory.endTitle': ['End the informer of {name} that is not shared', '结束未共享的 {name} informer'],
  'factory.early': ['{n} early', '{n} 个早到'],
  'factory.held': ['{s} held', '{s} 被拦住'],
  'factory.row': ['{name}: {phase}, {n} [n:object|objects]. Open it on the stage', '{name}：{phase}，{n} 个对象。在舞台上打开'],
  'factory.back': ['‹ all {n} informers', '‹ 全部 {n} 个 informer'],
  'factory.backTitle': ['Back to all informers (Esc)', '回到全部 informer（Esc）'],
  'factory.all': ['All informers of the factory', 'factory 的全部 informer'],
  'cap.factory.stopping': ['Shutdown has stopped the informers and waits until all {n} have ended.', 'Shutdown 已让 informer 停止，在等全部 {n} 个结束。'],
  'cap.factory.stopped': ['The factory was shut down. Its stores keep what they held, and nothing comes any more.', 'factory 已关闭。store 保留原有内容，不再有新的。'],
  'cap.factory.trouble': ['{name}: {why}', '{name}：{why}'],
  'cap.factory.waiting': [
    'WaitForCacheSync waits: {n} of {m} informers have synced, {name} has not.',
    'WaitForCacheSync 在等：{m} 个 informer 中 {n} 个已同步，{name} 还没有。',
  ],
  'cap.factory.early': [
    '{n} [n:Pod|Pods] came before the Node: {key} runs on {name}, which the informer of nodes has not got.',
    '{n} 个 Pod 先于 Node 到达：{key} 在 {name} 上，而 nodes 的 informer 还没有它。',
  ],
  'cap.factory.unshared': [
    'Two informers of {name} that are not shared: {n} open [n:request|requests], and {m} [m:object|objects] in two stores.',
    '{name} 的两个 informer 没有共享：{n} 个打开的请求，两个 store 共 {m} 个对象。',
  ],
  'cap.factory.synced': ['All caches have synced: {n} [n:informer|informers], {m} [m:object|objects].', '所有缓存已同步：{n} 个 informer，{m} 个对象。'],
  'cap.factory.running': ['{n} [n:informer|informers], {m} [m:object|objects] in their stores.', '{n} 个 informer，store 里共 {m} 个对象。'],
});

const { columns, type, fonts } = stage;
/** @typedef {keyof typeof columns} Column */
const titled = /** @type {Column[]} */ (['name', 'phase', 'version', 'queue', 'store', 'ring', 'lamps', 'requests']);

export class Factory {
  /**
   * @param {import('./page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   */
  constructor(ctx, app) {
    this.ctx = ctx;
    /** Whether one informer has the stage. */
    this.opened = false;
    /** The lane that the address asks for, until it is there; -1 for none. */
    this.wanted = -1;
    this.root = h('section', { class: 'factoryv', hidden: '' });
    this.svg = s('svg', { class: 'stage', viewBox: `0 0 ${stage.w} ${stage.h}` });
    this.root.append(this.svg);
    const button = (/** @type {string} */ cls, /** @type {() => void} */ does) => {
      const b = h('button', { class: cls, type: 'button' });
      b.addEventListener('click', does);
      return b;
    };
    this.end = button('sbtn line', () => ctx.act(this.ended ? 'start' : 'shutdown'));
    this.root.append(this.end);
    place(this.end, stage.buttons.shutdown.x, stage.buttons.y, stage.buttons.shutdown.w, stage.buttons.h);
    this.backButton = button('sbtn line raise factoryback', () => {
      ctx.apart?.();
      this.back();
    });
    this.backButton.hidden = true;
    place(this.backButton, stage.back.x, stage.back.y, stage.back.w, stage.back.h);
    this.api = this.drawAPI();
    /** @type {ReturnType<Factory['drawRow']>[]} */
    this.rows = [];
    /** What is laid out. @type {unknown[]} */
    this.laid = [];
    app.append(this.root, this.backButton);
    this.choose();
  }

  /** What the informers show together. */
  get is() {
    return this.ctx.model.factory;
  }

  /** The lane that has the stage, -1 for all of them in their rows. */
  get lane() {
    return this.opened ? this.is?.shown ?? -1 : -1;
  }

  /** Shows what the speaker does who is followed. @param {number} lane */
  follow(lane) {
    if (lane === this.lane) return;
    if (lane < 0) this.back();
    else {
      this.wanted = lane;
      this.find();
    }
  }

  /** Whether the informers show together. */
  get on() {
    return !!this.is && !this.opened;
  }

  /** Takes from the fragment which informer is to have the stage. */
  choose() {
    const p = fragment.read();
    this.wanted = p.has('lane') ? Number(p.get('lane')) : -1;
    if (this.wanted < 0 && this.opened) this.back();
    else this.find();
  }

  /** @param {import('./types.js').Frame} frame */
  apply(frame) {
    if (!this.is || frame.timeline?.reset) this.back();
    this.find();
  }

  /** Opens the informer that the address asks for, once there is one. @private */
  find() {
    if (this.wanted < 0 || !this.is?.rows.some((r) => r.lane === this.wanted)) return;
    const lane = this.wanted;
    this.wanted = -1;
    this.open(lane);
  }

  /** Gives an informer the stage. @param {number} lane */
  open(lane) {
    this.ctx.act('show', lane).then(() => {
      this.opened = true;
      if (!this.ctx.follower) fragment.write({ lane });
    });
  }

  /** Goes back to all informers. Returns whether there was a way. */
  back() {
    if (!this.opened) return false;
    this.opened = false;
    if (!this.ctx.follower) fragment.write({ lane: null });
    return true;
  }

  /** Whether a factory was shut down, or is about to be. @private */
  get ended() {
    return !!this.is?.factories.some((f) => f.stage === 'stopping' || f.stage === 'stopped');
  }

  /** What is to be said of the moment. @returns {[string, string] | null} */
  caption() {
    const said = this.is?.sentence;
    if (!said || !this.on) return null;
    const { ctx } = this;
    return [said.id, ctx.t(`cap.${said.id}`, {
      n: exact(said.n ?? 0), m: exact(said.m ?? 0), name: said.name ?? '', key: middle(said.key ?? '', 36),
      why: fit(plain(ctx, said.why ?? ''), 900, '18px'),
    })];
  }

  /** The API server, which all informers ask. @private */
  drawAPI() {
    const { svg } = this;
    const { x, y, w, h: tall } = stage.api;
    svg.append(s('rect', { x, y, width: w, height: tall, rx: 5, class: 'pn' }));
    text(svg, x, 80, 'ti').set('API server');
    const line = (/** @type {number} */ at) => ({ number: text(svg, x + 12, y + at, 'n20'), words: text(svg, x + 12, y + at + 18, 'l') });
    return { title: text(svg, stage.title.x, stage.title.y, 't14'), open: line(34), objects: line(92) };
  }

  /** @private */
  drawRow() {
    const g = s('g');
    this.svg.append(g);
    const box = s('rect', { x: stage.rows.x, y: 0, width: stage.rows.w, height: 0, rx: 4, class: 'pn' });
    const rail = s('path', { class: 'rail', d: '' });
    g.append(rail, box);
    const word = (/** @type {Column} */ id, /** @type {string} */ cls) => text(g, columns[id].x, 0, cls, 'end' in columns[id] ? 'end' : 'start');
    const button = h('button', { class: 'prow', type: 'button' });
    const aside = h('button', { class: 'sbtn line', type: 'button' });
    this.root.append(button, aside);
    const row = {
      g, box, rail, button, aside, lane: -1, unshared: false,
      name: word('name', type.name), era: word('name', type.words), phase: word('phase', 't14'), version: word('version', type.words),
      queue: word('queue', type.number), store: word('store', type.number), requests: word('requests', type.number), note: word('note', 'l'),
      /** @type {ReturnType<typeof ring> | null} */
      ring: null,
      whose: text(g, columns.ring.x + 26, 0, type.words),
      rings: s('g'),
      lights: s('g'),
      /** @type {ReturnType<typeof lamp>[]} */
      lamps: [],
      /** What is laid out. */
      mid: -1,
    };
    g.append(row.rings, row.lights);
    button.addEventListener('click', () => {
      this.ctx.apart?.();
      this.open(row.lane);
    });
    aside.addEventListener('click', () => this.ctx.act('unshared', !row.unshared, row.lane));
    return row;
  }

  /** Puts the rows where they belong. @param {number} n @private */
  lay(n) {
    while (this.rows.length < n) this.rows.push(this.drawRow());
    this.rows.forEach((row, i) => {
      show(row.g, i < n);
      row.button.hidden = row.aside.hidden = i >= n;
      if (i >= n) return;
      const { y, h: tall, mid } = rowAt(i, n);
      const { rows, api } = stage;
      attr(row.box, 'y', y);
      attr(row.box, 'height', tall);
      attr(row.rail, 'd', `M${api.x + api.w} ${mid}H${rows.x}`);
      // Name over era where a row has room for both, and beside it where it has not.
      const two = tall >= 36;
      row.name.at(columns.name.x, two ? mid - 3 : mid + 5);
      row.era.at(two ? columns.name.x : columns.name.x + columns.name.w, two ? mid + 13 : mid + 5);
      attr(row.era.el, 'text-anchor', two ? 'start' : 'end');
      for (const id of /** @type {const} */ (['phase', 'version', 'queue', 'store', 'requests', 'note'])) row[id].at(columns[id].x, mid + 5);
      row.whose.at(columns.ring.x + 26, mid + 4);
      if (row.mid !== mid) {
        row.mid = mid;
        row.rings.replaceChildren();
        row.lights.replaceChildren();
        row.ring = ring(row.rings, columns.ring.x + 10, mid, { r: Math.min(stage.ring, tall / 2 - 3), stroke: 'thin', number: '' });
        row.lamps = [];
      }
      place(row.button, rows.x, y, columns.aside.x - rows.x - 8, tall);
      place(row.aside, columns.aside.x, mid - Math.min(12, tall / 2), columns.aside.w, Math.min(24, tall));
    });
  }

  /** Brings the rows to what the worker said. */
  paint() {
    const { is, ctx } = this;
    if (!is) return;
    const { t } = ctx;
    const laid = [is.rows.length, language()];
    if (!same(laid, this.laid)) {
      this.laid = laid;
      this.heads();
      this.lay(is.rows.length);
    }
    attr(this.root, 'aria-label', t('factory.all'));
    this.api.open.number.of('factory.open', 'exact').set(exact(is.open));
    this.api.open.words.set(t('factory.open'));
    this.api.objects.number.of('factory.objects', 'count').set(count(is.objects));
    this.api.objects.words.set(t('factory.objects'));
    const titles = is.factories.map((f) => t(`factory.stage.${f.stage}`, { era: f.era, n: f.synced, m: f.of }));
    this.api.title.set(fit(titles.join(' · '), stage.title.w, '600 14px'), titles.join(' · '));
    put(this.end, t(this.ended ? 'factory.start' : 'factory.shutdown'));
    attr(this.end, 'title', t(this.ended ? 'factory.startTitle' : 'factory.shutdownTitle'));
    const cannot = ['file', 'probe'].includes(ctx.model.state.source.kind) || ctx.follower;
    reveal(this.end, !cannot);
    is.rows.forEach((r, i) => this.paintRow(this.rows[i], r, cannot));
  }

  /** @param {ReturnType<Factory['drawRow']>} row @param {FactoryRow} r @param {boolean} cannot nothing can be done here @private */
  paintRow(row, r, cannot) {
    const { t } = this.ctx;
    const of = `factory.rows[lane=${r.lane}]`;
    row.lane = r.lane;
    row.unshared = r.unshared;
    const tall = row.era.el.getAttribute('text-anchor') === 'start';
    row.name.of(`${of}.resource`, 'fit').set(fit(r.resource, columns.name.w - (tall ? 0 : 90), fonts.name), r.resource);
    row.era.set(r.unshared ? `${r.era} · ${t('factory.unshared')}` : r.era);
    row.phase.of(`${of}.phase`).set(r.phase);
    row.version.of(`${of}.resourceVersion`, 'version 9').set(version(r.resourceVersion, 9), r.resourceVersion);
    row.queue.of(`${of}.depth`, 'exact').set(exact(r.depth));
    row.store.of(`${of}.count`, 'exact').set(exact(r.count));
    row.requests.of(`${of}.requests`, 'exact').set(exact(r.requests));
    show(row.rings, !!r.ring);
    if (r.ring) {
      row.ring?.paint(/** @type {any} */ ({ ...r.ring, capacities: [] }), `${of}.ring`, { slow: false });
      row.whose.set(`${count(r.ring.pending)} ${r.ring.name}`, `${r.ring.name}: ${exact(r.ring.pending)} / ${exact(r.ring.capacity)}`);
    } else row.whose.set('');
    while (row.lamps.length < r.lamps.length) row.lamps.push(lamp(row.lights, columns.lamps.x + 6 + row.lamps.length * 13, row.mid, stage.lamp));
    row.lamps.forEach((l, i) => {
      show(l.el, i < r.lamps.length);
      if (i < r.lamps.length) l.set(r.lamps[i].synced);
    });
    // What is wrong, or what one must know: one thing, the most that matters.
    const lesser = r.early ? t('factory.early', { n: exact(r.early.pods) }) : r.held.length ? t('factory.held', { s: r.held[0] }) : '';
    const note = r.cause || lesser;
    row.note.set(fit(note, columns.note.w, fonts.words), r.trouble ? plain(this.ctx, r.trouble) : note);
    row.note.cls(r.cause ? 'l bad' : r.early ? 'l warn' : 'l');
    attr(row.box, 'class', r.synced ? 'pn' : 'pn ghost');
    attr(row.rail, 'class', r.requests ? 'rail' : 'rail dead');
    attr(row.button, 'aria-label', t('factory.row', { name: `${r.resource} ${r.era}`, phase: r.phase, n: exact(r.count) }));
    reveal(row.aside, !cannot && (!r.unshared || r.running));
    put(row.aside, t(r.unshared ? 'factory.end' : 'factory.twice'));
    attr(row.aside, 'title', t(r.unshared ? 'factory.endTitle' : 'factory.twiceTitle', { name: r.resource }));
  }

  /** The names of the columns. @private */
  heads() {
    this.svg.querySelectorAll('.fhead').forEach((el) => el.remove());
    for (const id of titled) {
      const c = columns[id];
      text(this.svg, c.x, stage.heads, 'l fhead', 'end' in c ? 'end' : 'start').set(this.ctx.t(`factory.col.${id}`));
    }
  }

  /** The way back, while one informer has the stage. @param {boolean} free nothing else covers the stage */
  paintBack(free) {
    const on = !!this.is && this.opened && free;
    reveal(this.backButton, on);
    if (!on) return;
    put(this.backButton, this.ctx.t('factory.back', { n: this.is?.rows.length ?? 0 }));
    attr(this.backButton, 'title', this.ctx.t('factory.backTitle'));
  }
}
