// @ts-check
// The marks of a log on the timeline: which events have one, its line and its words.

/** @typedef {import('./types.js').Mark} Mark */

/**
 * The line and the words of a mark; null when it is not drawn.
 * @param {Mark} m
 * @param {(key: string) => string} t
 */
export function look(m, t) {
  if (m.lane && m.kind !== 'write') return null;
  const known = (/** @type {string} */ k, /** @type {string} */ other) => (t('mark.' + k) === 'mark.' + k ? other : t('mark.' + k));
  const text = m.text ?? '';
  const bad = (/** @type {string} */ say) => ({ line: 'mk-l x', say });
  const plain = (/** @type {string} */ say) => ({ line: 'mk-l', say });
  switch (m.kind) {
    case 'fault': return m.on ? { line: 'mk-l f', say: known(text, text) } : null;
    case 'error': {
      const broke = /EOF|reset|closed|broken/i.test(text) ? known('broke', 'cut') : known('error', 'error');
      return bad(m.code ? String(m.code) : /refused/i.test(text) ? known('refused', 'refused') : broke);
    }
    case 'panic': return bad('panic');
    case 'trouble': return m.on ? bad(known('trouble', 'trouble')) : null;
    case 'hold': return m.on ? plain(known('hold', 'hold')) : null;
    case 'relist': case 'resync': case 'list': return plain(m.kind);
    case 'sync': return plain('');
    case 'note': return plain(text);
    case 'write': return m.code ? bad(`${m.author ?? ''} ${m.code}`) : plain(m.author ?? '');
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
