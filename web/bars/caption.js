// @ts-check
// The caption: one sentence in the present tense about the newest change of state that matters. Which sentence is a fact, computed in Go,
// so a moment always has the same one. This file has its words, its room, and how long it stays at least.
import { bytes, exact, middle, version } from '../kit/format.js';
import { translate } from '../kit/i18n.js';
import { fit, width } from '../kit/measure.js';
import { line, plain, trouble } from '../kit/trouble.js';

const stays = 2500;
const still = matchMedia('(prefers-reduced-motion: reduce)');
/** The type of a sentence that has not the room for larger type. */
const normal = '18px';
/**
 * The types of a sentence, by name: in the first whose so many lines have the room for it, it is drawn. Large type may be drawn a little wider than it
 * was measured.
 * @type {[string, string, number][]}
 */
const types = [['large', '700 24px', 0.97], ['two', '700 24px', 1.85], ['long', '700 18px', 2.75]];

/** Sentences about a passing state, such as a wait or a hold: they go as soon as it ends. */
const passing = /^(head |act|person)/;

/** The sentences of a failure, whose reason may become another one. */
const failed = /^(trouble|head (gap|refused|stopped)|factory\.(trouble|backoff))/;

/** How long a number of the stage's or a story's sentence stays while time runs, in ms: one that changes faster cannot be read. */
const stands = 1000;

export class Caption {
  /**
   * @param {import('../wire/page-types.js').Ctx} ctx
   * @param {HTMLElement} line
   * @param {HTMLElement} live the polite live region
   */
  constructor(ctx, line, live) {
    this.ctx = ctx;
    this.line = line;
    this.live = live;
    this.words = '';
    /** What was chosen, before it was made to fit. */
    this.lastWords = '';
    this.id = '';
    this.since = -1e9;
    /** When the words were put last. */
    this.putAt = -1e9;
    this.timer = 0;
    this.spokenAt = -1e9;
    /** The failure that shows, without its numbers; empty for none. */
    this.failure = '';
    /** The log that was followed last. */
    this.epoch = -1;
    /** The sentence of the visible view in place of the stage's. @type {() => [string, string] | null} */
    this.extra = () => null;
    /** The width of the line, in pixels. Measuring it while the stage is painted would lay the page out twice. */
    this.room = -1;
    new ResizeObserver((e) => {
      const before = this.room;
      this.room = e[e.length - 1].contentRect.width;
      // Fit the sentence again when what stands beside it grows or shrinks: its type before the next frame, its words with the next paint.
      if (before < 0 || Math.abs(before - this.room) <= 1) return;
      this.setSize();
      this.lastWords = '';
    }).observe(line);
    /** CSS pixels per unit. */
    this.unit = 1;
    /** Whether the line has the whole description of a trouble. */
    this.complete = true;
    /** Whether news would have come when the line was written. */
    this.sure = true;
  }

  /** The sentence for now, and an id by which sentences are compared. @param {number} clock @returns {[string, string]} */
  choose(clock) {
    const extra = this.extra();
    // The worker's memory is no part of the moment shown. It is never given back, so where nothing else is said the caption warns from half of the limit on,
    // for five seconds of every fifteen.
    const { model } = this.ctx;
    const { memory } = model.view;
    if (memory && memory.total > memory.limit / 2 && (!extra || /^head (flow|idle|coming)/.test(extra[0])) && Math.floor(clock / 5000) % 3 === 0) {
      return ['memory', this.ctx.t('cap.memory', { a: bytes(memory.total), b: bytes(memory.limit) })];
    }
    if (extra) return extra;
    const tr = trouble(this.ctx);
    if (tr) return [`trouble ${tr.cause}`, tr.whole];
    return this.say(model.facts.sentence);
  }

  /** What the user did, or a person wrote, in words. @param {import('../wire/types.js').Sentence} said @returns {[string, string]} @private */
  say({ id, name = '', key = '', rv = '', op = '', why = '', n = 0, en = '', zh = '' }) {
    const { ctx } = this;
    if (!id) return ['', ''];
    if (en) return [`${id} ${en}`, translate({ en, zh })];
    const reason = fit(plain(ctx, why).replace(/[.。]$/, ''), 640, normal);
    return [id, ctx.t(`cap.${id}`, { name, key: middle(key, 24), rv: version(rv, 9), op, n: exact(n), why: reason })];
  }

  /** Notes another moment, or another log: the earlier sentence is not true there, so it does not stay. @param {boolean} jump */
  note(jump) {
    const { epoch } = this.ctx.model;
    if (epoch !== this.epoch) {
      this.epoch = epoch;
      this.repaint();
    }
    if (jump) this.since = this.putAt = -1e9;
  }

