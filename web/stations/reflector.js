// @ts-check
// The Reflector: where it stands between the store and the cluster, what it asked last, and, when the cluster does not
// answer, how long it waits before it asks again.
import { attr, button, h, Num, place, reveal, s, shareOf, show, text } from '../kit/dom.js';
import { countdown, waitLeft, waitLeftPath } from '../draw/countdown.js';
import { frameName, frameOp } from '../draw/frame.js';
import { halfHead, middleName, side } from '../draw/halves.js';
import { heading, lineHeading } from '../draw/heading.js';
import { shorten } from '../draw/lines.js';
import { markedLine } from '../draw/marked.js';
import { pair } from '../draw/pair.js';
import { panel } from '../draw/panel.js';
import { gist } from '../draw/sentence.js';
import { whereSeen } from '../draw/unseen.js';
import { bytes, capitalize, count, exact, middle, moment, remainder, seconds, span } from '../kit/format.js';
import { fit, width, wrap } from '../kit/measure.js';
import { addWords } from '../kit/i18n.js';
import { Rows } from '../kit/rows.js';
import { plain } from '../kit/trouble.js';
import { stationNames } from '../kit/names.js';

/** @import { Ctx, Drawn, Lane, Slot } from '../wire/page-types.js' */
/** @import { Reflector, State, WireFrame } from '../wire/types.js' */

const title = stationNames.reflector;

addWords({
  'ref.tabs': ['Reflector: the last request, or the frames that arrive', 'Reflector：最近请求，或到达的 frame'],
  'ref.frames': ['frames arriving', '到达的 frame'],
  'ref.noFrames': ['no frame has arrived', '还没有 frame'],
  'ref.errorFrame': ['ERROR: the watch ends with it, {bytes}', 'ERROR：watch 到此结束，{bytes}'],
  'ref.frameName': ['{op} {key}, rv {rv}, {bytes}', '{op} {key}，rv {rv}，{bytes}'],
  'ref.tempStore': ['in the temporary store', '在临时缓存里'],
  'ref.tempHead': ['temporary store', '临时缓存'],
  'ref.tempWhy': [
    'A WatchList’s first objects gather here, one for each key, while readers still get the previous objects from the store. The end mark, a '
      + 'bookmark, puts them into the queue as one replacement.',
    'WatchList 的初始对象先聚在这里，每个 key 一个；此时从本地缓存读到的仍是原来的内容。结束标记（一个书签）让它们作为一次替换入队。',
  ],
  'ref.endMark': ['waits for the end mark', '等待结束标记'],
  'ref.endMarkFor': ['{s} so far; it waits without a limit', '已等 {s}；会一直等下去'],
  'ref.gistReads': ['has read every change', '变更都已读到'],
  'ref.gistBehind': ['{n} [n:change|changes] behind the cluster', '比集群落后 {n} 个变更'],
  'ref.gistGathers': ['lists by watch: {n} [n:object|objects] so far', '通过 watch 做 list：已收到 {n} 个对象'],
  'ref.behind': ['{n} behind', '落后 {n}'],
  'ref.whyRound': ['why it listed again', '为何再次 list'],
  'ref.whyAgain': ['why it asks again', '为何再次请求'],
  'ref.errorAt': ['{what}, at {at}', '{what}，在 {at}'],

  'par.path': [
    'The collection that is requested, all of it. LIST and WATCH have the same address; watch=true makes the difference.',
    '请求的内容：整个集合。LIST 和 WATCH 是同一个地址，区别在 watch=true。',
  ],
  'par.watch': ['The response does not end: the server sends one frame for each change.', '响应不会结束：服务器为每个变更发一个 frame。'],
  'par.allowWatchBookmarks': [
    'The server may send bookmarks: frames without an object that only move the resourceVersion on, so that a quiet watch does not become too '
      + 'old.',
    '允许服务器发书签（bookmark）：没有对象、只推进 resourceVersion 的 frame，安静的 watch 就不会过期。',
  ],
  'par.sendInitialEvents': [
    'WatchList: first every object as an Added frame, then a bookmark that marks the end, then the changes. It replaces a LIST.',
    'WatchList：先把每个对象作为 Added frame 发来，再发一个书签表示结束，然后才是变更。代替 LIST。',
  ],
  'par.resourceVersionMatch': [
    'NotOlderThan: any state that is at least as new as the resourceVersion requested, so the server may answer from its watch cache.',
    'NotOlderThan：不早于所要 resourceVersion 的任何状态都行，服务器可以用 watch 缓存响应。',
  ],
  'par.resourceVersion.watch': [
    'Start after this version: every later change is sent. If the history no longer reaches that far, the answer is 410 Gone.',
    '从这个版本之后开始：之后的每个变更都发来。历史若没有这么久，就会得到 410 Gone。',
  ],
  'par.resourceVersion.list': ['At least as new as this version, so the informer does not go back in time.', '不早于这个版本，informer 因此不会倒退。'],
  'par.resourceVersion.0': ['Any version that the server has in its watch cache: fast, and perhaps a little old.', '服务器 watch 缓存里的任何版本：快，也许略旧。'],
  'par.resourceVersion.none': ['Empty: the newest state, read with a quorum.', '空：最新的状态，按 quorum 读取。'],
  'par.timeoutSeconds': [
    'The server ends the watch after this time; between 5 and 10 minutes, at random, so that clients do not all come back at once. Then the '
      + 'Reflector opens a new one.',
    '服务器到时结束 watch；5 到 10 分钟之间随机，避免所有客户端同时回来。之后 Reflector 接着开一个新的。',
  ],
  'par.limit': ['At most this many objects a page; a token in the response leads to the next page.', '每页最多这么多对象；响应里的 token 指向下一页。'],
  'par.continue': [
    'The token of the next page. It carries the version of the first page, so that the pages fit together.',
    '下一页的 token，带着第一页的版本，各页才对得上。',
  ],
  'par.labelSelector': ['Only objects whose labels match.', '只要标签匹配的对象。'],
  'par.fieldSelector': ['Only objects whose fields match.', '只要字段匹配的对象。'],
  'par.other': ['A parameter of the request, as sent.', '请求的参数，照原样发送。'],
});

