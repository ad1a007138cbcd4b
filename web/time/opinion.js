// @ts-check
// The second opinion on a real cluster: one plain list of each informer's resource, compared with its store. A person asks for it in the diagnosis, and the
// page by itself, once, when nothing has come for a while and somebody looks.
import { exact } from '../kit/format.js';
import '../kit/words-time.js';

/** @typedef {import('../wire/types.js').Comparison} Comparison @typedef {import('../wire/types.js').Opinion} Opinion */

/** For how many ms nothing must have come before the page asks by itself. A cluster that is well sends a bookmark about once a minute. */
const silence = 75_000;

/** How many objects a store may have for which the page asks by itself, and for which a person does. */
const most = { itself: 5000, person: 100_000 };

export class SecondOpinion {
  /** What the lists said last. @type {Comparison | null} @private */
  last = null;

  /** Of which log they said it. @private */
  epoch = -1;

  /** When the newest thing had come for which the page has asked by itself, in ms of the log's clock. @private */
  askedAfter = -1;

  /** @param {import('../wire/page-types.js').Ctx} ctx */
  constructor(ctx) {
    this.ctx = ctx;
  }

  /** Whether there is a cluster that can be asked. */
  get canAsk() {
    return !this.ctx.follower && this.ctx.model.state.source.kind === 'live';
  }

  /** What the lists said last; nothing in another log, at a moment before them, or once something has come since. @returns {Comparison | null} */
  get now() {
    const { last, ctx: { model } } = this;
    const came = model.state.world.cameMillis ?? Infinity;
    return last && this.canAsk && this.epoch === model.epoch && last.atMillis <= this.ctx.now() && came <= last.atMillis ? last : null;
  }

  /** What they said of the informer on stage, where that is a claim: its store differs, or every object was compared and is the same. */
  get onStage() {
    const lane = this.ctx.model.factory?.shown ?? 0;
    return this.now?.opinions.find((o) => o.lane === lane && o.request && !o.error && o.isSynced && (o.apart || !o.moving));
  }

  /** Asks for a person. @returns {Promise<Comparison>} */
  ask() {
    return this.compare(most.person);
  }

  /** Asks by itself after a silence. Call it at each painting. */
  watch() {
    const { model } = this.ctx;
    const { world } = model.state;
    const came = world.cameMillis ?? 0;
    if (model.view.mode !== 'live' || !world.watched || !this.canAsk || document.hidden || came === this.askedAfter || this.ctx.now() - came < silence) return;
    this.askedAfter = came;
    this.compare(most.itself).catch(() => {}); // what prevents it is said where a person asks
  }

  /** @param {number} atMost @returns {Promise<Comparison>} @private */
  async compare(atMost) {
    const { epoch } = this.ctx.model;
    this.last = await this.ctx.call('compare', atMost);
    this.epoch = epoch;
    this.ctx.repaint();
    return this.last;
  }

  /** What was said of an informer, in words. @param {Opinion} o */
  words(o) {
    const { t } = this.ctx;
    const args = { name: o.informer, n: exact(o.objects), v: o.rv, d: exact(o.apart), m: exact(o.moving), w: o.error };
    const kind = !o.request ? 'none' : o.error ? 'refused' : !o.isSynced ? 'unsynced' : o.apart ? 'apart' : 'same';
    return t('op.' + kind, args) + (o.moving ? t('op.moving', args) : '');
  }
}
