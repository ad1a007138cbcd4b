// @ts-check
// The Listeners: for each handler its two unbuffered channels, the ring that grows between them, and the handler with its pace.
import { attr, h, Num, place, reveal, s, show, text } from '../kit/dom.js';
import { unframed } from '../draw/comparison.js';
import { deltaWords } from '../draw/delta.js';
import { dropWords } from '../draw/drops.js';
import { callTime, expectMillis, handlerBox } from '../draw/handler.js';
import { halfHead, middleHead, receivedHalf, sentMiddle } from '../draw/halves.js';
import { heading, lineHeading } from '../draw/heading.js';
import { lamp } from '../draw/lamp.js';
import { ring } from '../draw/ring.js';
import { hatch, unseenReason } from '../draw/unseen.js';
import { count, countdown, exact, ownName, ring as ringNumber, span } from '../kit/format.js';
import { distinctPart, fit, fitMiddle, width } from '../kit/measure.js';
import { Glyph, kindOf } from '../kit/glyphs.js';
import { addWords } from '../kit/i18n.js';
import { stationNames } from '../kit/names.js';
import { openAdd, openHandler } from './listenermenu.js';

/** @import { Ctx, Drawn, Lane, Slot } from '../wire/page-types.js' */
/** @import { Facts, Listener, State } from '../wire/types.js' */
/** @typedef {NonNullable<ReturnType<typeof find>>} Found */

const title = stationNames.listeners;

addWords({
  'lis.handledOf': ['{n} handled of {m}', '已处理 {n} / {m}'],
  'lis.handledTitle': [
    '{d} distributed to it, {m} delivered over nextCh, {n} handled',
    '分发给它 {d}，经 nextCh 交付 {m}，处理完 {n}',
  ],
  'lis.now': ['now {key}', '正在 {key}'],
  'lis.pendingSampled': ['pending ≈ 20/s', '个待处理 ≈ 20/秒'],
  'lis.past': ['this handler was added without the probe', '这个 handler 绕过了 probe'],
  'lis.mutates': ['mutates objects', '在改写对象'],
  'lis.mutated': ['mutated {n} [n:object|objects]', '改写了 {n} 个对象'],
  'lis.met': ['received {label}={is}', '收到 {label}={is}'],
  'lis.metOld': ['received an old object with {label}={is}', '收到的旧对象是 {label}={is}'],
  'lis.metOldShort': ['old has {label}={is}', 'old 是 {label}={is}'],
  'lis.mutatedShort': ['mutated {n}', '改写 {n} 个'],
  'lis.gone': ['removed', '已移除'],
  'lis.goneWhy': ['{n} handled, {m} discarded', '处理了 {n}，丢弃 {m}'],
});

/** The facts of a listener. @param {Facts} facts @param {number} id */
function factsOf(facts, id) {
  return facts.listeners.find((f) => f.id === id);
}

/** Whether a listener is slow, as the facts say it. @param {Facts} facts @param {Listener} l */
function slowIn(facts, l) {
  return !!factsOf(facts, l.id)?.slow;
}

/** Whether a listener's handler changes what it is handed. @param {State} state @param {Listener} l */
function mutates(state, l) {
  return l.mutations > 0 && state.faults.some((f) => f.name === 'mutate' && f.on);
}

/** What a listener's handler mutated, or which mutated object it received; empty for nothing. @param {Ctx} ctx @param {Listener} l */
function mutationWords({ t }, l) {
  if (l.mutations) return t('lis.mutated', { n: exact(l.mutations) });
  if (!l.lastMet) return '';
  return t(l.lastMet.as === 'old' ? 'lis.metOld' : 'lis.met', { label: l.lastMet.label, is: l.lastMet.is });
}

/** The same in few words. @param {Ctx} ctx @param {Listener} l */
function mutationShort({ t }, l) {
  if (l.mutations) return t('lis.mutatedShort', { n: exact(l.mutations) });
  if (!l.lastMet) return '';
  return t(l.lastMet.as === 'old' ? 'lis.metOldShort' : 'lis.met', { label: l.lastMet.label, is: l.lastMet.is });
}

/** What the number of those that wait is called: where the rings are only looked at now and then, how often. @param {State} state */
function pendingWord(state) {
  return state.fidelity?.['listeners.ring']?.how === 'sampled' ? 'lis.pendingSampled' : 'lis.pending';
}

/** Why a listener's handler is unknown; empty where it is known. @param {State} state @param {Listener} l */
function pastProbe(state, l) {
  const is = state.fidelity?.[`listeners.${l.id}`];
  return is && is.how !== 'exact' ? is.why || ' ' : unseenReason(state, 'listeners.handling');
}

/** A listener by its number, with the path to it in the state. @param {State} state @param {number} id */
function find(state, id) {
  const i = state.listeners.findIndex((l) => l.id === id);
  return i < 0 ? null : { l: state.listeners[i], path: `listeners.${i}` };
}

/**
 * Writes a listener's name, or its own part, so that no other listener seems to have it.
 * @param {Lane} lane @param {ReturnType<typeof text>} words @param {Found} of @param {(s: string) => string} cut
 */
function paintName(lane, words, { l, path }, cut) {
  const shown = distinctPart(l.name, l.id, lane.state.listeners.map((x) => x.name), ownName, cut);
  if (shown === cut(l.name)) words.bind(lane, `${path}.name`, 'fit', 'same', cut);
  else words.set(shown, l.name);
}

