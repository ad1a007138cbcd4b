// @ts-check
// Keeps the address and the view together: a changed address starts its scene, and actions are written into the address, so that a link is
// a scene. Every call that changes something goes through here.
import { effects } from '../kit/commands.js';
import { capitalize, exact } from '../kit/format.js';
import * as fragment from '../wire/fragment.js';
import { Superseded } from '../wire/link.js';
import { remember } from '../bars/pickers.js';
import { plain } from '../kit/trouble.js';

/** The members of an address that lead to a moment; they are removed where nothing leads there. */
const noMoment = { at: null, do: null, from: null, fork: null, go: null };
/** How long a moment shows before it is written to the address, and how long a selection runs before a message says so, in ms. */
const settles = 300;
const patience = 600;

export class Address {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {import('../wire/link.js').Link} link
   * @param {{
   *   files: import('../bars/files.js').Files, restart: () => void, fail: () => void, story: (id: string) => Promise<unknown>,
   *   selected: (elsewhere: boolean) => void, broadcast: () => void, token: import('./token.js').Token
   * }} page `restart` shows that something else begins, `fail` that nothing could be, `selected` is told that something was selected, and
   *   whether from another source
   */
  constructor(ctx, link, page) {
    this.ctx = ctx;
    this.link = link;
    this.page = page;
    /** What could not be begun, in the worker's words. */
    this.failed = '';
    /** What a slow call asks of a cluster, in words; empty while none runs. */
    this.asking = '';
    /** The moment that the address asks for, until the log has come so far. */
    this.wanted = 0;
    /** The moment that a story is being played to. */
    this.hurry = 0;
    /** What the address selected when it was last followed. */
    this.followed = '';
    /** Counts the moments that were chosen, so that no earlier choice is written late. */
    this.choiceCount = 0;
    /** Resolves when the scene of the address has started. @type {Promise<void>} */
    this.ready = new Promise((resolve) => (this.begun = resolve));
  }

  /**
   * Starts the scene of the address. An empty address starts the simulated cluster, so nothing is contacted unasked.
   * @param {string} [before] the address that an open page had: what cannot be begun leaves it as it was
   */
  async begin(before) {
    const { ctx, page } = this;
    if (ctx.follower) return this.begun(); // what shows is the speaker's choice
    try {
      await this.selectAsked(before);
    } catch (err) {
      if (err instanceof Superseded) return this.begun(); // the address is the later one's
      this.failed = capitalize(plain(ctx, err instanceof Error ? err.message : String(err)));
      if (before) history.replaceState(null, '', before);
      if (ctx.model.any) ctx.say(this.failed, true);
      else page.fail();
    }
    const p = fragment.read();
    const story = p.get('story');
    if (story) page.story(story).catch((err) => ctx.say(err.message, true));
    // Ask a server for its broadcast only when the address names it.
    if (!before && p.get('broadcast') && ctx.relay && page.token.value) page.broadcast();
    this.begun();
    ctx.repaint();
  }

  /** @param {string} [before] @private */
  async selectAsked(before) {
    const { ctx, link } = this;
    const p = fragment.read();
    if (before) fragment.speed(p);
    // A story selects for itself.
    const scene = fragment.selection(p);
    if (scene.do) {
      await link.call('checkStory', [scene.do]).catch((err) => {
        if (before) throw new Error(ctx.t('frag.doBad', { w: err.message }));
        ctx.say(ctx.t('frag.do', { w: err.message }), true);
        scene.do = '';
      });
    }
    this.hurry = this.wanted = 0;
    if (!p.get('story')) writeNamespace(await link.call('select', [scene]));
    this.followed = sceneOf();
    this.page.files.remember();
    const speed = fragment.speed(p);
    if (speed && speed !== 1 && !scene.at) await link.call('play', [speed]);
    if (scene.at) this.arrive(Number(scene.at)).catch((err) => ctx.say(err.message, true));
    else this.awaitMoment(Number(p.get('at')) || 0);
  }

  /** Goes to an event once the log has come so far. @param {number} seq */
  awaitMoment(seq) {
    this.wanted = seq;
    if (seq && this.ctx.model.view.head < seq) this.ctx.say(this.ctx.t('file.waiting', { n: exact(seq) }));
  }

  /** The log has gone on. */
  followLog() {
    if (this.wanted && this.ctx.model.view.head >= this.wanted) this.ctx.act('seek', this.wanted);
  }

  /** Goes to the moment to which the cluster's story is being played. @param {number} seq @private */
  async arrive(seq) {
    const { ctx, page: { files } } = this;
    this.hurry = seq;
    const there = await this.link.call('arrive', []);
    if (this.hurry !== seq) return; // something else was begun meanwhile
    this.hurry = 0;
    files.remember();
    const maker = fragment.read().get('go');
    if (!there) {
      ctx.say(ctx.t('file.unreached', { n: exact(seq) }), true);
      return ctx.act('live');
    }
    if (!files.exact) ctx.say(ctx.t('file.nearly', { n: exact(seq) }), true);
    else if (maker && maker !== files.go) ctx.say(ctx.t('file.otherGo', { n: exact(seq), a: maker.slice(0, 12), b: files.go }), true);
    return ctx.act('seek', seq);
  }

