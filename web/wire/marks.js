// @ts-check
// The marks of a log on the timeline: which events have one, its look and its words.

/** @typedef {import('./types.js').Mark} Mark */

/**
 * The look and the words of a mark; null when it is not drawn.
 * @param {Mark} m
 * @param {(key: string) => string} t
 */
export function look(m, t) {
  if (m.lane && m.kind !== 'write') return null;
  const x = { icon: 'i-x', cls: 'ic ce', line: 'mk-l x', words: 'l cet', size: 10 };
  const plain = { icon: '', cls: '', line: 'mk-l', words: 'l t1', size: 0 };
  const known = (/** @type {string} */ k, /** @type {string} */ other) => (t('mark.' + k) === 'mark.' + k ? other : t('mark.' + k));
  const text = m.text ?? '';
  switch (m.kind) {
    case 'fault':
      if (!m.on) return null;
      return { icon: 'i-bolt', cls: 'ic cw', line: 'mk-l f', words: 'l cwt', size: 12, say: known(text, text), id: 'fault ' + text };
    case 'error': {
      const broke = /EOF|reset|closed|broken/i.test(text) ? known('broke', 'cut') : known('error', 'error');
      const say = m.code ? String(m.code) : /refused/i.test(text) ? known('refused', 'refused') : broke;
      return { ...x, say, id: 'error ' + say };
    }
    case 'panic':
      return { ...x, say: 'panic', id: 'panic' };
    case 'trouble':
      return m.on ? { ...x, say: known('trouble', 'trouble'), id: 'trouble' } : null;
    case 'relist':
      return { icon: 'g-rep', cls: 'gl k-rep', line: 'mk-l', words: 'l t1', size: 13, say: 'relist', id: 'relist' };
    case 'resync':
      return { icon: 'g-syn', cls: 'gl k-syn', line: 'mk-l', words: 'l t1', size: 13, say: 'resync', id: 'resync' };
    case 'hold':
      return m.on ? { icon: 'i-hold', cls: 'ic c1', line: 'mk-l', words: 'l t1', size: 12, say: known('hold', 'hold'), id: 'hold' } : null;
    case 'list':
      return { ...plain, say: 'list', id: 'list' };
    case 'sync':
      return { ...plain, say: '', id: 'sync' };
    case 'note':
      return { ...plain, say: text, id: 'note ' + text };
    case 'write': {
      const author = m.author ?? '';
      if (m.code) return { ...x, say: `${author} ${m.code}`, id: `write ${author} ${m.code}` };
      return { icon: 'i-person', cls: 'ic c1', line: 'mk-l', words: 'l t1', size: 12, say: author, id: `write ${author}` };
    }
  }
  return null;
}

/** Whether a mark is worth going to, as core/page/view decides. @param {Mark} m */
function isHalt(m) {
  if (m.kind === 'backoff' || m.kind === 'selected') return false;
  return (m.kind !== 'hold' && m.kind !== 'trouble') || !!m.on;
}

/**
 * Whether there is a mark to go to, after a moment or, with a negative direction, before it.
 * @param {Mark[]} marks @param {number} seq @param {number} direction
 */
export function hasHalt(marks, seq, direction) {
  return marks.some((m) => (direction > 0 ? m.seq > seq : m.seq < seq) && isHalt(m));
}

/** Kinds that are worth one of the few dots of presenter mode; the others pass too often, or are said by the caption. */
const notable = ['list', 'fault', 'error', 'relist', 'resync', 'hold', 'panic', 'write'];

/**
 * The newest marks that are worth a dot each, at most n of them.
 * @param {Mark[]} marks
 * @param {number} n
 */
export function newest(marks, n) {
  return marks.filter((m) => (!m.lane || m.kind === 'write') && notable.includes(m.kind) && (m.on ?? true)).slice(-n);
}
