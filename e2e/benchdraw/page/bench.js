// @ts-check
// Draws the moments that the benchmark made, one an animation frame, in one of the ways, and measures what each takes: the scripts
// and the layout that they ask for, as that is the main thread's work that differs.
import { defs } from '/web/kit/glyphs.js';
import { s } from '/web/kit/dom.js';

const way = new URLSearchParams(location.search).get('way') ?? '';
const stage = s('svg', { viewBox: '0 0 1280 720', width: 1280, height: 720, class: 'stage' });
const root = s('g');
stage.append(defs(), root);
document.body.append(stage);

/** @returns {Promise<(m: import('./queue.js').Moment, selected: string) => void>} */
async function drawer() {
  if (way === 'hand') return (await import('./hand.js')).byHand(root);
  const { byTemplate } = await import('./template.js');
  if (way === 'lit-html') {
    const { svg, render, nothing } = await import('/node_modules/lit-html/lit-html.js');
    return byTemplate(root, { svg, none: nothing, into: render });
  }
  const { svg, render } = await import('/node_modules/uhtml/dist/prod/dom.js');
  return byTemplate(root, { svg, none: null, into: (is, where) => render(where, is) });
}

/** What shows, without what is not seen and without what a library leaves for itself. @param {Element} el @returns {string} */
function picture(el) {
  if (el.getAttribute('display') === 'none' || el.tagName === 'title') return '';
  const attributes = [...el.attributes].filter((a) => a.name !== 'display').map((a) => `${a.name}=${a.value}`).sort();
  let inside = '';
  for (const n of el.childNodes) {
    if (n instanceof Element) inside += picture(n);
    else if (n.nodeType === Node.TEXT_NODE) inside += (n.textContent ?? '').trim();
  }
  if ((el.tagName === 'g' || el.tagName === 'text') && !inside) return '';
  return `<${el.tagName} ${attributes.join(' ')}>${inside}</>`;
}

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const moments = await (await fetch('/moments.json')).json();
const draw = await drawer();
const selected = moments.find((/** @type {import('./queue.js').Moment} */ m) => m.queue.items[0]?.key)?.queue.items[0].key ?? '';

/** @param {import('./queue.js').Moment} m */
function measured(m) {
  const began = performance.now();
  draw(m, selected);
  /** @type {SVGGraphicsElement} */ (root).getBBox(); // has the layout made
  return performance.now() - began;
}

/** Draws all moments, and then the last one again and again. */
Object.assign(globalThis, {
  async measure() {
    const busy = [];
    for (const m of moments) {
      await frame();
      busy.push(measured(m));
    }
    const still = [];
    for (let i = 0; i < 300; i++) {
      await frame();
      still.push(measured(moments[moments.length - 1]));
    }
    return { busy, still, nodes: root.querySelectorAll('*').length };
  },
  /** What shows at some of the moments, for a comparison of the ways. */
  pictures() {
    /** @type {string[]} */
    const out = [];
    moments.forEach((/** @type {import('./queue.js').Moment} */ m, /** @type {number} */ i) => {
      draw(m, selected);
      if (i % 20 === 0) out.push([...root.children].map(picture).filter(Boolean).join('\n'));
    });
    return out;
  },
  ready: true,
});
