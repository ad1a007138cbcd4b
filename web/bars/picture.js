// @ts-check
// A still of the page: one SVG that is independent of the page, and the same as a PNG. SVG is copied with its computed styles, HTML is
// drawn as boxes and lines of text, canvases are images in it. Fonts are the system's.
import { h, s } from '../kit/dom.js';

/** Pixels of a PNG for each pixel of the page. */
export const sharp = 2;

/** Properties that an element inherits from its parent. */
const inherited = ['color', 'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin',
  'font-family', 'font-size', 'font-weight', 'font-style', 'font-variant-numeric', 'letter-spacing', 'text-anchor', 'paint-order', 'white-space', 'visibility'];
/** What it has by itself, and what it is where nothing was said. @type {Record<string, string>} */
const own = { opacity: '1', 'mix-blend-mode': 'normal' };
/** What is inherited from where a symbol is used, and not from where it stands. */
const used = new Set(['color', 'visibility']);
const paints = new Set(['fill', 'stroke']);
const unneeded = /^(class|style|role|tabindex|lang|aria-.*|data-.*)$/;
/** What lies over the stage for a moment, what is pressed, and what only a screen reader reads. */
const left = '.top, .tr, .timeline, .storybar, .toast, .pop, .ov, .drawer, .drop, .sr, .remedy, .for-me, .ptop, .phrow, .ptime, .pfoot, .zooms, .tracks-tip';

class Drawing {
  /** @param {DOMRect} at the part of the page that is in the picture */
  constructor(at) {
    this.frame = at;
  }

  /** A place of the page in the picture. @param {{x: number, y: number, width: number, height: number}} r */
  place(r) {
    const n = (/** @type {number} */ v) => Number(v.toFixed(2));
    return { x: n(r.x - this.frame.x), y: n(r.y - this.frame.y), width: n(r.width), height: n(r.height) };
  }

  /** @param {DOMRect} r @private */
  isOutside(r) {
    return r.height > 0 && (r.bottom <= this.frame.top || r.top >= this.frame.bottom);
  }

  /** A copy of an element and its content; null for nothing. @param {Element} el @returns {SVGElement | null} */
  draw(el) {
    if (el.matches(left)) return null;
    const css = getComputedStyle(el);
    if (css.display === 'none' || css.opacity === '0' || this.isOutside(el.getBoundingClientRect())) return null;
    if (el instanceof HTMLCanvasElement) return this.canvas(el, css);
    if (el instanceof SVGSVGElement) {
      const copy = this.copy(el, css, null);
      const place = this.place(el.getBoundingClientRect());
      for (const [name, value] of Object.entries(place)) copy?.setAttribute(name, String(value));
      copy?.style.setProperty('overflow', css.overflowX);
      return copy;
    }
    return this.box(el, css);
  }

  /** @param {HTMLCanvasElement} el @param {CSSStyleDeclaration} css @private */
  canvas(el, css) {
    const r = el.getBoundingClientRect();
    if (css.visibility === 'hidden' || !el.width || !el.height || !r.width) return null;
    const image = s('image', { ...this.place(r), href: el.toDataURL(), preserveAspectRatio: 'none' });
    if (css.opacity !== '1') image.style.opacity = css.opacity;
    image.style.imageRendering = css.imageRendering;
    return image;
  }

  /**
   * @param {Element} el of SVG
   * @param {CSSStyleDeclaration} css
   * @param {CSSStyleDeclaration | null} outer its parent's; null at the top
   * @param {boolean} [symbol] it is in `defs`, and looks as where it is used
   * @returns {SVGElement | null}
   */
  copy(el, css, outer, symbol = false) {
    if (!symbol && (css.display === 'none' || /^(title|defs)$/.test(el.localName))) return null;
    const copy = s(el.localName);
    for (const { name, value } of el.attributes) if (!unneeded.test(name)) copy.setAttribute(name, value);
    for (const name of inherited) {
      if (symbol && used.has(name)) continue;
      const value = css.getPropertyValue(name);
      const like = symbol && paints.has(name) && value === css.color ? 'currentColor' : value;
      if (value !== outer?.getPropertyValue(name)) copy.style.setProperty(name, like);
    }
    for (const name in own) if (css.getPropertyValue(name) !== own[name]) copy.style.setProperty(name, css.getPropertyValue(name));
    for (const kid of el.childNodes) {
      if (kid instanceof Text) copy.append(kid.data);
      else if (kid instanceof Element) {
        const drawn = this.copy(kid, getComputedStyle(kid), css, symbol);
        if (drawn) copy.append(drawn);
      }
    }
    return copy;
  }

  /** @param {Element} el of HTML @param {CSSStyleDeclaration} css @private */
  box(el, css) {
    const r = el.getBoundingClientRect();
    const g = s('g', css.opacity === '1' ? {} : { opacity: css.opacity });
    if (css.visibility !== 'hidden') this.edge(g, r, css);
    let inner = g;
    if (css.overflowX !== 'visible' && (el.scrollWidth > el.clientWidth || el.scrollHeight > el.clientHeight)) {
      const place = this.place(r);
      inner = s('svg', { ...place, viewBox: `${place.x} ${place.y} ${place.width} ${place.height}` });
      g.append(inner);
    }
    for (const kid of el.childNodes) {
      if (kid instanceof Element) {
        const drawn = this.draw(kid);
        if (drawn) inner.append(drawn);
      } else if (kid instanceof Text && css.visibility !== 'hidden') inner.append(...this.lines(kid, css));
    }
    return g.childElementCount ? g : null;
  }