  /**
   * Performs a call and keeps the address beside it.
   * @param {keyof import('../wire/types.js').Calls} name
   * @param {any[]} args
   */
  async perform(name, args) {
    const { ctx, link } = this;
    if (ctx.follower) {
      ctx.repaint();
      return link.call(name, args);
    }
    const effect = effects[name];
    if (effect === 'moves') this.wanted = 0;
    if (effect === 'moves' || effect === 'begins') this.choiceCount++;
    const choice = this.choiceCount;
    const result = await (name === 'select' ? this.selects(args) : link.call(name, args));
    if (effect === 'acts' || effect === 'begins') this.page.files.remember(); // a link includes it
    if (name === 'select') this.writeSelection(args[0] ?? {}, result);
    else if (name === 'transform') this.writeSelection({ transform: args[0] }, result);
    else if (name === 'fork') await this.writeFork();
    else if (name === 'play') fragment.write({ speed: args[0] && args[0] !== 1 ? args[0] : null, ...this.momentKeys() });
    else if (name === 'live') fragment.write(this.momentKeys());
    else if (effect === 'moves') setTimeout(() => this.writeMoment(choice, result), settles);
    ctx.repaint();
    return result;
  }

  /** What leaves the address when time goes on: a fork stays in it. @private */
  momentKeys() {
    return this.ctx.model.fork ? { at: null } : noMoment;
  }

  /** Writes a fork that began, or takes out one that ended. @private */
  async writeFork() {
    this.page.restart();
    this.hurry = this.wanted = 0;
    const story = await this.page.files.story(Number.MAX_SAFE_INTEGER).catch(() => null);
    fragment.write(story?.fork ? { ...story, at: null, speed: null } : noMoment);
    this.followed = sceneOf();
  }

  /** Selects, and shows a message when that takes long: the cluster is first asked what it serves. @param {any[]} args @private */
  async selects(args) {
    const { ctx } = this;
    const name = args[0]?.context || args[0]?.resource || args[0]?.namespace || '';
    const timer = setTimeout(() => {
      this.asking = name ? ctx.t('cap.selecting', { name }) : '';
      ctx.repaint();
    }, patience);
    try {
      return await this.link.call('select', args);
    } finally {
      clearTimeout(timer);
      this.asking = '';
      ctx.repaint();
    }
  }

  /** @param {any} chosen what was asked for @param {any} selection what the worker selected @private */
  writeSelection(chosen, selection) {
    this.failed = '';
    this.page.restart();
    /** @type {Record<string, any>} */
    const write = { ...noMoment, lane: null };
    for (const k of ['source', 'context', 'namespace', 'era', 'seed', 'objects', 'rate']) if (k in chosen) write[k] = chosen[k];
    // An attached process has its own settings; nothing chosen before applies to it.
    if (selection?.source === 'probe') for (const k of ['context', 'era', 'seed', 'objects', 'rate', 'resource']) write[k] = null;
    const { group = '', version = '', resource } = chosen;
    write.transform = selection?.transform ?? null; // the transform of a recording stays in force after it
    write.selector = selection?.selector ?? null;
    if ('resource' in chosen && (resource || selection?.source !== 'probe')) write.resource = fragment.formatResource({ group, version, resource });
    this.hurry = this.wanted = 0;
    fragment.write(write);
    if (selection?.source === 'probe') fragment.drop('namespace');
    writeNamespace(selection);
    this.followed = sceneOf();
    this.page.selected('source' in chosen || 'context' in chosen);
  }

  /**
   * Writes the paused moment into the address, unless another was chosen since. What the worker answered is newer than its last frame.
   * @param {number} choice @param {any} answer of a call that moves the view; some have none @private
   */
  async writeMoment(choice, answer) {
    const { model } = this.ctx;
    const { mode, seq } = answer?.mode ? { mode: answer.mode, seq: answer.head - answer.behind } : model.view;
    if (choice !== this.choiceCount || mode !== 'paused') return;
    const sim = model.state.source.kind === 'sim';
    const story = sim ? await this.page.files.story(seq).catch(() => null) : null;
    if (choice !== this.choiceCount) return;
    // Where nothing leads to the moment again, the address does not name it.
    fragment.write(story ?? (sim ? noMoment : { at: seq }));
    this.followed = sceneOf();
  }

  /** Follows a changed address: starts its scene where it is another one. @param {string} before */
  followAddress(before) {
    const { model, follower } = this.ctx;
    if (follower) return; // what shows is the speaker's choice
    const at = Number(fragment.read().get('at')) || 0;
    const earlier = Number(new URLSearchParams(new URL(before).hash.slice(1)).get('at')) || 0;
    const ahead = at !== earlier && at > model.view.head && model.state.source.kind === 'sim';
    if (!this.followed || sceneOf() !== this.followed || ahead) this.begin(before);
    else if (at !== earlier) this.awaitMoment(at);
  }
}

/** What the address selects, but for the moment. */
function sceneOf() {
  try {
    return JSON.stringify({ ...fragment.selection(fragment.read()), at: 0 });
  } catch {
    return ''; // reported when the address is followed
  }
}

/**
 * Writes the namespace that is in force into the address, so that the address leads here again.
 * @param {any} selection what the worker selected
 */
function writeNamespace(selection) {
  if (selection?.source !== 'live' || typeof selection.namespace !== 'string') return;
  fragment.write({ namespace: selection.namespace });
  remember(selection.context ?? '', selection.namespace);
}
