// @ts-check
// The width of texts, and how they are made to fit.

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;
/** The page's font, asked once: asking makes the browser bring all styles up to date. */
let family = '';

/** @param {string} font @param {string} value */
function measure(font, value) {
  ruler ??= document.createElement('canvas').getContext('2d');
  family ||= getComputedStyle(document.body).fontFamily;
  if (!ruler) return value.length * 6.5;
  ruler.font = `${font} ${family}`;
  return ruler.measureText(value).width;
}

/** Text whose characters have the same width alone and side by side, up to kerning: no combining marks, no joining script. */
const plain = /^[ -~\u00b7\u00d7\u2013-\u2026\u2190-\u2193\u2212\u3000-\u3029\u4e00-\u9fff\uff00-\uffef]*$/;

/** How wide each character is, by font and character. @type {Map<string, Map<string, number>>} */
const advances = new Map();
// A font that arrives after it was first asked for was measured as another.
document.fonts.addEventListener('loadingdone', () => advances.clear());

/**
 * The width of a text in units, to within its kerning. Each character is measured once and the widths are added: a canvas keeps about fifty
 * times the size of every text that it ever measured, and there are thousands of names.
 * @param {string} value
 * @param {string} [font]
 */
export function width(value, font = '12px') {
  if (!plain.test(value)) return measure(font, value);
  let known = advances.get(font);
  if (!known) advances.set(font, (known = new Map()));
  let wide = 0;
  for (const c of value) {
    let w = known.get(c);
    if (w === undefined) known.set(c, (w = measure(font, c)));
    wide += w;
  }
  return wide;
}

/** @type {Map<string, string>} */
const fitted = new Map();

/** The head of a text beyond which nothing can fit into `room` units: an error can have 64 KiB, and to measure all of it takes seconds. */
const cut = (/** @type {string} */ value, /** @type {number} */ room) => (value.length > room ? value.slice(0, Math.ceil(room) + 1) : value);

/**
 * The text, or as much of its head as fits into `room` units, with an ellipsis.
 * @param {string} value
 * @param {number} room
 * @param {string} [font]
 */
export function fit(value, room, font = '12px') {
  value = cut(value, room);
  const id = `${room}|${font}|${value}`;
  const hit = fitted.get(id);
  if (hit !== undefined) return hit;
  let out = value;
  if (width(value, font) > room) {
    let lo = 0;
    let hi = value.length;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (width(value.slice(0, mid).trimEnd() + '…', font) <= room) lo = mid;
      else hi = mid - 1;
    }
    out = value.slice(0, lo).trimEnd() + '…';
  }
  if (fitted.size > 2000) fitted.clear();
  fitted.set(id, out);
  return out;
}

/**
 * Breaks a sentence into at most `lines` lines of `room` units; the last one is cut with an ellipsis when it must be.
 * @param {string} value
 * @param {number} room
 * @param {number} lines
 * @param {string} [font]
 * @returns {string[]}
 */
export function wrap(value, room, lines, font = '12px') {
  value = cut(value, room * lines);
  /** @type {string[]} */
  const out = [];
  // A line may end behind a space, a slash or a CJK character, and behind a mark that closes; no line begins with such a mark.
  /** @type {string[]} */
  const parts = [];
  for (const part of value.trim().match(/[\u3000-\u9fff\uff00-\uffef]|[^\s/\u3000-\u9fff\uff00-\uffef]*\/?\s*/g)?.filter(Boolean) ?? []) {
    if (/^[，。：；、）”]/.test(part) && parts.length) parts[parts.length - 1] += part;
    else parts.push(part);
  }
  // A word that is wider than a line breaks, where it has a joint near its end.
  for (let i = 0; i < parts.length; i++) {
    if (width(parts[i].trimEnd(), font) <= room) continue;
    let n = Math.min(parts[i].length - 1, Math.ceil(room));
    while (n > 1 && width(parts[i].slice(0, n), font) > room) n--;
    let at = n;
    while (at > n / 2 && !/[._:;,=&?-]./.test(parts[i].slice(at - 1, at + 1)) && !/[a-z][A-Z]/.test(parts[i].slice(at - 1, at + 1))) at--;
    if (at > n / 2) n = at;
    parts.splice(i, 1, parts[i].slice(0, n), parts[i].slice(n));
  }
  let line = '';
  for (let i = 0; i < parts.length; i++) {
    if (!line || width((line + parts[i]).trimEnd(), font) <= room) {
      line += parts[i];
      continue;
    }
    if (out.length === lines - 1) {
      out.push(fit(line + parts.slice(i).join(''), room, font));
      return out;
    }
    out.push(fit(line.trimEnd(), room, font));
    line = parts[i];
  }
  if (line.trim()) out.push(fit(line.trimEnd(), room, font));
  return out;
}
