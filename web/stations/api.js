// @ts-check
// The API server: its resourceVersion, what it holds, who asks it, and a ledger of the newest changes by how far they have come.
import { attr, h, Num, place, put, reveal, s, show, text } from '../kit/dom.js';
import { crowdDots, crowdSeats, crowdWord, listBars } from '../draw/crowd.js';
import { frameName, frameOp } from '../draw/frame.js';
import { frameDifferences } from '../draw/frames.js';
import { side } from '../draw/halves.js';
import { heading, lineHeading } from '../draw/heading.js';
import { lines } from '../draw/lines.js';
import { markedLine } from '../draw/marked.js';
import { mixBar } from '../draw/mix.js';
import { pair } from '../draw/pair.js';
import { panel } from '../draw/panel.js';
import { gist } from '../draw/sentence.js';
import { hallGrid, smallGrid } from '../draw/smallgrid.js';
import { whereSeen } from '../draw/unseen.js';
import { bytes, capitalize, count, exact, middle, rate, reason, span, version } from '../kit/format.js';
import { laneNames } from '../kit/fork.js';
import { fit, width, wrap } from '../kit/measure.js';
import { addWords } from '../kit/i18n.js';
import { openWhole } from '../kit/remedy.js';
import { Rows } from '../kit/rows.js';
import { answer, isUnreached, plain, silenceWords } from '../kit/trouble.js';
import { stationNames } from '../kit/names.js';

/** @import { Ctx, Drawn, Lane, Slot } from '../wire/page-types.js' */
/** @import { State, WireFrame, WireRequest } from '../wire/types.js' */
/** @typedef {import('../kit/rows.js').Tip} Tip */

const title = stationNames.api;

addWords({
  'api.total': ['total', '总数'],
  'api.requests': ['requests', '请求'],
  'api.noRequest': ['none open', '没有进行中的请求'],
  'api.kept': ['kept ≥ {rv}', '保留 ≥ {rv}'],
  'api.historyTitle': ['history: from {rv} on', '历史：从 {rv} 起'],
  'api.history': [
    'A watch can start at {rv} at the earliest. Older history was compacted, and a request for it gets 410 Gone; “compact” moves this line to '
      + 'the newest version.',
    'watch 最早可从 {rv} 开始。更早的历史已清除（compacted），请求它会得到 410 Gone；“清除历史”会把这条线移到最新版本。',
  ],
  'api.historyLive': [
    'This cluster does not report how far back its history goes. A watch from before it gets 410 Gone; an API server keeps about five minutes.',
    '这个集群不报告历史有多长。从更早开始的 watch 得到 410 Gone；API server 大约保留五分钟。',
  ],
  'api.reqOpen': ['{verb}, open {s}', '{verb}，已持续 {s}'],
  'api.reqSent': ['{verb}, not answered yet', '{verb}，还没有响应'],
  'api.reqDone': ['{verb}, ended: {status}', '{verb}，已结束：{status}'],
  'api.reqBody': ['{url} — {frames} [frames:frame|frames], {bytes}', '{url} — {frames} 个 frame，{bytes}'],
  'api.lists': ['lists/s', 'list/秒'],
  'api.seats': ['of {n} seats', '/ {n} 个席位'],
  'api.listing': ['list now', '个正在 list'],
  'api.retrying': ['got 429', '个 429'],
  'api.waiting': ['wait', '个在等待'],
  'api.watching': ['watch', '个在 watch'],
  'api.without': ['the same clients without jitter', '同样的客户端，没有抖动'],
  'api.ago': ['{n} s ago', '{n} 秒前'],
  'api.now': ['now', '现在'],
  'api.crowd': [
    '{n} other clients, {m} of them with an open watch. They and this informer made {a} requests for lists; for {b} of them none of the {seats} '
      + 'seats was free.',
    '另有 {n} 个客户端，其中 {m} 个有打开的 watch。它们和这个 informer 发了 {a} 个 list 请求；其中 {b} 个没有找到空闲的席位（共 {seats} 个）。',
  ],
  'api.crowdServed': [
    '{n} other clients, {m} of them with an open watch. They made {a} requests for lists; API Priority and Fairness refused {b} of them.',
    '另有 {n} 个客户端，其中 {m} 个有打开的 watch。它们发了 {a} 个 list 请求；其中 {b} 个被 API Priority and Fairness 拒绝。',
  ],
  'api.gist': ['{n} [n:object|objects], {w} [w:write|writes] a second', '{n} 个对象，每秒写 {w} 次'],
  'api.gistQuiet': ['{n} [n:object|objects]; nothing changes', '{n} 个对象；没有变更'],
  'api.gistCrowd': ['{n} [n:list|lists] a second', '每秒 {n} 次 list'],
  'api.gistLive': ['sends {w} [w:frame|frames] a second', '每秒发来 {w} 个 frame'],
  'api.gistStill': ['sends nothing now', '现在没有发来任何 frame'],
  'api.ledger': ['the newest changes, by how far they have come', '最新的变更，看走到了哪里'],
});

