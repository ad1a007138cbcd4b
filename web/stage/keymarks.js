// @ts-check
// The key to the marks: one line at the foot of the page with those that are in the picture, or all of them; gone once it is closed.
import { attr, button, h, icon, put, reveal, s } from '../kit/dom.js';

/**
 * What each mark looks like, in a box of 20 by 14, in the order of the line.
 * @type {[name: string, path: string, look: string][]}
 */
export const marks = [
  ['pass', 'M1 3v9M6 3v9M11 3v9M16 3v9', 'tick'], ['wait', 'M1 8h18', 'bar'], ['waited', 'M1 8h18', 'waited'],
  ['add', 'M6 7h9', 'add'], ['upd', 'M6 7h9', 'upd'], ['del', 'M6 7h9', 'del'], ['key', 'M6 7h9', 'key'],
  ['held', 'M1 8h18', 'held'], ['gap', 'M2 12l8 -9M8 12l8 -9M14 12l5 -6', 'gap'], ['silent', 'M1 7h18', 'silent'], ['retry', 'M1 7h18', 'retry'],
  ['failed', 'M6 3l8 8M14 3l-8 8', 'failed'], ['call', 'M1 7h18', 'call'], ['list', 'M10 2v10', 'list'], ['resync', 'M10 1v12', 'resync'],
  ['tombstone', 'M6 13v-8l2 -3h4l2 3v8z', 'tombstone'],
  ['unseen', 'M10 2v10', 'unseen'], ['notch', 'M1 8h6M11 8h8', 'notch'], ['row', 'M6 1l4 4l4 -4M10 1v12', 'row'], ['act', 'M5 4l5 6l5 -6', 'act'],
  ['read', 'M6 4h8l-4 7z', 'read'], ['readOld', 'M6 4h8l-4 7z', 'read-old'],
  ['unjittered', 'M6 13v-11h8v11', 'row'], ['fork', 'M10 0v14', 'fork'], ['followed', 'M1 7h18M7.5 7a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0', 'followed'],
];

/**
 * The marks of the kinds of spans that have another name; empty for what is words alone.
 * @type {Partial<Record<import('../wire/past.js').Span['kind'], string>>}
 */
const others = { hold: 'held', backoff: 'retry', added: 'row', removed: 'row', burst: '', pile: '', letter: '' };

/** The mark of a kind of span, empty for words alone. @param {import('../wire/past.js').Span['kind']} kind */
export const markOf = (kind) => others[kind] ?? kind;

/** What is in the line even while nothing of it is in the picture. */
const usual = ['pass', 'wait', 'add', 'upd', 'del', 'key'];

/**
 * The marks in the picture.
 * @param {Pick<import('../wire/model.js').Model, 'past' | 'fork'> & {state?: import('../wire/model.js').Model['state']}} model
 * @param {{has: (id: string) => boolean}} drawn the rows that are drawn
 */
export function marksIn({ past: { rows, journey }, fork, state }, drawn) {
  const seen = new Set(usual);
  for (const row of rows) {
    if (!drawn.has(row.id)) continue;
    for (const { kind, behind } of row.spans) seen.add(kind === 'read' && behind ? 'readOld' : markOf(kind));
    if (row.keyed && [...row.columns.values()].some((column) => column[4]?.length)) seen.add('notch');
  }
  if (rows.some((row) => drawn.has(row.id) && row.spans.some((span) => span.kind === 'pile' && span.toMillis !== null))) seen.add('waited');
  if (journey) seen.add('followed');
  if (fork) seen.add('fork');
  if (state?.api.crowd?.lists.requests.length) seen.add('list').add('unjittered');
  return seen;
}

const stored = 'informerscope.keymarks';

/** Whether this browser keeps that it is closed. */
function isShut() {
  try {
    return localStorage.getItem(stored) === 'shut';
  } catch {
    return false; // a browser that keeps nothing
  }
}

export class KeyMarks {
  /** @param {HTMLElement} parent @param {(key: string) => string} t @param {() => void} repaint */
  constructor(parent, t, repaint) {
    this.t = t;
    this.words = marks.map(([name, d, cls]) => {
      const words = h('span');
      return { name, words, el: h('span', {}, s('svg', { viewBox: '0 0 20 14', 'aria-hidden': 'true' }, s('path', { d, class: `km-${cls}` })), words) };
    });
    this.more = button({ class: 'kmx' }, () => {
      this.isWhole = !this.isWhole;
      repaint();
    }, icon('M2.5 8h2M7 8h2M11.5 8h2'));
    this.close = button({ class: 'kmx' }, () => this.show(false), icon('M3.5 3.5l9 9M12.5 3.5l-9 9'));
    this.root = h('div', { class: 'keymarks' }, h('div', {}, ...this.words.map(({ el }) => el)), this.more, this.close);
    parent.append(this.root);
    this.root.hidden = isShut();
  }

  /** Whether it has all marks, and not only those in the picture. */
  isWhole = false;

  /** Shows it, or shuts it. @param {boolean} on */
  show(on) {
    this.root.hidden = !on;
    try {
      localStorage.setItem(stored, on ? 'open' : 'shut');
    } catch {
      // A browser that keeps nothing shows it again.
    }
  }

  /** @param {Parameters<typeof marksIn>} picture */
  paint(...picture) {
    if (this.root.hidden) return;
    this.root.classList.toggle('whole', this.isWhole);
    const seen = marksIn(...picture);
    for (const { name, words, el } of this.words) {
      put(words, this.t(`keymarks.${name}`));
      reveal(el, this.isWhole || seen.has(name));
    }
    attr(this.more, 'aria-expanded', String(this.isWhole));
    for (const [el, name] of /** @type {const} */ ([[this.more, this.isWhole ? 'less' : 'more'], [this.close, 'close']])) {
      const words = this.t(`keymarks.${name}`);
      attr(el, 'title', words);
      attr(el, 'aria-label', words);
    }
  }
}