/** @param {Ctx} ctx @param {Listener} l */
function syncedWords(ctx, l) {
  return ctx.t(l.synced ? 'synced' : 'notSynced');
}

// --- The main stage -----------------------------------------------------------------------------------------------------------

/** How a listener's ring and handler look that has a panel of its own. */
const stageRing = { r: 32, stroke: '', number: 'n20', of: 'l', ticks: 6 };
const stageHandler = { w: 52, h: 36, words: 't14', longWords: 'l t1 b', wordsY: 4, bar: 3, pad: 4, barY: 11 };
/** How many there can be of those, and how many rows when there are more listeners. */
const panelCount = 3;
const rowCount = 5;
const ringX = 910;
/** The width for a name before the ring, at 14 px and at 12 px. */
const nameRoom = 58;
const smallRoom = 62;
const handlerX = 994;
/** Where the rail forks to them. */
const forkX = 810;
/** The two bars of an unbuffered channel at two places. @param {number} y @param {number[]} xs @param {number} half their height */
const gates = (y, xs, half) => xs.map((x) => `M${x} ${y - half}V${y + half}`).join('');

/**
 * The panel of one listener: its name, ring and handler on the rail, and what became of its notifications.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @param {number} y of its rail
 */
function stagePanel(slot, ctx, y) {
  const g = s('g');
  slot.above.append(g);
  const name = text(g, 830, y - 26, 't14');
  const warning = s('use', { href: '#i-warn', x: 1040, y: y - 37.7, width: 14, height: 14, class: 'ic cw' });
  g.append(warning);
  const state = text(g, 1054, y - 26, 'l', 'end');
  const detail = s('g', { class: 'detail' });
  g.append(detail);
  g.append(s('path', { d: gates(y, [838, 848], 11), class: 'gate' }));
  text(detail, 843, y + 30, 'm2', 'middle').set('addCh');
  g.append(s('path', { d: gates(y, [968, 978], 11), class: 'gate' }));
  text(detail, 973, y + 30, 'm2', 'middle').set('nextCh');
  // In another process what passes the channels is not seen, nor what a handler does that was added without the probe.
  const channels = [832, 962].map((left) => hatch(g, { x: left, y: y - 14, w: 22, h: 28 }));
  const buffer = ring(g, ringX, y, stageRing);
  const handler = handlerBox(g, handlerX, y, stageHandler);
  const past = hatch(g, { x: handlerX, y: y - 18, w: 52, h: 36 });
  detail.append(s('path', { d: `M830 ${y + 44}H1054`, class: 'hair' }));
  const handled = text(detail, 830, y + 64, 'l');
  const isSynced = lamp(detail, 1050, y + 60, 4);
  const synced = text(detail, 1041, y + 64, 'l t1', 'end');
  const op = new Glyph(detail, 830, y + 71, 13);
  const note = text(detail, 830, y + 82, 'l');
  const button = menuButton(slot, ctx, 'sbtn box', [handlerX, y - 18, 52, 36]);

  /** @param {Listener} l @param {boolean} slow it is, or changes what it is handed @param {boolean} held */
  function paintState(l, slow, held) {
    const bad = l.panics > 0;
    const troubled = slow || bad;
    show(warning, troubled);
    attr(warning, 'class', bad ? 'ic ce' : 'ic cw');
    state.cls(bad ? 'l cet' : slow ? 'l cwt' : 'l').moveTo(troubled ? 1036 : 1054, y - 26).set(stateWords(ctx, l, slow), l.lastPanic ?? '');
    // A hold has its buttons here.
    state.show(!held || troubled);
  }

  /**
   * What it handles now, if that lasts long enough to be read; else a note about the listener.
   * @param {Listener} l
   * @param {boolean} held
   */
  function paintNote(l, held) {
    const lasts = l.handling && (ctx.model.view.mode === 'paused' || expectMillis(l) > 30 || ctx.now() - l.handlingSince > 120);
    const busy = lasts ? l.handling : null;
    const room = held ? 80 : 224;
    if (busy) {
      op.set(kindOf(busy.op));
      note.cls(busy.key && busy.key === ctx.selected() ? 'm1 selk' : 'm1').moveTo(848, y + 82);
      note.set(fit(deltaWords(busy, 28), room - 16), `${busy.op} ${busy.key ?? ''}`);
    } else {
      op.hide();
      const words = noteWords(ctx, l);
      note.cls('l').moveTo(830, y + 82).set(fit(words, room), l.lastPanic ?? words);
    }
  }

  return {
    /** @param {Lane} lane @param {number} id 0 hides the panel */
    paint(lane, id) {
      const { state: st, facts } = lane;
      const found = id ? find(st, id) : null;
      show(g, !!found);
      reveal(button.el, !!found);
      if (!found) return;
      const { l, path } = found;
      button.id = l.id;
      const slow = slowIn(facts, l);
      const held = !!ctx.model.hold('deliver', l.id);
      // A name that is too wide is smaller, and higher, where the ring leaves more room.
      const small = width(ownName(l.name), '600 14px') > nameRoom;
      name.cls(small ? 'l t1 b' : 't14').moveTo(830, y - (small ? 32 : 26));
      paintName(lane, name, found, (own) => (small ? fitMiddle(own, smallRoom, '700 12px') : own));
      buffer.paint(lane, l, path, { slow, of: (n) => ctx.t('lis.of', { n }) });
      handler.paint(l, path, lane.now, { slow, bad: l.panics > 0 && !!l.handling });
      for (const channel of channels) channel.set(unseenReason(st, 'listeners.distributed'));
      const why = pastProbe(st, l);
      past.set(why && ctx.t('lis.past'));
      handled.set(why ? '' : handledWords(ctx, l), ctx.t('lis.handledTitle', { d: exact(l.distributed), m: exact(l.delivered), n: exact(l.handled) }));
      isSynced.set(l.synced);
      synced.cls(l.synced ? 'l t1' : 'l').set(syncedWords(ctx, l));
      paintState(l, slow || mutates(st, l), held);
      paintNote(l, held);
      if (why) note.cls('l').moveTo(830, y + 82).set(ctx.t('lis.past'), why);
      button.label(l);
    },
    focus: () => button.el.focus(),
    get shown() {
      return !button.el.hidden;
    },
  };
}

