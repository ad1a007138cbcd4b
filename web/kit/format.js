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

/** A number that changes while it is read: from 100 on with two digits, and ≈ if that is another one. @param {number} n */
export function about(n) {
  const step = 10 ** Math.max(0, String(Math.round(Math.abs(n))).length - 2);
  const near = Math.round(n / step) * step;
  return near === Math.round(n) ? exact(n) : `≈ ${exact(near)}`;
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

/** @param {string} digits */
function group(digits) {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
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

/** A time of one change to the microsecond, as its steps differ by little. @param {number} ms */
export function precise(ms) {
  if (ms < 0.9995) return `${Math.max(0, Math.round(ms * 1000))} µs`;
  return ms < 999.9995 ? `${Number(ms.toFixed(3))} ms` : `${Number((ms / 1000).toFixed(3))} s`;
}

/** What is left of a wait. It is done at zero and not before, so tenths are rounded up. @param {number} ms */
export function remainder(ms) {
  return seconds(Math.ceil(ms / 100) * 100);
}

/** When a key is due: tenths of a second, which run. @param {number} ms */
export function wait(ms) {
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

/**
 * An error for a user: without the request that it came from, which is elsewhere on the stage.
 * @param {string} error
 */
export function reason(error) {
  // The API's client wraps what went wrong on the wire twice.
  const inner = /^an error on the server \("(.+)"\) has prevented the request from succeeding$/.exec(error)?.[1] ?? error;
  return inner.replace(/^unable to decode an event from the watch stream: |^failed to (list|watch) [^:]+: |^Operation cannot be fulfilled on \S+ "[^"]*": /, '')
    .replace(/(stream error: )stream ID \d+; /, '$1').replace(/^(Get|Post|Put|Patch|Delete|Head) "[^"]*": /, '')
    .replace(/^(dial tcp[^:]*(:\d+)?|websocket[^:]*): (connect: )?/, (whole, what) => (what.startsWith('dial') ? '' : whole)).trim() || error;
}

/** A sentence with what an error says first, in place of its end. @param {string} sentence @param {string} error */
export function addReason(sentence, error) {
  const [, words, end] = /^(.*?)([.。]?)$/su.exec(sentence) ?? [];
  return `${words}${end === '。' ? '：' : ': '}${reason(error).replace(/;.*$|[.。]$/su, '')}${end}`;
}

/** A sentence begins with a capital. @param {string} words */
export function capitalize(words) {
  return words && words[0].toUpperCase() + words.slice(1);
}
