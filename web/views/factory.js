// @ts-check
// Several informers of one factory, and one that is not shared: a row each, those that have not synced first. The worker computes the rows.
// A row opens its informer on the stage; a button there and Escape lead back.
import { lamp } from '../draw/lamp.js';
import { cut, node } from '../draw/rail.js';
import { ring } from '../draw/ring.js';
import { attr, h, Num, place, put, reveal, s, show, text, Txt } from '../kit/dom.js';
import { count, exact, middle, ownName, reason } from '../kit/format.js';
import { fit } from '../kit/measure.js';
import * as fragment from '../wire/fragment.js';
import { addWords, language } from '../kit/i18n.js';
import { canvases, motion, rowAt, stage, waysAt } from '../layouts/factory.js';
import { same } from '../kit/same.js';
import { Motion } from '../stage/motion.js';
import { plain } from '../kit/trouble.js';

/** @typedef {import('../wire/types.js').FactoryRow} FactoryRow */
/** @typedef {import('../kit/bind.js').From} From */

addWords({
  'factory.api': ['API server', 'API server'],
  'factory.col.open': ['open request', '打开的请求'],
  'factory.col.frames': ['frames', 'frame'],
  'factory.asked.none': ['no request yet', '还没有请求'],
  'factory.asked.sent': ['not answered, {s}', '未响应，{s}'],
  'factory.asked.open': ['open {s}', '已打开 {s}'],
  'factory.asked.ended': ['ended: {status}', '已结束：{status}'],
  'factory.open': ['open', '打开'],
  'factory.objects': ['[n:object|objects]', '个对象'],
  'factory.lists': ['[n:LIST|LISTs]', '次 LIST'],
  'factory.watches': ['[n:WATCH|WATCHes] sent', '次 WATCH'],
  'factory.faults': ['faults: {names}', '故障：{names}'],
  'factory.apiTitle': [
    'What these informers ask the API server. Each open request is beside its row; below: LISTs and WATCHes since each informer started.',
    '这些 informer 向 API server 请求的内容。每个打开的请求在它那一行旁边；下方是各 informer 启动以来的 LIST 和 WATCH 次数。',
  ],
  'factory.two': [
    '{name} {era} twice, not shared: {n} open [n:request|requests] and {m} [m:object|objects] in two stores',
    '{name} {era} 两份，未共享：{n} 个打开的请求，两个本地缓存共 {m} 个对象',
  ],
  'factory.col.name': ['informer', 'informer'],
  'factory.col.phase': ['Reflector', 'Reflector'],
  'factory.col.version': ['resourceVersion', 'resourceVersion'],
  'factory.col.queue': ['queue', '队列'],
  'factory.col.store': ['store', '本地缓存'],
  'factory.col.ring': ['fullest ring', '最满的环'],
  'factory.col.lamps': ['synced', '已同步'],
  'factory.lit': ['{n} of {m}', '{m} 个中 {n} 个'],
  'factory.stage.': ['SharedInformerFactory {era}', 'SharedInformerFactory {era}'],
  'factory.stage.started': ['{era}: WaitForCacheSync waits, {n} of {m} synced', '{era}：WaitForCacheSync 在等，{m} 个中 {n} 个已同步'],
  'factory.stage.synced': ['{era}: WaitForCacheSync has returned', '{era}：WaitForCacheSync 已返回'],
  'factory.stage.stopping': ['{era}: Shutdown waits for its informers', '{era}：Shutdown 在等 informer 结束'],
  'factory.stage.stopped': ['{era}: shut down', '{era}：已关闭'],
  'factory.shutdown': ['Shutdown', 'Shutdown'],
  'factory.start': ['Start a new one', '启动一个新的'],
  'factory.shutdownTitle': ['Stop all informers of the factory, and wait until they have ended', '停止 factory 的所有 informer，等它们结束'],
  'factory.startTitle': ['A factory that was shut down starts no informers: create a new one', '关闭了的 factory 不再启动 informer：新建一个'],
  'factory.unshared': ['not shared', '未共享'],
  'factory.shard': ['shard {s}', '分片 {s}'],
  'factory.twice': ['+ its own', '+ 单独一个'],
  'factory.end': ['stop it', '停止它'],
  'factory.twiceTitle': ['Run a second informer of {name} outside the factory', '在 factory 之外再运行一个 {name} 的 informer'],
  'factory.endTitle': ['Stop the informer of {name} that is not shared', '停止未共享的 {name} informer'],
  'factory.early': ['{n} early', '{n} 个早到'],
  'factory.sent': ['{n} [n:LIST|LISTs], {m} [m:WATCH|WATCHes]', '{n} 次 LIST，{m} 次 WATCH'],
  'factory.held': ['{s} held', '{s} 被拦住'],
  'factory.row': ['{name}: {phase}, {n} [n:object|objects]. Open it on the stage', '{name}：{phase}，{n} 个对象。在画面上打开'],
  'factory.back': ['‹ all {n} informers', '‹ 全部 {n} 个 informer'],
  'factory.backTitle': ['Back to all informers (Esc)', '回到全部 informer（Esc）'],
  'factory.all': ['All informers of the factory', 'factory 的全部 informer'],
  'cap.factory.stopping': ['Shutdown has stopped the informers and waits until all {n} have ended.', 'Shutdown 已让 informer 停止，在等全部 {n} 个结束。'],
  'cap.factory.stopped': ['The factory was shut down. Its stores keep their objects, and no more events come.', 'factory 已关闭。本地缓存保留原有对象，不再有新的事件。'],
  'cap.factory.trouble': ['{name}: {why}', '{name}：{why}'],
  'cap.factory.waiting': [
    'WaitForCacheSync waits: {n} of {m} informers have synced, {name} has not.',
    'WaitForCacheSync 在等：{m} 个 informer 中 {n} 个已同步，{name} 还没有。',
  ],
  'cap.factory.unstarted': ['The informer of {name} does not run: it was requested after Start.', '{name} 的 informer 没有运行：它是在 Start 之后才要的。'],
  'cap.factory.early': [
    '{n} [n:Pod|Pods] came before the Node: {key} runs on {name}, which is not in the store of nodes yet.',
    '{n} 个 Pod 先于 Node 到达：{key} 在 {name} 上，而 nodes 的本地缓存里还没有它。',
  ],
  'cap.factory.unshared': [
    'Two informers of {name} that are not shared: {n} open [n:request|requests], and {m} [m:object|objects] in two stores.',
    '{name} 的两个 informer 没有共享：{n} 个打开的请求，两个本地缓存共 {m} 个对象。',
  ],
  'cap.factory.synced': ['All informers have synced: {n} [n:informer|informers], {m} [m:object|objects].', '全部 informer 已同步：{n} 个 informer，{m} 个对象。'],
  'cap.factory.running': ['{n} [n:informer|informers], {m} [m:object|objects] in their stores.', '{n} 个 informer，本地缓存里共 {m} 个对象。'],
});