/**
 * The words in place of an answer, and why none comes; null while the cluster answers.
 * @param {Ctx} ctx
 */
function silence(ctx) {
  if (!ctx.model.isDown()) return null;
  const { cause, name, whole } = silenceWords(ctx);
  return { answer: answer(ctx), cause, name: capitalize(name), whole };
}

/**
 * What is counted in a second: the cluster's writes, or the frames of a cluster that reports nothing else.
 * @param {State} st
 * @param {Ctx} ctx
 */
function rateWord(st, ctx) {
  return ctx.t(st.api.objects >= 0 ? 'api.writes' : 'api.frames');
}

/** What a request is. @param {WireRequest} request */
function verbWords({ verb, continues }) {
  return continues ? `${verb} …` : verb;
}

/** A change in the ledger, and where in the facts its version stands. @typedef {import('../wire/types.js').LedgerEntry & {of: string}} Entry */

/** Above so many objects the ledger gives its place to counts: what is new is then older before it can be read. */
const many = 2600;
/** The groups of the ledger: their names, how many lines each has, and where it stands below the panel's top. */
const groups = /** @type {const} */ ([
  { id: 'wire', head: 'api.onWire', y: 22, rows: 2, key: 'm1' },
  { id: 'queue', head: 'api.inQueue', y: 80, rows: 3, key: 'm2' },
  { id: 'store', head: 'api.inStore', y: 155, rows: 3, key: 'm2' },
]);
/** From one line of the panel to the next. */
const linePitch = 17;
/** Places in the list of lines that can be read closer: the ledger's are first. */
const historyRow = 8;
const requestRow = 9;

/**
 * The main stage's panel.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @returns {Drawn}
 */
function full(slot, ctx) {
  /** The tip of each line of the list, and the object that a press on it selects. @type {(Tip | null)[]} */
  const tips = [];
  /** @type {string[]} */
  const keys = [];
  const head = stageHead(slot, ctx);
  panel(slot, slot.y, slot.h, 4);
  const ledger = ledgerLines(slot, ctx);
  const totals = ledgerTotals(slot, ctx);
  const others = crowdDense(slot, ctx);
  const foot = stageFoot(slot, ctx);
  const wall = stageSilence(slot, ctx);
  const says = gist(slot);
  const rows = new Rows(ctx, slot.press, requestRow + 1, slot.x + 1, { act: (i) => keys[i] && ctx.select(keys[i]), tip: (i) => tips[i] ?? null });
  /** @type {Tell} */
  const tell = (i, name, y, tall, tip, key = '') => {
    tips[i] = tip;
    keys[i] = key;
    rows.set(i, name, slot.x + 6, y, slot.w - 12, tall);
  };
  return {
    paint(lane) {
      const { state } = lane;
      const none = silence(ctx);
      const big = state.indexer.count > many;
      head.paint(lane, none?.answer ?? '');
      const { crowd } = state.api;
      show(ledger.g, !none && !big && !crowd);
      show(totals.g, !none && big && !crowd);
      show(others.g, !none && !!crowd);
      show(foot.g, !none);
      wall.paint(state, none);
      paintGist(says, lane, ctx);
      if (none) {
        for (let i = 0; i <= requestRow; i++) tell(i, '', 0, 0, null);
        return;
      }
      rows.label(ctx.t('api.ledger'));
      foot.paint(lane, tell);
      if (!big && !crowd) return ledger.paint(lane, tell);
      totals.paint(lane);
      for (let i = 0; i < historyRow; i++) tell(i, '', 0, 0, null);
      if (crowd) others.paint(lane, crowd, tell);
    },
    focus: () => head.button.focus(),
  };
}

/** What the calm stage says of the API server. @param {ReturnType<typeof gist>} says @param {Lane} lane @param {Ctx} ctx */
function paintGist(says, lane, ctx) {
  const none = silence(ctx);
  if (none) return says.set(none.name);
  const { crowd, objects } = lane.state.api;
  if (crowd) return says.bind(lane, 'n=count api.crowd.perSecond', 't api.gistCrowd');
  const writes = lane.facts.writesPerSecond > 0;
  if (objects < 0) return writes ? says.bind(lane, 'w=rate facts.writesPerSecond', 't api.gistLive') : says.set(ctx.t('api.gistStill'));
  if (!writes) return says.bind(lane, 'n=count api.objects', 't api.gistQuiet');
  return says.bind(lane, 'n=count api.objects; w=rate facts.writesPerSecond', 't api.gist');
}