/**
 * How far the Reflector is behind its cluster, as far as that can be known: the same on every layout.
 *
 * `n` is how many changes of what it watches it has not read. Of a cluster that does not count them, those that have arrived are known: there may be
 * more (`unsure`) while nothing arrives, or where more wait than State lists. While nothing arrives, 0 of them mean nothing (`known` is false).
 * @param {Lane} lane
 * @param {Ctx} ctx
 */
function lagOf({ state, facts }, ctx) {
  const n = facts.lag.behind ?? 0;
  const all = ctx.model.isSure(facts) && n < state.api.wire.length;
  const counted = state.reflector.unread !== undefined;
  return { n, known: facts.lag.behind !== null && (n > 0 || counted || ctx.model.isSure(facts)), unsure: n > 0 && !all && !counted };
}

/** How far it is behind, as a number; with ≥ where it may be further by now. @param {ReturnType<typeof lagOf>} o */
function behindWords({ n, known, unsure }) {
  return known ? (unsure ? '≥ ' : '') + count(n) : '—';
}

/**
 * What went wrong last, or goes wrong now: a name, words for a user, and the text as it was received. The same on every layout.
 * @param {Lane} lane
 * @param {Ctx} ctx
 * @returns {{head: string, words: string, whole: string, warn: boolean}}
 */
function reason({ state, facts }, ctx) {
  const { t } = ctx;
  const r = state.reflector;
  if (r.phase === 'backoff') {
    const raw = r.backoffCause || r.lastError;
    const words = plain(ctx, raw);
    return { head: t('ref.lastError'), words, whole: words === raw ? raw : `${words}\n${raw}`, warn: true };
  }
  if (facts.markSince) {
    const waits = Math.max(0, ctx.now() - facts.markSince);
    return { head: t('ref.endMark'), words: t('ref.endMarkFor', { s: span(waits) }), whole: '', warn: true };
  }
  const again = r.relists > 0 && !!r.why;
  const why = facts.unlisted ? 'ref.whyAgain' : r.phase === 'watching' ? 'ref.whyRound' : 'ref.why';
  const head = t(again ? why : 'ref.lastError');
  const raw = again ? r.why : r.lastError;
  if (!raw) return { head, words: '', whole: '', warn: false };
  const at = r.lastErrorMillis > 0 ? moment(r.lastErrorMillis) : '';
  const words = plain(ctx, raw);
  const received = at ? t('ref.errorAt', { what: raw, at }) : raw;
  return { head, words: at ? `${words}, ${at}` : words, whole: words === raw ? received : `${words}\n${received}`, warn: false };
}

/**
 * A request as lines: the verb and path, then its parameters.
 * @param {string} url
 */
function requestLines(url) {
  if (!url) return [];
  const [path, query = ''] = url.split('?');
  const out = ['GET ' + path];
  for (const p of query.split('&')) {
    if (!p) continue;
    const [name, value = ''] = p.split('=');
    // client-go's text has the time twice.
    if (name === 'timeout' && query.includes('timeoutSeconds=')) continue;
    out.push(`${name}=${decodeParameter(value)}`);
  }
  return out.slice(0, 7);
}

/** A parameter that is not well encoded is shown as it was sent. @param {string} value */
function decodeParameter(value) {
  try {
    return decodeURIComponent(value.replace(/\+/g, ' '));
  } catch {
    return value;
  }
}

/** Parameters of a request that have an explanation of their own. */
const explained = [
  'watch', 'allowWatchBookmarks', 'sendInitialEvents', 'resourceVersionMatch', 'timeoutSeconds', 'limit', 'continue', 'labelSelector',
  'fieldSelector',
];

/**
 * What a line of the request means.
 * @param {string} line
 * @param {string} verb
 * @returns {string} the key of the words
 */
function meaning(line, verb) {
  if (line.startsWith('GET ')) return 'par.path';
  const [name, value = ''] = line.split('=');
  if (name === 'resourceVersion') {
    if (value === '') return 'par.resourceVersion.none';
    if (value === '0') return 'par.resourceVersion.0';
    return verb === 'WATCH' ? 'par.resourceVersion.watch' : 'par.resourceVersion.list';
  }
  return explained.includes(name) ? 'par.' + name : 'par.other';
}

/**
 * The main stage's panel.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @returns {Drawn}
 */