const { columns, type, fonts } = stage;
/** @typedef {keyof typeof columns} Column */
const titled = /** @type {Column[]} */ (['name', 'phase', 'version', 'queue', 'store', 'ring', 'lamps']);

export class Factory {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
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
    const tokens = h('div', { class: 'layer tokens' });
    this.root.append(this.svg, tokens);
    this.motion = new Motion(ctx, tokens);
    this.motion.lay(motion, canvases);
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

  /** Shows the lane that the speaker's page shows. @param {number} lane */
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

  /** @param {import('../wire/types.js').Frame} frame */
  apply(frame) {
    if (!this.is || frame.timeline?.reset) this.back();
    this.find();
    this.move(frame);
  }

  /** Sends what moved in a frame along the rows. @param {import('../wire/types.js').Frame} frame @private */
  move(frame) {
    const { is, motion } = this;
    if (frame.jump) return motion.clear();
    if (!is || this.root.hidden) return;
    const shown = { lane: is.shown, moves: frame.lanes?.[0]?.moves ?? [] };
    for (const { lane, moves } of [shown, ...frame.rows ?? []]) {
      const i = is.rows.findIndex((r) => r.lane === lane);
      if (i < 0) continue;
      const { rail, railed } = rowAt(i, is.rows.length);
      const ways = waysAt(rail);
      const { listener } = is.rows[i].ring ?? {};
      motion.add(moves, (m) => (railed && (!m.l || m.l === listener) ? ways[m.p] ?? null : null), { lane: String(lane) });
    }
  }

