// @ts-check
// Numbers, times and names as the stage writes them. Nothing here changes a value, only its length.

/** Exact to 99,999, then in thousands, then in millions. @param {number} n */
export function count(n) {
  const a = Math.abs(n);
  if (a < 1e5) return exact(n);
  if (a < 1e7) return exact(Math.round(n / 1e3)) + 'k';
  if (a < 1e9) return (n / 1e6).toFixed(a < 1e8 ? 1 : 0) + 'M';
  return (n / 1e9).toFixed(1) + 'G';
}

/** A number with every digit. Frames write mostly numbers, and Intl takes some microseconds for each. @param {number} n */
export function exact(n) {
  let out = String(Math.round(n));
  for (let i = out.length - 3; i > (n < 0 ? 1 : 0); i -= 3) out = out.slice(0, i) + ',' + out.slice(i);
  return out;
}

/** A number, or a dash where it is unknown, which is below zero. @param {number} n */
export function known(n) {
  return n < 0 ? '—' : count(n);
}

/** How often in a second; what happens less than once still happens. @param {number} n */
export function rate(n) {
  if (n >= 10) return exact(n);
  return n.toFixed(n > 0 && n < 1 ? 1 : 0);
}

/** A ring has room for five characters. @param {number} n */
export function ring(n) {
  if (n < 1e4) return exact(n);
  if (n < 1e6) return (n / 1e3).toFixed(n < 1e5 ? 1 : 0) + 'k';
  return (n / 1e6).toFixed(1) + 'M';
}

/** A small ring has room for four characters. @param {number} n */
export function ringShort(n) {
  if (n < 1e3) return exact(n);
  if (n < 9950) return (n / 1e3).toFixed(1) + 'k';
  return n < 999500 ? Math.round(n / 1e3) + 'k' : (n / 1e6).toFixed(1) + 'M';
}

/** The number in the smallest ring, which has room for three characters: from a thousand on it counts full thousands. @param {number} n */
export function ringLeast(n) {
  if (n < 1e3) return exact(n);
  return n < 1e6 ? Math.floor(n / 1e3) + 'k+' : Math.floor(n / 1e6) + 'M+';
}

/**
 * A resourceVersion in at most `room` digits: the tail is what moves, so the tail stays.
 * @param {string} rv
 * @param {number} [room]
 */
export function version(rv, room = 9) {
  if (!rv) return '—';
  if (!/^\d+$/.test(rv)) return middle(rv, room + 2);
  if (rv.length > room) return '…' + group(rv.slice(1 - room));
  return group(rv);
}

/** The one number of a station: "48,215", "1,204k", "…678,901". @param {string} rv */
export function bigVersion(rv) {
  if (!rv) return '—';
  if (!/^\d+$/.test(rv)) return middle(rv, 7);
  if (rv.length <= 5) return group(rv);
  if (rv.length <= 7) return group(String(Math.floor(Number(rv) / 1000))) + 'k';
  return '…' + rv.slice(-5);
}