  /** The ground and the border of a box. @param {SVGElement} g @param {DOMRect} r @param {CSSStyleDeclaration} css @private */
  edge(g, r, css) {
    const place = this.place(r);
    const rx = css.borderTopLeftRadius.endsWith('%') ? r.width / 2 : parseFloat(css.borderTopLeftRadius);
    const clear = (/** @type {string} */ colour) => colour === 'transparent' || /, 0\)$/.test(colour);
    if (!clear(css.backgroundColor)) g.append(s('rect', { ...place, rx, fill: css.backgroundColor }));
    const sides = ['top', 'right', 'bottom', 'left'].map((side) => {
      const style = (/** @type {string} */ what) => css.getPropertyValue(`border-${side}-${what}`);
      return { wide: style('style') === 'none' || clear(style('color')) ? 0 : parseFloat(style('width')), colour: style('color') };
    });
    const { x, y, width, height } = place;
    const { wide, colour } = sides[0];
    if (sides.every((o) => o.wide === wide && o.colour === colour)) {
      if (wide) g.append(s('rect', { x: x + wide / 2, y: y + wide / 2, width: width - wide, height: height - wide, rx, fill: 'none', stroke: colour,
        'stroke-width': wide }));
      return;
    }
    const ends = [[x, y, x + width, y], [x + width, y, x + width, y + height], [x, y + height, x + width, y + height], [x, y, x, y + height]];
    sides.forEach((o, i) => {
      const [x1, y1, x2, y2] = ends[i];
      if (o.wide) g.append(s('line', { x1, y1, x2, y2, stroke: o.colour, 'stroke-width': o.wide }));
    });
  }

  /** The lines of a text, as the page broke it. @param {Text} node @param {CSSStyleDeclaration} css @private */
  lines(node, css) {
    if (!node.data.trim()) return [];
    const range = document.createRange();
    /** @type {{text: string, r: DOMRect}[]} */
    const lines = [];
    for (let i = 0; i < node.length;) {
      const letter = String.fromCodePoint(/** @type {number} */ (node.data.codePointAt(i)));
      range.setStart(node, i);
      range.setEnd(node, (i += letter.length));
      const r = range.getBoundingClientRect();
      const line = lines.at(-1);
      if (line && (!r.width || Math.abs(r.top - line.r.top) < r.height / 2)) line.text += letter;
      else if (r.width) lines.push({ text: letter, r });
    }
    pen.font = css.font;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = pen.measureText('x');
    return lines.map(({ text, r }) => {
      const el = s('text', { x: this.place(r).x, y: Number((r.y - this.frame.y + (r.height * up) / (up + down)).toFixed(2)) }, text.replace(/\s/g, ' '));
      el.style.fill = css.color;
      el.style.whiteSpace = 'pre';
      for (const name of inherited) if (/^font-|^letter-/.test(name)) el.style.setProperty(name, css.getPropertyValue(name));
      return el;
    });
  }
}

/** What a name may have and XML may not: control characters, halves of pairs, and two that are no characters. */
const notXML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const pen = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(1, 1).getContext('2d'));

/** The faces that the style sheet makes of the system's fonts. */
function faces() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules.filter((rule) => rule instanceof CSSFontFaceRule).map((rule) => rule.cssText).join('\n');
}

/**
 * A part of the page as an SVG of its own.
 * @param {HTMLElement} app
 * @param {DOMRect} at
 * @param {string} title
 * @param {boolean} caption with the sentence over the stage
 */
export function picture(app, at, title, caption) {
  const drawing = new Drawing(at);
  const { width, height } = drawing.place(at);
  const root = s('svg', { viewBox: `0 0 ${width} ${height}`, width, height }, s('title', {}, title), s('style', {}, faces()));
  const defs = app.querySelector('defs');
  const symbols = defs && drawing.copy(defs, getComputedStyle(defs), getComputedStyle(app), true);
  if (symbols) root.append(symbols);
  root.append(s('rect', { width, height, fill: getComputedStyle(document.body).backgroundColor }));
  const layer = (/** @type {Element} */ el) => Number(getComputedStyle(el).zIndex) || 0;
  for (const el of [...app.children].sort((a, b) => layer(a) - layer(b))) {
    const drawn = (caption || !el.matches('.cap')) && drawing.draw(el);
    if (drawn) root.append(drawn);
  }
  return { svg: new XMLSerializer().serializeToString(root).replace(notXML, '\ufffd'), width, height };
}

/** An SVG as a PNG. @param {{svg: string, width: number, height: number}} picture */
export async function toPNG({ svg, width, height }) {
  const image = /** @type {HTMLImageElement} */ (h('img', { src: `data:image/svg+xml,${encodeURIComponent(svg)}` }));
  await image.decode();
  const canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { width: Math.round(width * sharp), height: Math.round(height * sharp) }));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/png');
}
