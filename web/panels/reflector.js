// @ts-check
// The Reflector: where it stands between the store and the cluster, what it asked last, and, when the cluster does not
// answer, how long it waits before it asks again.
import { attr, h, Num, place, reveal, s, show, text } from '../dom.js';
import { ahead, bigVersion, bytes, count, exact, fit, middle, moment, reason, seconds, span, version, wrap } from '../format.js';
import { Glyph, kindOf } from '../glyphs.js';
import { addWords } from '../i18n.js';
import { Rows } from '../rows.js';
import { columns } from '../scene.js';

const left = 146;
const right = 322;

addWords({
  'ref.tabs': ['Reflector: the last request, or the frames that arrive', 'Reflector：最近请求，或到达的 frame'],
  'ref.frames': ['frames arriving', '到达的 frame'],
  'ref.noFrames': ['no frame has arrived', '还没有 frame'],
  'ref.frameName': ['{op} {key}, rv {rv}, {bytes}', '{op} {key}，rv {rv}，{bytes}'],
  'ref.tempStore': ['in the temporary store', '在临时 store 里'],
  'ref.tempHead': ['temporary store', '临时 store'],
  'ref.tempWhy': ['A WatchList’s first objects gather here, one for each key, while the store still answers with what it had. The end mark, a bookmark, hands them over as one replacement.', 'WatchList 的初始对象先聚在这里，每个 key 一个；此时 store 仍用原来的内容回答。结束标记（一个 bookmark）把它们作为一次替换交出去。'],
  'ref.endMark': ['waits for the end mark', '等待结束标记'],
  'ref.endMarkFor': ['{s} so far; it waits without end', '已等 {s}；会一直等下去'],
  'ref.behind': ['{n} behind', '落后 {n}'],
  'ref.whyRelisted': ['why it relisted', '为何 relist 过'],
  'ref.errorAt': ['{what}, at {at}', '{what}，在 {at}'],

  'par.path': ['What is asked for: this collection, all of it. LIST and WATCH are the same address; watch=true makes the difference.', '要的东西：整个集合。LIST 和 WATCH 是同一个地址，区别在 watch=true。'],
  'par.watch': ['The answer does not end: the server goes on sending one frame for each change.', '回答不结束：服务器为每个变更继续发一个 frame。'],
  'par.allowWatchBookmarks': ['The server may send bookmarks: frames without an object that only move the resourceVersion on, so that a quiet watch does not grow too old.', '允许服务器发 bookmark：没有对象、只推进 resourceVersion 的 frame，安静的 watch 就不会过期。'],
  'par.sendInitialEvents': ['WatchList: first every object as an Added frame, then a bookmark that marks the end, then the changes. It takes the place of a LIST.', 'WatchList：先把每个对象作为 Added frame 发来，再发一个 bookmark 表示结束，然后才是变更。代替 LIST。'],
  'par.resourceVersionMatch': ['NotOlderThan: any state will do that is at least as new as the resourceVersion asked for, so the server may answer from its cache.', 'NotOlderThan：不早于所要 resourceVersion 的任何状态都行，服务器可以用 cache 回答。'],
  'par.resourceVersion.watch': ['Start behind this version: every change after it is sent. If the history no longer reaches so far, the answer is 410 Gone.', '从这个版本之后开始：之后的每个变更都发来。历史若没有这么久，回答是 410 Gone。'],
  'par.resourceVersion.list': ['At least as new as this version. It keeps the informer from going back in time after it has seen this.', '不早于这个版本。保证 informer 见过它之后不会倒退。'],
  'par.resourceVersion.0': ['Any version that the server has in its cache: fast, and perhaps a little old.', '服务器 cache 里的任何版本：快，也许略旧。'],
  'par.resourceVersion.none': ['Empty: the newest state, read with a quorum.', '空：最新的状态，按 quorum 读取。'],
  'par.timeoutSeconds': ['The server ends the watch after this time; between 5 and 10 minutes, by chance, so that not all clients come back at once. Then it goes on with a new one.', '服务器到时结束 watch；5 到 10 分钟之间随机，避免所有客户端同时回来。之后接着开一个新的。'],
  'par.limit': ['At most so many objects a page; a token in the answer leads to the next page.', '每页最多这么多对象；回答里的 token 指向下一页。'],
  'par.continue': ['The token of the next page. It carries the version of the first page, so that the pages fit together.', '下一页的 token，带着第一页的版本，各页才对得上。'],
  'par.labelSelector': ['Only objects whose labels match.', '只要 label 匹配的对象。'],
  'par.fieldSelector': ['Only objects whose fields match.', '只要字段匹配的对象。'],
  'par.other': ['A parameter of the request, as sent.', '请求的参数，照原样发送。'],
});

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
  return ['watch', 'allowWatchBookmarks', 'sendInitialEvents', 'resourceVersionMatch', 'timeoutSeconds', 'limit', 'continue', 'labelSelector', 'fieldSelector'].includes(name) ? 'par.' + name : 'par.other';
}

