// @ts-check
// Several informers of one factory, and one that is not shared: a row each, those that have not synced first. The worker computes the rows.
// A row opens its informer on the stage; a button there and Escape lead back.
import { attr, button, h, Num, place, put, reveal, s, text, Txt } from '../kit/dom.js';
import { exact, middle } from '../kit/format.js';
import { fit, fitMiddle } from '../kit/measure.js';
import * as fragment from '../wire/fragment.js';
import { addWords, language } from '../kit/i18n.js';
import '../kit/words-informers.js';
import { arrange, buttons, rowAt, shapes, twice } from '../layouts/factory.js';
import { areEqual } from '../kit/same.js';
import { Host } from '../stage/host.js';
import { Motion } from '../stage/motion.js';
import { stations } from '../stations/index.js';
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
  'factory.col.work': ['work queue', '工作队列'],
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
});

/** The columns that have a name above them, and what a panel keeps free at its sides. */
const titled = ['name', 'phase', 'version', 'queue', 'store', 'ring', 'lamps', 'work'];
const pad = 12;

export class Factory {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   */
  constructor(ctx, app) {
    this.ctx = ctx;
    /** Whether one informer has the stage. */
    this.opened = false;
    ctx.openInformer = (lane) => this.open(lane);
    /** The lane that the address asks for, until it is there; -1 for none. */
    this.wanted = -1;
    this.root = h('section', { class: 'factoryv', hidden: '' });
    this.svg = s('svg', { class: 'stage' });
    const tokens = h('div', { class: 'layer tokens' });
    this.root.append(this.svg, tokens);
    this.motion = new Motion(ctx, tokens);
    this.host = new Host(ctx, this.svg, this.motion, stations);
    // Facts are those of the informer that has the stage; of the others the page knows their rows.
    this.host.lane = (i) => {
      const { factory } = this;
      const lane = ctx.model.lane(0);
      const row = factory?.rows[i];
      const facts = row?.lane === factory?.shown ? lane.facts : { ...lane.facts, held: [] };
      return { ...lane, facts, factory: factory ?? undefined, row, of: `factory.rows[lane=${row?.lane}]` };
    };
    // All informers are as strong.
    this.motion.strength = () => 1;
    this.shape = shapes.stage;
    /** How large a unit is, in units of the stage. */
    this.unit = 1;
    this.end = this.button('sbtn line', () => ctx.act(this.isEnding ? 'start' : 'shutdown'));
    place(this.end, buttons.shutdown.x, buttons.shutdown.y, buttons.shutdown.w, buttons.shutdown.h);
    this.backButton = this.button('sbtn line raise factoryback', () => {
      ctx.leaveSpeaker?.();
      this.goBack();
    });
    this.backButton.hidden = true;
    place(this.backButton, buttons.back.x, buttons.back.y, buttons.back.w, buttons.back.h);
    /** What is pressed in each row. @type {{open: HTMLElement, aside: HTMLElement}[]} */
    this.pressed = [];
    /** What is laid out. @type {unknown[]} */
    this.layoutKey = [];
    app.append(this.root, this.backButton);
    this.choose();
  }

  /** @param {string} cls @param {() => void} does @private */
  button(cls, does) {
    const b = button({ class: cls }, does);
    this.root.append(b);
    return b;
  }

  /** What the informers show together. */
  get factory() {
    return this.ctx.model.factory;
  }

  /** The lane that has the stage, -1 for all of them in their rows. */
  get lane() {
    return this.opened ? this.factory?.shown ?? -1 : -1;
  }

  /** Shows the lane that the speaker's page shows. @param {number} lane */
  follow(lane) {
    if (lane === this.lane) return;
    if (lane < 0) this.goBack();
    else {
      this.wanted = lane;
      this.find();
    }
  }

  /** Whether the informers show together. */
  get isOn() {
    return !!this.factory && !this.opened;
  }

  /** Takes from the fragment which informer is to have the stage. */
  choose() {
    const p = fragment.read();
    this.wanted = p.has('lane') ? Number(p.get('lane')) : -1;
    if (this.wanted < 0 && this.opened) this.goBack();
    else this.find();
  }