/** The name, which opens the simulated cluster's menu, and the newest resourceVersion. @param {Slot} slot @param {Ctx} ctx */
function stageHead({ head: g, press, x, w, rail }, ctx) {
  text(g, x, rail - 84, 'ti').set(title);
  const rv = text(g, x, rail - 56, 'l');
  const number = text(g, x + 18, rail - 56, 'num').pulse();
  const no = text(g, x, rail - 56, 'num2 cet');
  const caret = s('path', { d: `M${x + 100} ${rail - 91}h8l-4 5z`, class: 'caretp' });
  g.append(caret);
  const button = h('button', { class: 'sbtn head quiet', type: 'button', 'aria-haspopup': 'dialog', 'data-call': 'cluster' });
  place(button, x - 2, rail - 102, 112, 24);
  button.addEventListener('click', () => ctx.clusterMenu?.(button));
  press.append(button);
  return {
    button,
    /** @param {Lane} lane @param {string} instead what stands in the number's place, when nothing comes */
    paint(lane, instead) {
      const simulated = ctx.model.changeable();
      attr(button, 'aria-label', ctx.t(simulated ? 'api.menu' : 'api.server'));
      show(caret, simulated);
      reveal(button, simulated);
      rv.set(instead ? '' : 'rv');
      if (instead) number.set('');
      else number.bind(lane, 'api.resourceVersion', 'bigVersion', 'version 30');
      no.set(fit(instead, w + 12, '500 20px'));
    },
  };
}

/**
 * Sets the name and the tip of a line of the panel.
 * @typedef {(i: number, name: string, y: number, tall: number, tip: Tip | null, key?: string) => void} Tell
 */

/** How long a change was on the wire that came just now. @param {number} micros @param {Ctx} ctx */
function passedWords(micros, { t }) {
  return micros > 0 ? t('api.passed', { s: span(micros / 1000) }) : t('api.passedNow');
}

/** The newest changes, a line each, by how far they have come. @param {Slot} slot @param {Ctx} ctx */
function ledgerLines(slot, ctx) {
  const { x, y } = slot;
  const g = s('g');
  slot.g.append(g);
  let first = 0;
  const parts = groups.map((o) => {
    const top = y + o.y;
    const part = {
      ...o, first, top,
      title: text(g, x + 10, top, 'l'),
      lines: Array.from({ length: o.rows }, (_, i) => markedLine(g, x + 10.5, top + 18 + linePitch * i, o.key)),
      nothing: text(g, x + 10, top + 18, 'l3'),
    };
    first += o.rows;
    return part;
  });
  const rest = text(g, x + 29, parts[1].top + 18, 'l3');
  return {
    g,
    /** @param {Lane} lane @param {Tell} tell */
    paint(lane, tell) {
      const { ledger, wireMicros } = lane.facts;
      const inQueue = ledger.queue.count;
      const cut = inQueue > parts[1].lines.length;
      rest.set(cut ? ctx.t('more', { n: count(inQueue - 2) }) : '');
      for (const part of parts) {
        part.title.set(ctx.t(part.head));
        const passed = part.id === 'wire' && !ledger.wire.count ? wireMicros : null;
        part.nothing.set(ledger[part.id].count ? '' : passed === null ? ctx.t('api.nothing') : passedWords(passed, ctx));
        /** @type {(Entry | undefined)[]} */
        let shown = ledger[part.id].first.slice(0, part.rows).map((e, i) => ({ ...e, of: `facts.ledger.${part.id}.first.${i}.rv` }));
        // The queue's head goes to the store next, so it stands lowest; how many more there are stands above.
        if (part.id === 'queue') shown = cut ? [undefined, ...shown.slice(0, 2).reverse()] : shown.reverse();
        part.lines.forEach((line, i) => entry(lane, line, shown[i], part.first + i, part.top + 5 + linePitch * i, tell));
        if (passed === null) continue;
        // What still travels over the rail has arrived long ago.
        const tip = { head: ctx.t('api.onWire'), body: ctx.t('api.passedWhy', { s: span(passed / 1000) }) };
        tell(part.first, `${tip.head}: ${tip.body}`, part.top + 5, linePitch, tip);
      }
    },
  };
}

/**
 * Brings one line of the ledger to a change.
 * @param {Lane} lane
 * @param {ReturnType<typeof markedLine>} line
 * @param {Entry | undefined} e
 * @param {number} i which line of the panel it is
 * @param {number} top
 * @param {Tell} tell
 */