/** @param {Ctx} ctx @param {Listener} l */
function handledWords({ t }, l) {
  if (l.delivered > 99999) return t('lis.handled', { n: exact(l.handled) });
  return t('lis.handledOf', { n: exact(l.handled), m: exact(l.delivered) });
}

/** How a listener is. @param {Ctx} ctx @param {Listener} l @param {boolean} slow */
function stateWords(ctx, l, slow) {
  const { t, model } = ctx;
  if (l.panics > 0) return t('lis.panicked');
  if (slow) return t(mutates(model.state, l) ? 'lis.mutates' : 'lis.slow');
  return resyncWords(ctx, l);
}

/** When a listener takes part in a resync next; empty if it never does. @param {Ctx} ctx @param {Listener} l */
function resyncWords({ t, now }, l) {
  const rest = l.nextResyncMillis - now();
  if (!l.resyncMillis || l.removed) return '';
  return rest > 0 ? t('lis.resyncIn', { s: countdown(rest) }) : t('lis.resyncDue');
}

/** The note about a listener while its handler is idle. @param {Ctx} ctx @param {Listener} l */
function noteWords(ctx, l) {
  const { t, model } = ctx;
  const had = l.capacities;
  if (l.panics) return t('lis.panics', { n: exact(l.panics) });
  const mutation = mutationWords(ctx, l);
  if (mutation) return mutation;
  if (had.length > 1) return t('lis.doubledTo', { n: had.length, to: exact(l.capacity) });
  if (had.length === 1) return t('lis.doubled', { from: exact(had[0]), to: exact(l.capacity) });
  const drains = factsOf(model.facts, l.id)?.drainMillis ?? 0;
  if (drains > 0) return t('lis.drain', { s: span(drains) });
  const drops = dropWords([l]).whole;
  if (drops) return drops;
  if (model.facts.keyListener === l.id) return t('lis.calls');
  return l.syncing && l.resyncMillis > 0 ? t('lis.syncing') : '';
}

/** The outline of a listener that was removed: how much its ring threw away. @param {Ctx} ctx @param {SVGElement} root @param {number} y */
function stageOutline(ctx, root, y) {
  const circle = s('circle', { cx: ringX, cy: y, r: 32, class: 'slot off' });
  root.append(circle);
  const name = text(root, 830, y - 26, 't14 t2');
  const state = text(root, 1054, y - 26, 'l', 'end');
  const discarded = text(root, ringX, y + 7, 'n20 t3', 'middle');
  const words = text(root, 830, y + 64, 'l');
  return {
    /** @param {Lane} lane @param {Listener | undefined} l */
    paint(lane, l) {
      const lost = l?.discarded ?? 0;
      show(circle, !!l);
      discarded.bind(lane, l ? `listeners.${lane.state.listeners.indexOf(l)}.discarded` : '', 'ring', 'exact');
      name.set(l ? fitMiddle(l.name, 110, '600 14px') : '', l?.name ?? '');
      state.set(l ? ctx.t('lis.gone') : '');
      words.set(l ? ctx.t('lis.goneWhy', { n: exact(l.handled), m: exact(lost) }) : '');
    },
  };
}

/** One of the rows of those that have no panel. @param {Slot} slot @param {Ctx} ctx @param {number} y */
function stageRow(slot, ctx, y) {
  const g = s('g');
  slot.g.append(g);
  const name = text(g, 830, y, 'l t1 b');
  const buffer = ring(g, 926, y - 4, { r: 7, stroke: 'sm' });
  const pending = text(g, 940, y, 'l t1');
  const time = text(g, 1036, y, 'l', 'end');
  const isSynced = lamp(g, 1050, y - 4, 4);
  const button = menuButton(slot, ctx, 'sbtn', [826, y - 15, 232, 22]);
  return {
    /** @param {Lane} lane @param {number} id 0 hides the row */
    paint(lane, id) {
      const found = id ? find(lane.state, id) : null;
      show(g, !!found);
      reveal(button.el, !!found);
      if (!found) return;
      const { l, path } = found;
      const slow = slowIn(lane.facts, l);
      button.id = l.id;
      paintName(lane, name, found, (own) => fitMiddle(own, 84, '700 12px'));
      buffer.paint(lane, l, path, { slow });
      pending.bind(lane, `${path}.pending`, 'ring');
      time.cls(slow ? 'l cwt' : 'l').set(callTime(l));
      isSynced.set(l.synced);
      button.label(l);
    },
  };
}

