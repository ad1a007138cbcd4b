// @ts-check
// The Reflector: where it stands between the store and the cluster, what it asked last, and, when the cluster does not
// answer, how long it waits before it asks again.
import { attr, Num, s, show, text } from '../dom.js';
import { ahead, bigVersion, bytes, count, exact, fit, middle, moment, reason, seconds, span, version } from '../format.js';
import { columns } from '../scene.js';

const left = 146;
const right = 322;

/** @returns {import('../types.js').Panel} */
export function createReflector() {
  const { x, w } = columns.reflector;
  /** @type {import('../types.js').Ctx} */
  let ctx;
  /** @type {ReturnType<typeof build>} */
  let ui;

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
    const last = text(body, left, 286, 'l');
    const req = [0, 1, 2, 3, 4, 5, 6].map((i) => text(body, left, 305 + 17 * i, i ? 'm1' : 'm1 b'));
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
    wait.append(s('circle', { cx: 234, cy: 268, r: 50, class: 'ring' }));
    const arc = s('path', { d: '', class: 'ringf w' });
    wait.append(arc);
    const left2 = text(wait, 234, 277, 'num cwt', 'middle');
    const nextTry = text(wait, 234, 294, 'l', 'middle');
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
      rv, num, phase, lamp, body, ticks, line, reached, mStore, mHere, mCluster, vStore, vHere, vCluster, wStore, wHere, wCluster, last, req, track, bar, open, events,
      bookmarks, read, watches, lists, relists, errHead, err, wait, arc, left2, nextTry, delays, bars, again, send, relist,
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

  return {
    mount(root, c) {
      ctx = c;
      ui = build(root);
    },

    paint(_, st) {
      const { t } = ctx;
      const r = st.reflector;
      const now = ctx.now();
      ui.rv.set('rv');
      ui.num.set(bigVersion(r.resourceVersion), ctx.model.hold('pop') && r.phase === 'watching' ? t('ref.runsOn') : '');
      const waiting = r.phase === 'backoff';
      ui.phase.cls(waiting ? 't14 cwt' : 't14').set(r.phase);
      attr(ui.lamp, 'class', waiting ? 'lamp w' : r.phase === 'watching' ? 'lamp on' : 'lamp');
      show(ui.body, !waiting);
      show(ui.wait, waiting);
      if (waiting) {
        const past = now - r.backoffSince;
        const rest = Math.max(0, r.backoffMillis - past);
        attr(ui.arc, 'd', arc(234, 268, 50, r.backoffMillis ? rest / r.backoffMillis : 0));
        ui.left2.set(seconds(Math.ceil(rest / 100) * 100));
        ui.nextTry.set(t('ref.nextTry'));
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
        const lines = request(r.lastRequest, ['resourceVersion', 'watch']);
        ui.send.forEach((l, i) => l.set(middle(lines[i] ?? '', 24), lines[i] ?? ''));
        ui.relist.set(r.unavailable || !r.resourceVersion ? t('ref.willRelist') : t('ref.noRelist'));
        return;
      }
      line(st);
      ui.last.set(t('ref.last'));
      const lines = request(r.lastRequest, null);
      const pitch = lines.length > 6 ? 12.5 : lines.length > 5 ? 14 : 17;
      ui.req.forEach((l, i) => l.at(left, (pitch === 17 ? 305 : pitch === 14 ? 303 : 301) + pitch * i).set(middle(lines[i] ?? '', 24), lines[i] ? r.lastRequest : ''));
      if (!lines.length) ui.req[0].set('—');
      const openMs = Math.max(0, now - r.requestMillis);
      const isWatch = r.phase === 'watching' || r.phase === 'watch-listing';
      const total = r.timeoutSeconds * 1000;
      show(ui.track, isWatch && total > 0);
      show(ui.bar, isWatch && total > 0);
      if (isWatch && total > 0) attr(ui.bar, 'width', Math.max(3, 176 * Math.min(1, openMs / total)).toFixed(1));
      const req = st.api.requests.find((q) => q.open);
      if (r.phase === 'watch-listing') ui.open.set(t('ref.temp', { n: exact(r.tempStore) }));
      else if (isWatch && total > 0) ui.open.set(t('ref.open', { a: span(openMs), b: exact(r.timeoutSeconds) }));
      else if (r.phase === 'listing') ui.open.set(t('ref.listing', { b: bytes(req?.bytes ?? 0) }));
      else ui.open.set(r.phase === 'idle' ? t('ref.idle') : r.phase === 'stopped' ? t('ref.stopped') : '');
      ui.events.set(count(r.events), t('ref.events'));
      ui.bookmarks.set(count(r.bookmarks), 'bookmarks');
      ui.read.set(bytes(r.bytes), t('ref.read'));
      ui.watches.set(count(r.watches), 'watches');
      ui.lists.set(count(r.lists), 'lists');
      ui.relists.set(count(r.relists), 'relists');
      const why = r.relists > 0 && r.why && r.phase !== 'watching';
      ui.errHead.set(why ? t('ref.why') : t('ref.lastError'));
      const words = why ? reason(r.why) : r.lastError ? `${reason(r.lastError)}, ${moment(r.lastErrorMillis)}${r.relists ? ' → relist' : ''}` : t('none');
      const whole = why ? r.why : r.lastError;
      ui.err.set(fit(words, 176), whole === words ? '' : whole);
    },

    resize() {},
    focus() {},
  };
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