function entry(lane, line, e, i, top, tell) {
  const shown = e && (e.op || e.rv) ? e : undefined;
  line.mark(shown && (shown.op ?? ''));
  line.words.bind(lane, shown?.of ?? '', 'version 8');
  if (!e?.rv) return tell(i, '', 0, 0, null);
  const said = [e.op, `rv ${e.rv}`, e.bytes ? bytes(e.bytes) : ''].filter(Boolean).join(' · ');
  tell(i, `${e.op} ${e.key ?? ''} rv ${e.rv}`, top, linePitch, { head: e.key ?? `${e.op}`, body: said }, e.key);
}

/** The same where there are too many to read: how many are where, and of which types. @param {Slot} slot @param {Ctx} ctx */
function ledgerTotals(slot, ctx) {
  const { x, y } = slot;
  const g = s('g');
  slot.g.append(g);
  const parts = groups.map((_, i) => {
    const top = y + 22 + 61 * i;
    return { title: text(g, x + 10, top, 'l'), n: text(g, x + 10, top + 24, 'n20'), mix: mixBar(g, x + 10, top + 32, slot.w - 20, 4) };
  });
  return {
    g,
    /** @param {Lane} lane */
    paint(lane) {
      const { state: st, facts: { ledger, deltas } } = lane;
      const numbers = ['facts.ledger.wire.count', 'queue.depth', 'indexer.count'];
      const mixes = [ledger.wire, { mix: st.queue.mix, total: deltas }, ledger.store];
      parts.forEach((part, i) => {
        part.title.set(ctx.t(groups[i].head));
        part.n.bind(lane, numbers[i], 'count');
        part.mix.set(mixes[i].mix, mixes[i].total);
      });
    },
  };
}

/** What other clients make the API server do: lists in a second and over time, the seats, and a dot for each client. @param {Slot} slot @param {Ctx} ctx */
function crowdDense(slot, ctx) {
  const { x, y, w } = slot;
  const g = s('g');
  slot.g.append(g);
  const [left, room] = [x + 5, w - 10];
  const lists = new Num(g, left, y + 20, 'n16', 4);
  const bars = listBars(g, { x: left, y: y + 26, w: room, h: 28 });
  const seats = crowdSeats(g, left, y + 63.5, 7, 9);
  const dots = crowdDots(g, { x: left, y: y + 74, w: room, h: 104 });
  const type = { state: 'l t1', label: 'l' };
  const words = /** @type {const} */ (['retrying', 'watching']).map((state, i) => ({ state, word: crowdWord(g, state, left, y + 192 + 16 * i, type) }));
  return {
    g,
    /** @param {Lane} lane @param {import('../wire/types.js').Crowd} crowd @param {Tell} tell */
    paint(lane, crowd, tell) {
      lists.bind(lane, 'api.crowd.perSecond', 'count', ctx.t('api.lists'));
      bars.set(crowd, ctx.now());
      seats.set(crowd);
      dots.set(crowd);
      for (const { state, word } of words) word.paint(lane, ctx.t('api.' + state));
      const body = crowdSentence(crowd, ctx);
      tell(0, body, y + 8, 204, { head: 'API Priority and Fairness', body });
    },
  };
}

/** @param {import('../wire/types.js').Crowd} crowd @param {Ctx} ctx */
function crowdSentence({ clients, watching, requests, refused, seats }, { t }) {
  return t(seats ? 'api.crowd' : 'api.crowdServed', { n: exact(clients), m: exact(watching), a: exact(requests), b: exact(refused), seats: exact(seats) });
}