/** The button that opens the menu of a handler. @param {Slot} slot @param {Ctx} ctx @param {string} cls @param {[number, number, number, number]} box */
function menuButton(slot, ctx, cls, box) {
  const el = h('button', { class: cls, type: 'button', 'aria-haspopup': 'dialog' });
  place(el, ...box);
  slot.press.append(el);
  const button = {
    el,
    id: 0,
    /** @param {Listener} l */
    label(l) {
      const words = ctx.t('lis.boxLabel', { name: l.name, s: callTime(l) });
      attr(el, 'aria-label', l.handling?.key ? `${words}, ${ctx.t('lis.now', { key: l.handling.key })}` : words);
    },
  };
  el.addEventListener('click', () => openHandler(ctx, el, button.id));
  return button;
}

/**
 * The places of the listeners on the main stage. Up to three have a panel each. With more, the first has one, and one of the others that is
 * behind or not synced. A removed listener keeps its place as an outline until another needs the place, so that the rest does not move.
 */
class Places {
  /** The listener that was drawn second when there were more than three. */
  secondListener = 0;
  /** In the panels, then in the rows. @type {Listener[]} */
  list = [];
  many = false;

  /** @param {Listener[]} listeners @param {Facts} facts */
  choose(listeners, facts) {
    const there = listeners.filter((l) => !l.removed);
    const list = [...listeners];
    while (list.length > panelCount && list.length > there.length) list.splice(list.findIndex((l) => l.removed), 1);
    this.many = list.length > panelCount;
    this.list = this.many ? this.order(there, facts) : list;
  }

  /** @param {Listener[]} there @param {Facts} facts @private */
  order(there, facts) {
    const rest = there.slice(1);
    const tells = (/** @type {Listener} */ l) => !l.synced || factsOf(facts, l.id)?.behind;
    const kept = rest.find((l) => l.id === this.secondListener);
    const next = kept && tells(kept) ? kept : rest.find((l) => l.id === facts.listener && tells(l)) ?? rest.find(tells);
    const second = next ?? kept ?? rest[0];
    this.secondListener = second.id;
    return [there[0], second, ...rest.filter((l) => l !== second)];
  }

  /** How many have a panel. */
  get panels() {
    return this.many ? panelCount - 1 : panelCount;
  }

  /** The numbers of the listeners with a panel, 0 where one was removed. */
  large() {
    const ids = this.list.slice(0, this.panels).map((l) => (l.removed ? 0 : l.id));
    while (ids.length && !ids[ids.length - 1]) ids.pop();
    return ids;
  }
}

/**
 * The main stage's drawing, which also returns the listeners that have a panel there.
 * @param {Slot} slot
 * @param {Ctx} ctx
 */
function full(slot, ctx) {
  const { g: root, head, x, w, rails = [] } = slot;
  const { t } = ctx;
  text(head, x, 68, 'ti').set(title);
  const total = new Num(head, x, 96, 'num', 7);
  const add = h('button', { class: 'sbtn line acts detail', type: 'button', 'aria-haspopup': 'dialog' });
  place(add, 1018, 53, 46, 21);
  add.addEventListener('click', () => openAdd(ctx, add));
  const frames = rails.map((y) => {
    const frame = s('rect', { x, y: y - 46, width: w, height: 136, rx: 4, class: 'pn' });
    root.append(frame);
    return frame;
  });
  const none = text(root, 832, 221, 'l t1');
  const noneWhy = text(root, 832, 241, 'l');
  const panels = rails.map((y) => stagePanel(slot, ctx, y));
  const outlines = rails.map((y) => stageOutline(ctx, root, y));
  const rows = Array.from({ length: rowCount }, (_, i) => stageRow(slot, ctx, 418 + 24 * i));
  const more = text(root, 830, 526, 'l3');
  slot.press.append(add);
  const places = new Places();
  /** @type {number[]} */
  let large = [];

  /** @param {number} pending @param {State} state */
  function paintHead(pending, state) {
    total.set(pending > 9999 && pending <= 99999 ? ringNumber(pending) : count(pending), t(pendingWord(state)));
    if (add.textContent !== t('add')) add.textContent = t('add');
    attr(add, 'aria-label', t('lis.addTitle'));
  }

  /** @param {Listener[]} list */
  function paintFrames(list) {
    const n = Math.min(panelCount, list.length);
    frames.forEach((frame, i) => {
      show(frame, i < Math.max(1, n));
      attr(frame, 'class', list[i]?.removed ? 'pn ghost' : 'pn');
      attr(frame, 'height', n ? 136 : 426);
    });
    none.set(n || !ctx.model.any ? '' : t('lis.none'));
    noneWhy.set(n || !ctx.model.any ? '' : t('lis.noneWhy'));
  }

  /** The height of the rail of a move's listener; undefined without a panel. @param {import('../wire/types.js').Move} m */
  const rowOf = (m) => rails[m.l === undefined ? 0 : large.indexOf(m.l)];
  return {
    /** @type {Record<string, import('../wire/page-types.js').Point>} */
    points: {
      fan(m) {
        const y = rowOf(m);
        if (y === slot.rail) return [862, y];
        return y === undefined ? [forkX, slot.rail, forkX, 408] : [forkX, slot.rail, forkX, y, 862, y];
      },
      ring(m) {
        const y = rowOf(m);
        return y === undefined ? null : [946, y];
      },
      handler: (m) => [986, rowOf(m) ?? slot.rail],
      key(m) {
        const y = rowOf(m) ?? slot.rail;
        return y === slot.rail ? [1056, y] : [1052, y, 1074, y, 1074, slot.rail];
      },
    },
    /** @param {Lane} lane */
    paint(lane) {
      places.choose(lane.state.listeners, lane.facts);
      const { list, many } = places;
      large = places.large();
      paintHead(lane.facts.pending, lane.state);
      paintFrames(list);
      outlines.forEach((o, i) => o.paint(lane, list[i]?.removed && !many ? list[i] : undefined));
      panels.forEach((o, i) => o.paint(lane, large[i] ?? 0));
      rows.forEach((o, i) => o.paint(lane, (many && list[places.panels + i]?.id) || 0));
      const rest = list.length - places.panels - rowCount;
      more.set(many && rest > 0 ? t('more', { n: exact(rest) }) : '');
    },
    large: () => large,
    total: () => places.list.filter((l) => !l.removed).length,
    focus() {
      if (panels[0].shown) panels[0].focus();
      else add.focus();
    },
  };
}

