// @ts-check
// Where the two lanes of a fork part: the first event that differs, both stores as a pair of maps, and what each handler was called with.
import { attr, button, h, s } from '../kit/dom.js';
import { exact, middle, seconds } from '../kit/format.js';
import { laneNames } from '../kit/fork.js';
import { chipIcon } from '../kit/glyphs.js';
import { addWords, language } from '../kit/i18n.js';
import { areEqual } from '../kit/same.js';

/** @import { Fork, Parting as Part } from '../wire/types.js' */

addWords({
  'cap.forkSame': ['One past, two lanes: so far both do the same, event for event.', '同一段过去，两条线：到目前为止，每个事件都相同。'],
  'cap.forkParted': [
    'As it was, and {lane}: the lanes part at {s}. Now their stores differ in {n} [n:object|objects].',
    '“原样”和“{lane}”：两条线在 {s} 分开。现在两边的本地缓存有 {n} 个对象不同。',
  ],
  'cap.forkAlike': ['As it was, and {lane}: the lanes part at {s}. Now their stores have the same objects.', '“原样”和“{lane}”：两条线在 {s} 分开。现在两边的本地缓存相同。'],
  'part.none': ['No difference yet: event for event, both lanes did the same.', '还没有不同：两条线做的每一件事都一样。'],
  'part.ahead': ['They fork at {s}.', '在 {s} 分叉。'],
  'part.first': ['First difference: event {n}, at {s}', '第一个不同的事件：第 {n} 个，{s}'],
  'part.only': ['only {lane}: {what}', '只在“{lane}”里：{what}'],
  'part.stores': ['The stores', '本地缓存'],
  'part.count': ['{n} [n:object|objects]', '{n} 个对象'],
  'part.onlyKeys': ['only {lane}: {n}', '只在“{lane}”里：{n} 个'],
  'part.other': ['in both, in another version: {n}', '两边都有，版本不同：{n} 个'],
  'part.equal': ['Both stores have the same objects in the same versions.', '两边的对象和版本完全相同。'],
  'part.handlers': ['What each handler was called with since the fork', '分叉以来，每个 handler 收到的调用'],
  'part.handler': ['handler', 'handler'],
  'part.WireDone': ['a request ends', '一个请求结束'],
  'part.WireFrame': ['a frame comes', '一个 frame 到达'],
  'part.WireRequest': ['a request is sent', '发出一个请求'],
  'part.WireResponse': ['a request is answered', '请求得到响应'],
  'part.WatchEvent': ['the Reflector receives an event', 'Reflector 收到事件'],
  'part.WatchClosed': ['the watch ends', 'watch 结束'],
  'part.Queued': ['a delta enters the queue', 'delta 入队'],
  'part.Popped': ['Pop takes from the queue', 'Pop 出队'],
  'part.GateWaiting': ['something waits at the hold', '有东西在被拦住处等待'],
  'part.Handling': ['a handler is called', 'handler 被调用'],
  'part.Handled': ['a handler returns', 'handler 返回'],
  'part.ListenerRemoved': ['a handler is removed', '移除 handler'],
  'part.WireBytes': ['bytes come', '收到字节'],
  'part.Factory': ['the factory stops or starts', 'factory 停止或启动'],
  'part.ClusterChange': ['an object is written in the cluster', '集群里的一个对象被写入'],
  'part.ClusterObjects': ['a new informer begins', '新的 informer 开始'],
  'part.Cluster': ['the cluster has other counts', '集群的计数不同'],
  'part.Backoff': ['the Reflector begins to wait', 'Reflector 开始等待'],
});

/** Width and height of a map, in units of its picture. */
const map = { w: 220, h: 100 };

/** The look of a cell in each map, by its character. @type {Record<string, [string, string]>} */
const looks = { '=': ['eq', 'eq'], '~': ['ne', 'ne'], '<': ['here', 'away'], '>': ['away', 'here'] };

export class Parting {
  /** @param {import('../wire/page-types.js').Ctx} ctx */
  constructor(ctx) {
    this.ctx = ctx;
    /** The first event that differs, which can be pressed, and the rest, which is drawn again with each change. */
    this.head = h('div');
    this.body = h('div');
    this.root = h('section', { class: 'parting', hidden: '' }, this.head, this.body);
    /** What is drawn. @type {unknown[]} */
    this.drawn = [];
    /** @type {unknown[]} */
    this.headed = [];
  }

  paint() {
    const { fork } = this.ctx.model;
    this.root.hidden = !fork;
    if (!fork || areEqual([fork, language()], this.drawn)) return;
    this.drawn = [fork, language()];
    const lanes = laneNames(this.ctx, fork);
    const head = [fork.acts, fork.parting?.seq, this.ctx.model.view.atMillis < fork.atMillis, language()];
    if (!areEqual(head, this.headed)) {
      this.headed = head;
      this.head.replaceChildren(this.part(fork, lanes));
    }
    this.body.replaceChildren(...this.stores(fork, lanes), this.handlers(fork, lanes));
    attr(this.root, 'aria-label', lanes.join(' / '));
  }

