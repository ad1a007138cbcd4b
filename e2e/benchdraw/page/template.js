// @ts-check
// The Queue's panel as templates: each moment says the whole of it, and a library finds what changed.
import { columns, curveOf, denseOf, isDense, left, rail, right, rowsOf, seatsOf, wordsOf } from './queue.js';

/** Where a chip's glyph stands in it. */
const inset = (20 - 20 * 0.68) / 2;

/**
 * @param {SVGElement} root
 * @param {{svg: (strings: TemplateStringsArray, ...values: any[]) => any, none: any,
 *   into: (is: any, root: SVGElement) => void}} library
 */
export function byTemplate(root, { svg, none, into }) {
  /** @param {string} kind @param {number} x @param {number} y @param {number} size */
  const glyph = (kind, x, y, size, chip = '') => svg`
    <use x=${x} y=${y} width=${size} height=${size} href=${`#g-${kind}`} class=${`gl ${chip}k-${kind}`}></use>`;
  const behind = (/** @type {string} */ kind, /** @type {number} */ d) => svg`
    <rect width="20" height="20" rx="4" x=${-d} y=${-d} class=${`ch-stack k-${kind}`}></rect>`;
  const row = (/** @type {import('./queue.js').Row} */ r, /** @type {number} */ i) => svg`
    <g>
      <rect x="387" y=${208 + 23 * i} width="124" height="17" rx="2" class=${r.on ? 'selbg on' : 'selbg'}></rect>
      ${glyph(r.kind, 370, 209 + 23 * i, 14)}
      <text x="390" y=${220 + 23 * i} class=${r.on ? 'm1 selk' : r.dim ? 'm2' : 'm1'}>${r.words}</text>
    </g>`;
  const chip = (/** @type {import('./queue.js').Seat} */ c) => svg`
    <g transform=${`translate(${c.x - 10} ${rail - 10})`}>
      ${c.stack > 1 ? behind(c.kind, 8) : none}${c.stack > 0 ? behind(c.kind, 4) : none}
      <rect width="20" height="20" rx="4" class=${`ch ${c.moves ? 'mv' : 'rs'} k-${c.kind}`}></rect>
      ${glyph(c.kind, inset, inset, 20 * 0.68, c.moves ? 'onk ' : '')}
    </g>`;
  const dense = (/** @type {import('../../../web/wire/types.js').Queue} */ q) => {
    const { used, taken, parts, words } = denseOf(q);
    return svg`
      <g>
        <rect x="352" y="142" width="172" height="20" rx="3" class="qdb"></rect>
        ${Array.from({ length: used }, (_, i) => i).flatMap((i) => parts.map((p) => svg`
          <rect
            x=${352 + 4 * (columns - 1 - i)} width="3" y=${p.y} height=${p.height}
            class=${`mx k-${p.kind}${i < taken ? '' : ' wt'}`}></rect>`))}
        <text x="352" y="134" class="l">${words}</text>
      </g>`;
  };
  const panel = (/** @type {import('./queue.js').Moment} */ m, /** @type {string} */ selected) => {
    const q = m.queue;
    const words = wordsOf(q);
    return svg`
      <text x=${left} y="68" class="ti">Queue</text>
      <text x=${left} y="96" class="num"><tspan>${words.number}</tspan><tspan class="l" dx="7">deltas</tspan></text>
      <text x="524" y="68" class="t14" text-anchor="end">${words.kind}</text>
      <rect x="352" y="196" width="172" height="336" rx="4" class="pn"></rect>
      ${rowsOf(m, selected).map(row)}
      <text x="390" y="381" class="l t1">${words.more}</text>
      <text x=${left} y="406" class="l">depth</text>
      <text x=${right} y="406" class="l" text-anchor="end">${words.max}</text>
      <path d="M362 452H514" class="hair"></path>
      <path class="spark" d=${curveOf(m.curve)}></path>
      <text x=${left} y="480" class="n16"><tspan>${words.initial}</tspan><tspan class="l" dx="5">initialPopulation</tspan></text>
      <use x="361" y="490" width="14" height="14" href=${q.locked ? '#i-lock' : '#i-unlock'} class=${q.locked ? 'ic c1' : 'ic'}></use>
      <circle cx="510" cy="498" r="4" class=${q.synced ? 'lamp on' : 'lamp'}></circle>
      <text x="380" y="502" class="l">${words.locked}</text>
      <text x="501" y="502" class="l t1" text-anchor="end">${words.synced}</text>
      ${isDense(q) ? none : svg`<g>${seatsOf(q).map(chip)}</g>`}
      <text x="523" y="127" class="l t1" text-anchor="end">${words.batch}</text>
      ${isDense(q) ? dense(q) : none}`;
  };
  /** @param {import('./queue.js').Moment} m @param {string} selected */
  return (m, selected) => into(panel(m, selected), root);
}