function full(slot, ctx) {
  const head = stageHead(slot, ctx);
  panel(slot, slot.y, slot.h, 4);
  const asking = s('g');
  slot.g.append(asking);
  const versions = versionLine(slot, asking, ctx);
  const asked = askedLines(slot, asking, ctx);
  const course = requestCourse(slot, asking, ctx);
  const counters = stageCounters(slot, asking, ctx);
  const error = lastError(slot, asking, ctx);
  const waiting = stageWait(slot, ctx);
  const says = gist(slot);
  /** The tips of the temporary store and of the last error. @type {(import('../kit/rows.js').Tip | null)[]} */
  const said = [null, null];
  const tips = new Rows(ctx, slot.press, 2, slot.x + 12, { tip: (i) => said[i] });
  /** @type {Tell} */
  const tell = (i, tip, y, tall, name = tip ? `${tip.head}: ${tip.body}` : '') => {
    said[i] = tip;
    tips.set(i, name, slot.x + 8, y, 180, tall);
  };
  return {
    paint(lane) {
      const { state } = lane;
      const waits = state.reflector.phase === 'backoff';
      head.paint(lane);
      paintGist(says, lane, ctx);
      asked.paint(lane);
      show(asking, !waits);
      show(waiting.g, waits);
      if (waits) return waiting.paint(lane, tell);
      versions.paint(lane);
      course.paint(lane, tell);
      counters.paint(lane);
      error.paint(lane, tell);
    },
  };
}

/** What the calm stage says of the Reflector. @param {ReturnType<typeof gist>} says @param {Lane} lane @param {Ctx} ctx */
function paintGist(says, lane, ctx) {
  const { t } = ctx;
  const { reflector: r, api } = lane.state;
  if (r.phase === 'backoff') return says.set(`${reasonLine(lane, ctx)}; ${t('pres.next', { s: remainder(waitLeft(lane)) })}`);
  if (r.phase === 'watch-listing') return says.bind(lane, 'n=count reflector.tempStore', 't ref.gistGathers');
  if (r.phase === 'listing') return says.set(t('ref.listing', { b: bytes(api.requests.find((q) => q.open)?.bytes ?? 0) }));
  if (r.phase !== 'watching') return says.set(t(r.phase === 'stopped' ? 'ref.stopped' : 'ref.idle'));
  if (!ctx.model.isSure(lane.facts)) return says.set(t('ref.noSign'));
  return lagOf(lane, ctx).n ? says.bind(lane, 'n=count facts.lag.behind', 't ref.gistBehind') : says.set(t('ref.gistReads'));
}

/**
 * Sets the tip of the temporary store (0) or of the last error (1), and its place.
 * @typedef {(i: number, tip: import('../kit/rows.js').Tip | null, y: number, tall: number, name?: string) => void} Tell
 */

/** Name, resourceVersion, phase and lamp. @param {Slot} slot @param {Ctx} ctx */
function stageHead({ head: g, x, rail }, ctx) {
  text(g, x, rail - 84, 'ti').set(title);
  text(g, x, rail - 56, 'l').set('rv');
  const number = new Num(g, x + 18, rail - 56, 'num', 7);
  const phase = text(g, x + 182, rail - 84, 't14', 'end');
  const lamp = s('circle', { cx: x + 191.5, cy: rail - 88.8, r: 4.5, class: 'lamp' });
  g.append(lamp);

  /** What stands beside the number: how far it is behind, unless that changes with every frame. @param {Lane} lane */
  function aside(lane) {
    const where = lagOf(lane, ctx);
    if (lane.state.reflector.phase !== 'watching') return where.n ? ctx.t('ref.behind', { n: behindWords(where) }) : '';
    return ctx.model.hold('pop') && ctx.model.isSure(lane.facts) ? ctx.t('ref.runsOn') : '';
  }

  return {
    /** @param {Lane} lane */
    paint(lane) {
      const r = lane.state.reflector;
      const waits = r.phase === 'backoff';
      number.bind(lane, 'reflector.resourceVersion', 'bigVersion', aside(lane));
      phase.cls(waits ? 't14 cwt' : 't14').bind(lane, 'reflector.phase');
      attr(lamp, 'class', waits || !ctx.model.isSure(lane.facts) ? 'lamp w' : r.phase === 'watching' ? 'lamp on' : 'lamp');
    },
  };
}

/**
 * The three resourceVersions on one line: the store's, the one reached, the cluster's.
 * @param {Slot} slot
 * @param {SVGElement} g
 * @param {Ctx} ctx
 */