  /** @param {import('../wire/types.js').Frame} frame */
  apply(frame) {
    if (!this.factory || frame.timeline?.reset) this.goBack();
    this.find();
    const { factory } = this;
    if (!factory || this.root.hidden) return frame.jump ? this.motion.clear() : undefined;
    const rows = [{ lane: factory.shown, moves: frame.lanes?.[0]?.moves ?? [] }, ...frame.rows ?? []];
    this.host.move(frame, undefined, (i) => rows.find(({ lane }) => lane === factory.rows[i]?.lane)?.moves);
  }

  /** Fits the screen, or takes another palette. @param {boolean} presenting */
  resize(presenting) {
    const { scene } = this.ctx;
    const narrow = presenting && scene.narrow;
    this.shape = !presenting ? shapes.stage : narrow ? shapes.four : shapes.wide;
    const css = scene.unit(this.shape, narrow);
    this.unit = css / scene.scale;
    this.root.classList.toggle('p43', narrow);
    this.motion.resize(css * (devicePixelRatio || 1), css);
  }

  /** Opens the informer that the address asks for, once there is one. @private */
  find() {
    if (this.wanted < 0 || !this.factory?.rows.some((r) => r.lane === this.wanted)) return;
    const lane = this.wanted;
    this.wanted = -1;
    this.open(lane);
  }

  /** Gives an informer the stage. @param {number} lane */
  open(lane) {
    return this.ctx.act('show', lane).then(() => {
      this.opened = true;
      if (!this.ctx.follower) fragment.write({ lane });
    });
  }

  /** Goes back to all informers. Returns whether there was a way. */
  goBack() {
    if (!this.opened) return false;
    this.opened = false;
    if (!this.ctx.follower) fragment.write({ lane: null });
    return true;
  }

  /** Whether a factory was shut down, or is about to be. @private */
  get isEnding() {
    return !!this.factory?.factories.some((f) => f.stage === 'stopping' || f.stage === 'stopped');
  }

  /** The caption of the moment. @returns {[string, string] | null} */
  caption() {
    const said = this.factory?.sentence;
    if (!said || !this.isOn) return null;
    const { ctx } = this;
    return [said.id, ctx.t(`cap.${said.id}`, {
      n: exact(said.n ?? 0), m: exact(said.m ?? 0), name: said.name ?? '', key: middle(said.key ?? '', 36),
      why: fit(plain(ctx, said.why ?? ''), 900, '18px'),
    })];
  }

  /** Lays the view out: the stations of the rows by the host, and what belongs to a row or to all around them. @param {number} n @private */
  lay(n) {
    const { shape, svg, root } = this;
    this.host.lay(arrange(shape, n), this.ctx.scene.k);
    const boxes = s('g');
    svg.prepend(boxes);
    const api = this.drawAPI(boxes);
    this.heads();
    while (this.pressed.length < n) {
      const i = this.pressed.length;
      const row = () => /** @type {FactoryRow} */ (this.factory?.rows[i]);
      const aside = () => this.ctx.act('unshared', !row().unshared, row().lane);
      this.pressed.push({ open: this.button('prow', () => (this.ctx.leaveSpeaker?.(), this.open(row().lane))), aside: this.button('sbtn line', aside) });
    }
    this.pressed.forEach(({ open, aside }, i) => (open.hidden = aside.hidden = i >= n));
    // Above what is drawn, as it is pressed.
    root.append(...this.pressed.flatMap(({ open, aside }) => [open, aside]));
    return { api, rows: Array.from({ length: n }, (_, i) => this.drawRow(boxes, i, n)) };
  }

