// @ts-check
// A QR code of a text, as ISO/IEC 18004 has it: bytes in UTF-8, error correction of level M, versions 1 to 20. It is computed here,
// so no other service is asked for the picture of an audience link.

/** For each version from 1 on, of level M: the error correction codewords of a block, and how many blocks there are. */
const perBlock = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const blocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];
const largest = perBlock.length;

/** How many codewords of data and error correction a version has. @param {number} v */
function codewords(v) {
  const side = 4 * v + 17;
  const aligned = v > 1 ? Math.floor(v / 7) + 2 : 0;
  // Finders with their margins, timing patterns, format and version information, alignment patterns where they do not lie on the timing.
  const fixed = 3 * 64 + 2 * (side - 16) + 31 + (v > 6 ? 36 : 0) + (aligned ? (aligned * aligned - 3) * 25 - (aligned - 2) * 2 * 5 : 0);
  return Math.floor((side * side - fixed) / 8);
}

/** Powers and logarithms in GF(256) with the polynomial x^8+x^4+x^3+x^2+1. */
const power = new Uint8Array(512);
const logarithm = new Uint8Array(256);
for (let i = 0, x = 1; i < 255; i++) {
  power[i] = power[i + 255] = x;
  logarithm[x] = i;
  x <<= 1;
  if (x > 255) x ^= 0x11d;
}

/** @param {number} a @param {number} b */
const times = (a, b) => (a && b ? power[logarithm[a] + logarithm[b]] : 0);

/** The Reed-Solomon codewords of a block. @param {Uint8Array} data @param {number} n */
function correction(data, n) {
  let generator = new Uint8Array([1]);
  for (let i = 0; i < n; i++) {
    const next = new Uint8Array(generator.length + 1);
    generator.forEach((g, j) => {
      next[j] ^= g;
      next[j + 1] ^= times(g, power[i]);
    });
    generator = next;
  }
  const rest = new Uint8Array(data.length + n);
  rest.set(data);
  for (let i = 0; i < data.length; i++) {
    const lead = rest[i];
    generator.forEach((g, j) => (rest[i + j] ^= times(g, lead)));
  }
  return rest.subarray(data.length);
}

/** The remainder of a BCH code. @param {number} value @param {number} bits of the remainder @param {number} polynomial */
function remainder(value, bits, polynomial) {
  let r = value << bits;
  for (let i = 31 - Math.clz32(r); r && i >= bits; i = 31 - Math.clz32(r)) r ^= polynomial << (i - bits);
  return r;
}

/** The text as data codewords of the smallest version that holds it. @param {string} words */
function encode(words) {
  const bytes = new TextEncoder().encode(words);
  for (let v = 1; v <= largest; v++) {
    const room = codewords(v) - perBlock[v - 1] * blocks[v - 1];
    const counted = v < 10 ? 8 : 16; // bits of the length
    if (12 + counted - 8 + 8 * bytes.length > 8 * room) continue;
    const data = new Uint8Array(room);
    let at = 0;
    const put = (/** @type {number} */ value, /** @type {number} */ n) => {
      for (let i = n - 1; i >= 0; i--, at++) if ((value >> i) & 1) data[at >> 3] |= 0x80 >> (at & 7);
    };
    put(0b0100, 4);
    put(bytes.length, counted);
    for (const b of bytes) put(b, 8);
    at = (Math.min(at + 4, 8 * room) + 7) & ~7;
    for (let pad = 0xec; at < 8 * room; pad ^= 0xec ^ 0x11) put(pad, 8);
    return { v, data };
  }
  throw new Error(`a QR code of this page holds no more than ${codewords(largest) - perBlock[largest - 1] * blocks[largest - 1] - 3} bytes`);
}

/** Data and error correction in the order in which they are drawn. @param {number} v @param {Uint8Array} data */
function interleave(v, data) {
  const n = blocks[v - 1];
  const short = Math.floor(data.length / n);
  const long = data.length % n; // how many blocks, the last ones, have one more
  /** @type {Uint8Array[]} */
  const parts = [];
  for (let i = 0, from = 0; i < n; i++) {
    const size = short + (i >= n - long ? 1 : 0);
    parts.push(data.subarray(from, (from += size)));
  }
  const checks = parts.map((p) => correction(p, perBlock[v - 1]));
  /** @type {number[]} */
  const out = [];
  for (let i = 0; i <= short; i++) for (const p of parts) if (i < p.length) out.push(p[i]);
  for (let i = 0; i < perBlock[v - 1]; i++) for (const c of checks) out.push(c[i]);
  return out;
}

/** Where the centres of alignment patterns are, on each axis. @param {number} v */
function centres(v) {
  if (v === 1) return [];
  const n = Math.floor(v / 7) + 2;
  const step = 2 * Math.ceil((4 * v + 4) / (2 * (n - 1)));
  return [6, ...Array.from({ length: n - 1 }, (_, i) => 4 * v + 10 - (n - 2 - i) * step)];
}