  draw() {
    this.motion.draw();
  }

  /** The size of a unit or the palette changed. */
  resize() {
    this.motion.resize(this.ctx.scene.k, this.ctx.scene.scale);
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

  /** The caption of the moment. @returns {[string, string] | null} */
  caption() {
    const said = this.is?.sentence;
    if (!said || !this.on) return null;
    const { ctx } = this;
    return [said.id, ctx.t(`cap.${said.id}`, {
      n: exact(said.n ?? 0), m: exact(said.m ?? 0), name: said.name ?? '', key: middle(said.key ?? '', 36),
      why: fit(plain(ctx, said.why ?? ''), 900, '18px'),
    })];
  }

  /** The API server that all informers share: its version, the total of requests, and what two informers cost that are not shared. @private */
  drawAPI() {
    const { svg } = this;
    const { x, y, w, h: tall, title, pad, second, sums, faults, line } = stage.api;
    svg.append(s('rect', { x, y, width: w, height: tall, rx: 5, class: 'pn' }), s('path', { d: `M${x} ${line}h${w}`, class: 'hair' }));
    text(svg, x, title, 'ti').set('API server');
    const head = s('text', { x: x + w, y: title, 'text-anchor': 'end' });
    const rv = s('tspan', { class: 'l' });
    const version = s('tspan', { class: 'num2', dx: 5 });
    head.append(rv, version);
    svg.append(head);
    const sum = (/** @type {number} */ at, /** @type {number} */ i) => new Num(svg, x + at, sums[i], 'n16', 4);
    return {
      title: text(svg, stage.title.x, stage.title.y, 't14'),
      rv: new Txt(rv),
      version: new Txt(version),
      open: sum(pad, 0),
      objects: sum(pad + second, 0),
      lists: sum(pad, 1),
      watches: sum(pad + second, 1),
      faults: text(svg, x + pad, faults, 'l bad'),
      /** @type {import('../kit/dom.js').Txt[]} */
      twice: [],
    };
  }

  /** @private */
  drawRow() {
    const g = s('g');
    this.svg.append(g);
    const box = s('rect', { x: stage.rows.x, y: 0, width: stage.rows.w, height: 0, rx: 4, class: 'pn' });
    const rail = s('path', { class: 'rail', d: '' });
    const [track, mark] = [s('g'), s('g')];
    g.append(box, rail, track, mark);
    const word = (/** @type {Column} */ id, /** @type {string} */ cls) => text(g, columns[id].x, 0, cls, 'end' in columns[id] ? 'end' : 'start');
    const button = h('button', { class: 'prow', type: 'button' });
    const aside = h('button', { class: 'sbtn line', type: 'button' });
    this.root.append(button, aside);
    const row = {
      g, box, rail, track, mark, button, aside, lane: -1, unshared: false,
      /** The places of the queue. @type {Element[]} */
      seats: [],
      name: word('name', type.name), era: word('name', type.words), phase: word('phase', 't14'), version: word('version', type.words),
      queue: word('queue', type.number), store: word('store', type.number), note: word('note', 'l'),
      verb: text(g, stage.api.x + stage.api.pad, 0, type.name), age: text(g, 0, 0, type.words),
      frames: text(g, stage.api.x + stage.api.w - stage.api.pad, 0, type.number, 'end'),
      bytes: text(g, stage.api.x + stage.api.w - stage.api.pad, 0, type.words, 'end'),
      /** @type {ReturnType<typeof ring> | null} */
      ring: null,
      whose: text(g, columns.ring.x + 26, 0, type.words), lit: text(g, columns.lamps.x + 18, 0, type.words),
      rings: s('g'),
      lights: s('g'),
      /** @type {ReturnType<typeof lamp>[]} */
      lamps: [],
      /** What is laid out. */
      mid: -1, end: 0,
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
      const { y, h: tall, mid, rail, railed } = rowAt(i, n);
      const { rows, api } = stage;
      attr(row.box, 'y', y);
      attr(row.box, 'height', tall);
      attr(row.rail, 'd', `M${api.x + api.w} ${rail}H${railed ? stage.rail.handlers - 8 : rows.x}`);
      // Name over release where a row has room for both, and beside it where it has not.
      const two = tall >= rows.two;
      row.name.at(columns.name.x, two ? mid - 3 : mid + 5);
      row.era.at(two ? columns.name.x : columns.name.x + columns.name.w, two ? mid + 13 : mid + 5);
      attr(row.era.el, 'text-anchor', two ? 'start' : 'end');
      for (const id of /** @type {const} */ (['phase', 'version', 'queue', 'store', 'note'])) row[id].at(columns[id].x, mid + 5);
      row.whose.at(columns.ring.x + (railed ? 0 : 26), mid + 4);
      row.lit.at(columns.lamps.x + 18, (railed ? rail : mid) + 4);
      const left = api.x + api.pad;
      const right = api.x + api.w - api.pad;
      row.verb.at(left, two ? mid - 3 : mid + 5);
      row.age.at(two ? left : left + api.age, two ? mid + 13 : mid + 5);
      row.frames.at(right, two ? mid - 3 : mid + 5);
      row.bytes.at(right, mid + 13).show(two);
      if (row.mid !== mid) {
        row.mid = mid;
        row.end = railed ? rail : mid;
        row.rings.replaceChildren();
        row.lights.replaceChildren();
        const r = railed ? stage.rail.r : Math.min(stage.ring, tall / 2 - 3);
        row.ring = ring(row.rings, railed ? stage.rail.ring : columns.ring.x + 10, railed ? rail : mid, { r, stroke: railed ? '' : 'thin', number: '' });
        row.lamps = [];
        this.drawTrack(row, rail, railed);
      }
      place(row.button, rows.x, y, columns.aside.x - rows.x - 8, tall);
      place(row.aside, columns.aside.x, mid - Math.min(12, tall / 2), columns.aside.w, Math.min(24, tall));
    });
  }

