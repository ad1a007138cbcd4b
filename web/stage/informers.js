// @ts-check
// Several informers on one stage: what their factory does, and what can be done with it and with the one that is open. The others have a row each.
import { attr, button, h, put, reveal } from '../kit/dom.js';
import { capitalize, exact, middle } from '../kit/format.js';
import { nameOf } from '../rows/informer.js';
import * as fragment from '../wire/fragment.js';
import { plain } from '../kit/trouble.js';

/** What is said of all of them although the open one has something to say too. */
const urgent = ['stopping', 'stopped', 'trouble', 'backoff', 'unstarted', 'waiting', 'loop', 'duplicate', 'starved'];

export class Informers {
  /** @param {import('../wire/page-types.js').Ctx} ctx @param {HTMLElement} parent */
  constructor(ctx, parent) {
    this.ctx = ctx;
    this.words = h('span');
    this.aside = button({}, () => this.open && ctx.act('unshared', !this.open.unshared, this.open.lane));
    this.end = button({}, () => ctx.act(this.isEnding ? 'start' : 'shutdown'));
    this.root = h('div', { class: 'informers', hidden: '' }, this.words, this.aside, this.end);
    parent.append(this.root);
    ctx.openInformer = (lane) => this.show(lane);
    this.choose();
  }

  get factory() {
    return this.ctx.model.factory;
  }

  /** The informer that is open, null for none of several. */
  get open() {
    const { factory } = this;
    return factory?.rows.find((r) => r.lane === factory.shown) ?? null;
  }

  get isEnding() {
    return !!this.factory?.factories.some((f) => f.stage === 'stopping' || f.stage === 'stopped');
  }

  /** Opens an informer. @param {number} lane */
  show(lane) {
    this.ctx.leaveSpeaker?.();
    return this.ctx.act('show', lane).then(() => {
      if (!this.ctx.follower) fragment.write({ lane });
    });
  }

  /** The lane that the address asks for, until it is there; -1 for none. */
  wanted = -1;

  /** Takes from the fragment which informer is to be open. */
  choose() {
    const lane = fragment.read().get('lane');
    this.follow(lane === null ? -1 : Number(lane));
  }

  /** Shows an informer once it is there. @param {number} lane -1 for any */
  follow(lane) {
    this.wanted = lane;
    this.find();
  }

  /** Opens the informer that is wanted, once there is one. */
  find() {
    const { wanted, factory } = this;
    if (wanted < 0 || !factory?.rows.some((r) => r.lane === wanted)) return;
    this.wanted = -1;
    if (wanted !== factory.shown) this.ctx.act('show', wanted);
  }

  /** What stands over the open informer's rows. */
  head() {
    return this.open ? nameOf(this.open, this.ctx.t) : '';
  }

  /**
   * What the sentence over the stage says of several informers, where the open one's is given.
   * @param {{id: string, words: string, why: string}} said @returns {{id: string, words: string, why: string}}
   */
  sentence(said) {
    const { open, factory, ctx } = this;
    if (!factory || !open) return said;
    const own = { ...said, words: said.words && ctx.t('informer.says', { name: middle(open.resource, 24), words: said.words }) };
    const { id, n = 0, m = 0, name = '', key = '', other = '', why = '' } = factory.sentence;
    const all = ctx.t(`cap.${id}`, { n: exact(n), m: exact(m), name, key: middle(key, 36), other, why: capitalize(plain(ctx, why)) });
    if (urgent.includes(id.replace('factory.', '')) && !said.id.startsWith('held')) return { id, words: all, why: own.words };
    const held = factory.rows.find((r) => r !== open && r.held.length);
    const waits = held && ctx.model.past.row(`${held.lane}.informer`)?.waiting;
    if (held && waits && !said.id.startsWith('held')) {
      return { id: 'informer.held', words: ctx.t('informer.held', { name: nameOf(held, ctx.t), n: exact(waits) }), why: own.words };
    }
    return { ...own, why: said.why || all };
  }

  paint() {
    const { ctx, factory, open, isEnding } = this;
    const { t, model } = ctx;
    reveal(this.root, !!factory);
    if (!factory || !open) return;
    // An informer that runs without a factory's Start is of none.
    const started = factory.factories.filter((f) => f.stage || !factory.rows.some((r) => r.running));
    const said = started.map(({ era, stage, synced, of }) => (
      t('informer.factory', { era, words: t(`informer.stage.${stage}`, { n: synced, m: of }) })));
    put(this.words, said.join(' · '));
    const can = !['file', 'probe'].includes(model.state.source.kind) && !ctx.follower;
    reveal(this.aside, can && (!open.unshared || open.running));
    put(this.aside, t(open.unshared ? 'informer.end' : 'informer.twice'));
    attr(this.aside, 'title', t(open.unshared ? 'informer.endTitle' : 'informer.twiceTitle', { name: open.resource }));
    reveal(this.end, can);
    put(this.end, t(isEnding ? 'informer.start' : 'informer.shutdown'));
    attr(this.end, 'title', t(isEnding ? 'informer.startTitle' : 'informer.shutdownTitle'));
  }
}