  /** What a row has beside its stations: its box, name and note. @param {SVGElement} boxes @param {number} i @param {number} n @private */
  drawRow(boxes, i, n) {
    const { svg, shape } = this;
    const { rows, columns: { name, note, aside } } = shape;
    const { y, h: tall, k, base, rail, two, tall: large, type, fonts } = rowAt(shape, i, n);
    const box = s('rect', { x: rows.x, y, width: rows.w, height: tall, rx: 4, class: 'pn' });
    boxes.append(box);
    // Name over release where a row has room for both, and beside it where it has not.
    const first = large ? base - 6 * k : two ? base - 8 : base;
    const middle = large ? rail : base - 5;
    const { open, aside: other } = this.pressed[i];
    const at = (/** @type {number[]} */ ...box) => /** @type {[number, number, number, number]} */ (box.map((n) => n * this.unit));
    place(open, ...at(rows.x, y, aside.x - rows.x - (aside.w && 8), tall));
    place(other, ...at(aside.x, middle - Math.min(12, tall / 2), aside.w, Math.min(24, tall)));
    return {
      box, fonts, type, room: name.w - (two ? 0 : 90), open, aside: other,
      name: text(svg, name.x, first, type.title),
      era: two ? text(svg, name.x, first + 16 * k, type.label) : text(svg, name.x + name.w, base, type.label, 'end'),
      // A tall row has its note where the wire comes in, below the rail.
      note: text(svg, large ? name.x : note.x, large ? rail + 26 * k : base, type.label), noteRoom: large ? name.w : note.w,
    };
  }

  /**
   * The API server that all informers share: its version, the total of requests, and what two informers cost that do not share.
   * @param {SVGElement} boxes @private
   */
  drawAPI(boxes) {
    const { svg, shape: { title: head, api: { x, y, w, h: tall, title, second, sums, faults, line } } } = this;
    boxes.append(s('rect', { x, y, width: w, height: tall, rx: 5, class: 'pn' }), s('path', { d: `M${x} ${line}h${w}`, class: 'hair' }));
    text(svg, x, title, head.cls === 't14' ? 'ti' : head.cls).set('API server');
    const at = s('text', { x: x + w, y: title, 'text-anchor': 'end' });
    const rv = s('tspan', { class: 'l' });
    const version = s('tspan', { class: 'num2', dx: 5 });
    at.append(rv, version);
    svg.append(at);
    const sum = (/** @type {number} */ left, /** @type {number} */ i) => new Num(svg, x + left, sums[i], 'n16', 4);
    return {
      title: text(svg, head.x, head.y, head.cls), rv: new Txt(rv), version: new Txt(version),
      open: sum(pad, 0), objects: sum(pad + second, 0), lists: sum(pad, 1), watches: sum(pad + second, 1),
      faults: text(svg, x + pad, faults, 'l bad'),
      /** @type {import('../kit/dom.js').Txt[]} */
      twice: [],
    };
  }

  /** The names of the columns. @private */
  heads() {
    const { svg, shape: { columns, heads, head, api: { x, w } }, ctx: { t } } = this;
    for (const id of titled) text(svg, columns[id].x, heads, head, columns[id].end ? 'end' : 'start').set(t(`factory.col.${id}`));
    text(svg, x + pad, heads, head).set(t('factory.col.open'), t('factory.apiTitle'));
    text(svg, x + w - pad, heads, head, 'end').set(t('factory.col.frames'));
  }

  /** Brings the rows to the worker's state. @param {number} clock */
  paint(clock) {
    const { factory, ctx, shape } = this;
    if (!factory) return;
    const { t } = ctx;
    const laid = [shape, factory.rows.length, language(), this.unit];
    if (!areEqual(laid, this.layoutKey)) {
      this.layoutKey = laid;
      this.drawn = this.lay(factory.rows.length);
    }
    const { api, rows } = /** @type {ReturnType<Factory['lay']>} */ (this.drawn);
    this.host.paint(clock);
    attr(this.root, 'aria-label', t('factory.all'));
    this.paintAPI({ factory }, api, factory);
    const titles = factory.factories.map((f) => t(`factory.stage.${f.stage}`, { era: f.era, n: f.synced, m: f.of })).join(' · ');
    api.title.set(fit(titles, shape.title.w, shape.title.font), titles);
    put(this.end, t(this.isEnding ? 'factory.start' : 'factory.shutdown'));
    attr(this.end, 'title', t(this.isEnding ? 'factory.startTitle' : 'factory.shutdownTitle'));
    const cannot = ['file', 'probe'].includes(ctx.model.state.source.kind) || ctx.follower;
    reveal(this.end, !cannot);
    factory.rows.forEach((r, i) => this.paintRow({ factory }, rows[i], r, cannot));
  }