// --- Presenter mode -----------------------------------------------------------------------------------------------------------

/** @typedef {ReturnType<typeof aloneLook> | ReturnType<typeof mainLook> | ReturnType<typeof otherLook>} RowLook */

/** The row of the listener that matters, in as much room as it has. @param {number} w */
function mainLook(w) {
  const slim = w < 380;
  const tight = w < 320;
  const r = tight ? 54 : slim ? 66 : 78;
  return {
    height: 214, middle: 110, frame: 'pn on', faded: false, ringX: Math.round(w * (slim ? 0.36 : 0.4)), handlerRight: 16,
    ring: { r, stroke: 'r12', number: tight ? 'p35' : 'p44', numberY: 8, of: 'p16', ofY: 34, ticks: 6, reach: 11, tick: 'r3' },
    handler: { w: tight ? 84 : 96, h: 64, words: 'p21 tn', wordsY: 6, bar: 5, pad: 7, barY: 19, edge: 'w2' },
    name: { cls: 'p21', y: -80, room: w * 0.5, font: '600 21px' },
    // The lamp stands below the handler, where the ring leaves room.
    lamp: { x: w - 22, y: 60, wordsX: w - 36, anchor: /** @type {'end'} */ ('end') },
  };
}

/** From this width on the listener that matters has the whole picture. */
const aloneWidth = 560;

/** The listener that matters, when it has the whole picture: its ring can be read from the last row of a room. @param {number} w */
function aloneLook(w) {
  return {
    height: 414, middle: 214, frame: 'pn on', faded: false, ringX: Math.round(w * 0.43), handlerRight: 28,
    ring: { r: 148, stroke: 'r24', number: 'p72', numberY: 18, of: 'p21', ofY: 58, ticks: 6, reach: 18, tick: 'r3' },
    handler: { w: 144, h: 104, words: 'p30', longWords: 'p27', wordsY: 8, bar: 8, pad: 10, barY: 32, edge: 'w2' },
    name: { cls: 'p30', y: -168, room: w * 0.4, font: '30px' },
    lamp: { x: w - 28, y: 84, wordsX: w - 42, anchor: /** @type {'end'} */ ('end') },
  };
}

/** The row of another listener beside that one. @param {number} w */
function otherLook(w) {
  const least = w < 260;
  const tight = w < 320;
  return {
    height: 92, middle: 46, frame: 'pn', faded: true, ringX: Math.round(w * (least ? 0.48 : 0.4)), handlerRight: least ? 6 : 16,
    ring: { r: least ? 24 : 30, stroke: 'r8', number: least ? 'p18' : 'p27', numberY: 9, as: /** @type {const} */ ('ringShort') },
    handler: { w: least ? 62 : w < 380 ? 76 : 88, h: 48, words: least ? 'p16' : 'p18', wordsY: 5, bar: 5, pad: 7, barY: 14, edge: 'w2' },
    name: { cls: 'p18', y: -27, room: least ? 70 : w * 0.27, font: '600 18px' },
    lamp: { x: 20, y: 30, wordsX: tight ? 0 : 33, anchor: /** @type {'start'} */ ('start') },
  };
}

/** The rail from the fork to a ring. @param {number} fork @param {number} rail @param {number} y @param {number} to */
function branch(fork, rail, y, to) {
  if (y === rail) return `M${fork} ${y}H${to}`;
  return `M${fork} ${rail}V${y - 10}Q${fork} ${y} ${fork + 10} ${y}H${to}`;
}

/**
 * A listener's row: panel, rail, ring, handler, name and lamp.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @param {number} top
 * @param {RowLook} look
 */