function versionLine(slot, g, ctx) {
  const from = slot.x + 16;
  const to = slot.x + slot.w - 16;
  const y = slot.y + 38;
  const ticks = Array.from({ length: 9 }, () => s('path', { d: 'M0 0', class: 'axis' }));
  const reached = s('path', { d: '', class: 'span' });
  const mark = (/** @type {number} */ cx, /** @type {string} */ cls) => s('circle', { cx, cy: y, r: 5, class: cls });
  const marks = { store: mark(from, 'mk hollow'), cluster: mark(to, 'mk hollow'), here: mark(to, 'mk') };
  g.append(...ticks, s('path', { d: `M${from} ${y}H${to}`, class: 'axis' }), reached, marks.store, marks.cluster, marks.here);
  /** A version above the line and what it is below it. @param {number} x @param {'start' | 'middle' | 'end'} anchor */
  const label = (x, anchor) => {
    const rv = text(g, x, y - 14, 'l t1', anchor);
    const word = text(g, x, y + 21, 'l', anchor);
    return {
      /** @param {number} at */
      at(at) {
        rv.moveTo(at, y - 14);
        word.moveTo(at, y + 21);
      },
      /** @param {Lane} lane @param {string} whose the station that has the version; empty for none @param {string} words @param {number} [room] */
      set(lane, whose, words, room = 8) {
        rv.bind(lane, whose && `${whose}.resourceVersion`, `version ${room}`, 'version 30');
        word.set(words);
      },
      /** @param {boolean} on */
      bold: (on) => rv.cls(on ? 'l t1 b' : 'l t1'),
    };
  };
  const store = label(slot.x + 10, 'start');
  const here = label(slot.x + slot.w / 2, 'middle');
  const cluster = label(slot.x + slot.w - 10, 'end');
  here.bold(true);

  /** Where the Reflector is on the line. @param {Versions} v */
  function placeOf(v) {
    if (v.total && v.total > 0 && v.queued !== null && v.queued >= 0) {
      const at = from + ((to - from) * v.queued) / v.total;
      return at > to - 54 && v.behind > 0 ? Math.min(at, to - 10) : at;
    }
    return !v.store && v.behind > 0 ? to - 66 : to;
  }

  /** @param {Versions} v @param {number} at where the Reflector is */
  function paintMarks(v, at) {
    const steps = v.total !== null && v.total > 0 && v.total <= 8 ? v.total : 0;
    ticks.forEach((p, i) => {
      show(p, steps > 0 && i <= steps);
      if (steps) attr(p, 'd', `M${(from + ((to - from) * i) / steps).toFixed(2)} ${y - 4}V${y + 4}`);
    });
    show(marks.store, !!v.here && !!v.store && v.total !== 0);
    show(marks.here, !!v.here);
    show(marks.cluster, !!v.here);
    attr(marks.here, 'cx', at.toFixed(1));
    attr(reached, 'd', !v.here || !v.store || v.total === 0 ? `M${from} ${y}H${from}` : `M${from} ${y}H${at.toFixed(1)}`);
  }

  /** @param {Versions} v @param {number} at where the Reflector is @param {Lane} lane */
  function paintLabels(v, at, lane) {
    const { t } = ctx;
    const { state, facts } = lane;
    const sure = ctx.model.isSure(facts);
    // What is the same, or lies too close, is one label.
    const agree = v.total === 0;
    const atCluster = !agree && (v.behind <= 0 || at > to - 32);
    const atStore = !agree && !atCluster && v.queued === 0 && !!v.store;
    cluster.bold(agree || atCluster);
    if (!v.here || agree) {
      // What the cluster has by now is not known while nothing comes from it.
      store.set(lane, '', t(!v.here ? 'ref.noRv' : sure ? 'ref.agree' : 'ref.agreeHere'));
      here.set(lane, '', '');
      cluster.set(lane, agree ? v.newest : '', '', 12);
      return;
    }
    const apart = t(v.store ? 'ref.store' : state.indexer.count ? 'ref.keepsNone' : 'ref.noStore');
    store.set(lane, v.store && 'indexer', atStore ? t('ref.storeHere') : apart);
    if (atCluster) {
      const both = v.behind <= 0 ? t('ref.hereCluster') : t('ref.hereBehind', { n: count(v.behind) });
      here.set(lane, '', '');
      cluster.set(lane, 'reflector', sure ? both : t('ref.here'));
      return;
    }
    cluster.set(lane, v.newest, t('ref.cluster'));
    if (atStore) return here.set(lane, '', '');
    here.at(v.store ? Math.max(from + 54, Math.min(at, to - 58)) : at);
    here.set(lane, 'reflector', t('ref.here'));
  }

  return {
    /** @param {Lane} lane */
    paint(lane) {
      const v = versionsOf(lane);
      const at = placeOf(v);
      paintMarks(v, at);
      paintLabels(v, at, lane);
    },
  };
}

/** @typedef {ReturnType<typeof versionsOf>} Versions */

/** The versions here and in the store, whose the newest is, and how far they are apart; null where one is not known or is no number. @param {Lane} lane */
function versionsOf({ state, facts: { versions } }) {
  const here = state.reflector.resourceVersion;
  return {
    store: state.indexer.resourceVersion, here, newest: state.api.resourceVersion ? 'api' : here && 'reflector',
    queued: versions.queued, behind: versions.behind ?? 0, total: versions.total,
  };
}

/**
 * The request line by line, or the frames that arrive: whichever tab is chosen.
 * @param {Slot} slot
 * @param {SVGElement} g
 * @param {Ctx} ctx
 */