  /** @param {From} from @param {ReturnType<Factory['drawRow']>} row @param {FactoryRow} r @param {boolean} cannot nothing can be done here @private */
  paintRow(from, { box, name, era, note, noteRoom, room, open, aside, type, fonts }, r, cannot) {
    const { t } = this.ctx;
    name.bind(from, `factory.rows[lane=${r.lane}].resource`, 'fit', 'same', (words) => fitMiddle(words, room, fonts.title));
    const part = r.shard ? t('factory.shard', { s: r.shard }) : r.unshared ? t('factory.unshared') : '';
    era.set(part ? `${r.era} · ${part}` : r.era);
    // What is wrong, or else a note: only the most important one.
    const lesser = r.early ? t('factory.early', { n: exact(r.early.pods) }) : r.held.length ? t('factory.held', { s: r.held[0] }) : '';
    const sent = r.lists + r.watches > 1 ? t('factory.sent', { n: exact(r.lists), m: exact(r.watches) }) : '';
    const words = r.cause || lesser || sent;
    note.set(fit(words, noteRoom, fonts.label), r.trouble ? plain(this.ctx, r.trouble) : words);
    note.cls(type.label + (r.cause ? ' bad' : r.early ? ' warn' : ''));
    attr(box, 'class', r.synced ? 'pn' : 'pn ghost');
    attr(open, 'aria-label', t('factory.row', { name: [r.resource, r.era, part].filter(Boolean).join(' '), phase: r.phase, n: exact(r.count) }));
    reveal(aside, !cannot && (!r.unshared || r.running));
    put(aside, t(r.unshared ? 'factory.end' : 'factory.twice'));
    attr(aside, 'title', t(r.unshared ? 'factory.endTitle' : 'factory.twiceTitle', { name: r.resource }));
  }

  /**
   * What the API server shows of all of them.
   * @param {From} from @param {ReturnType<Factory['drawAPI']>} api @param {import('../wire/types.js').Factory} factory @private
   */
  paintAPI(from, api, { api: asked, open, objects }) {
    const { ctx: { t }, shape } = this;
    api.rv.set(asked.resourceVersion ? 'rv' : '');
    api.version.bind(from, 'factory.api.resourceVersion', 'bigVersion', 'version 30');
    api.open.bind(from, 'factory.open', 'exact', t('factory.open', { n: exact(open) }));
    api.objects.bind(from, 'factory.objects', 'count', t('factory.objects', { n: exact(objects) }));
    api.lists.bind(from, 'factory.api.lists', 'count', t('factory.lists', { n: exact(asked.lists) }));
    api.watches.bind(from, 'factory.api.watches', 'count', t('factory.watches', { n: exact(asked.watches) }));
    const faults = asked.faults.length ? t('factory.faults', { names: asked.faults.join(', ') }) : '';
    api.faults.set(fit(faults, shape.api.w - 2 * pad, '12px'), faults);
    while (api.twice.length < asked.twice.length) api.twice.push(text(this.svg, shape.title.x, twice.y + twice.pitch * api.twice.length, 't14 warn'));
    api.twice.forEach((line, i) => {
      const of = `factory.api.twice.${i}`;
      const args = asked.twice[i] ? `name=same ${of}.resource; era=same ${of}.era; n=exact ${of}.requests; m=exact ${of}.objects` : '';
      line.bind(from, args, 't factory.two', 'same', (words) => fit(words, shape.rows.w - 36, '600 14px'));
    });
  }

  /** The way back, while one informer has the stage. @param {boolean} free nothing else covers the stage */
  paintBack(free) {
    const on = !!this.factory && this.opened && free;
    reveal(this.backButton, on);
    if (!on) return;
    put(this.backButton, this.ctx.t('factory.back', { n: this.factory?.rows.length ?? 0 }));
    attr(this.backButton, 'title', this.ctx.t('factory.backTitle'));
  }
}
