// @ts-check
// The inspector: one object's JSON, old against new, its way through the informer hop by hop, and what the code was
// doing there. The worker answers for the view's moment, so the drawer can be read while the view is paused anywhere.
import { button, h, put, reveal } from '../kit/dom.js';
import { laneNames } from '../kit/fork.js';
import { addReason, exact, span, version } from '../kit/format.js';
import { chipIcon, kindOf } from '../kit/glyphs.js';
import { drawLines } from '../kit/lines.js';
import { nameOf, stationOf } from '../kit/names.js';
import { reconcileLines } from '../rows/reconciles.js';

/** @typedef {import('../wire/types.js').Hop} Hop */

export class Inspector {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} app
   * @param {() => void} closed
   * @param {(key: string, lane: number) => void} ride rides the object's newest change
   */
  constructor(ctx, app, closed, ride) {
    this.ctx = ctx;
    this.closed = closed;
    /** Just opened: its journey is shown from its beginning. */
    this.fresh = true;
    /** Whether the reader has scrolled the diff: it then stays. The browser moves it too, as when its box grows; that does not count. */
    this.isScrolled = false;
    /** The hop to which the journey was scrolled; 0 at its beginning. */
    this.hopShown = 0;
    this.key = '';
    /** The lane that has the object, in a fork. */
    this.lane = 0;
    this.tab = 'diff';
    this.seq = -1;
    this.askedAt = 0;
    this.busy = false;
    /** The worker's answer about the object, or its error. @type {Partial<import('../wire/types.js').ObjectView> & {error?: string} | null} */
    this.data = null;
    this.root = h('aside', { class: 'drawer shut' });
    this.x = button({ class: 'x key' }, () => this.close(), 'esc');
    this.title = h('h2');
    this.icon = h('i');
    this.version = h('span');
    this.sub = h('div', { class: 'sub' }, this.icon, this.version);
    this.whose = [0, 1].map((lane) => button({ role: 'tab' }, () => this.ctx.select(this.key, lane)));
    this.author = h('div', { class: 'sub author', hidden: '' });
    this.lanes = h('div', { class: 'tabs', role: 'tablist', hidden: '' }, ...this.whose);
    this.tabs = h('div', { class: 'tabs', role: 'tablist' });
    this.tabDiff = h('button', { type: 'button', role: 'tab' });
    this.tabJson = h('button', { type: 'button', role: 'tab' });
    this.tabDiff.addEventListener('click', () => this.show('diff'));
    this.tabJson.addEventListener('click', () => this.show('json'));
    this.tabWhy = h('button', { type: 'button', role: 'tab', hidden: '' });
    this.tabWhy.addEventListener('click', () => this.show('why'));
    this.tabs.append(this.tabDiff, this.tabJson, this.tabWhy);
    this.pre = h('div', { class: 'diff', role: 'tabpanel', tabindex: 0 });
    for (const by of ['wheel', 'pointerdown', 'keydown']) this.pre.addEventListener(by, () => { this.isScrolled = true; }, { passive: true });
    this.hopsHead = h('h3');
    this.go = button({ class: 'key go' }, () => ride(this.key, this.laneShown));
    this.hops = h('div', { class: 'hops', role: 'group', tabindex: 0 });
    this.root.append(this.x, this.title, this.sub, this.author, this.lanes, this.tabs,
      this.pre, h('div', { class: 'jh' }, this.hopsHead, this.go), this.hops);
    app.append(this.root);
  }

  get isOpen() {
    return !this.root.classList.contains('shut');
  }

  /** @param {string} tab */
  show(tab) {
    this.tab = tab;
    this.isScrolled = false;
    this.render();
  }

  /** The lane that is asked for: the first once a fork has ended. @private */
  get laneShown() {
    return this.ctx.model.fork ? this.lane : 0;
  }

  /** What its lane's informer is doing. @private */
  get state() {
    return this.ctx.model.lane(this.laneShown).state;
  }

  /** @param {string} key @param {number} [lane] in a fork */
  open(key, lane = 0) {
    if (this.key !== key || this.lane !== lane) {
      this.data = null;
      this.isScrolled = false;
    }
    this.key = key;
    this.lane = lane;
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

  /** Asks again when the view has moved on, at most four times a second. */
  refresh() {
    if (!this.isOpen) return;
    const followed = this.followed();
    if (followed !== this.shown) {
      this.shown = followed;
      this.render();
    }
    if (this.busy) return;
    const seq = this.ctx.model.view.seq;
    const clock = performance.now();
    if (seq === this.seq || (this.seq >= 0 && clock - this.askedAt < 250)) return;
    this.seq = seq;
    this.askedAt = clock;
    this.busy = true;
    const { key, laneShown } = this;
    const isOld = () => key !== this.key || laneShown !== this.laneShown;
    this.ctx.call('object', key, laneShown).then(
      (o) => {
        this.busy = false;
        if (isOld()) return;
        this.data = o;
        this.render();
      },
      (err) => {
        this.busy = false;
        if (isOld()) return;
        this.data = { key, error: String(err?.message ?? err) };
        this.render();
      },
    );
  }

  /** The version of the change that is followed in the past; empty for none of this object. @private */
  followed() {
    const { journey } = this.ctx.model.past;
    return journey?.key === this.key ? journey.rv : '';
  }

  /** For which followed version it was rendered last. */
  shown = '';

  /** Whether an older change than the newest is followed, so that what changed is not of it. */
  isOlder = false;

  render() {
    const { t } = this.ctx;
    const d = this.data;
    put(this.title, this.key);
    this.root.setAttribute('aria-label', t('ins.label'));
    this.x.setAttribute('aria-label', `esc ${t('close')}`);
    this.hops.setAttribute('aria-label', t('ins.journey'));
    const { fork } = this.ctx.model;
    this.lanes.hidden = !fork;
    if (fork) laneNames(this.ctx, fork).forEach((name, lane) => put(this.whose[lane], name));
    this.whose.forEach((b, lane) => b.setAttribute('aria-selected', String(lane === this.laneShown)));
    put(this.tabDiff, t('ins.changed'));
    put(this.tabJson, 'JSON');
    this.tabDiff.setAttribute('aria-selected', String(this.tab === 'diff'));
    this.tabJson.setAttribute('aria-selected', String(this.tab === 'json'));
    put(this.tabWhy, t('why.tab'));
    this.tabWhy.setAttribute('aria-selected', String(this.tab === 'why'));
    reveal(this.tabWhy, !!d?.reconciles || (!d && this.tab === 'why'));
    /** @type {Hop[]} */
    const whole = Array.isArray(d?.journey) ? d.journey : [];
    const newest = whole.length ? whole[whole.length - 1].change : 0;
    const rv = this.followed();
    // Of the followed change only, else of the newest: what came before is another journey.
    const change = (rv && whole.findLast((hp) => hp.rv === rv)?.change) || newest;
    this.isOlder = change !== newest;
    const journey = whole.filter((hp) => hp.change === change);
    const op = [...journey].reverse().find((hp) => hp.op)?.op || (d?.deleted ? 'Deleted' : d?.oldRv ? 'Updated' : d?.rv ? 'Added' : '');
    const kind = this.state.resource.kind || this.state.resource.resource;
    const older = this.isOlder && t('ins.ofOlder', { rv: version(rv, 14), newest: version(d?.rv ?? '', 14) });
    const rvs = older || (d?.rv ? `rv ${d.oldRv && d.oldRv !== d.rv ? version(d.oldRv, 14) + ' → ' : ''}${version(d.rv, 14)}` : '');
    if (this.icon.dataset.op !== op) {
      this.icon.dataset.op = op;
      this.icon.replaceChildren(chipIcon(kindOf(op)));
    }
    put(this.version, [op, kind, rvs].filter(Boolean).join(' · '));
    const by = d?.author;
    reveal(this.author, !!by && !this.isOlder);
    if (by && !this.isOlder) {
      const did = by.words || `${by.verb} ${by.resource}${by.subresource ? `/${by.subresource}` : ''}`;
      put(this.author, t(by.user ? 'ins.person' : 'ins.author', { rv: version(d.rv ?? '', 14), name: by.author, user: by.user ?? '', did }));
    }
    this.renderLines();
    const at = journey[journey.length - 1];
    // The view stands on a hop if the rest of the change is still to come, or at the last hop itself.
    const { mode, seq } = this.ctx.model.view;
    const stands = !!at && mode !== 'live' && (at.seq === seq || !!d?.ahead?.some((hp) => hp.change === change));
    this.renderJourney(journey, stands);
    if (d) this.fresh = false;
  }

  /** What changed, or the JSON. @private */
  renderLines() {
    const { t } = this.ctx;
    const d = this.data;
    const lines = [];
    const m = d?.mutation;
    if (m) {
      const name = this.state.listeners.find((l) => l.id === m.listener)?.name ?? String(m.listener);
      const before = m.was ? `${m.label}=${m.was}` : t('idx.none', { label: m.label });
      lines.push(line(t('ins.mutated', { name, label: m.label, is: m.is, was: before, rv: version(m.rv, 14) }), 'warned'));
      for (const index of m.stale) lines.push(line(t('ins.mutatedStale', { index }), 'warned'));
    }
    if (d?.error) lines.push(line(d.error, ''));
    else if (!d) lines.push(line('…', ''));
    else if (this.tab === 'why' && d.reconciles) {
      for (const { words, cls } of reconcileLines(d.reconciles, this.ctx.model.view.atMillis)) lines.push(line(words, cls));
    }
    else if (!d.json) lines.push(line(this.missingWords(d), ''));
    else if (this.tab === 'json') for (const l of JSON.stringify(d.json, null, 2).split('\n')) lines.push(line(l, ''));
    else {
      if (d.deleted) lines.push(line(t('ins.deleted'), ''));
      else if (!d.oldJson) lines.push(line(t(d.oldRv ? 'ins.older' : 'ins.first'), ''));
      else if (!d.diff?.length) lines.push(line(t('ins.same'), ''));
      for (const l of d.diff ?? []) {
        if (l.folded) lines.push(line(t('ins.folded', { n: exact(l.folded) }), 'f'));
        else lines.push(line(`${l.op === '-' ? '−' : l.op || ' '} ${l.text}`, l.op === '-' ? 'o' : l.op === '+' ? 'n' : ''));
      }
    }
    drawLines(this.pre, lines);
    if (this.tab !== 'diff' || !d || this.isScrolled) return;
    // The first line that changed stands in the upper third, until the reader scrolls.
    const first = /** @type {HTMLElement | null} */ (this.pre.querySelector('.o, .n'));
    this.pre.scrollTop = first ? first.offsetTop - this.pre.offsetTop - this.pre.clientHeight / 3 : 0;
  }

  /** The hops so far, and the stations still to come. @param {Hop[]} journey @param {boolean} stands whether the view stands on its last hop @private */
  renderJourney(journey, stands) {
    const { t } = this.ctx;
    put(this.hopsHead, journey.length ? t('ins.journey') : '');
    // A ride is of the newest change.
    this.go.hidden = !journey.length || this.isOlder;
    put(this.go, t('ride.go'));
    const t0 = journey[0]?.atMillis ?? 0;
    const last = journey.length - 1;
    const rows = journey.map((hp, i) => row(i === last ? 'hop now' : 'hop', `+${span(hp.atMillis - t0)}`, nameOf(hp.stage), this.words(hp)));
    for (const st of this.data?.todo ?? []) rows.push(row('hop todo', '—', nameOf(st), t('hop.todo.' + stationOf(st))));
    drawLines(this.hops, rows);
    const shown = stands && !this.fresh ? journey[last].seq : 0;
    if (this.fresh || (shown === 0 && this.hopShown)) this.hops.scrollTop = 0;
    else if (shown !== this.hopShown) this.hops.querySelector('.now')?.scrollIntoView({ block: 'nearest' });
    this.hopShown = shown;
  }

  /** The words in place of an object's JSON. @param {{ unseen?: string }} d @private */
  missingWords(d) {
    return d.unseen ? `${this.ctx.t('ins.unseen')} ${d.unseen}` : this.ctx.t('ins.gone');
  }

  /** A hop in words. @param {Hop} hp @param {string} [as] which words @returns {string} */
  words(hp, as = 'hop.') {
    const { t } = this.ctx;
    const name = this.state.listeners.find((l) => l.id === hp.listener)?.name ?? (hp.listener ? String(hp.listener) : '');
    const key = hp.kind === 'Popped' ? ((hp.of ?? 1) > 1 ? 'PoppedOf' : 'Popped') : hp.kind === 'Queued' && hp.op === 'SyncAll' ? 'QueuedSync'
      : hp.kind === 'ClusterWritten' && hp.error ? 'ClusterWrittenNot' : hp.kind;
    const said = t(as + key, { n: exact(hp.n ?? 0), m: exact(hp.m ?? 0), p: exact(hp.position ?? 0), of: exact(hp.of ?? 0),
      s: span((hp.micros ?? 0) / 1000), rv: version(hp.rv ?? '', 12), name, text: hp.text ?? '', w: hp.listener ?? '' });
    if (as !== 'hop.' && said === as + key) return this.words(hp);
    const words = said === 'hop.' + key ? hp.kind : said;
    if (!hp.error) return words;
    return as === 'hop.' ? `${words}: ${hp.error}` : addReason(words, hp.error);
  }
}


/** @param {string} words @param {string} cls */
function line(words, cls) {
  return { id: `${cls}|${words}`, make: () => h('div', cls ? { class: cls } : {}, words) };
}

/** A hop. @param {string} cls @param {string} time @param {string} at @param {string} words */
function row(cls, time, at, words) {
  return {
    id: [cls, time, at, words].join('|'),
    make: () => h('div', { class: cls }, h('i', { class: cls === 'hop todo' ? 'd f' : 'd' }), h('span', { class: 'tn' }, time), h('b', {}, at),
      h('span', {}, words)),
  };
}
