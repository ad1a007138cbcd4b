// @ts-check
// What cannot be seen of an informer that is watched from outside: a hatch in its place, with the reason.
import { attr, s, show, text } from '../kit/dom.js';
import { fit, width, wrap } from '../kit/measure.js';
import { heading, lineHeading } from './heading.js';
import { panel } from './panel.js';

/** @typedef {import('../wire/types.js').State} State */

/** Why a member of the State is not seen; empty where it is seen. @param {State} state @param {string} member its path */
export function unseenReason(state, member) {
  const is = state.fidelity?.[member];
  return is?.how === 'unseen' ? is.why || ' ' : '';
}

/**
 * A hatch that shows its reason to a pointer and to a screen reader.
 * @param {SVGElement} parent
 * @param {{x: number, y: number, w: number, h: number}} box
 */
export function hatch(parent, box) {
  const title = s('title');
  const g = s('g', { role: 'img' }, title, s('rect', { x: box.x, y: box.y, width: box.w, height: box.h, rx: 3, class: 'hatch' }));
  parent.append(g);
  return {
    /** @param {string} why nothing where it is seen */
    set(why) {
      show(g, !!why);
      if (title.textContent !== why) title.textContent = why;
    },
  };
}

/** @import { Ctx, Drawn, Slot } from '../wire/page-types.js' */
/** @typedef {(slot: Slot, ctx: Ctx) => Drawn} Draw */

/**
 * A station that may not be visible when an informer is watched from outside: a hatch with the reason then takes its place below the name.
 * @template {import('../wire/page-types.js').Station} T
 * @param {string} member the path of what it is about
 * @param {T} station
 * @returns {T}
 */
export function whereSeen(member, station) {
  const out = { ...station };
  for (const way of /** @type {const} */ (['full', 'large', 'line', 'open'])) {
    const draw = station[way];
    if (draw) out[way] = coverUnseen(member, draw, (slot) => covers[way](slot, station.title));
  }
  return out;
}

/**
 * @param {string} member
 * @param {Draw} draw
 * @param {(slot: Slot) => (head: string, why: string) => void} cover
 * @returns {Draw}
 */
function coverUnseen(member, draw, cover) {
  return (slot, ctx) => {
    const layers = () => {
      const g = s('g');
      slot.g.append(g);
      if (slot.head === slot.g || !slot.head) return { ...slot, g, head: g };
      const head = s('g');
      slot.head.append(head);
      return { ...slot, g, head };
    };
    const under = layers();
    const drawn = draw(under, ctx);
    /** @type {{slot: Slot, set: (head: string, why: string) => void} | null} */
    let blank = null;
    return {
      ...drawn,
      paint(lane, clock) {
        const why = unseenReason(lane.state, member);
        for (const layer of [under.g, under.head]) show(layer, !why);
        slot.press.style.visibility = why ? 'hidden' : '';
        if (why && !blank) {
          const upon = layers();
          blank = { slot: upon, set: cover(upon) };
        }
        if (blank) for (const layer of [blank.slot.g, blank.slot.head]) show(layer, !!why);
        if (why) blank?.set(ctx.t('unseen.station'), why);
        else drawn.paint(lane, clock);
      },
    };
  };
}

/** A panel with a hatch, and words on it. @param {Slot} slot @param {number} round @param {number} top @param {string} type @param {string} font */
function hatchPanel(slot, round, top, type, font) {
  const { g, x, y, w, h: tall, pad } = slot;
  panel(slot, y, tall, round);
  const pitch = Math.round(1.45 * parseFloat(font));
  const box = s('rect', { x: x + 8, y: y + 8, width: w - 16, rx: 3, class: 'pn2' });
  g.append(s('rect', { x: x + 1, y: y + 1, width: w - 2, height: tall - 2, rx: round, class: 'hatch' }), box);
  const room = Math.max(1, Math.floor((tall - top - 8) / pitch));
  const lines = Array.from({ length: Math.min(room, 18) }, (_, i) => text(g, x + Math.max(pad ?? 0, 14), y + top + pitch * i, i ? type : `${type} t1`));
  return (/** @type {string} */ head, /** @type {string} */ why) => {
    const words = [head, ...wrap(why, w - 2 * Math.max(pad ?? 0, 14), lines.length - 1, font)];
    lines.forEach((line, i) => line.set(words[i] ?? '', why));
    attr(box, 'height', Math.max(0, top + pitch * (words.length - 1) + 2));
  };
}

/**
 * How a station is covered, in each way to draw it.
 * @type {Record<'full' | 'large' | 'line' | 'open', (slot: Slot, title: string) => (head: string, why: string) => void>}
 */
const covers = {
  full(slot, title) {
    text(slot.head, slot.x, slot.rail - 84, 'ti').set(title);
    return hatchPanel(slot, 4, 27, 'l', '12px');
  },
  large(slot, title) {
    heading(slot, title);
    return hatchPanel(slot, 5, 40, slot.type.label, slot.fonts.label);
  },
  line(slot, title) {
    const head = lineHeading(slot, title);
    return (word, why) => {
      head.set('—');
      head.right.set(word);
      head.left.set(fit(why, slot.w - width(word, slot.fonts.state) - 16, slot.fonts.label), why);
    };
  },
  open(slot, title) {
    const head = lineHeading(slot, title);
    const lines = [0, 1, 2, 3, 4].map((i) => text(slot.g, slot.x, slot.y + 58 + 22 * i, slot.type.state));
    return (word, why) => {
      head.set('—');
      head.right.set(word);
      const words = wrap(why, slot.w - 14, lines.length, slot.fonts.state);
      lines.forEach((line, i) => line.set(words[i] ?? ''));
    };
  },
};