  /** The first event that differs. @param {Fork} fork @param {string[]} lanes @private */
  part({ parting, instead, atMillis }, lanes) {
    const { t } = this.ctx;
    if (!parting) {
      const ahead = this.ctx.model.view.atMillis < atMillis;
      return h('p', { 'data-part': '' }, ahead ? t('part.ahead', { s: seconds(atMillis) }) : t('part.none'));
    }
    const only = (/** @type {Part} */ p) => h('span', {}, t('part.only', { lane: lanes[p.lane], what: this.words(p) }));
    return h('p', { 'data-part': String(parting.seq) },
      button({ class: 'link' }, () => this.ctx.act('seek', parting.seq), t('part.first', { n: exact(parting.seq), s: seconds(parting.atMillis) })),
      only(parting), ...(instead ? [only(instead)] : []));
  }

  /** @param {Part} e @private */
  words({ kind, op, key, handler }) {
    const { t } = this.ctx;
    const said = t('part.' + kind);
    const more = [handler, op, key && middle(key, 34)].filter(Boolean).join(' ');
    return `${said.startsWith('part.') ? kind : said}${more ? ` (${more})` : ''}`;
  }

  /** @param {Fork} fork @param {string[]} lanes @private */
  stores({ stores }, lanes) {
    const { t } = this.ctx;
    const differs = stores.only[0] + stores.only[1] + stores.other > 0;
    // Of an object that both have, a press shows the second lane's: the inspector leads from there to the first lane's.
    const keys = (/** @type {string[]} */ list, /** @type {number} */ n, /** @type {number} */ lane) => h('small', {}, ...list.slice(0, 3).flatMap((k, i) => [
      i ? ', ' : '', button({ title: k }, () => this.ctx.select(k, lane), middle(k, 26))]), n > 3 ? ' …' : '');
    const line = (/** @type {string} */ words, /** @type {string[]} */ list, /** @type {number} */ n, /** @type {string} */ cls, /** @type {number} */ lane) =>
      (n ? [h('li', { class: cls }, h('span', {}, words), keys(list, n, lane))] : []);
    return [
      h('div', { class: 'maps' }, ...lanes.map((lane, i) => h('figure', {},
        h('figcaption', {}, h('b', {}, lane), h('span', {}, t('part.count', { n: exact(stores.counts[i]) }))), drawMap(stores.map, i, (cell) => {
          const key = keyOf(stores, cell);
          if (key) this.ctx.select(key, i);
        })))),
      h('ul', {}, ...(differs ? [0, 1].flatMap((i) => line(t('part.onlyKeys', { lane: lanes[i], n: exact(stores.only[i]) }), stores.onlyKeys[i],
        stores.only[i], 'here', i)) : [h('li', {}, t('part.equal'))]),
      ...line(t('part.other', { n: exact(stores.other) }), stores.otherKeys, stores.other, 'ne', 1)),
    ];
  }

  /** @param {Fork} fork @param {string[]} lanes @private */
  handlers({ handlers }, lanes) {
    const { t } = this.ctx;
    const ops = /** @type {const} */ ([['added', 'add', 'Added'], ['updated', 'upd', 'Updated'], ['deleted', 'del', 'Deleted']]);
    const head = lanes.flatMap(() => ops.map(([, kind, name]) => h('th', { scope: 'col', title: name, 'aria-label': name }, chipIcon(kind))));
    return h('table', {}, h('caption', {}, t('part.handlers')),
      h('thead', {}, h('tr', {}, h('td'), ...lanes.map((lane) => h('th', { scope: 'colgroup', colspan: 3 }, lane))), h('tr', {}, h('td'), ...head)),
      h('tbody', {}, ...handlers.slice(-5).map((x) => h('tr', { class: x.differ ? 'differ' : '', 'data-handler': x.name },
        h('th', { scope: 'row' }, middle(x.name, 16)),
        ...x.calls.flatMap((c, i) => ops.map(([op]) => h('td', { class: c[op] === x.calls[1 - i][op] ? '' : 'ne' }, exact(c[op]))))))));
  }
}

/** The key of a cell of the maps, if its object differs and is named. @param {Fork['stores']} stores @param {number} cell */
function keyOf({ map: cells, onlyKeys, otherKeys }, cell) {
  const is = cells[cell];
  const named = is === '~' ? otherKeys : is === '<' ? onlyKeys[0] : is === '>' ? onlyKeys[1] : [];
  return named[cells.slice(0, cell).split(is).length - 1];
}

/**
 * One store as a map: a cell for each key of either store, at the same place in both.
 * @param {string} cells @param {number} lane @param {(cell: number) => void} press
 */
function drawMap(cells, lane, press) {
  const svg = s('svg', { viewBox: `0 0 ${map.w} ${map.h}`, 'aria-hidden': 'true' });
  let pitch = 14;
  while (pitch > 3 && Math.floor(map.w / pitch) * Math.floor(map.h / pitch) < cells.length) pitch--;
  const cols = Math.floor(map.w / pitch);
  const size = pitch - (pitch > 6 ? 2 : 1);
  /** @type {Record<string, string>} */
  const paths = {};
  [...cells].forEach((c, i) => {
    const look = looks[c]?.[lane] ?? 'eq';
    paths[look] = `${paths[look] ?? ''}M${(i % cols) * pitch + 0.5} ${Math.floor(i / cols) * pitch + 0.5}h${size}v${size}h-${size}z`;
  });
  for (const look in paths) svg.append(s('path', { class: look, d: paths[look] }));
  svg.addEventListener('click', (e) => {
    const box = svg.getBoundingClientRect();
    const col = Math.floor(((e.clientX - box.x) / box.width) * map.w / pitch);
    if (col < cols) press(Math.floor(((e.clientY - box.y) / box.height) * map.h / pitch) * cols + col);
  });
  return svg;
}