/** What the cluster holds, how far back it remembers, and who asks it now. @param {Slot} slot @param {Ctx} ctx */
function stageFoot(slot, ctx) {
  const { t } = ctx;
  const { x, y } = slot;
  const g = s('g');
  slot.g.append(g);
  g.append(s('rect', { x: x + 10, y: y + 218, width: slot.w - 20, height: 6, class: 'hatch' }));
  const kept = text(g, x + 10, y + 238, 'l');
  const title = text(g, x + 10, y + 261, 'l');
  const ended = text(g, x + slot.w - 10, y + 261, 'l', 'end');
  const lamp = s('circle', { cx: x + 14, cy: y + 274.5, r: 3.5, class: 'lamp' });
  g.append(lamp);
  const verb = text(g, x + 23, y + 279, 'm1');
  const holds = new Num(g, x + 9, y + 303, 'n16', 3);
  const writes = new Num(g, x + 9, y + 325, 'n16', 3);

  /** @param {WireRequest} r */
  const headOf = (r) => {
    const status = r.error ? plain(ctx, r.error) : String(r.status || '—');
    const args = { verb: verbWords(r), s: span(Math.max(0, ctx.now() - r.sentMillis)), status };
    if (!r.open) return t('api.reqDone', args);
    return t(r.status ? 'api.reqOpen' : 'api.reqSent', args);
  };

  /** @param {State} st @param {Tell} tell */
  function paintHistory({ api: { oldest } }, tell) {
    kept.set(oldest ? fit(t('api.kept', { rv: version(oldest, 7) }), 82) : t('api.older'));
    const rv = version(oldest ?? '', 30);
    const tip = oldest ? { head: t('api.historyTitle', { rv }), body: t('api.history', { rv }) }
      : { head: t('api.olderUnknown'), body: t('api.historyLive') };
    tell(historyRow, `${tip.head}. ${tip.body}`, y + 215, 28, tip);
  }

  /** @param {Lane} lane @param {Tell} tell */
  function paintRequests({ state: { api: { requests: all } }, facts: { requests } }, tell) {
    const { open } = requests;
    const r = all.find(({ id }) => id === requests.foremost);
    title.set(t('api.requests') + (open > 1 ? ` · ${exact(open)}` : ''));
    attr(lamp, 'class', open ? 'lamp on' : 'lamp');
    verb.set(r ? fit(verbWords(r), 70, '12px') : '—');
    ended.set(!r || r.open ? '' : String(r.status || '—'));
    if (!r) {
      const none = { head: t('api.requests'), body: t('api.noRequest') };
      return tell(requestRow, `${none.head}: ${none.body}`, y + 249, 36, none);
    }
    const others = all.filter((q) => q !== r).slice(0, 3).map((q) => `${headOf(q)} · ${bytes(q.bytes)}`);
    const own = t('api.reqBody', { url: r.url.split('?')[0], frames: exact(r.frames), bytes: bytes(r.bytes) });
    const age = span(Math.max(0, ctx.now() - r.sentMillis));
    const tip = { head: headOf(r), body: [own, ...others].join('\n') };
    tell(requestRow, `${t('api.requests')}: ${verbWords(r)} ${age}`, y + 249, 36, tip);
  }

  return {
    g,
    /** @param {Lane} lane @param {Tell} tell */
    paint(lane, tell) {
      const { state, facts } = lane;
      paintHistory(state, tell);
      paintRequests(lane, tell);
      holds.bind(lane, 'api.objects', 'countOrDash', state.api.objects > 9999 ? t('api.total') : t('pres.objects', { n: state.api.objects }));
      // A number of four digits leaves no room for what it counts.
      writes.bind(lane, 'facts.writesPerSecond', 'rate', facts.writesPerSecond >= 999.5 ? '/s' : rateWord(state, ctx));
    },
  };
}

/** The address of a server within a text: host and port. */
const address = /\b((?:\d{1,3}\.){3}\d{1,3}|\[[0-9a-f:]+\]|localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+):(\d+)\b/i;

/** The two lines of an address. @param {string} host @param {string} port */
function addressLines(host, port) {
  if (host.length <= 11) return [host, ':' + port];
  return [/^[\d.]+$/.test(host) ? version(host, 11) : middle(host, 11), ':' + port];
}

/**
 * The wall before a cluster that cannot be asked anything: why, where, and a button for the details.
 * @param {Slot} slot
 * @param {Ctx} ctx
 */
function stageSilence(slot, ctx) {
  const { x, y, w } = slot;
  const cx = x + w / 2;
  const top = y + 14;
  const box = s('rect', { x: x + 8, y: top, width: w - 16, height: 126, rx: 3, class: 'pn2' });
  const g = s('g', {},
    s('rect', { x, y, width: w, height: slot.h, rx: 4, class: 'hatch' }), box,
    s('use', { href: '#i-x', x: cx - 11, y: y + 27, width: 22, height: 22, class: 'ic ce' }));
  slot.g.append(g);
  const why = Array.from({ length: 9 }, (_, i) => text(g, cx, y + 66 + 16 * i, 'l t1', 'middle'));
  const where = [0, 1].map(() => text(g, cx, y + 66, 'm2', 'middle'));
  const more = h('button', { class: 'sbtn line detail', type: 'button', hidden: '', 'aria-haspopup': 'dialog' });
  place(more, x + 12, y + 124, w - 24, 24);
  more.addEventListener('click', () => openWhole(ctx, more));
  slot.press.append(more);
  return {
    /** @param {State} st @param {ReturnType<typeof silence>} none */
    paint(st, none) {
      show(g, !!none);
      reveal(more, !!none);
      if (!none) return;
      const host = isUnreached(ctx) ? null : address.exec(st.source.server || none.whole);
      const words = wrap(none.name, w - 22, host ? 5 : 9);
      why.forEach((line, i) => line.set(words[i] ?? '', i === 0 ? none.whole : ''));
      const below = y + 76 + 16 * words.length;
      const lines = host ? addressLines(host[1], host[2]) : [];
      where.forEach((line, i) => line.moveTo(cx, below + 16 * i).set(lines[i] ?? ''));
      // The full text is wider than this station; a press opens it.
      const low = below + (host ? 22 : -6);
      place(more, x + 12, low, w - 24, 24);
      put(more, ctx.t('cause.more'));
      attr(more, 'aria-label', ctx.t('cause.moreLabel'));
      attr(box, 'height', Math.max(64, low + 30 - top));
    },
  };
}

