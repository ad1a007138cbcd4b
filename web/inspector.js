// @ts-check
// The inspector: one object's JSON, old against new, its way through the informer hop by hop, and what the code was
// doing there. The worker answers for the view's moment, so the drawer can be read while the view is paused anywhere.
import { h } from './dom.js';
import { exact, span, version } from './format.js';
import { chipIcon, kindOf } from './glyphs.js';

/** @typedef {import('./types.js').Hop} Hop */

export class Inspector {
  /**
   * @param {import('./page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {() => void} closed
   * @param {(key: string) => void} ride rides the object's newest change
   */
  constructor(ctx, app, closed, ride) {
    this.ctx = ctx;
    this.closed = closed;
    /** Since when the newest hop has been on the side where the drawer lies. */
    this.coversSince = 0;
    /** Just opened: the first answer about the object decides where the drawer lies. */
    this.fresh = true;
    this.key = '';
    this.tab = 'diff';
    this.seq = -1;
    this.askedAt = 0;
    this.busy = false;
    this.hopsId = '';
    /** The worker's answer about the object, or its error. @type {Partial<import('./types.js').ObjectView> & {error?: string} | null} */
    this.data = null;
    this.root = h('aside', { class: 'drawer shut' });
    this.x = h('button', { class: 'x key', type: 'button' }, 'esc');
    this.x.addEventListener('click', () => this.close());
    this.title = h('h2');
    this.sub = h('div', { class: 'sub' });
    this.tabs = h('div', { class: 'tabs', role: 'tablist' });
    this.tabDiff = h('button', { type: 'button', role: 'tab' });
    this.tabJson = h('button', { type: 'button', role: 'tab' });
    this.tabDiff.addEventListener('click', () => this.show('diff'));
    this.tabJson.addEventListener('click', () => this.show('json'));
    this.tabs.append(this.tabDiff, this.tabJson);
    this.pre = h('div', { class: 'diff', role: 'tabpanel', tabindex: 0 });
    this.hopsHead = h('h3');
    this.go = h('button', { class: 'key go', type: 'button' });
    this.go.addEventListener('click', () => ride(this.key));
    this.hops = h('div', { class: 'hops', role: 'group', tabindex: 0 });
    this.codeHead = h('h3');
    this.code = h('p');
    this.root.append(this.x, this.title, this.sub, this.tabs, this.pre, this.hopsHead, this.go, this.hops, this.codeHead, this.code);
    app.append(this.root);
  }

  get isOpen() {
    return !this.root.classList.contains('shut');
  }

  /** @param {string} tab */
  show(tab) {
    this.tab = tab;
    this.render();
  }

  /** @param {string} key */
  open(key) {
    if (this.key !== key) {
      this.data = null;
      this.pre.replaceChildren();
      this.hops.replaceChildren();
      this.hopsId = '';
    }
    this.key = key;
    this.seq = -1;
    this.fresh = true;
    this.root.classList.remove('shut');
    this.refresh();
    this.render();
  }

  close() {
    if (!this.isOpen) return;
    this.shut();
    this.closed();
  }

  /** Goes out of the way; the object stays chosen. */
  shut() {
    this.root.classList.add('shut');
    this.key = '';
  }

  /** Puts the drawer on the side of the stage that it does not describe. @param {Hop | null} hop @private */
  dock(hop) {
    if (!hop) return;
    const left = ['indexer', 'listener', 'controller'].includes(hop.stage);
    const clock = performance.now();
    if (left === this.root.classList.contains('left')) this.coversSince = 0;
    else if (!this.coversSince) this.coversSince = clock;
    // Of an object that changes all the time the drawer does not run after every hop.
    const { mode } = this.ctx.model.view;
    if (this.coversSince && (mode === 'paused' || this.fresh || clock - this.coversSince > 1500)) {
      this.root.classList.toggle('left', left);
      this.coversSince = 0;
    }
    this.fresh = false;
  }

  /** Asks again when the view has moved on, at most four times a second. */
  refresh() {
    if (!this.isOpen || this.busy) return;
    const seq = this.ctx.model.view.seq;
    const clock = performance.now();
    if (seq === this.seq || (this.seq >= 0 && clock - this.askedAt < 250)) return;
    this.seq = seq;
    this.askedAt = clock;
    this.busy = true;
    const key = this.key;
    this.ctx.call('object', key).then(
      (o) => {
        this.busy = false;
        if (key !== this.key) return;
        this.data = o;
        this.render();
      },
      (err) => {
        this.busy = false;
        if (key !== this.key) return;
        this.data = { key, error: String(err?.message ?? err) };
        this.render();
        // On its way to the store it is not in it: the drawer makes room all the same.
        this.ctx.call('ride', key).then((r) => {
          if (key === this.key) this.dock([...r.hops].reverse().find((x) => x.seq <= seq) ?? r.hops[0]);
        }, () => {});
      },
    );
  }