/** @returns {import('../types.js').Panel} */
export function createReflector() {
  const { x, w } = columns.reflector;
  /** @type {import('../types.js').Ctx} */
  let ctx;
  /** @type {ReturnType<typeof build>} */
  let ui;
  /** Over the lines of the request. @type {Rows} */
  let asked;
  /** Over the frames. @type {Rows} */
  let came;
  /** Over the temporary store and the last error. @type {Rows} */
  let told;
  /** The request's lines as they are, for what they mean. @type {string[]} */
  let lines = [];
  let verb = '';
  /** @type {import('../types.js').WireFrame[]} */
  let frames = [];
  let tab = 'request';
  let whole = '';
  /** @type {HTMLElement} */
  let tabs;
  /** @type {{id: string, b: HTMLElement}[]} */
  let tabButtons = [];

  /** @param {SVGElement} root */
  function build(root) {
    const title = text(root, x, 68, 'ti');
    title.set('Reflector');
    const rv = text(root, x, 96, 'l');
    const num = new Num(root, x + 18, 96, 'num', 7);
    const phase = text(root, 318, 68, 't14', 'end');
    const lamp = s('circle', { cx: 327.5, cy: 63.2, r: 4.5, class: 'lamp' });
    root.append(lamp);
    root.append(s('rect', { x, y: 196, width: w, height: 336, rx: 4, class: 'pn' }));

    const body = s('g');
    root.append(body);
    const ticks = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(() => {
      const p = s('path', { d: 'M0 0', class: 'axis' });
      body.append(p);
      return p;
    });
    const line = s('path', { d: 'M152 234H316', class: 'axis' });
    const reached = s('path', { d: 'M152 234H152', class: 'span' });
    const mStore = s('circle', { cx: 152, cy: 234, r: 5, class: 'mk hollow' });
    const mCluster = s('circle', { cx: 316, cy: 234, r: 5, class: 'mk hollow' });
    const mHere = s('circle', { cx: 316, cy: 234, r: 5, class: 'mk' });
    body.append(line, reached, mStore, mCluster, mHere);
    const vStore = text(body, left, 220, 'l t1');
    const vHere = text(body, 234, 220, 'l t1 b', 'middle');
    const vCluster = text(body, right, 220, 'l t1', 'end');
    const wStore = text(body, left, 255, 'l');
    const wHere = text(body, 234, 255, 'l', 'middle');
    const wCluster = text(body, right, 255, 'l', 'end');
    const req = [0, 1, 2, 3, 4, 5, 6].map((i) => text(body, left, 305 + 17 * i, i ? 'm1' : 'm1 b'));
    const wire = [0, 1, 2, 3, 4].map((i) => ({ glyph: new Glyph(body, left, 294 + 17 * i, 13), key: text(body, 164, 305 + 17 * i, 'm1'), n: text(body, right, 305 + 17 * i, 'l', 'end') }));
    const noFrames = text(body, left, 305, 'l3');
    const temp = s('rect', { x: left, y: 380, width: 176, height: 31, rx: 4, class: 'slot' });
    const tempNum = new Num(body, 154, 401, 'n16', 5);
    body.append(temp, tempNum.el);
    const track = s('rect', { x: left, y: 385, width: 176, height: 4, rx: 2, class: 'trk' });
    const bar = s('rect', { x: left, y: 385, width: 0, height: 4, rx: 2, class: 'bar' });
    body.append(track, bar);
    const open = text(body, left, 405, 'l');
    const events = new Num(body, left, 432, 'n16', 5);
    const bookmarks = new Num(body, 244, 432, 'n16', 5);
    const read = new Num(body, left, 455, 'n16', 5);
    const watches = new Num(body, 244, 455, 'n16', 5);
    const lists = new Num(body, left, 478, 'n16', 5);
    const relists = new Num(body, 244, 478, 'n16', 5);
    const errHead = text(body, left, 500, 'l');
    const err = text(body, left, 518, 'l t1');

    const wait = s('g');
    root.append(wait);
    wait.append(s('circle', { cx: 234, cy: 279, r: 43, class: 'ring' }));
    const arc = s('path', { d: '', class: 'ringf w' });
    wait.append(arc);
    const left2 = text(wait, 234, 286, 'num cwt', 'middle');
    const nextTry = text(wait, 234, 303, 'l', 'middle');
    const cause = [0, 1].map(() => text(wait, 234, 211, 'l t1', 'middle'));
    const delays = text(wait, left, 342, 'l');
    const bars = [0, 1, 2, 3, 4, 5, 6].map((i) => {
      const r = s('rect', { x: left + 25.2 * i, y: 398, width: 18, height: 0, class: 'bk0' });
      wait.append(r);
      return { r, t: text(wait, left + 9 + 25.2 * i, 414, 'l', 'middle') };
    });
    const again = text(wait, left, 440, 'l');
    const send = [0, 1, 2].map((i) => text(wait, left, 459 + 17 * i, i ? 'm1' : 'm1 b'));
    const relist = text(wait, left, 520, 'l t1');
    return {
      rv, num, phase, lamp, body, ticks, line, reached, mStore, mHere, mCluster, vStore, vHere, vCluster, wStore, wHere, wCluster, req, wire, noFrames, temp, tempNum, track, bar, open, events,
      bookmarks, read, watches, lists, relists, errHead, err, wait, arc, left2, nextTry, cause, delays, bars, again, send, relist,
    };
  }

  /** @param {import('../types.js').State} st */
  function line(st) {
    const { t } = ctx;
    const store = st.indexer.resourceVersion;
    const here = st.reflector.resourceVersion;
    const cluster = st.api.resourceVersion || here;
    const total = store ? ahead(store, cluster) : null;
    const lag = ahead(here, cluster) ?? 0;
    const queued = store ? ahead(store, here) : null;
    const steps = total !== null && total > 0 && total <= 8 ? total : 0;
    ui.ticks.forEach((p, i) => {
      show(p, steps > 0 && i <= steps);
      if (steps) attr(p, 'd', `M${(152 + (164 * i) / steps).toFixed(2)} 230V238`);
    });
    const known = !!here;
    show(ui.mStore, known && !!store && total !== 0);
    show(ui.mHere, known);
    show(ui.mCluster, known);
    if (!known) {
      attr(ui.reached, 'd', 'M152 234H152');
      for (const x2 of [ui.vStore, ui.vHere, ui.vCluster, ui.wHere, ui.wCluster]) x2.set('');
      ui.wStore.set(t('ref.noRv'));
      return;
    }
    let at = 316;
    if (total && total > 0 && queued !== null && queued >= 0) at = 152 + (164 * queued) / total;
    else if (!store && lag > 0) at = 250;
    const near = at > 262 && at < 316;
    if (near && lag > 0) at = Math.min(at, 306);
    attr(ui.mHere, 'cx', at.toFixed(1));
    attr(ui.reached, 'd', total === 0 || !store ? 'M316 234H316' : `M152 234H${at.toFixed(1)}`);
    const same = lag <= 0;
    const full = [version(store, 30), version(here, 30), version(cluster, 30)];
    if (total === 0) {
      // The three agree: one number, and the line is behind it.
      ui.vStore.set('');
      ui.vHere.set('');
      ui.vCluster.cls('l t1 b').set(version(cluster, 12), full[2]);
      ui.wStore.set(t('ref.agree'));
      ui.wHere.set('');
      ui.wCluster.set('');
      return;
    }
    ui.vStore.set(store ? version(store, 8) : '', full[0]);
    ui.wStore.set(store ? t('ref.store') : t(st.indexer.count ? 'ref.keepsNone' : 'ref.noStore'));
    if (same || at > 284) {
      ui.vHere.set('');
      ui.wHere.set('');
      ui.vCluster.cls('l t1 b').set(version(here, 8), full[1]);
      ui.wCluster.set(same ? t('ref.hereCluster') : t('ref.hereBehind', { n: count(lag) }));
      return;
    }
    if (queued === 0 && store) {
      ui.vHere.set('');
      ui.wHere.set('');
      ui.wStore.set(t('ref.storeHere'));
      ui.vCluster.cls('l t1').set(version(cluster, 8), full[2]);
      ui.wCluster.set(t('ref.cluster'));
      return;
    }
    const narrow = at < 206 ? 206 : at > 258 ? 258 : at;
    ui.vHere.at(store ? narrow : at, 220).set(version(here, 8), full[1]);
    ui.wHere.at(store ? narrow : at, 255).set(t('ref.here'));
    ui.vCluster.cls('l t1').set(version(cluster, 8), full[2]);
    ui.wCluster.set(t('ref.cluster'));
  }

  /** @param {string} id */
  function choose(id) {
    tab = id;
    paintAsk(ctx.model.state);
  }

  /** The request line by line, or the frames that arrive. @param {import('../types.js').State} st */
  function paintAsk(st) {
    const { t } = ctx;
    const on = st.reflector.phase !== 'backoff';
    reveal(tabs, on && ctx.model.any);
    attr(tabs, 'aria-label', t('ref.tabs'));
    for (const { id, b } of tabButtons) {
      const words = t(id === 'request' ? 'ref.last' : 'ref.frames');
      if (b.textContent !== words) b.textContent = words;
      attr(b, 'aria-selected', String(id === tab));
      attr(b, 'tabindex', id === tab ? 0 : -1);
    }
    const request_ = tab === 'request';
    lines = request(st.reflector.lastRequest, null);
    verb = st.reflector.verb;
    const pitch = lines.length > 6 ? 12.5 : lines.length > 5 ? 14 : 17;
    const top = pitch === 17 ? 305 : pitch === 14 ? 303 : 301;
    ui.req.forEach((l, i) => {
      l.at(left, top + pitch * i).set(request_ ? middle(lines[i] ?? '', 24) : '');
      asked.set(i, request_ && on && lines[i] ? `${lines[i]}: ${t(meaning(lines[i], verb))}` : '', left - 2, top + pitch * i - 10.5, 180, pitch - 0.5);
    });
    asked.label(t('ref.last'));
    if (!lines.length && request_) ui.req[0].set('—');
    frames = request_ ? [] : st.api.wire.slice(0, 5);
    ui.noFrames.set(!request_ && !frames.length ? t('ref.noFrames') : '');
    const sel = ctx.selected();
    ui.wire.forEach((o, i) => {
      const f = frames[i];
      if (!f) o.glyph.hide();
      else o.glyph.set(kindOf(f.op));
      o.key.cls(f?.key && f.key === sel ? 'm1 selk' : 'm1').set(f ? (f.key ? middle(f.key, 15) : `rv ${version(f.rv, 10)}`) : '');
      o.n.set(f ? bytes(f.bytes) : '');
      came.set(i, f && on ? t('ref.frameName', { op: f.op, key: f.key ?? '', rv: f.rv, bytes: bytes(f.bytes) }) : '', left - 2, 293 + 17 * i, 180, 16);
    });
    came.label(t('ref.frames'));
  }

  return {
    mount(root, c) {
      ctx = c;
      ui = build(root);
      tabs = h('div', { class: 'ptabs', role: 'tablist', 'data-x': left - 2 });
      place(tabs, left, 267);
      tabButtons = ['request', 'frames'].map((id) => {
        const b = h('button', { type: 'button', role: 'tab' });
        b.addEventListener('click', () => choose(id));
        tabs.append(b);
        return { id, b };
      });
      tabs.addEventListener('keydown', (e) => {
        if (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight') return;
        choose(tab === 'request' ? 'frames' : 'request');
        tabButtons.find((o) => o.id === tab)?.b.focus();
        e.preventDefault();
        e.stopPropagation();
      });
      ctx.scene.over.append(tabs);
      asked = new Rows(ctx, 7, left, { tip: (i) => (lines[i] ? { head: lines[i], body: ctx.t(meaning(lines[i], verb)) } : null) });
      came = new Rows(ctx, 5, left + 1, { act: (i) => frames[i]?.key && ctx.select(frames[i].key ?? ''), tip: (i) => (frames[i] ? { head: frames[i].key || frames[i].op, body: `${frames[i].op} · rv ${frames[i].rv} · ${bytes(frames[i].bytes)}` } : null) });
      told = new Rows(ctx, 2, left + 2, { tip: (i) => (i === 0 ? { head: ctx.t('ref.tempHead'), body: ctx.t('ref.tempWhy') } : whole ? { head: ui.errHead.value, body: whole } : null) });
    },

    paint(_, st) {
      const { t } = ctx;
      const r = st.reflector;
      const now = ctx.now();
      ui.rv.set('rv');
      const lag = r.resourceVersion ? ahead(r.resourceVersion, st.api.resourceVersion) ?? 0 : 0;
      ui.num.set(bigVersion(r.resourceVersion), r.phase !== 'watching' && lag > 0 ? t('ref.behind', { n: count(lag) }) : ctx.model.hold('pop') && r.phase === 'watching' ? t('ref.runsOn') : '');
      paintAsk(st);
      const waiting = r.phase === 'backoff';
      ui.phase.cls(waiting ? 't14 cwt' : 't14').set(r.phase);
      attr(ui.lamp, 'class', waiting ? 'lamp w' : r.phase === 'watching' ? 'lamp on' : 'lamp');
      show(ui.body, !waiting);
      show(ui.wait, waiting);
      if (waiting) {
        const past = now - r.backoffSince;
        const rest = Math.max(0, r.backoffMillis - past);
        attr(ui.arc, 'd', arc(234, 279, 43, r.backoffMillis ? rest / r.backoffMillis : 0));
        ui.left2.set(seconds(Math.ceil(rest / 100) * 100));
        ui.nextTry.set(t('ref.nextTry'));
        const said = r.backoffCause || r.lastError;
        const words = wrap(reason(said), 180, 2);
        ui.cause.forEach((q, i) => q.at(234, (words[1] ? 210 : 218) + 16 * i).set(words[i] ?? '', i ? '' : said));
        ui.delays.set(t('ref.delays'));
        const shown = r.backoffs.slice(-6);
        if (!shown.length) shown.push(r.backoffMillis);
        ui.bars.forEach((b, i) => {
          const ms = shown[i];
          const lastBar = i === 6;
          const value = ms ?? (lastBar ? 30e3 : Math.min(30e3, shown[shown.length - 1] * 2 ** (i - shown.length + 1)));
          const hgt = Math.max(4, 40 * Math.sqrt(Math.min(1, value / 30e3)));
          attr(b.r, 'y', (398 - hgt).toFixed(1));
          attr(b.r, 'height', hgt.toFixed(1));
          attr(b.r, 'class', i < shown.length - 1 ? 'bk1' : i === shown.length - 1 ? 'bk2' : 'bk0');
          b.t.cls(i === shown.length - 1 ? 'l cwt' : 'l').set(ms !== undefined ? (ms / 1000).toFixed(ms < 9950 ? 1 : 0) : lastBar ? '30' : '');
        });
        ui.again.set(t('ref.again'));
        const next = nextRequest(st);
        ui.send.forEach((l, i) => l.set(middle(next[i] ?? '', 24), next[i] ?? ''));
        told.set(0, '');
        told.set(1, '');
        ui.relist.set(t(r.backoffThen === watchAgain ? (r.verb === 'WATCHLIST' ? 'ref.sameList' : 'ref.noRelist') : 'ref.willRelist'));
        return;
      }
      line(st);
      const openMs = Math.max(0, now - r.requestMillis);
      const isWatch = r.phase === 'watching' || r.phase === 'watch-listing';
      const total = r.timeoutSeconds * 1000;
      const temp = r.phase === 'watch-listing';
      show(ui.temp, temp);
      show(ui.tempNum.el, temp);
      if (temp) ui.tempNum.set(count(r.tempStore), t('ref.tempStore'));
      told.set(0, temp ? `${t('ref.tempHead')}: ${exact(r.tempStore)}. ${t('ref.tempWhy')}` : '', left, 380, 176, 31);
      show(ui.track, isWatch && total > 0 && !temp);
      show(ui.bar, isWatch && total > 0 && !temp);
      if (isWatch && total > 0) attr(ui.bar, 'width', Math.max(3, 176 * Math.min(1, openMs / total)).toFixed(1));
      const req = st.api.requests.find((q) => q.open);
      if (temp) ui.open.set('');
      else if (isWatch && total > 0) ui.open.set(t('ref.open', { a: span(openMs), b: exact(r.timeoutSeconds) }));
      else if (r.phase === 'listing') ui.open.set(t('ref.listing', { b: bytes(req?.bytes ?? 0) }));
      else ui.open.set(r.phase === 'idle' ? t('ref.idle') : r.phase === 'stopped' ? t('ref.stopped') : '');
      ui.events.set(count(r.events), t('ref.events', { n: r.events }));
      ui.bookmarks.set(count(r.bookmarks), r.bookmarks === 1 ? 'bookmark' : 'bookmarks');
      ui.read.set(bytes(r.bytes), t('ref.read'));
      ui.watches.set(count(r.watches), r.watches === 1 ? 'watch' : 'watches');
      ui.lists.set(count(r.lists), r.lists === 1 ? 'list' : 'lists');
      ui.relists.set(count(r.relists), r.relists === 1 ? 'relist' : 'relists');
      // A WatchList whose end mark does not come waits for it, and that is what there is to know then.
      const late = temp && openMs > 3000;
      const why = r.relists > 0 && !!r.why;
      ui.errHead.cls(late ? 'l cwt' : 'l').set(t(late ? 'ref.endMark' : why ? (r.phase === 'watching' ? 'ref.whyRelisted' : 'ref.why') : 'ref.lastError'));
      const cause = why ? r.why : r.lastError;
      const words = late ? t('ref.endMarkFor', { s: span(openMs) }) : cause ? reason(cause) + (r.lastErrorMillis > 0 ? `, ${moment(r.lastErrorMillis)}` : '') : t('none');
      whole = late ? '' : cause ? (r.lastErrorMillis > 0 ? t('ref.errorAt', { what: cause, at: moment(r.lastErrorMillis) }) : cause) : '';
      ui.err.set(fit(words, 176));
      told.set(1, whole ? `${ui.errHead.value}: ${whole}` : '', left - 2, 489, 180, 36);
    },

    resize() {},
    focus() {},
  };
}

/** What the log calls a backoff after which the Reflector watches again without a list. */
const watchAgain = 'watch again';

/**
 * What the Reflector sends when its wait is over: a WATCH from where it is, or a list from there, which is a WatchList in
 * the eras that have it. After a 410 on a list the resourceVersion is left empty.
 * @param {import('../types.js').State} st
 */
function nextRequest(st) {
  const r = st.reflector;
  const [path] = request(r.lastRequest, []);
  if (!path) return [];
  const again = r.backoffThen === watchAgain && r.verb !== 'WATCHLIST';
  const asWatch = st.era >= '1.35';
  const rv = again || !r.unavailable ? r.resourceVersion || (again || asWatch ? '' : '0') : '';
  return [path, `resourceVersion=${rv}`, again ? 'watch=true' : asWatch ? 'sendInitialEvents=true' : '(LIST)'];
}

/**
 * A request as lines: the verb and path, then its parameters.
 * @param {string} url
 * @param {string[] | null} only
 */
function request(url, only) {
  if (!url) return [];
  const [path, query = ''] = url.split('?');
  const out = ['GET ' + path];
  for (const p of query.split('&')) {
    if (!p) continue;
    const [name, value = ''] = p.split('=');
    if (only && !only.includes(name)) continue;
    // client-go says the same time twice.
    if (name === 'timeout' && query.includes('timeoutSeconds=')) continue;
    let v = value;
    try {
      v = decodeURIComponent(value.replace(/\+/g, ' '));
    } catch {
      // A parameter that is not well encoded is shown as it was sent.
    }
    out.push(`${name}=${v}`);
  }
  return out.slice(0, 7);
}

/**
 * A clockwise arc from the top, as a share of the circle.
 * @param {number} cx
 * @param {number} cy
 * @param {number} r
 * @param {number} share
 */
function arc(cx, cy, r, share) {
  if (share <= 0.001) return '';
  const a = Math.min(share, 0.9999) * 2 * Math.PI;
  const x = cx + r * Math.sin(a);
  const y = cy - r * Math.cos(a);
  return `M${cx} ${cy - r}A${r} ${r} 0 ${share > 0.5 ? 1 : 0} 1 ${x.toFixed(2)} ${y.toFixed(2)}`;
}