  /** @param {number} clock @param {string} [force] a sentence that replaces the state's own, while the page loads */
  paint(clock, force) {
    const [id, said] = force ? ['force', force] : this.choose(clock);
    // The stage's own sentence names the trouble, and not all that is known of it.
    if (!id.startsWith('trouble')) this.complete = !id.startsWith('head') || !trouble(this.ctx);
    // A sentence keeps its time, but its numbers are those of the stations: the same one with other numbers replaces it in place. While time runs that is
    // once a second, so that a number can be read.
    const same = id === this.id && !force;
    if (same && /^(head|story) /.test(id) && this.ctx.model.speed && clock - this.putAt < stands) return;
    // The sentence changes at once when trouble begins or ends, and when somebody writes.
    const sure = this.ctx.model.isSure();
    const over = id !== this.id && (passing.test(this.id) || /^(act|person)/.test(id));
    const turned = over || sure !== this.sure || (id !== this.id && (id.startsWith('trouble') || this.id.startsWith('trouble')));
    if (said === this.lastWords || (clock - this.since < stays && !turned && !same && !force)) return;
    this.lastWords = said;
    this.sure = sure;
    const tr = id.startsWith('trouble') ? trouble(this.ctx) : null;
    // A story's sentence is never cut.
    const words = tr ? line(tr, (w) => this.hasRoom(w)) : id.startsWith('story ') ? said : this.dropClauses(said);
    if (tr) this.complete = words === tr.whole && !tr.detail && this.hasRoom(words);
    if (words === this.words) {
      this.setSize();
      return;
    }
    if (!same) this.since = clock;
    this.putAt = clock;
    // One that counts is put at once: a count that goes faster than the words fade would never be seen.
    const another = id !== this.id;
    const counts = force !== undefined && !another;
    this.id = id;
    const soft = !same && !counts && !still.matches && this.words !== '';
    const first = !this.words;
    this.words = words;
    const put = () => {
      this.line.textContent = words;
      this.setSize();
      this.line.title = tr ? said : words;
      this.line.classList.remove('out');
    };
    // What was to be put before this must not come after it.
    clearTimeout(this.timer);
    if (soft) {
      this.line.classList.add('out');
      this.timer = window.setTimeout(put, 120);
    } else put();
    // A screen reader hears a new kind of thing at once, and the same kind with other numbers seldom. Another error is a new thing.
    const failure = failed.test(id) ? words.replace(/[\d.,]+/g, '') : '';
    const fails = failure !== this.failure;
    this.failure = failure;
    if (first || another || fails || clock - this.spokenAt > 15000) {
      this.live.textContent = tr ? said : words;
      this.spokenAt = clock;
    }
  }

  /** Takes the size of the stage. @param {number} unit CSS pixels per unit of it */
  wear(unit) {
    if (unit === this.unit) return;
    this.unit = unit;
    this.repaint();
  }

  /** Sets the type: as large as the words have the room for, and small, in several lines, for a story's sentence that has it in none. @private */
  setSize() {
    const words = this.line.textContent ?? '';
    const type = types.find(([, font, share]) => this.hasRoom(words, font, share));
    this.line.dataset.size = type?.[0] ?? (this.id.startsWith('story ') ? 'least' : '');
  }

  /** The caption for another view, which has other room. @param {(words: string) => boolean} fits */
  wordsWithin(fits) {
    const tr = this.id.startsWith('trouble') ? trouble(this.ctx) : null;
    return tr ? line(tr, fits) : this.words;
  }

  /** @param {string} words @param {string} [size] @param {number} [share] of the room: large type may be drawn a little wider than it was measured @private */
  hasRoom(words, size = normal, share = 1) {
    const room = (this.room < 0 ? this.line.clientWidth : this.room) / this.unit;
    return width(words, size) <= room * share;
  }

  /** A sentence that has not the room gives up its last clause, as often as it must. @param {string} words @private */
  dropClauses(words) {
    if (this.hasRoom(words, types[1][1], types[1][2])) return words;
    const room = (this.room < 0 ? this.line.clientWidth : this.room) / this.unit;
    while (room > 200 && width(words, normal) > room) {
      const cut = words.search(/[;；][^;；]*$/);
      if (cut <= 40) break;
      words = words.slice(0, cut) + (/[\u3000-\u9fff]/.test(words) ? '。' : '.');
    }
    return words;
  }

  /** Shows the sentence again at once, as after a change of language. */
  repaint() {
    this.since = this.putAt = -1e9;
    this.words = this.lastWords = '';
    clearTimeout(this.timer);
  }
}