function hallRow(slot, ctx, top, look) {
  const { x, w } = slot;
  const { r } = look.ring;
  const cy = top + look.middle;
  const g = s('g', look.faded ? { class: 'pdim' } : {});
  slot.g.append(g);
  g.append(s('rect', { x, y: top, width: w, height: look.height, rx: 5, class: look.frame }));
  const cx = x + look.ringX;
  g.append(s('path', { d: branch(slot.from, slot.rail, cy, cx - r), class: 'rail' }));
  const boxX = look.handler ? x + w - look.handler.w - look.handlerRight : cx + r;
  if (look.handler) g.append(s('path', { d: `M${cx + r} ${cy}H${boxX}`, class: 'rail' }));
  const buffer = ring(g, cx, cy, look.ring);
  const name = look.name && text(g, x + 14, cy + look.name.y, look.name.cls);
  const handler = look.handler && handlerBox(g, boxX, cy, look.handler);
  const isSynced = look.lamp && lamp(g, x + look.lamp.x, cy + look.lamp.y, 6);
  const synced = look.lamp?.wordsX ? text(g, x + look.lamp.wordsX, cy + look.lamp.y + 6, 'p16', look.lamp.anchor) : null;
  return {
    g, cx, r,
    from: cx - r - 8, ring: cx + r + 12, box: boxX - 17, y: cy,
    /** @param {Lane} lane @param {Listener} l @param {string} path @param {boolean} slow */
    paint(lane, l, path, slow) {
      if (name) paintName(lane, name, { l, path }, (own) => fitMiddle(own, look.name.room, look.name.font));
      buffer.paint(lane, l, path, { slow, of: (n) => ctx.t('pres.of', { n }) });
      handler?.paint(l, path, lane.now, { slow, bad: l.panics > 0 });
      isSynced?.set(l.synced);
      // Words that have no room beside the ring leave it to the lamp.
      const words = syncedWords(ctx, l);
      synced?.set(look.lamp?.anchor === 'start' && look.lamp.wordsX + width(words, '16px') > look.ringX - r - 8 ? '' : words);
    },
  };
}

/**
 * What the row of the most important listener has beyond the others: that it is slow, the former size of its ring, its rates.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @param {ReturnType<typeof hallRow>} row
 * @param {number} top
 * @param {number} height of the row
 */
function mainWords(slot, ctx, row, top, height) {
  const { x, w } = slot;
  const { t } = ctx;
  const warning = s('use', { href: '#i-warn', x: x + w - 33, y: top + 11, width: 19, height: 19, class: 'ic cw' });
  row.g.append(warning);
  const said = text(row.g, x + w - 40, top + 27, 'p16 cwt', 'end');
  const before = text(row.g, row.cx - row.r - 16, row.y - 34, 'p16 b6', 'end'); // above stacked chips
  const foot = top + height - 12;
  const rateIn = text(row.g, x + 14, foot, 'p18');
  const rateOut = text(row.g, x + w - 14, foot, 'p18', 'end');
  return {
    /** @param {Listener} l @param {Facts} facts @param {boolean} slow */
    paint(l, facts, slow) {
      const mutation = slow ? '' : mutationWords(ctx, l);
      const room = w - 78 - width(l.name, '600 21px');
      show(warning, slow || !!mutation);
      const wrong = slow ? t('pres.slow') : width(mutation, '16px') <= room ? mutation : mutationShort(ctx, l);
      const waits = wrong ? '' : resyncWords(ctx, l);
      said.cls(wrong ? 'p16 cwt' : width(waits, '21px') <= room ? 'p21' : 'p16').moveTo(x + w - (wrong ? 40 : 14), top + 27).set(wrong || waits, mutation);
      const had = l.capacities[l.capacities.length - 1];
      before.set(had && !(slot.lean && w < 380) ? exact(had) : '');
      const rates = factsOf(facts, l.id);
      rateIn.set(rates ? t('pres.in', { n: exact(rates.in) }) : '');
      rateOut.set(rates ? t('pres.out', { n: exact(rates.out) }) : '');
    },
  };
}

/** How the listeners are that have no place in the picture. @param {Ctx} ctx @param {Facts} facts @param {number} main */
function othersWords({ t, model }, facts, main) {
  const others = model.state.listeners.filter((l) => !l.removed && l.id !== main);
  const waiting = others.reduce((n, l) => n + l.pending, 0);
  if (!others.length) return '';
  return others.some((l) => factsOf(facts, l.id)?.behind) ? t('pres.othersWait', { n: exact(waiting) }) : t('pres.othersKeepUp', { n: others.length });
}

/** The listener that matters, large, and the others where there is room. @param {Slot} slot @param {Ctx} ctx @returns {Drawn} */
function drawHall(slot, ctx) {
  const number = heading(slot, title);
  const isAlone = slot.w >= aloneWidth && !!slot.main;
  const others = isAlone ? text(slot.head, slot.x, slot.rail - 62, 'p18') : null;
  /** @type {Map<number, {row: ReturnType<typeof hallRow>, words: ReturnType<typeof mainWords> | null}>} */
  const rows = new Map();
  let y = slot.rail - 46;
  (isAlone ? [slot.main] : slot.listeners).forEach((id, i) => {
    const main = id === slot.main;
    const look = !main ? otherLook(slot.w) : isAlone ? aloneLook(slot.w) : mainLook(slot.w);
    // The first row lies on the rail itself.
    const top = i === 0 && !main ? slot.rail - look.middle : y;
    const row = hallRow(slot, ctx, top, look);
    rows.set(id, { row, words: main ? mainWords(slot, ctx, row, top, look.height) : null });
    y = top + look.height + 8;
  });
  slot.g.append(s('circle', { cx: slot.from, cy: slot.rail, r: 5.5, class: 'fork' }));
  /** @param {'from' | 'ring' | 'box'} where @returns {import('../wire/page-types.js').Point} */
  const onRow = (where) => (move) => {
    const row = rows.get(move.l ?? 0)?.row;
    return row ? [row[where], row.y] : null;
  };
  return {
    paint(lane) {
      const { state, facts } = lane;
      // Alone, its number stands in the ring.
      number.set(isAlone ? '' : count(facts.pending));
      others?.set(othersWords(ctx, facts, slot.main));
      for (const [id, { row, words }] of rows) {
        const found = find(state, id);
        if (!found) continue;
        const slow = slowIn(facts, found.l);
        row.paint(lane, found.l, found.path, slow);
        words?.paint(found.l, facts, slow);
      }
    },
    points: { fork: [slot.from, slot.rail], fan: onRow('from'), ring: onRow('ring'), handler: onRow('box') },
  };
}