/**
 * Presenter mode, when the step speaks of it.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @returns {Drawn}
 */
function large(slot, ctx) {
  const { t } = ctx;
  const { g, x, y, w, h: tall, pad, type, fonts } = slot;
  const room = w - 2 * pad;
  const left = x + pad;
  const number = heading(slot, title);
  panel(slot);
  const objects = pair(slot, left, y + 38, room / 2);
  const writes = pair(slot, left + room / 2, y + 38, room / 2);
  const requests = pair(slot, left, y + 100);
  const map = slot.store && clusterMap(slot, slot.store, ctx);
  const frames = lines(slot, left, y + 166, 5);
  const kept = text(g, left, y + tall - 14, type.label);
  const box = { x: x + 1, y: y + 1, w: w - 2, h: tall - 2 };
  const others = crowdLarge(slot, ctx);
  const shut = wall(g, box, { rows: 3, top: y + 82, type: type.key, font: fonts.key });
  const no = text(shut.g, left, y + 50, type.value);
  return {
    paint(lane, clock) {
      const { state, facts } = lane;
      const { api: st } = state;
      const said = silence(ctx);
      number.bind(lane, 'api.resourceVersion', 'bigVersion');
      shut.set(said?.name ?? '');
      no.set(said ? fit(said.answer, room, '500 26.6px') : '');
      const asked = facts.requests.open;
      const crowd = said ? undefined : st.crowd;
      const none = !!said || !!crowd;
      objects.bind(lane, none ? '' : 'api.objects', 'countOrDash', none ? '' : t('pres.objects', { n: st.objects }));
      writes.bind(lane, none ? '' : 'facts.writesPerSecond', 'rate', none ? '' : rateWord(state, ctx));
      requests.bind(lane, none || map ? '' : 'facts.requests.open', 'exact', none || map ? '' : t('pres.open', { n: asked }));
      others.paint(lane, crowd);
      map?.paint(facts, clock, !none);
      wireLines(frames, none || map ? [] : st.wire);
      kept.set(st.oldest && !none ? fit(t('pres.history', { rv: version(st.oldest, 7) }), room, fonts.label) : '');
    },
  };
}

/**
 * The crowd in presenter mode: the dots beside the lists by time, or below them where that is all the width there is.
 * @param {Slot} slot
 * @param {Ctx} ctx
 */
function crowdLarge(slot, ctx) {
  const { t } = ctx;
  const { x, y, w, h: tall, pad, type, fonts } = slot;
  const g = s('g');
  slot.g.append(g);
  const inner = { ...slot, g };
  const [left, room] = [x + pad, w - 2 * pad];
  const wide = room > 420;
  const dotsWide = wide ? Math.round(room * 0.47) : room;
  const at = wide ? left + dotsWide + 24 : left;
  const beside = x + w - pad - at;
  const lists = pair(inner, at, y + 38, beside / 2);
  const busy = pair(inner, at + beside / 2, y + 38, beside / 2);
  const bars = { x: at, y: y + (wide ? 134 : 90), w: beside, h: wide ? tall - 208 : tall - 254 };
  const ghost = s('rect', { x: at + 1, y: bars.y - 23, width: 12, height: 12, class: 'without' });
  const without = text(g, at + 20, bars.y - 12, type.label);
  g.append(ghost);
  const drawn = listBars(g, bars);
  const ago = text(g, at, bars.y + bars.h + 18, type.label);
  const now = text(g, at + beside, bars.y + bars.h + 18, type.label, 'end');
  const seats = wide ? crowdSeats(g, at, y + 84, 20, Math.min(26, Math.floor((beside - 20) / 9))) : null;
  const dots = crowdDots(g, wide ? { x: left, y: y + 14, w: dotsWide, h: tall - 70 } : { x: left, y: bars.y + bars.h + 28, w: room, h: 88 });
  const words = /** @type {const} */ (['listing', 'retrying', 'waiting', 'watching']).map((state, i) => {
    const [column, row] = room > 620 ? [i / 4, 1] : [(i % 2) / 2, i >> 1];
    return { state, word: crowdWord(g, state, left + room * column, y + tall - 34 + 20 * row, type) };
  });
  return {
    /** @param {Lane} lane @param {import('../wire/types.js').Crowd | undefined} crowd */
    paint(lane, crowd) {
      show(g, !!crowd);
      if (!crowd) return;
      lists.bind(lane, 'api.crowd.perSecond', 'count', t('api.lists'));
      // A served cluster counts neither seats nor a crowd without jitter.
      if (crowd.seats) busy.bind(lane, 'api.crowd.busy', 'count', t('api.seats', { n: crowd.seats }));
      else busy.set('');
      show(ghost, crowd.seats > 0);
      without.set(crowd.seats ? fit(t('api.without'), beside - 20, fonts.label) : '');
      ago.set(t('api.ago', { n: 32 }));
      now.set(t('api.now'));
      drawn.set(crowd, ctx.now());
      seats?.set(crowd);
      dots.set(crowd);
      for (const { state, word } of words) word.paint(lane, t('api.' + state));
    },
  };
}