  /** Draws what lies on a row's rail. @param {ReturnType<Factory['drawRow']>} row @param {number} y @param {boolean} railed @private */
  drawTrack(row, y, railed) {
    const { reflector, seats, store } = stage.rail;
    row.mark.replaceChildren(cut([(stage.api.x + stage.api.w + stage.rows.x) / 2, y], false));
    row.seats = !railed ? [] : Array.from({ length: seats.n }, (_, i) =>
      s('rect', { x: seats.x - seats.pitch * i - seats.size / 2, y: y - seats.size / 2, width: seats.size, height: seats.size, rx: 3 }));
    row.track.replaceChildren(...row.seats, ...(railed ? [node([reflector, y], 8), node([store, y], 8)] : []));
  }

  /** Brings the rows to the worker's state. */
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
    const from = { factory: is, now: ctx.now() };
    this.paintAPI(from, is);
    const titles = is.factories.map((f) => t(`factory.stage.${f.stage}`, { era: f.era, n: f.synced, m: f.of }));
    this.api.title.set(fit(titles.join(' · '), stage.title.w, '600 14px'), titles.join(' · '));
    put(this.end, t(this.ended ? 'factory.start' : 'factory.shutdown'));
    attr(this.end, 'title', t(this.ended ? 'factory.startTitle' : 'factory.shutdownTitle'));
    const cannot = ['file', 'probe'].includes(ctx.model.state.source.kind) || ctx.follower;
    reveal(this.end, !cannot);
    is.rows.forEach((r, i) => this.paintRow(from, this.rows[i], r, cannot));
  }

  /** @param {From} from @param {ReturnType<Factory['drawRow']>} row @param {FactoryRow} r @param {boolean} cannot nothing can be done here @private */
  paintRow(from, row, r, cannot) {
    const { t } = this.ctx;
    const of = `factory.rows[lane=${r.lane}]`;
    row.lane = r.lane;
    row.unshared = r.unshared;
    const tall = row.era.el.getAttribute('text-anchor') === 'start';
    row.name.bind(from, `${of}.resource`, 'fit', 'same', (words) => fit(words, columns.name.w - (tall ? 0 : 90), fonts.name));
    const own = r.unshared ? t('factory.unshared') : '';
    const part = r.shard ? t('factory.shard', { s: r.shard }) : own;
    row.era.set(part ? `${r.era} · ${part}` : r.era);
    row.phase.bind(from, `${of}.phase`);
    row.version.bind(from, `${of}.resourceVersion`, 'version 9', 'same');
    row.queue.bind(from, `${of}.depth`, 'exact');
    row.store.bind(from, `${of}.count`, 'exact');
    this.paintRequest(from, row, r, of);
    show(row.rings, !!r.ring);
    if (r.ring) {
      row.ring?.paint(from, /** @type {any} */ ({ ...r.ring, capacities: [] }), `${of}.ring`, { slow: false });
      const whose = `${count(r.ring.pending)} ${ownName(r.ring.name)}`;
      row.whose.set(fit(whose, columns.ring.w - 26, fonts.words), `${r.ring.name}: ${exact(r.ring.pending)} / ${exact(r.ring.capacity)}`);
    } else row.whose.set('');
    // More handlers than there is room for are one lamp, which is on when all have synced, and how many have.
    const many = r.lamps.length * 13 > columns.lamps.w;
    const lamps = many ? [{ synced: r.lit === r.lamps.length }] : r.lamps;
    while (row.lamps.length < lamps.length) row.lamps.push(lamp(row.lights, columns.lamps.x + 6 + row.lamps.length * 13, row.end, stage.lamp));
    row.lamps.forEach((l, i) => {
      show(l.el, i < lamps.length);
      if (i < lamps.length) l.set(lamps[i].synced);
    });
    row.lit.set(many ? t('factory.lit', { n: exact(r.lit), m: exact(r.lamps.length) }) : '');
    // What is wrong, or else a note: only the most important one.
    const lesser = r.early ? t('factory.early', { n: exact(r.early.pods) }) : r.held.length ? t('factory.held', { s: r.held[0] }) : '';
    const sent = r.lists + r.watches > 1 ? t('factory.sent', { n: exact(r.lists), m: exact(r.watches) }) : '';
    const note = r.cause || lesser || sent;
    row.note.set(fit(note, columns.note.w, fonts.words), r.trouble ? plain(this.ctx, r.trouble) : note);
    row.note.cls(r.cause ? 'l bad' : r.early ? 'l warn' : 'l');
    attr(row.box, 'class', r.synced ? 'pn' : 'pn ghost');
    attr(row.rail, 'class', r.requests ? 'rail' : 'rail dead');
    show(row.mark, !r.requests && !!r.trouble);
    row.seats.forEach((seat, i) => attr(seat, 'class', i < r.depth ? 'hbusy' : 'slot off'));
    attr(row.button, 'aria-label', t('factory.row', { name: [r.resource, r.era, part].filter(Boolean).join(' '), phase: r.phase, n: exact(r.count) }));
    reveal(row.aside, !cannot && (!r.unshared || r.running));
    put(row.aside, t(r.unshared ? 'factory.end' : 'factory.twice'));
    attr(row.aside, 'title', t(r.unshared ? 'factory.endTitle' : 'factory.twiceTitle', { name: r.resource }));
  }

  /** What the API server shows of all of them. @param {From} from @param {import('../wire/types.js').Factory} is @private */
  paintAPI(from, { api: asked, open, objects }) {
    const { t } = this.ctx;
    const { api } = this;
    api.rv.set(asked.resourceVersion ? 'rv' : '');
    api.version.bind(from, 'factory.api.resourceVersion', 'bigVersion', 'version 30');
    api.open.bind(from, 'factory.open', 'exact', t('factory.open', { n: exact(open) }));
    api.objects.bind(from, 'factory.objects', 'count', t('factory.objects', { n: exact(objects) }));
    api.lists.bind(from, 'factory.api.lists', 'count', t('factory.lists', { n: exact(asked.lists) }));
    api.watches.bind(from, 'factory.api.watches', 'count', t('factory.watches', { n: exact(asked.watches) }));
    const faults = asked.faults.length ? t('factory.faults', { names: asked.faults.join(', ') }) : '';
    api.faults.set(fit(faults, stage.api.w - 2 * stage.api.pad, fonts.words), faults);
    const { twice } = stage;
    while (api.twice.length < asked.twice.length) api.twice.push(text(this.svg, twice.x, twice.y + twice.pitch * api.twice.length, type.name + ' warn'));
    api.twice.forEach((line, i) => {
      const of = `factory.api.twice.${i}`;
      const args = asked.twice[i] ? `name=same ${of}.resource; era=same ${of}.era; n=exact ${of}.requests; m=exact ${of}.objects` : '';
      line.bind(from, args, 't factory.two', 'same', (words) => fit(words, twice.w, fonts.name));
    });
  }

  /** The request of an informer. @param {From} from @param {ReturnType<Factory['drawRow']>} row @param {FactoryRow} r @param {string} of @private */
  paintRequest(from, row, { request: q, twice }, of) {
    const { t } = this.ctx;
    if (!q) {
      for (const words of [row.verb, row.frames, row.bytes]) words.set('');
      row.age.set(t('factory.asked.none')).cls(type.words);
      return;
    }
    const refused = !q.open && (q.status >= 400 || !!q.error);
    row.verb.bind(from, `${of}.request.verb`).cls(q.open ? type.name + (twice ? ' warn' : '') : type.words);
    const said = q.open && q.status ? 'open' : 'sent';
    const status = q.status >= 400 || !q.error ? String(q.status || '—') : reason(q.error);
    if (q.open) {
      row.age.bind(from, `s=span now - ${of}.request.sentMillis max 0`, `t factory.asked.${said}`).cls(type.words);
    } else {
      const words = t('factory.asked.ended', { status });
      row.age.set(fit(words, 120, fonts.words), q.error || words).cls(refused ? 'l bad' : type.words);
    }
    row.frames.bind(from, q.open ? `${of}.request.frames` : '', 'count', 'exact');
    row.bytes.bind(from, `${of}.request.bytes`, 'bytes');
  }

  /** The names of the columns. @private */
  heads() {
    this.svg.querySelectorAll('.fhead').forEach((el) => el.remove());
    for (const id of titled) {
      const c = columns[id];
      text(this.svg, c.x, stage.heads, 'l fhead', 'end' in c ? 'end' : 'start').set(this.ctx.t(`factory.col.${id}`));
    }
    const { x, w, pad } = stage.api;
    text(this.svg, x + pad, stage.heads, 'l fhead').set(this.ctx.t('factory.col.open'), this.ctx.t('factory.apiTitle'));
    text(this.svg, x + w - pad, stage.heads, 'l fhead', 'end').set(this.ctx.t('factory.col.frames'));
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