// --- The phone ----------------------------------------------------------------------------------------------------------------

/** How a row of the phone looks: the last is that of the listener that matters. @param {Slot} slot */
function phoneLooks({ lean }) {
  return {
    main: {
      ring: { r: lean ? 34 : 42, stroke: '', number: 'n20', numberY: 5, of: 'l', ofY: 22, ticks: 6 },
      handler: { w: lean ? 62 : 72, h: 38, words: 't14', wordsY: 5, bar: 3, pad: 4, barY: 12 },
    },
    other: {
      ring: { r: 12, stroke: 'sm', number: 'l t1', numberY: 4.5, as: /** @type {const} */ ('ringLeast') },
      handler: { w: 62, h: 26, words: 't14', wordsY: 5, bar: 0, pad: 4, barY: 12 },
    },
  };
}

/** @param {Slot} slot @param {Ctx} ctx @param {number} id @param {number} cy */
function phoneRow(slot, ctx, id, cy) {
  const { g, rail, lean } = slot;
  const { t } = ctx;
  const main = id === slot.main;
  const look = phoneLooks(slot)[main ? 'main' : 'other'];
  const { r } = look.ring;
  const right = slot.x + slot.w;
  const cx = lean ? 156 : Math.min(194, (right + 16) / 2);
  // The lamp of a small row stands behind its handler.
  const boxX = right - 12 - look.handler.w;
  g.append(s('circle', { cx: rail, cy, r: 4, class: 'fork' }), s('path', { d: `M${rail} ${cy}H${boxX}`, class: 'rail' }));
  const roomy = main && !lean;
  if (roomy) g.append(s('path', { d: gates(cy, [cx - r - 20, cx - r - 12, boxX - 18, boxX - 10], 10), class: 'gate' }));
  const buffer = ring(g, cx, cy, look.ring);
  const knock = s('g', { class: 'knockn' });
  g.append(knock);
  const name = text(knock, slot.x, cy + 5, 't14');
  const handler = handlerBox(g, boxX, cy, look.handler);
  const isSynced = lamp(g, right - 2, main ? cy + 54 : cy, 4);
  const said = main ? text(g, right - 12, cy - 32, 'l cwt', 'end') : null;
  const note = main ? text(g, slot.x, cy + 58, 'l') : null;
  const synced = main ? text(g, right - 14, cy + 58, 'l', 'end') : null;
  return {
    /** @param {Lane} lane */
    paint(lane) {
      const found = find(lane.state, id);
      if (!found) return;
      const { l, path } = found;
      const slow = slowIn(lane.facts, l);
      paintName(lane, name, found, (own) => fitMiddle(own, cx - r - (roomy ? 88 : 66), '600 14px'));
      buffer.paint(lane, l, path, { slow, of: (n) => t('pres.of', { n }) });
      handler.paint(l, path, lane.now, { slow, bad: l.panics > 0 });
      isSynced.set(l.synced);
      const wrong = slow ? t('pres.slow') : mutationWords(ctx, l);
      said?.cls(wrong ? 'l cwt' : 'l').set(wrong || resyncWords(ctx, l));
      synced?.set(syncedWords(ctx, l));
      const had = l.capacities[l.capacities.length - 1];
      note?.set(had ? t('phone.doubled', { a: exact(had), b: exact(l.capacity) }) : t('pres.handled', { n: exact(l.handled) }));
    },
  };
}

/** The head of the phone's station. @param {Slot} slot @param {Ctx} ctx @param {boolean} open */
function phoneHead(slot, ctx, open) {
  const { t } = ctx;
  const head = lineHeading(slot, title);
  return {
    /** @param {Lane} lane */
    paint({ state, facts }) {
      const there = state.listeners.filter((l) => !l.removed);
      head.set(count(facts.pending), t(pendingWord(state)));
      if (open) return;
      const slow = there.find((l) => slowIn(facts, l));
      head.left.set(slow ? '' : fit(there.map((l) => l.name).join(', '), slot.w - 4));
      head.right.cls(slow ? 'l cwt' : 'l').set(slow ? fit(`${slow.name}: ${t('lis.slow')}`, slot.w - 4) : '');
    },
  };
}