/**
 * The cluster as far as its changes have come over the wire, beside the store: the same cells, smaller. What the store does not have yet has the colour of
 * its change.
 * @param {Slot} slot
 * @param {NonNullable<Slot['store']>} store the Indexer's slot
 * @param {Ctx} ctx
 */
function clusterMap({ g, x, y, w, h: tall, pad, type }, store, ctx) {
  const top = y + 88;
  const { options } = hallGrid(store);
  const ratio = Math.min((w - 2 * pad) / options.w, (tall - 144) / options.h);
  const title = text(g, x + pad, top, type.label);
  const field = s('g', { transform: `translate(${x + pad} ${top + 12}) scale(${ratio.toFixed(4)})` });
  g.append(field);
  const cells = smallGrid(field, ctx, 0, 0, options);
  const changes = frameDifferences(field, cells, false);
  return {
    /** @param {import('../wire/types.js').Facts} facts @param {number} clock @param {boolean} on */
    paint(facts, clock, on) {
      show(field, on);
      title.set(on ? ctx.t('maps.cluster') : '');
      if (!on) return;
      changes(facts.unstored, clock);
    },
  };
}

/**
 * A hatch where nothing can be asked, with why.
 * @param {SVGElement} parent
 * @param {{x: number, y: number, w: number, h: number}} box
 * @param {{rows: number, top: number, type: string, font: string}} o how many lines of words, where the first stands, and their type
 */
function wall(parent, box, { rows, top, type, font }) {
  const g = s('g', {}, s('rect', { x: box.x, y: box.y, width: box.w, height: box.h, rx: 5, class: 'hatch' }));
  parent.append(g);
  const pitch = 1.5 * parseFloat(font);
  const why = Array.from({ length: rows }, (_, i) => text(g, box.x + 11, top + pitch * i, type));
  return {
    g,
    /** @param {string} words none where something can be asked */
    set(words) {
      show(g, !!words);
      const split = words ? wrap(words, box.w - 22, rows, font) : [];
      why.forEach((line, i) => line.set(split[i] ?? ''));
    },
  };
}

/** The newest frames, a chip and a key each. @param {ReturnType<typeof lines>} drawn @param {WireFrame[]} wire */
function wireLines(drawn, wire) {
  drawn.forEach((line, i) => line.set(wire[i] && frameOp(wire[i]), wire[i] ? frameName(wire[i]) : ''));
}

/**
 * A line of the phone.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @returns {Drawn}
 */
function line(slot, ctx) {
  const head = lineHeading(slot, title);
  return {
    paint(lane) {
      const { state, facts } = lane;
      const { api: st } = state;
      const none = silence(ctx);
      const right = none?.answer ?? (st.objects >= 0 ? ctx.t('lanes.objects', { n: count(st.objects) }) : '');
      head.bind(lane, 'api.resourceVersion', 'bigVersion');
      head.right.cls(none ? `${slot.type.label} cet` : slot.type.state).set(right);
      const lists = st.crowd ? `${count(st.crowd.perSecond)} ${ctx.t('api.lists')}, ${count(st.crowd.retrying)} ${ctx.t('api.retrying')}` : '';
      const left = none?.name || lists || `${rate(facts.writesPerSecond)} ${rateWord(state, ctx)}`;
      head.left.set(fit(left, slot.w - width(right, slot.fonts.label) - 16, slot.fonts.label), left);
    },
  };
}