function askedLines(slot, g, ctx) {
  const { t } = ctx;
  const { x, y } = slot;
  const left = x + 10;
  let tab = 'request';
  /** The request's lines, and what they mean to its verb. @type {string[]} */
  let parts = [];
  let verb = '';
  /** @type {WireFrame[]} */
  let frames = [];
  const request = Array.from({ length: 7 }, (_, i) => text(g, left, y + 109 + 17 * i, i ? 'm1' : 'm1 b'));
  const arriving = Array.from({ length: 5 }, (_, i) => {
    const line = markedLine(g, left - 0.5, y + 109 + 17 * i, 'm1');
    return { line, size: text(g, x + slot.w - 10, y + 109 + 17 * i, 'l', 'end') };
  });
  const noFrames = text(g, left, y + 109, 'l3');
  const tabs = askedTabs(slot, ctx, (id) => {
    tab = id;
    ctx.repaint();
  });
  const requestRows = new Rows(ctx, slot.press, 7, left, { tip: (i) => (parts[i] ? { head: parts[i], body: t(meaning(parts[i], verb)) } : null) });
  const selectFrame = (/** @type {number} */ i) => frames[i]?.key && ctx.select(frames[i].key ?? '');
  const frameRows = new Rows(ctx, slot.press, arriving.length, left + 1, { act: selectFrame, tip: (i) => frameTip(frames[i]) });

  /** @param {State} st @param {boolean} on */
  function paintRequest(st, on) {
    parts = requestLines(st.reflector.lastRequest);
    verb = st.reflector.verb;
    // Long requests are set closer.
    const pitch = parts.length > 6 ? 12.5 : parts.length > 5 ? 14 : 17;
    const top = y + (pitch === 17 ? 109 : pitch === 14 ? 107 : 105);
    request.forEach((line, i) => {
      const part = parts[i] ?? '';
      const foot = top + pitch * i;
      line.moveTo(left, foot).set(on ? middle(part, 24) : '');
      requestRows.set(i, on && part ? `${part}: ${t(meaning(part, verb))}` : '', left - 2, foot - 10.5, 180, pitch - 0.5);
    });
    if (on && !parts.length) request[0].set('—');
    requestRows.label(t('ref.last'));
  }

  /** @param {Lane} lane @param {boolean} on */
  function paintFrames(lane, on) {
    frames = on ? lane.state.api.wire.slice(0, arriving.length) : [];
    noFrames.set(on && !frames.length ? t('ref.noFrames') : '');
    const selected = ctx.selected();
    arriving.forEach(({ line, size }, i) => {
      const f = frames[i];
      const words = f ? middle(frameName(f), 15) : '';
      line.words.cls(f?.key && f.key === selected ? 'm1 selk' : 'm1').set(words);
      line.mark(f && frameOp(f));
      size.bind(lane, f ? `api.wire[seq=${f.seq}].bytes` : '', 'bytes');
      const said = f && { op: frameOp(f), key: f.key ?? '', rv: f.rv, bytes: bytes(f.bytes) };
      const name = !said ? '' : t(said.op === 'ERROR' ? 'ref.errorFrame' : 'ref.frameName', said);
      frameRows.set(i, name, left - 2, y + 97 + 17 * i, 180, 16);
    });
    frameRows.label(t('ref.frames'));
  }

  /** @param {Lane} lane */
  function paint(lane) {
    const st = lane.state;
    const on = st.reflector.phase !== 'backoff';
    tabs.paint(tab, on && ctx.model.any);
    paintRequest(st, on && tab === 'request');
    paintFrames(lane, on && tab === 'frames');
  }

  return { paint };
}

/** The tip of a frame. @param {WireFrame | undefined} f */
function frameTip(f) {
  if (!f) return null;
  return { head: f.key || frameOp(f), body: [f.op, f.rv && `rv ${f.rv}`, bytes(f.bytes)].filter(Boolean).join(' · ') };
}