/** @type {import('../wire/page-types.js').Station & {full: typeof full}} */
export const listeners = {
  id: 'listeners',
  title,

  full,

  large: drawHall,

  line(slot, ctx) {
    const head = phoneHead(slot, ctx, false);
    slot.g.append(s('circle', { cx: slot.rail, cy: slot.y, r: 4, class: 'fork' }));
    return { paint: (lane) => head.paint(lane), points: { fan: [slot.rail, slot.y + 8] } };
  },

  open(slot, ctx) {
    const head = phoneHead(slot, ctx, true);
    const rest = slot.listeners.filter((id) => id !== slot.main);
    const rows = rest.map((id, i) => phoneRow(slot, ctx, id, slot.y + 34 + 32 * i));
    if (slot.main) rows.push(phoneRow(slot, ctx, slot.main, slot.y + 70 + 32 * rest.length));
    return {
      paint(lane) {
        head.paint(lane);
        for (const row of rows) row.paint(lane);
      },
      points: { fan: [slot.rail, slot.y + 8] },
    };
  },

  // One of several informers under each other: the buffer and the handler of the listener that is compared, on its rail.
  lane(slot, ctx) {
    const { g, x, rail, lean, main } = slot;
    const box = { w: lean ? 54 : 56, h: 36, words: 't14', longWords: 'l t1 b', wordsY: 5, bar: 3, pad: 4, barY: 12 };
    const boxX = x + (lean ? 24 : 52);
    const way = s('path', { d: `M${x} ${rail}H${boxX}`, class: 'rail' });
    g.append(way, s('path', { d: gates(rail, [x + 8, x + 16], 11), class: 'gate' }));
    // In presenter mode there is no room for the ring.
    const buffer = lean ? null : ring(g, x + 36, rail, { r: 11, stroke: 'sm' });
    const handler = handlerBox(g, boxX, rail, box);
    return {
      paint(from) {
        const stops = ctx.model.hold('pop') || ctx.model.hold('deliver', main);
        attr(way, 'class', stops ? 'rail starve' : 'rail');
        const found = find(from.state, main);
        if (!found) return;
        const { l, path } = found;
        const slow = slowIn(from.facts, l);
        buffer?.paint(from, l, path, { slow });
        // What the same code took beside each release is no measure of the releases.
        handler.paint(l, path, from.now, { slow, bad: l.panics > 0, time: l.paceMillis ? undefined : fit(l.name, box.w - 6, '600 14px') });
      },
      points: { fan: (m) => (m.l === main ? [x + 6, rail] : null) },
    };
  },

  // Beside a rail of the phone's two: what the compared handler of one release has handled, and in which order it was called.
  half(slot, ctx) {
    const head = halfHead(slot);
    const received = receivedHalf(slot, ctx);
    return {
      paint(lane) {
        const lists = slot.lit && !unframed(ctx);
        head.number.bind(lane, lists ? '' : `${find(lane.state, slot.main)?.path}.handled`, 'exact');
        head.words.set(ctx.t(lists ? 'lanes.received' : 'phone.handled'));
        received(lane);
      },
    };
  },

  between(slot, ctx) {
    const head = middleHead(slot, 'Listener');
    const list = sentMiddle(slot, ctx);
    return {
      paint(lane) {
        head.set(slot.lit && !unframed(ctx) ? ctx.t('lanes.asSent') : '');
        list(lane);
      },
    };
  },

  // In the row of an informer of a factory: its fullest ring, and the lamps of all its handlers. More of them than there is room for are one
  // lamp, which is on when all have synced, and how many have.
  row(slot, ctx) {
    const { g, x, y, w, rail, from, to, h: tall, pad, type, fonts, bare, tall: large } = slot;
    const k = pad / 17;
    const r = large ? Math.min(24 * k, tall / 4) : bare ? Math.min(9, tall / 2 - 3) : 13;
    const rings = s('g');
    const lights = s('g');
    g.append(rings, lights);
    const cx = bare ? x + 10 : from;
    const buffer = ring(rings, cx, rail, { r, stroke: bare ? 'thin' : '', number: large ? type.value : '', numberY: 7 * k });
    const whose = large ? text(g, cx, rail + r + 16 * k, type.label, 'middle') : text(g, bare ? x + 26 : x, y - 1, type.label);
    const room = large ? w : w - 26;
    const step = 13 * k;
    /** @type {ReturnType<typeof lamp>[]} */
    const lamps = [];
    const some = text(g, to + 18 * k, rail + 4 * k, type.label);
    let first = 0;
    return {
      paint(lane) {
        const is = lane.row;
        if (!is) return;
        first = is.ring?.listener ?? 0;
        show(rings, !!is.ring);
        if (is.ring) buffer.paint(lane, /** @type {any} */ ({ ...is.ring, capacities: [] }), `${lane.of}.ring`, { slow: false });
        const name = is.ring ? ownName(is.ring.name) : '';
        const words = large || !is.ring ? name : `${count(is.ring.pending)} ${name}`;
        whose.set(fitMiddle(words, room, fonts.label), is.ring ? `${is.ring.name}: ${exact(is.ring.pending)} / ${exact(is.ring.capacity)}` : '');
        const many = is.lamps.length * step > 76 * k;
        const shown = many ? [{ synced: is.lit === is.lamps.length }] : is.lamps;
        while (lamps.length < shown.length) lamps.push(lamp(lights, to + 6 + lamps.length * step, rail, 4 * k));
        lamps.forEach((l, i) => {
          show(l.el, i < shown.length);
          if (i < shown.length) l.set(shown[i].synced);
        });
        some.set(many ? ctx.t('factory.lit', { n: exact(is.lit), m: exact(is.lamps.length) }) : '');
      },
      points: {
        fan: (m) => (m.l === first ? [cx - r - 2, rail] : null), ring: (m) => (m.l === first ? [cx + r + 2, rail] : null),
      },
    };
  },
};