  render() {
    const { t } = this.ctx;
    const d = this.data;
    this.title.textContent = this.key;
    this.root.setAttribute('aria-label', t('ins.label'));
    this.x.setAttribute('aria-label', `esc ${t('close')}`);
    this.hops.setAttribute('aria-label', t('ins.journey'));
    this.tabDiff.textContent = t('ins.changed');
    this.tabJson.textContent = 'JSON';
    this.tabDiff.setAttribute('aria-selected', String(this.tab === 'diff'));
    this.tabJson.setAttribute('aria-selected', String(this.tab === 'json'));
    /** @type {Hop[]} */
    const whole = Array.isArray(d?.journey) ? d.journey : [];
    const change = whole.length ? whole[whole.length - 1].change : 0;
    // Of the newest change only: what came before is another journey.
    const journey = whole.filter((hp) => hp.change === change);
    const op = [...journey].reverse().find((hp) => hp.op)?.op || (d?.deleted ? 'Deleted' : d?.oldRv ? 'Updated' : d?.rv ? 'Added' : '');
    const kind = this.ctx.model.state.resource.kind || this.ctx.model.state.resource.resource;
    const rvs = d?.rv ? `rv ${d.oldRv && d.oldRv !== d.rv ? version(d.oldRv, 14) + ' → ' : ''}${version(d.rv, 14)}` : '';
    this.sub.replaceChildren(chipIcon(kindOf(op)), h('span', {}, [op, kind, rvs].filter(Boolean).join(' · ')));
    const now = parse(d?.json);
    const old = parse(d?.oldJson);
    const keep = this.pre.scrollTop;
    const lines = [];
    const m = d?.mutation;
    if (m) {
      const name = this.ctx.model.state.listeners.find((l) => l.id === m.listener)?.name ?? String(m.listener);
      const was = m.was ? `${m.label}=${m.was}` : t('idx.none', { label: m.label });
      lines.push(line(t('ins.mutated', { name, label: m.label, is: m.is, was, rv: version(m.rv, 14) }), 'warned'));
      for (const index of m.stale) lines.push(line(t('ins.mutatedStale', { index }), 'warned'));
    }
    if (d?.error) lines.push(line(d.error, ''));
    else if (!d) lines.push(line('…', ''));
    else if (this.tab === 'json') {
      if (now === undefined) lines.push(line(this.missing(d), ''));
      else for (const l of JSON.stringify(now, null, 2).split('\n')) lines.push(line(l, ''));
    } else if (old !== undefined && now !== undefined) {
      const found = diff(old, now);
      let head = '';
      for (const [path, a, b] of found.slice(0, 120)) {
        const [top, rest] = [path[0] ?? '', path.slice(1).join('.').replace(/\.\[/g, '[')];
        if (top !== head) {
          head = top;
          lines.push(line(head + ':', ''));
        }
        if (a !== undefined) lines.push(line(`−  ${rest || top}: ${brief(a)}`, 'o'));
        if (b !== undefined) lines.push(line(`+  ${rest || top}: ${brief(b)}`, 'n'));
      }
      if (!found.length) lines.push(line(t('ins.same'), ''));
    } else if (now !== undefined) {
      lines.push(line(t(d.oldRv ? 'ins.older' : 'ins.first'), ''));
      for (const l of JSON.stringify(now, null, 2).split('\n').slice(0, 400)) lines.push(line(l, 'n'));
    } else lines.push(line(this.missing(d), ''));
    this.pre.replaceChildren(...lines);
    this.pre.scrollTop = keep;
    this.hopsHead.textContent = journey.length ? t('ins.journey') : '';
    this.go.hidden = !journey.length;
    this.go.textContent = t('ride.go');
    const t0 = journey[0]?.atMillis ?? 0;
    const last = journey.length - 1;
    const rows = journey.map((hp, i) => h('div', { class: i === last ? 'hop now' : 'hop' }, h('i', { class: 'd' }),
      h('span', { class: 'tn' }, `+${span(hp.atMillis - t0)}`), h('b', {}, station(hp.stage)), h('span', {}, this.words(hp))));
    const reached = last >= 0 ? stations.indexOf(journey[last].stage) : stations.length;
    for (const st of stations.slice(reached + 1)) {
      if (st === 'reflector' || (st === 'controller' && !this.ctx.model.state.workqueue)) continue;
      rows.push(h('div', { class: 'hop todo' }, h('i', { class: 'd f' }), h('span', { class: 'tn' }, '—'), h('b', {}, station(st)),
        h('span', {}, t('hop.todo.' + st))));
    }
    const hopsId = `${this.key}|${journey.length}|${journey[last]?.seq}|${t('close')}`;
    if (hopsId !== this.hopsId) {
      this.hopsId = hopsId;
      this.hops.replaceChildren(...rows);
      const here = /** @type {HTMLElement | undefined} */ (rows[last]);
      if (here) this.hops.scrollTop = here.offsetTop - this.hops.offsetTop - this.hops.clientHeight + here.offsetHeight + 44;
    }
    const at = last >= 0 ? journey[last] : null;
    this.dock(at);
    const st = at ? station(at.stage) : '';
    const which = at ? codeOf(st, this.ctx.model.state.queue.kind) : '';
    this.codeHead.replaceChildren(...(which ? [t('ins.code') + ' ', h('code', {}, t(`code.${which}.f`))] : []));
    this.code.textContent = which ? t(`code.${which}`) : '';
  }

  /** The words in place of an object's JSON. @param {{ unseen?: string }} d @private */
  missing(d) {
    return d.unseen ? `${this.ctx.t('ins.unseen')} ${d.unseen}` : this.ctx.t('ins.gone');
  }

  /** A hop in words. @param {Hop} hp @param {string} [as] which words @returns {string} */
  words(hp, as = 'hop.') {
    const { t } = this.ctx;
    const name = this.ctx.model.state.listeners.find((l) => l.id === hp.listener)?.name ?? (hp.listener ? String(hp.listener) : '');
    const key = hp.kind === 'Popped' ? ((hp.of ?? 1) > 1 ? 'PoppedOf' : 'Popped') : hp.kind === 'Queued' && hp.op === 'SyncAll' ? 'QueuedSync'
      : hp.kind === 'ClusterWritten' && hp.error ? 'ClusterWrittenNot' : hp.kind;
    const said = t(as + key, { n: exact(hp.n ?? 0), m: exact(hp.m ?? 0), p: exact(hp.position ?? 0), of: exact(hp.of ?? 0),
      s: span((hp.micros ?? 0) / 1000), rv: version(hp.rv ?? '', 12), name, text: hp.text ?? '', w: hp.listener ?? '' });
    if (as !== 'hop.' && said === as + key) return this.words(hp);
    return (said === 'hop.' + key ? hp.kind : said) + (hp.error ? `: ${hp.error}` : '');
  }
}

const stations = ['api', 'reflector', 'queue', 'indexer', 'listener', 'controller'];

/** @param {string} stage */
function station(stage) {
  return { api: 'API server', reflector: 'Reflector', queue: 'Queue', indexer: 'Indexer', listener: 'Listeners', controller: 'Controller' }[stage] ?? stage;
}

/** @param {string} st @param {string} queue */
function codeOf(st, queue) {
  return { 'API server': 'api', Reflector: 'reflector', Queue: queue === 'DeltaFIFO' ? 'delta' : 'real', Indexer: 'indexer', Listeners: 'listeners',
    Controller: 'controller' }[st] ?? '';
}

/** @param {string} words @param {string} cls */
function line(words, cls) {
  const d = h('div', cls ? { class: cls } : {});
  d.textContent = words;
  return d;
}

/** @param {any} json */
function parse(json) {
  if (json === undefined || json === null || json === '') return undefined;
  if (typeof json !== 'string') return json;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** @param {any} v */
function brief(v) {
  const words = JSON.stringify(v);
  return words.length > 200 ? words.slice(0, 199) + '…' : words;
}

/**
 * What differs between two values: path, before, after. Lists of named things are matched by their names.
 * @param {any} a
 * @param {any} b
 * @param {string[]} [path]
 * @param {[string[], any, any][]} [out]
 */
function diff(a, b, path = [], out = []) {
  if (out.length > 400 || path[1] === 'managedFields') return out;
  if (a === b) return out;
  if (Array.isArray(a) && Array.isArray(b)) {
    const id = (/** @type {any} */ v) => (v && typeof v === 'object' ? v.type ?? v.name ?? v.uid : undefined);
    const named = [...a, ...b].every((v) => typeof id(v) === 'string');
    if (named) {
      const names = [...new Set([...a, ...b].map(id))];
      for (const n of names) diff(a.find((v) => id(v) === n), b.find((v) => id(v) === n), tail(path, `[${n}]`), out);
    } else {
      for (let i = 0; i < Math.max(a.length, b.length); i++) diff(a[i], b[i], tail(path, `[${i}]`), out);
    }
    return out;
  }
  if (a && b && typeof a === 'object' && typeof b === 'object' && !Array.isArray(a) && !Array.isArray(b)) {
    for (const k of new Set([...Object.keys(a), ...Object.keys(b)])) diff(a[k], b[k], [...path, k], out);
    return out;
  }
  if (JSON.stringify(a) !== JSON.stringify(b)) out.push([path, a, b]);
  return out;
}

/** @param {string[]} path @param {string} more */
function tail(path, more) {
  return path.length ? [...path.slice(0, -1), path[path.length - 1] + more] : [more];
}