/**
 * The phone, opened: the newest frames below its line, or the crowd, or all that is known of why none come.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @returns {Drawn}
 */
function open(slot, ctx) {
  const head = line(slot, ctx);
  const { x, y, w, type, fonts } = slot;
  const frames = lines(slot, x, y + 56, 5);
  const g = s('g');
  slot.g.append(g);
  const bars = listBars(g, { x, y: y + 44, w, h: 44 });
  const dots = crowdDots(g, { x, y: y + 98, w, h: 56 });
  const none = wall(slot.g, { x, y: y + 38, w, h: 130 }, { rows: 6, top: y + 60, type: type.state, font: fonts.state });
  return {
    paint(lane, clock) {
      head.paint(lane, clock);
      const said = silence(ctx);
      const { crowd, wire } = lane.state.api;
      none.set(said?.whole ?? '');
      wireLines(frames, said || crowd ? [] : wire);
      show(g, !said && !!crowd);
      if (!crowd) return;
      bars.set(crowd, ctx.now());
      dots.set(crowd);
    },
  };
}

/**
 * The one source of several informers: the version that it is at.
 * @param {Slot} slot
 * @returns {import('../wire/page-types.js').Drawn}
 */
function lane({ g, x, rail, lean, type }) {
  const y = rail - (lean ? 44 : 56);
  text(g, x, y, type.label).set('rv');
  const number = text(g, x + 18, y, type.number);
  return { paint: (moment) => number.bind(moment, 'api.resourceVersion', 'bigVersion', 'same') };
}

/** Where both releases of the phone come from. @type {import('../wire/page-types.js').Draw} */
function drawBetween({ head, x, y, w, type }, ctx) {
  text(head, x, y + 5, type.title).set(title);
  const number = text(head, x + w, y + 5, type.number, 'end');
  const words = text(head, x, y + 24, type.label);
  return {
    paint(lane) {
      const none = silence(ctx);
      if (ctx.model.fork) number.set(''); // each cluster is at a version of its own
      else number.bind(lane, 'api.resourceVersion', 'bigVersion');
      words.cls(none ? `${type.label} cet` : type.label).set(none?.answer ?? ctx.t(ctx.model.fork ? 'phone.onePast' : 'phone.oneSource'));
    },
  };
}

/** Which informer a rail of the phone is: its release and queue; in a fork its version and lane. @type {import('../wire/page-types.js').Draw} */
function half(slot, ctx) {
  const write = side(slot);
  const [era, kind] = [write(slot.head, slot.y + 64, slot.type.number), write(slot.head, slot.y + 82, slot.type.state)];
  return {
    paint(lane) {
      const { fork } = ctx.model;
      if (!fork) {
        era.bind(lane, 'era');
        kind.bind(lane, 'queue.kind');
        return;
      }
      era.bind(lane, 'api.resourceVersion', 'bigVersion');
      const words = `${laneNames(ctx, fork)[slot.rail > slot.x ? 1 : 0]} · ${lane.state.era}`;
      kind.set(fit(words, slot.w, slot.fonts.state), words);
    },
  };
}

/** The newest request of one informer of a factory, beside its row. @type {import('../wire/page-types.js').Draw} */
function row(slot, ctx) {
  const { g, x, y, w, type, fonts, lean } = slot;
  const verb = text(g, x, y, type.state);
  const age = text(g, lean ? x + 96 : x, lean ? y : y + slot.pad, type.label);
  const frames = text(g, x + w, y, type.value, 'end');
  const size = text(g, x + w, y + slot.pad, type.label, 'end').show(!lean);
  return {
    paint(lane) {
      const { request: q = null, twice = false } = lane.row ?? {};
      const of = `${lane.of}.request`;
      verb.cls(q?.open ? type.state + (twice ? ' warn' : '') : type.label).bind(lane, q ? `${of}.verb` : '');
      frames.bind(lane, q?.open ? `${of}.frames` : '', 'count', 'exact');
      size.bind(lane, q ? `${of}.bytes` : '', 'bytes');
      age.cls(q && !q.open && (q.status >= 400 || q.error) ? `${type.label} bad` : type.label);
      if (!q) age.set(ctx.t('factory.asked.none'));
      else if (q.open) age.bind(lane, `s=span now - ${of}.sentMillis max 0`, `t factory.asked.${q.status ? 'open' : 'sent'}`);
      else {
        const words = ctx.t('factory.asked.ended', { status: q.status >= 400 || !q.error ? String(q.status || '—') : reason(q.error) });
        age.set(fit(words, w - 68, fonts.label), q.error || words);
      }
    },
  };
}

export const api = whereSeen('api', { id: 'api', title, full, large, line, open, lane, half, between: drawBetween, row });