/** @param {string} digits */
function group(digits) {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/**
 * How far b is ahead of a, or null when the two cannot be compared as numbers.
 * @param {string} a
 * @param {string} b
 * @returns {number | null}
 */
export function ahead(a, b) {
  if (!/^\d+$/.test(a) || !/^\d+$/.test(b)) return null;
  if (a.length < 16 && b.length < 16) return Number(b) - Number(a);
  return Number(BigInt(b) - BigInt(a));
}

/** @param {number} n */
export function bytes(n) {
  if (n < 1000) return `${n} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let i = -1;
  do {
    n /= 1000;
    i++;
  } while (n >= 999.5 && i < units.length - 1);
  return `${n < 9.95 ? n.toFixed(1) : n < 99.95 && i > 0 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
}

/** A duration in a few characters: "0.2 ms", "120 ms", "3.2 s", "2 min 22 s". @param {number} ms */
export function span(ms) {
  if (!(ms >= 0)) ms = 0;
  if (ms === 0) return '0 µs';
  if (ms < 0.0995) return `${Math.max(1, Math.round(ms * 1000))} µs`;
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 119500) return `${Math.round(ms / 1000)} s`;
  if (ms < 3600e3) return `${Math.floor(ms / 60000)} min ${Math.floor((ms % 60000) / 1000)} s`;
  return `${Math.floor(ms / 3600e3)} h ${Math.floor((ms % 3600e3) / 60000)} min`;
}

/** Seconds for a countdown: always one decimal below a minute, so that it does not jump about. @param {number} ms */
export function seconds(ms) {
  if (!(ms >= 0)) ms = 0;
  return ms < 99950 ? `${(ms / 1000).toFixed(1)} s` : span(ms);
}

/** What is left of a wait. It is done at zero and not before, so tenths are rounded up. @param {number} ms */
export function left(ms) {
  return seconds(Math.ceil(ms / 100) * 100);
}

/** When a key is due: tenths of a second, which run. @param {number} ms */
export function due(ms) {
  return ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : span(ms);
}

/** The clock of the log: "1:02.418". @param {number} ms */
export function clock(ms) {
  ms = Math.max(0, Math.floor(ms));
  const m = Math.floor(ms / 60000);
  const rest = ((ms % 60000) / 1000).toFixed(3).padStart(6, '0');
  return m < 60 ? `${m}:${rest}` : `${Math.floor(m / 60)}:${String(m % 60).padStart(2, '0')}:${rest}`;
}

/** A moment on the axis: "0:29". @param {number} ms */
export function moment(ms) {
  const sec = Math.max(0, Math.floor(ms / 1000));
  const m = Math.floor(sec / 60);
  const tail = String(sec % 60).padStart(2, '0');
  return m < 60 ? `${m}:${tail}` : `${Math.floor(m / 60)}:${String(m % 60).padStart(2, '0')}:${tail}`;
}

/**
 * Shortens in the middle; the last five characters of a generated name tell it from its siblings, so they stay.
 * @param {string} name
 * @param {number} room in characters
 */
export function middle(name, room) {
  if (name.length <= room) return name;
  const tail = Math.min(5, Math.floor((room - 1) / 2));
  return name.slice(0, room - 1 - tail) + '…' + name.slice(name.length - tail);
}

/** @param {number} speed */
export function speed(speed) {
  return speed >= 1 ? `${speed}×` : `1/${Math.round(1 / speed)}×`;
}

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

/**
 * The own part of the name of a function or a type that a probe reports: what follows the package. Of "pkg.(*Controller)" it is "Controller".
 * @param {string} name
 */
export const ownName = (name) => name.slice(name.lastIndexOf('.') + 1).replace(/^\(\*(.*)\)$/, '$1');

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
 * Breaks a sentence into at most `lines` lines, where its clauses end. A line that would end inside a clause moves that clause to the
 * next line, if it fits there.
 * @param {string} value
 * @param {number} room
 * @param {number} lines
 * @param {string} font
 * @returns {string[]}
 */
export function wrapClauses(value, room, lines, font) {
  value = cut(value, room * lines);
  const plain = wrap(value, room, lines, font);
  const clauses = value.trim().match(/.+?(?:[.:;,](?=\s)|[。：；，]|$)\s*/g) ?? [];
  /** @type {string[]} */
  const out = [];
  for (const clause of clauses) {
    const longer = (out[out.length - 1] ?? '') + clause;
    if (out.length && width(longer.trimEnd(), font) <= room) out[out.length - 1] = longer;
    else out.push(clause);
  }
  const whole = out.length <= lines && out.every((l) => width(l.trimEnd(), font) <= room);
  return whole ? out.map((l) => l.trimEnd()) : plain;
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
  // A line may end behind a space, a slash, a mark or a CJK character.
  const parts = value.trim().match(/[\u3000-\u9fff\uff00-\uffef]|[^\s/\u3000-\u9fff\uff00-\uffef]*\/?\s*/g)?.filter(Boolean) ?? [];
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
    if (!line || width((line + parts[i]).trimEnd(), font) <= room || /^[，。：；、）]/.test(parts[i])) {
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

/**
 * An error for a user: without the request that it came from, which is elsewhere on the stage.
 * @param {string} error
 */
export function reason(error) {
  // The API's client wraps what went wrong on the wire twice.
  const inner = /^an error on the server \("(.+)"\) has prevented the request from succeeding$/.exec(error)?.[1] ?? error;
  return inner.replace(/^unable to decode an event from the watch stream: |^failed to (list|watch) [^:]+: /, '')
    .replace(/(stream error: )stream ID \d+; /, '$1').replace(/^(Get|Post|Put|Patch|Delete|Head) "[^"]*": /, '')
    .replace(/^(dial tcp[^:]*(:\d+)?|websocket[^:]*): (connect: )?/, (whole, what) => (what.startsWith('dial') ? '' : whole)).trim() || error;
}

/** A sentence begins with a capital. @param {string} words */
export function upper(words) {
  return words && words[0].toUpperCase() + words.slice(1);
}