const masks = [
  (/** @type {number} */ x, /** @type {number} */ y) => (x + y) % 2,
  (/** @type {number} */ _, /** @type {number} */ y) => y % 2,
  (/** @type {number} */ x) => x % 3,
  (/** @type {number} */ x, /** @type {number} */ y) => (x + y) % 3,
  (/** @type {number} */ x, /** @type {number} */ y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (/** @type {number} */ x, /** @type {number} */ y) => ((x * y) % 2) + ((x * y) % 3),
  (/** @type {number} */ x, /** @type {number} */ y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (/** @type {number} */ x, /** @type {number} */ y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/**
 * The code of a text: rows of modules, true where it is dark, without the margin of four that it needs around it.
 * @param {string} words
 * @returns {boolean[][]}
 */
export function qr(words) {
  const { v, data } = encode(words);
  const side = 4 * v + 17;
  const dark = Array.from({ length: side }, () => new Array(side).fill(false));
  const fixed = Array.from({ length: side }, () => new Array(side).fill(false));
  const set = (/** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ on) => {
    if (x < 0 || y < 0 || x >= side || y >= side) return;
    dark[y][x] = on;
    fixed[y][x] = true;
  };
  for (let i = 8; i < side - 8; i++) {
    set(i, 6, i % 2 === 0);
    set(6, i, i % 2 === 0);
  }
  for (const [cx, cy] of [[3, 3], [side - 4, 3], [3, side - 4]]) {
    for (let dy = -4; dy <= 4; dy++) for (let dx = -4; dx <= 4; dx++) set(cx + dx, cy + dy, ![2, 4].includes(Math.max(Math.abs(dx), Math.abs(dy))));
  }
  const at = centres(v);
  for (const cy of at) {
    for (const cx of at) {
      const finder = (cx === 6 && (cy === 6 || cy === side - 7)) || (cx === side - 7 && cy === 6);
      if (!finder) for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    }
  }
  if (v > 6) {
    const bits = (v << 12) | remainder(v, 12, 0x1f25);
    for (let i = 0; i < 18; i++) {
      const on = ((bits >> i) & 1) === 1;
      set(side - 11 + (i % 3), Math.floor(i / 3), on);
      set(Math.floor(i / 3), side - 11 + (i % 3), on);
    }
  }
  const format = (/** @type {number} */ mask) => {
    const bits = ((mask << 10) | remainder(mask, 10, 0x537)) ^ 0x5412; // level M is 00
    for (let i = 0; i < 15; i++) {
      const on = ((bits >> i) & 1) === 1;
      // Once around the finder at the top left, past the timing patterns, and once divided between the other two.
      if (i < 8) {
        set(8, i < 6 ? i : i + 1, on);
        set(side - 1 - i, 8, on);
      } else {
        set(i === 8 ? 7 : 14 - i, 8, on);
        set(8, side - 15 + i, on);
      }
    }
    set(8, side - 8, true);
  };
  format(0);
  const stream = interleave(v, data);
  let bit = 0;
  for (let x = side - 1, up = true; x > 0; x -= 2, up = !up) {
    if (x === 6) x = 5;
    for (let k = 0; k < side; k++) {
      const y = up ? side - 1 - k : k;
      for (const xx of [x, x - 1]) {
        if (fixed[y][xx]) continue;
        dark[y][xx] = ((stream[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0;
        bit++;
      }
    }
  }
  const flip = (/** @type {number} */ mask) => {
    for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) if (!fixed[y][x] && masks[mask](x, y) === 0) dark[y][x] = !dark[y][x];
  };
  let best = 0;
  let least = Infinity;
  for (let m = 0; m < 8; m++) {
    flip(m);
    format(m);
    const p = penalty(dark);
    if (p < least) [best, least] = [m, p];
    flip(m);
  }
  flip(best);
  format(best);
  return dark;
}

/** How hard a code would be to read. @param {boolean[][]} dark */
function penalty(dark) {
  const side = dark.length;
  let p = 0;
  let count = 0;
  for (let turned = 0; turned < 2; turned++) {
    for (let y = 0; y < side; y++) {
      let run = 0;
      let last = false;
      let window = 0;
      for (let x = 0; x < side; x++) {
        const on = turned ? dark[x][y] : dark[y][x];
        run = x && on === last ? run + 1 : 1;
        last = on;
        if (run === 5) p += 3;
        else if (run > 5) p++;
        // What looks like a finder with its margin on one side.
        window = ((window << 1) | (on ? 1 : 0)) & 0x7ff;
        if (x >= 10 && (window === 0b10111010000 || window === 0b00001011101)) p += 40;
        if (!turned && on) count++;
        if (!turned && x && y && on === dark[y - 1][x] && on === dark[y][x - 1] && on === dark[y - 1][x - 1]) p += 3;
      }
    }
  }
  return p + 10 * Math.floor(Math.abs((20 * count) / (side * side) - 10));
}

const NS = 'http://www.w3.org/2000/svg';

/**
 * The code as a picture: dark on white in every theme, with its margin.
 * @param {string} words @param {string} label what it is, for those who do not see it
 */
export function qrPicture(words, label) {
  const rows = qr(words);
  const side = rows.length + 8;
  const svg = document.createElementNS(NS, 'svg');
  svg.setAttribute('viewBox', `0 0 ${side} ${side}`);
  svg.setAttribute('class', 'qr');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  svg.setAttribute('shape-rendering', 'crispEdges');
  const ground = document.createElementNS(NS, 'rect');
  ground.setAttribute('width', String(side));
  ground.setAttribute('height', String(side));
  ground.setAttribute('class', 'qr-ground');
  const path = document.createElementNS(NS, 'path');
  path.setAttribute('class', 'qr-ink');
  path.setAttribute('d', rows.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x + 4} ${y + 4}h1v1h-1z`] : []))).join(''));
  svg.append(ground, path);
  return svg;
}