/** The tabs above what was asked. @param {Slot} slot @param {Ctx} ctx @param {(id: string) => void} choose */
function askedTabs(slot, ctx, choose) {
  const left = slot.x + 10;
  const root = h('div', { class: 'ptabs detail', role: 'tablist', 'data-x': left - 2 });
  place(root, left, slot.y + 71);
  const tabs = ['request', 'frames'].map((id) => {
    const b = button({ role: 'tab' }, () => choose(id));
    root.append(b);
    return { id, b };
  });
  root.addEventListener('keydown', (e) => {
    if (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight') return;
    const other = tabs.find((o) => o.b.getAttribute('aria-selected') !== 'true');
    if (other) choose(other.id);
    other?.b.focus();
    e.preventDefault();
    e.stopPropagation();
  });
  slot.press.append(root);
  return {
    /** @param {string} chosen @param {boolean} on */
    paint(chosen, on) {
      reveal(root, on);
      attr(root, 'aria-label', ctx.t('ref.tabs'));
      for (const { id, b } of tabs) {
        const words = ctx.t(id === 'request' ? 'ref.last' : 'ref.frames');
        if (b.textContent !== words) b.textContent = words;
        attr(b, 'aria-selected', String(id === chosen));
        attr(b, 'tabindex', id === chosen ? 0 : -1);
      }
    },
  };
}

/**
 * How the open request goes: the temporary store of a WatchList, the time that a watch may stay open.
 * @param {Slot} slot
 * @param {SVGElement} g
 * @param {Ctx} ctx
 */
function requestCourse(slot, g, ctx) {
  const { t } = ctx;
  const { y } = slot;
  const left = slot.x + 10;
  const room = slot.w - 20;
  const store = s('rect', { x: left, y: y + 184, width: room, height: 31, rx: 4, class: 'slot' });
  const stored = new Num(g, left + 8, y + 205, 'n16', 5);
  const track = s('rect', { x: left, y: y + 189, width: room, height: 4, rx: 2, class: 'trk' });
  const bar = s('rect', { x: left, y: y + 189, width: 0, height: 4, rx: 2, class: 'bar' });
  const words = text(g, left, y + 209, 'l');
  g.append(store, stored.el, track, bar);
  shareOf(bar, 'now - reflector.requestMillis max 0', 'reflector.timeoutSeconds * 1000', room, 3);

  /** What is said of a request that is not timed. @param {State} st @param {boolean} sure */
  function sentence(st, sure) {
    const r = st.reflector;
    if (r.phase === 'watch-listing') return '';
    if (r.phase === 'watching' && !sure) return t('ref.noSign');
    if (r.phase === 'listing') return t('ref.listing', { b: bytes(st.api.requests.find((q) => q.open)?.bytes ?? 0) });
    return r.phase === 'idle' ? t('ref.idle') : r.phase === 'stopped' ? t('ref.stopped') : '';
  }

  return {
    /** @param {Lane} lane @param {Tell} tell */
    paint(lane, tell) {
      const { state, facts, now } = lane;
      const r = state.reflector;
      const gathers = r.phase === 'watch-listing';
      const age = Math.max(0, now - r.requestMillis);
      const timed = r.phase === 'watching' && r.timeoutSeconds > 0;
      show(store, gathers);
      show(stored.el, gathers);
      stored.bind(lane, gathers ? 'reflector.tempStore' : '', 'count', t('ref.tempStore'));
      const tip = { head: t('ref.tempHead'), body: t('ref.tempWhy') };
      tell(0, gathers ? tip : null, y + 184, 31, gathers ? `${tip.head}: ${exact(r.tempStore)}. ${tip.body}` : '');
      show(track, timed);
      show(bar, timed);
      if (timed) attr(bar, 'width', Math.max(3, room * Math.min(1, age / (r.timeoutSeconds * 1000))).toFixed(1));
      const sure = ctx.model.isSure(facts);
      if (timed && sure) words.bind(lane, 'a=span now - reflector.requestMillis max 0; b=exact reflector.timeoutSeconds', 't ref.open');
      else words.set(sentence(state, sure));
    },
  };
}

/** What the Reflector counts, two a line. @param {Slot} slot @param {SVGElement} g @param {Ctx} ctx */
function stageCounters(slot, g, ctx) {
  const { t } = ctx;
  /** The word behind a counter. */
  const unit = (/** @type {string} */ member) => (/** @type {number} */ n) => t('pres.' + member, { n });
  /** @type {{member: 'events' | 'bookmarks' | 'bytes' | 'watches' | 'lists' | 'relists', word: (n: number) => string}[]} */
  const counters = [
    { member: 'events', word: (n) => t('ref.events', { n }) },
    { member: 'bookmarks', word: unit('bookmarks') },
    { member: 'bytes', word: () => t('ref.read') },
    { member: 'watches', word: unit('watches') },
    { member: 'lists', word: unit('lists') },
    { member: 'relists', word: unit('relists') },
  ];
  const drawn = counters.map(({ member, word }, i) => {
    const n = new Num(g, slot.x + (i % 2 ? 108 : 10), slot.y + 236 + 23 * Math.floor(i / 2), 'n16', 5);
    return { n, member, word };
  });
  return {
    /** @param {Lane} lane */
    paint(lane) {
      const { reflector: r } = lane.state;
      for (const { n, member, word } of drawn) n.bind(lane, `reflector.${member}`, member === 'bytes' ? 'bytes' : 'count', word(r[member]));
    },
  };
}

/** What went wrong last, or why it lists again. @param {Slot} slot @param {SVGElement} g @param {Ctx} ctx */
function lastError(slot, g, ctx) {
  const left = slot.x + 10;
  const head = text(g, left, slot.y + 304, 'l');
  const words = text(g, left, slot.y + 322, 'l t1');
  return {
    /** @param {Lane} lane @param {Tell} tell */
    paint(lane, tell) {
      const why = reason(lane, ctx);
      head.cls(why.warn ? 'l cwt' : 'l').set(why.head);
      words.set(fit(why.words || ctx.t('none'), slot.w - 20));
      tell(1, why.whole ? { head: why.head, body: why.whole } : null, slot.y + 293, 36);
    },
  };
}

/** What distinguishes a request of each verb. @type {Record<string, string>} */
const asking = { WATCH: 'watch=true', WATCHLIST: 'sendInitialEvents=true', LIST: '(LIST)' };

/** A wait: why, how long, how the waits grow, and what is sent when this one is over. @param {Slot} slot @param {Ctx} ctx */
function stageWait(slot, ctx) {
  const { t } = ctx;
  const { x, y, w } = slot;
  const left = x + 10;
  const cx = x + w / 2;
  const g = s('g');
  slot.g.append(g);
  const ring = countdown(g, cx, y + 83, 43, { words: 'num cwt', base: 7 });
  const nextTry = text(g, cx, y + 107, 'l', 'middle');
  const cause = [0, 1].map(() => text(g, cx, y + 15, 'l t1', 'middle'));
  const delays = delayBars(slot, g);
  const delaysHead = text(g, left, y + 146, 'l');
  const again = text(g, left, y + 244, 'l');
  const request = [0, 1, 2].map((i) => text(g, left, y + 263 + 17 * i, i ? 'm1' : 'm1 b'));
  const relist = text(g, left, y + 324, 'l t1');
  return {
    g,
    /** @param {Lane} lane @param {Tell} tell */
    paint(lane, tell) {
      const r = lane.state.reflector;
      ring.paint(lane);
      nextTry.set(t('ref.nextTry'));
      const why = reason(lane, ctx);
      const words = wrap(why.words, w - 16, 2);
      const top = y + (words[1] ? 14 : 22);
      cause.forEach((line, i) => line.moveTo(cx, top + 16 * i).set(words[i] ?? '', i ? '' : r.backoffCause || r.lastError));
      tell(0, null, 0, 0);
      const tip = why.whole ? { head: why.head, body: why.whole } : null;
      tell(1, tip, y + 2, words[1] ? 32 : 24, tip ? `${why.head}: ${why.words}` : '');
      delaysHead.set(t('ref.delays'));
      delays.paint(lane);
      again.set(t('ref.again'));
      const next = lane.facts.nextRequest;
      const parts = next?.path ? ['GET ' + next.path, `resourceVersion=${next.resourceVersion}`, asking[next.verb] ?? ''] : [];
      request.forEach((line, i) => line.set(middle(parts[i] ?? '', 24), parts[i] ?? ''));
      relist.set(next ? t(next.relist ? 'ref.willRelist' : next.verb === 'WATCH' ? 'ref.noRelist' : 'ref.sameList') : '');
    },
  };
}

/** The last waits as bars, the present one, and those that would follow, the longest at the end. @param {Slot} slot @param {SVGElement} g */
function delayBars(slot, g) {
  const foot = slot.y + 202;
  const bars = Array.from({ length: 7 }, (_, i) => {
    const x = slot.x + 10 + 25.2 * i;
    const bar = s('rect', { x, y: foot, width: 18, height: 0, class: 'bk0' });
    g.append(bar);
    return { bar, words: text(g, x + 9, foot + 16, 'l', 'middle') };
  });
  const end = bars.length - 1;
  return {
    /** @param {Lane} lane */
    paint({ state: { reflector: r }, facts: { nextWaits } }) {
      const waits = r.backoffs.length ? r.backoffs.slice(-end) : [r.backoffMillis];
      const now = waits.length - 1;
      const longest = nextWaits[nextWaits.length - 1] ?? r.backoffMillis;
      bars.forEach(({ bar, words }, i) => {
        const ms = waits[i] ?? (i === end ? longest : nextWaits[i - now - 1] ?? longest);
        const tall = Math.max(4, 40 * Math.sqrt(Math.min(1, ms / longest)));
        attr(bar, 'y', (foot - tall).toFixed(1));
        attr(bar, 'height', tall.toFixed(1));
        attr(bar, 'class', i < now ? 'bk1' : i === now ? 'bk2' : 'bk0');
        const said = i <= now ? (ms / 1000).toFixed(ms < 9950 ? 1 : 0) : i === end ? (longest / 1000).toFixed(0) : '';
        words.cls(i === now ? 'l cwt' : 'l').set(said);
      });
    },
  };
}

/** What the Reflector asked last, in a line. @param {Reflector} r */
function lastAsked(r) {
  return r.verb ? `${r.verb} ${r.lastRequest.split('?')[0]}` : '';
}

/** The reason, with a heading that names what it is the reason for. @param {Lane} lane @param {Ctx} ctx */
function reasonLine(lane, ctx) {
  const { head, words } = reason(lane, ctx);
  if (!words) return '';
  return lane.state.reflector.phase === 'backoff' ? capitalize(words) : capitalize(`${head}: ${words}`);
}

/**
 * Presenter mode, when the step speaks of it.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @returns {Drawn}
 */
function large(slot, ctx) {
  const { t } = ctx;
  const { g, x, y, w, pad, type, fonts } = slot;
  const number = heading(slot, title);
  panel(slot);
  const phase = text(g, x + w, slot.rail - 96, type.state, 'end');
  const left = x + pad;
  const room = w - 2 * pad;
  const numbers = s('g');
  g.append(numbers);
  const at = (/** @type {number} */ i) => {
    return pair({ ...slot, g: numbers }, left + (i % 2 ? room / 2 : 0), y + 38 + 64 * Math.floor(i / 2), room / 2);
  };
  const behind = at(0);
  const events = at(1);
  const counters = /** @type {const} */ (['lists', 'watches', 'relists', 'bookmarks']).map((member, i) => ({ member, drawn: at(i + 2) }));
  const ring = countdown(g, x + w / 2, y + 130, 74, { words: 'p44 tn', base: 12, thick: 'r12' });
  const words = [0, 1, 2, 3].map((i) => text(g, left, y + 240 + 23 * i, type.key));
  return {
    paint(lane) {
      const r = lane.state.reflector;
      const waits = r.phase === 'backoff';
      number.bind(lane, 'reflector.resourceVersion', 'bigVersion');
      const fits = width(title, fonts.title) + width(r.phase, fonts.state) + 8 <= w;
      phase.cls(waits ? `${type.state} cwt` : type.state).bind(lane, fits ? 'reflector.phase' : '');
      show(ring.g, waits);
      show(numbers, !waits);
      if (waits) ring.paint(lane);
      behind.set(behindWords(lagOf(lane, ctx)), t('pres.behind'));
      events.bind(lane, 'reflector.events', 'count', t('ref.events', { n: r.events }));
      for (const { member, drawn } of counters) drawn.bind(lane, `reflector.${member}`, 'exact', t('pres.' + member, { n: r[member] }));
      const said = wrap(reasonLine(lane, ctx) || lastAsked(r), room, 3, fonts.key);
      const lines = said.length;
      if (waits && r.backoffs.length) said.push(fit(r.backoffs.slice(-6).map((ms) => seconds(ms)).join(', '), room, fonts.key));
      words.forEach((line, i) => line.cls(waits && i < lines ? type.key : type.label).set(said[i] ?? ''));
    },
  };
}

/**
 * A line of the phone.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @returns {Drawn}
 */
function line(slot, ctx) {
  const { t } = ctx;
  const head = lineHeading(slot, title);
  return {
    paint(lane) {
      const r = lane.state.reflector;
      const where = lagOf(lane, ctx);
      const waits = r.phase === 'backoff';
      head.bind(lane, 'reflector.resourceVersion', 'bigVersion');
      const distance = where.n ? t('phone.behind', { n: behindWords(where) }) : t('phone.current');
      head.left.set(where.known ? distance : '');
      head.right.cls(waits ? `${slot.type.label} cwt` : slot.type.state);
      head.right.bind(lane, waits ? `s=remainder ${waitLeftPath}` : 'reflector.phase', waits ? 't pres.next' : 'same');
    },
  };
}

/**
 * The phone, opened: the last request, what came of all of them, and what went wrong.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @returns {Drawn}
 */
function open(slot, ctx) {
  const { t } = ctx;
  const { g, x, y, w, type, fonts } = slot;
  const head = line(slot, ctx);
  const row = (/** @type {number} */ i, /** @type {string} */ cls) => text(g, x, y + 58 + 22 * i, cls);
  const asked = row(0, type.key);
  const requests = row(1, type.state);
  const came = row(2, type.state);
  const why = [row(3, type.state), row(4, type.state)];
  return {
    paint(lane, clock) {
      head.paint(lane, clock);
      const r = lane.state.reflector;
      asked.set(shorten(lastAsked(r), w - 14, fonts.key));
      const counters = /** @type {const} */ (['lists', 'watches', 'relists']);
      requests.set(counters.map((k) => `${exact(r[k])} ${t('pres.' + k, { n: r[k] })}`).join(', '));
      came.set(`${exact(r.events)} ${t('ref.events', { n: r.events })}, ${exact(r.bookmarks)} ${t('pres.bookmarks', { n: r.bookmarks })}`);
      const said = wrap(reasonLine(lane, ctx), w - 14, 2, fonts.state);
      why.forEach((words, i) => words.set(said[i] ?? ''));
    },
  };
}

/**
 * One of several informers under each other: its release, how it requests the objects, how far it has come, and how long it waits.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @returns {Drawn}
 */
function lane(slot, ctx) {
  const { g, x, y, w, rail, pad, type } = slot;
  const left = x + pad;
  panel({ ...slot, lit: false }, y, slot.h, 4);
  const era = text(g, x, rail - 26, type.number);
  const how = text(g, x + 56, rail - 26, type.label);
  text(g, left, y + 26, type.label).set('rv');
  const rv = text(g, left + 16, y + 26, 'n20');
  const phase = text(g, left, y + 52, 'l t1');
  const shines = s('circle', { cy: y + 48, r: 4, class: 'lamp' });
  g.append(shines);
  const counts = /** @type {const} */ (['lists', 'watches']).map((member, i) => {
    return { member, drawn: new Num(g, left + (i ? w / 2 - 5 : 0), y + 80, type.value, 5) };
  });
  const request = text(g, left, y + 104, 'm2');
  const ring = countdown(g, x + w - 30, y + 48, 20, { words: 'l cwt', base: 4, thick: 'sm' });
  return {
    paint(from) {
      const { state: { reflector: r }, facts } = from;
      const waits = r.phase === 'backoff';
      era.bind(from, 'era');
      const { lists } = facts.requests;
      how.set(lists === 'LIST' ? 'LIST + WATCH' : lists);
      rv.bind(from, 'reflector.resourceVersion', 'version', 'same');
      phase.cls(waits ? 'l cwt' : 'l t1').bind(from, 'reflector.phase');
      attr(shines, 'class', waits || !ctx.model.isSure(facts) ? 'lamp w' : r.phase === 'watching' ? 'lamp on' : 'lamp');
      attr(shines, 'cx', left + 12 + width(r.phase, '12px'));
      for (const { member, drawn } of counts) drawn.bind(from, `reflector.${member}`, 'exact', ctx.t('pres.' + member, { n: r[member] }));
      request.set(slot.lean || !lists ? '' : lists === 'LIST' ? 'rv=0, then watch' : 'sendInitialEvents');
      show(ring.g, waits);
      if (waits) ring.paint(from);
    },
  };
}

/** Beside a rail of the phone's two: how far one release has come, and how it requests the objects. @type {import('../wire/page-types.js').Draw} */
function half(slot, ctx) {
  const head = halfHead(slot);
  const write = side(slot);
  const [how, lists, watches] = ['l t1', 'l', 'l'].map((cls, i) => write(slot.g, slot.y + 46 + 19 * i, cls));
  return {
    paint(lane) {
      const { reflector: r } = lane.state;
      head.number.bind(lane, 'reflector.resourceVersion', 'bigVersion');
      head.words.set(r.phase);
      if (!slot.lit) return;
      how.set(r.lists ? 'LIST + WATCH' : r.watches ? 'WatchList' : '');
      lists.set(`${exact(r.lists)} ${ctx.t('pres.lists', { n: r.lists })}`);
      watches.set(`${exact(r.watches)} ${ctx.t('pres.watches', { n: r.watches })}`);
    },
  };
}

/** In the row of an informer of a factory: what it does, and how far it has come. @type {import('../wire/page-types.js').Draw} */
function row({ g, x, y, to, type }) {
  const phase = text(g, x, y, type.state);
  const version = text(g, to, y, type.label, 'end');
  return {
    paint(lane) {
      phase.cls(lane.row?.phase === 'backoff' ? `${type.state} warn` : type.state).bind(lane, `${lane.of}.phase`);
      version.bind(lane, `${lane.of}.resourceVersion`, 'version 9', 'same');
    },
  };
}

export const reflector = whereSeen('reflector', { id: 'reflector', title, full, large, line, open, lane, half, between: middleName(title), row });
