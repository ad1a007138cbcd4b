// @ts-check
// What the tests of the stage use in the page: finding what a person would press, waiting for a picture at rest, and
// measuring what is drawn. It reads the page and changes nothing.
'use strict';

/** @type {any} */ (globalThis).stage = (() => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));

  /** Resolves when two frames have been painted and no transition runs any more. */
  async function settled() {
    for (let i = 0; i < 2; i++) await frame();
    await Promise.race([
      Promise.allSettled(document.getAnimations().map((a) => a.finished)),
      new Promise((done) => setTimeout(done, 1000)),
    ]);
    for (let i = 0; i < 2; i++) await frame();
    return true;
  }

  /** @param {Element} el */
  function visible(el) {
    return el.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  }

  /** The name that an assistive technology reads, as far as this page makes names. @param {Element} el */
  function name(el) {
    const by = el.getAttribute('aria-labelledby');
    const from = by ? by.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? '').join(' ') : '';
    return (from || el.getAttribute('aria-label') || el.textContent?.trim() || el.getAttribute('title') || '').replace(/\s+/g, ' ').trim();
  }

  /**
   * The first shown element that matches the selector and, when given, the pattern of its name.
   * @param {string} selector
   * @param {RegExp} [pattern]
   */
  function find(selector, pattern) {
    for (const el of document.querySelectorAll(selector)) if (visible(el) && (!pattern || pattern.test(name(el)))) return el;
    return null;
  }

  /**
   * find, looked for again until it is there, for at most three seconds: what hangs on an answer of the worker comes late.
   * @param {string} selector
   * @param {RegExp} [pattern]
   */
  async function seek(selector, pattern) {
    for (let until = performance.now() + 3000; ; await frame()) {
      const el = find(selector, pattern);
      if (el || performance.now() > until) return el;
    }
  }

  /** What the keyboard can reach and a person can see. */
  function focusable() {
    return [...document.querySelectorAll('a[href], button, input, select, textarea, [tabindex]')].filter((el) =>
      visible(el) && !(/** @type {any} */ (el).disabled) && /** @type {HTMLElement} */ (el).tabIndex >= 0);
  }

  /** @param {Element | null} el */
  function describe(el) {
    if (!el) return 'nothing';
    const role = el.getAttribute('role') ? `[${el.getAttribute('role')}]` : '';
    const classes = (el.getAttribute('class') ?? '').trim().replace(/\s+/g, '.');
    return `${el.tagName.toLowerCase()}${role}.${classes} "${name(el).slice(0, 60)}"`;
  }

  /** The state that comes compares with. @type {any} */
  let kept = null;
  const api = () => /** @type {any} */ (globalThis).informerscope;

  /** Keeps the state of now. */
  async function keep() {
    kept = await api().state();
    return true;
  }

  /**
   * Waits until holds(state, kept) does; what it resolves to is empty then, and else the last state in short.
   * @param {(s: any, b: any) => any} holds
   * @param {number} millis
   */
  async function comes(holds, millis) {
    let why = '';
    for (const until = performance.now() + millis; ; await frame()) {
      const s = await api().state();
      try {
        if (holds(s, kept)) return '';
        why = '';
      } catch (err) {
        why = String(err);
      }
      if (performance.now() < until) continue;
      const short = (/** @type {any} */ v) => ({
        seq: v?.seq, view: v?.view, era: v?.era, resource: v?.resource, reflector: v && { ...v.reflector, lastRequest: '', backoffs: 0 },
        depth: v?.queue.depth, synced: v?.queue.synced, count: v?.indexer.count,
        oldest: v?.api.oldest, writes: v?.api.writes, holds: v?.holds, faults: v?.faults,
        listeners: v?.listeners.map((/** @type {any} */ l) => [l.name, l.paceMillis, l.panics, l.removed]),
      });
      return `not in ${millis} ms ${why}; last ${JSON.stringify(short(s))}; before ${JSON.stringify(short(kept))}`;
    }
  }

  /** A point of the window that lies on a cell of the store's map, found the way that a person does: by what the map says under the pointer. */
  function cellPoint() {
    const canvas = /** @type {HTMLCanvasElement} */ (find('.world-store canvas'));
    const box = canvas.getBoundingClientRect();
    for (let y = box.top + 1; y < box.bottom; y += 2) for (let x = box.left + 1; x < box.right; x += 2) {
      canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y }));
      if (find('.world-name')) return { x, y };
    }
    throw new Error('no cell says its name');
  }

  /** A point of the window at which the past says that something passed or waited. */
  function pastPoint() {
    const canvas = /** @type {HTMLCanvasElement} */ (find('.tracks-past'));
    const box = canvas.getBoundingClientRect();
    for (let y = box.top + 30; y < box.bottom; y += 3) for (let x = box.right - 8; x > box.left; x -= 3) {
      canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y }));
      if (/Updated/.test(find('.tracks-tip')?.textContent ?? '')) return { x, y };
    }
    throw new Error('the past says nothing');
  }

  /** The rows of each station, as stories and rides name those. @type {Record<string, string[]>} */
  const rowsOf = {
    api: ['cluster'], reflector: ['reflector'], queue: ['queue'], indexer: ['indexer'], listeners: ['handler', 'fold'], controller: ['work'],
  };

  /** The seq beside the clock. */
  function event() {
    return (document.querySelector('.clock small')?.textContent ?? '').replace(/\D/g, '');
  }

  /** Every piece of text that is drawn and shown, top to bottom, with its box in units of the stage. */
  function texts() {
    const app = /** @type {HTMLElement} */ (document.getElementById('app')).getBoundingClientRect();
    const unit = app.width / 1280;
    const out = [];
    for (const el of document.querySelectorAll('#app svg text')) {
      const words = wordsIn(el);
      if (!words || !visible(el)) continue;
      const b = el.getBoundingClientRect();
      out.push({ el, words, x: (b.left - app.left) / unit, y: (b.top - app.top) / unit, w: b.width / unit, h: b.height / unit });
    }
    return out.sort((a, b) => a.y - b.y || a.x - b.x);
  }

  /** What an element says, without the titles in it. @param {Element} el */
  const wordsIn = (el) => [...el.childNodes].filter((n) => n.nodeName !== 'title').map((n) => n.textContent).join('');

  /** What the stage shows, as the tests of state() compare it. */
  function drawn() {
    /** @type {Record<string, string[]>} */
    const words = {};
    for (const g of document.querySelectorAll('svg.tracks g[data-station]')) for (const el of g.querySelectorAll('text')) {
      const said = visible(el) ? wordsIn(el) : '';
      if (said) (words[g.getAttribute('data-station') ?? ''] ??= []).push(said);
    }
    const rows = [...document.querySelectorAll('.tracks-rows [data-station]')].filter(visible).map((el) => ({
      station: el.getAttribute('data-station'), name: el.querySelector('.row-name')?.textContent ?? '', says: el.querySelector('.sr')?.textContent ?? '',
      held: el.querySelector('.now-hold')?.getAttribute('aria-pressed') === 'true',
    }));
    const count = (/** @type {string} */ side) => (find(`.world-${side} .world-count`)?.textContent ?? '').replace(/,/g, '').match(/^\d+/)?.[0] ?? '';
    const head = { cluster: count('cluster'), indexer: count('store'), apart: (find('.world-number')?.textContent ?? '').replace(/,/g, '') };
    return { event: event(), rows, words, head };
  }

  /** Colours that getComputedStyle gives, as four numbers. @param {string} css @returns {number[]} */
  function rgba(css) {
    const m = css.match(/[\d.]+/g);
    return m ? [Number(m[0]), Number(m[1]), Number(m[2]), m[3] === undefined ? 1 : Number(m[3])] : [0, 0, 0, 0];
  }

  /** @param {number[]} top @param {number[]} under */
  function over(top, under) {
    return [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  }

  /** Relative luminance, as WCAG 2 defines it. @param {number[]} c */
  function luminance(c) {
    const [r, g, b] = c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  /** @param {number[]} a @param {number[]} b */
  function ratio(a, b) {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  }

  /** How much of an element reaches the eye, itself and all around it. @param {Element | null} el */
  function opacity(el) {
    let o = 1;
    for (; el; el = el.parentElement) o *= Number(getComputedStyle(el).opacity);
    return o;
  }

  /**
   * What a piece of HTML text lies on: the nearest opaque ground above it, through half transparent ones; what has none
   * lies on the stage.
   * @param {Element} el
   */
  function ground(el) {
    /** @type {number[][]} */
    const layers = [];
    for (let e = /** @type {Element | null} */ (el); e; e = e.parentElement) {
      const c = rgba(getComputedStyle(e).backgroundColor);
      if (c[3] > 0) layers.push(c);
      if (c[3] === 1) break;
    }
    let under = rgba(getComputedStyle(document.body).backgroundColor);
    for (const c of layers.reverse()) under = over(c, under);
    return under;
  }

  /** What a piece of text of the stage lies on: the last filled shape before it that holds its middle. @param {Element} el @param {DOMRect} box */
  function groundOfSvg(el, box) {
    let under = rgba(getComputedStyle(document.body).backgroundColor);
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    for (const shape of /** @type {SVGElement} */ (el).ownerSVGElement?.querySelectorAll('rect, circle') ?? []) {
      if (!(shape.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      const c = getComputedStyle(shape);
      if (c.fill === 'none' || c.fill.startsWith('url') || !visible(shape)) continue;
      const b = shape.getBoundingClientRect();
      if (x < b.left || x > b.right || y < b.top || y > b.bottom) continue;
      const fill = rgba(c.fill);
      fill[3] *= Number(c.fillOpacity) * opacity(shape);
      under = over(fill, under);
    }
    return under;
  }

  /** The pieces of HTML text that are shown: elements with words of their own. */
  function htmlTexts() {
    const out = [];
    for (const el of document.body.querySelectorAll('*')) {
      // What fades in or out now is between two pictures, and a tooltip lies over what it is not about.
      if (el instanceof SVGElement || el.closest('.sr, noscript, svg, [role=tooltip]') || !visible(el) || el.matches('.out')) continue;
      if (el.getAnimations().length) continue;
      const own = [...el.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE && n.textContent?.trim());
      const field = el instanceof HTMLInputElement && /text|number|search/.test(el.type);
      if (!own.length && !field) continue;
      const range = document.createRange();
      range.selectNodeContents(el);
      // What an ellipsis stands for is not drawn.
      const clip = [el, el.parentElement].find((e) => e && getComputedStyle(e).textOverflow === 'ellipsis');
      const all = range.getBoundingClientRect();
      const room = clip?.getBoundingClientRect();
      const box = field ? el.getBoundingClientRect() : room ? new DOMRect(all.x, all.y, Math.min(all.right, room.right) - all.x, all.height) : all;
      // Of the key to the marks what has no room in the line does not show.
      if (box.top >= (el.closest('.keymarks > div')?.getBoundingClientRect().bottom ?? Infinity)) continue;
      if (box.width && box.height) out.push({ el: /** @type {HTMLElement} */ (el),
        words: field ? /** @type {HTMLInputElement} */ (el).value : own.map((n) => n.textContent).join(' ').trim(), box });
    }
    return out;
  }

  /** Whether the point is on top in its place, and not under a pop-up or an overlay. @param {Element} el @param {DOMRect} box */
  function uncovered(el, box) {
    const cover = document.querySelectorAll('.pop, .ov, .drawer:not(.shut), .toast, .exc, .tipc, .black, [data-cover]');
    for (const c of cover) {
      if (c.contains(el) || !visible(c)) continue;
      const b = c.getBoundingClientRect();
      if (box.left < b.right && box.right > b.left && box.top < b.bottom && box.bottom > b.top) return false;
    }
    return true;
  }

  /** What scrolls what is in it: there, more than fits is no fault. @param {Element} el */
  function scroller(el) {
    for (let e = el.parentElement; e && e !== document.body; e = e.parentElement) if (
      /auto|scroll/.test(getComputedStyle(e).overflow + getComputedStyle(e).overflowY)) return e;
    return null;
  }

  /**
   * What is wrong with the picture, in words: text that is cut or leaves the page, texts that lie on one another, and
   * text whose contrast is below what WCAG AA asks.
   * @param {{least?: number}} [o]
   */
  function faults(o = {}) {
    /** @type {string[]} */
    const out = [];
    const app = /** @type {HTMLElement} */ (document.getElementById('app')).getBoundingClientRect();
    const phone = !!document.querySelector('#app.view-phone');
    // The bars are as large as the window is wide, and the stage's units are never less than a CSS pixel.
    const u = parseFloat(document.getElementById('app')?.style.getPropertyValue('--u') ?? '') || 1;
    const unit = phone ? 1 : document.querySelector('#app.view-embed') ? u : Math.min(app.width / 1280, u);
    const at = (/** @type {DOMRect} */ b) => `at ${Math.round((b.left - app.left) / unit)},${Math.round((b.top - app.top) / unit)}`;
    const quote = (/** @type {string} */ w) => JSON.stringify(w.slice(0, 60));
    /** @type {{el: Element, words: string, box: DOMRect, ink: {l: number, r: number, t: number, b: number}}[]} */
    const inks = [];
    /**
     * @param {Element} el
     * @param {string} words
     * @param {DOMRect} box
     * @param {string} colour
     * @param {number[]} under
     * @param {number} size
     * @param {number} weight
     */
    const check = (el, words, box, colour, under, size, weight) => {
      if (box.left < app.left - 1 || box.right > app.right + 1 || box.top < app.top - 1 ||
        box.bottom > app.bottom + 2) out.push(`${quote(words)} ${at(box)} leaves the page`);
      if (size / unit < 11.9 && !el.closest('kbd')) out.push(`${quote(words)} ${at(box)} is ${(size / unit).toFixed(1)} units high, and 12 is the floor`);
      if (!el.closest('.off, :disabled, [aria-disabled=true]')) {
        const c = rgba(colour);
        c[3] *= opacity(el);
        const r = ratio(over(c, under), under);
        const large = size / unit >= 24 || (size / unit >= 18.66 && weight >= 700);
        if (r < (large ? 3 : o.least ?? 4.5)) out.push(`${quote(words)} ${at(box)} has a contrast of ${r.toFixed(2)}`);
      }
      // Letters fill the middle of their line: accents and descenders may touch, words may not.
      inks.push({ el, words, box, ink: { l: box.left + unit, r: box.right - unit, t: box.top + box.height * 0.28, b: box.bottom - box.height * 0.26 } });
    };
    // The maps stand over the rows, or beside them: what leaves their place lies on others' words, which may be a canvas'.
    const maps = find('.worlds');
    const floor = maps?.getBoundingClientRect().bottom ?? 0;
    for (const el of maps?.querySelectorAll('figure, .world-between') ?? []) {
      const { bottom } = el.getBoundingClientRect();
      if (bottom > floor + 1) out.push(`${quote(el.textContent ?? '')} ends ${Math.round(bottom - floor)} px below the place of the maps`);
    }
    for (const { el, words, w, h } of texts()) {
      const box = el.getBoundingClientRect();
      if (!w || !h || !uncovered(el, box)) continue;
      // What the phone has scrolled away is behind its edge.
      const room = scroller(el)?.getBoundingClientRect();
      if (room && (box.top < room.top - 1 || box.bottom > room.bottom + 1)) continue;
      const c = getComputedStyle(el);
      const larger = /** @type {SVGTextElement} */ (el).getScreenCTM()?.a ?? 1;
      check(el, words, box, c.fill, groundOfSvg(el, box), parseFloat(c.fontSize) * larger, Number(c.fontWeight));
    }
    for (const { el, words, box } of htmlTexts()) {
      if (!uncovered(el, box)) continue;
      const c = getComputedStyle(el);
      const inside = scroller(el);
      if (inside) {
        const b = inside.getBoundingClientRect();
        if (box.top < b.top - 1 || box.bottom > b.bottom + 1) continue;
      }
      check(el, words, box, c.color, ground(el), parseFloat(c.fontSize), Number(c.fontWeight));
      // A name with an ellipsis is whole in its title, and a row's in what shows below it.
      const whole = c.textOverflow === 'ellipsis' && el.closest('[title], .row-name');
      if (!whole && el.scrollWidth > el.clientWidth + 1 && el.clientWidth && c.overflowX !== 'visible' && !/auto|scroll/.test(c.overflowX) &&
        c.display !== 'inline') out.push(`${quote(words)} ${at(box)} is cut: ${el.scrollWidth} wide in ${el.clientWidth}`);
      // Words that are wider than the control that they stand on.
      const control = el.closest('button, kbd');
      if (control && !whole) {
        const b = control.getBoundingClientRect();
        if (box.left < b.left - 1 || box.right > b.right + 1) out.push(
          `${quote(words)} ${at(box)} is wider than its control: ${Math.round(box.width / unit)} in ${Math.round(b.width / unit)}`);
      }
    }
    for (let i = 0; i < inks.length; i++) for (let j = i + 1; j < inks.length; j++) {
      const [a, b] = [inks[i], inks[j]];
      if (a.el.contains(b.el) || b.el.contains(a.el)) continue;
      const wide = Math.min(a.ink.r, b.ink.r) - Math.max(a.ink.l, b.ink.l);
      const high = Math.min(a.ink.b, b.ink.b) - Math.max(a.ink.t, b.ink.t);
      if (wide > 0.5 && high > 0.5) out.push(`${quote(a.words)} and ${quote(b.words)} ${at(b.box)} lie on one another`);
    }
    // A thumb needs 44. In the rows, which the keys at the foot can do without, there is as much as WCAG 2.5.8 asks for.
    if (phone) for (const el of focusable()) {
      const b = el.getBoundingClientRect();
      const around = getComputedStyle(el, '::after');
      const larger = around.position === 'absolute' && around.content !== 'none';
      const [w, h] = [Math.max(b.width, larger ? parseFloat(around.width) : 0), Math.max(b.height, larger ? parseFloat(around.height) : 0)];
      const least = el.closest('.tracksv') ? 24 : 44;
      if (w < least - 0.1 || h < least - 0.1) out.push(`${describe(el)} is a target of ${Math.round(w)}×${Math.round(h)}`);
    }
    const root = /** @type {Element} */ (document.scrollingElement);
    if (root.scrollWidth > innerWidth || (!phone && root.scrollHeight > innerHeight)) out.push(
      `the page is ${root.scrollWidth}×${root.scrollHeight} in a window of ${innerWidth}×${innerHeight}`);
    return [...new Set(out)];
  }

  /** Gives the page a theme and a language the way that a link does. @param {string} theme @param {string} lang */
  async function dress(theme, lang) {
    const p = new URLSearchParams(location.hash.slice(1));
    p.set('theme', theme);
    p.set('lang', lang);
    // The address names a moment a little after it shows, and an address that names another one would be followed there.
    if (p.has('at')) p.set('at', event());
    location.hash = '#' + p;
    const root = document.documentElement;
    for (let i = 0; i < 120; i++) {
      await frame();
      if (root.lang.startsWith(lang) && root.classList.contains('is-light') === theme.endsWith('light') &&
        root.classList.contains('is-contrast') === theme.startsWith('contrast')) return true;
    }
    throw new Error(`the page did not put on ${theme} and ${lang}`);
  }

  /** The key of an object of which a whole change is in the log, from the wire to the controller. */
  async function ridden() {
    const api = /** @type {any} */ (globalThis).informerscope;
    const { values } = await api.index('namespace');
    for (const { value } of values) {
      for (const key of (await api.index('namespace', value)).keys) {
        const ride = await api.ride(key).catch(() => null);
        if (ride?.whole && ride.hops[0].stage === 'api' && ride.hops.some((/** @type {any} */ h) => h.stage === 'controller')) return key;
      }
    }
    return '';
  }

  /** The station of the hop that the inspector has come to. */
  function spokenOf() {
    const words = document.querySelector('.drawer .hop.now b')?.textContent ?? '';
    return { 'API server': 'api' }[words] ?? words.toLowerCase();
  }

  /** Whether something lies over what a station's rows say. @param {string} selector @param {string} station */
  function covered(selector, station) {
    const over = document.querySelector(selector)?.getBoundingClientRect();
    if (!over || !over.width) return false;
    const rows = rowsOf[station].map((row) => `.tracksv [data-station="${row}"] :is(.row-name, text)`);
    return [...document.querySelectorAll(rows.join())].some((el) => {
      const r = el.getBoundingClientRect();
      return visible(el) && r.width > 0 && r.left < over.right - 1 && r.right > over.left + 1 && r.top < over.bottom - 1 && r.bottom > over.top + 1;
    });
  }

  return {
    ridden, covered, spokenOf,
    dress, faults, ratio, rgba, texts, event, drawn, cellPoint, pastPoint, keep, comes, settled, visible, name, find, seek, focusable, describe, frame,
  };
})();
