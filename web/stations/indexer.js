// @ts-check
// The Indexer: every object of the store a cell, grouped by an index, as fresh as it is bright.
import { attr, button, h, Num, place, put, reveal, s, show, text, Txt } from '../kit/dom.js';
import { unframed } from '../draw/comparison.js';
import { CellGrid } from '../draw/cells.js';
import { frameDifferences } from '../draw/frames.js';
import { halfHead, middleName, storedHalf } from '../draw/halves.js';
import { heading, lineHeading } from '../draw/heading.js';
import { byFreshness, byPhase, byWord, freshest, phaseInk } from '../draw/looks.js';
import { hangPanel, panel } from '../draw/panel.js';
import { Pixels } from '../draw/pixels.js';
import { gist } from '../draw/sentence.js';
import { agingPause, groupWords, hallGrid, smallGrid } from '../draw/smallgrid.js';
import { unseenReason } from '../draw/unseen.js';
import { whenChanged } from '../draw/when.js';
import { bigVersion, exact, version } from '../kit/format.js';
import { fit, width } from '../kit/measure.js';
import { caret, Glyph, kindOf } from '../kit/glyphs.js';
import { addWords } from '../kit/i18n.js';
import { Rows } from '../kit/rows.js';
import { stationNames } from '../kit/names.js';
import { openFind, openIndices, openKeys } from './indexmenu.js';
import { weightButton, weights } from './transformmenu.js';

/** @import { Ctx, Lane, Slot } from '../wire/page-types.js' */
/** @typedef {import('../wire/types.js').Frame} Frame */

const title = stationNames.indexer;

addWords({
  'idx.gistBehind': ['{n} [n:change|changes] behind the cluster', '比集群落后 {n} 个变更'],
  'idx.gistNow': ['as new as the cluster', '和集群一样新'],
  'idx.colour': ['cells show how fresh an object is; press to show its phase', '格子显示对象的新鲜程度；按下改为显示 phase'],
  'idx.colourBack': ['cells show the phase of an object; press to show how fresh it is', '格子显示对象的 phase；按下改为显示新鲜程度'],
  'idx.noPhase': ['no phase', '无 phase'],
  'idx.matches': ['“{q}”: {n}', '“{q}”：{n}'],
  'idx.clear': ['no longer mark objects that contain “{q}”', '不再标出含“{q}”的对象'],
  'idx.group': ['{name}: {n} [n:object|objects]; show their keys', '{name}：{n} 个对象；显示它们的 key'],
  'idx.groups': ['groups', '分组'],
});

/** Whether it is known what the objects weigh. @param {import('../wire/types.js').State} state */
function knowsWeights(state) {
  return state.indexer.bytes > 0 && !unseenReason(state, 'indexer.bytes');
}

/** How many objects the groups of a block have. @param {Ctx} ctx @param {{groups: number[]}} block */
function countOf({ model }, { groups }) {
  let n = 0;
  for (const group of groups) n += model.groups.list[group]?.[1] ?? 0;
  return n;
}

/** Whether what the store has may be old, though it once had what the cluster has. @param {Ctx} ctx */
function isUnsure({ model }) {
  return !model.isSure() && !model.isUnlisted();
}

// --- The main stage -----------------------------------------------------------------------------------------------------------

/** The field of cells on the main stage, in units. */
const field = { x: 647, y: 204, w: 144, h: 322 };
/** The lines with the names of the groups. */
const nameX = 551;
const countX = 642;
const labelCount = 23;
/** How many objects grow older in one animation frame, while others wait for the next one. */
const atOnce = 4000;
/** With more objects than this a cell is too small for a mark when it changes. */
const mostMarked = 2600;
/** With more changes than this in one frame, none has a mark. */
const mostMarks = 12;
/** Both colours of cells have their legend here. */
const legendY = 182;

const stageGrid = {
  w: field.w,
  h: field.h,
  // A small store has larger cells, so that the last row of a room can see them.
  few: mostMarked,
  fewSizes: [
    { pitch: 12, size: 10, gap: 2 }, { pitch: 8, size: 7, gap: 2 }, { pitch: 6, size: 5, gap: 1 },
    { pitch: 4, size: 3, gap: 1 }, { pitch: 3, size: 2, gap: 1 },
  ],
  sizes: [{ pitch: 2, size: 2, gap: 3 }, { pitch: 2, size: 2, gap: 1 }],
  named: labelCount - 1,
  lowest: 14,
};

/** The cells of the main stage: what they show, how they are pointed at and walked through. */
class Field {
  /** @param {Slot} slot @param {Ctx} ctx */
  constructor(slot, ctx) {
    this.ctx = ctx;
    this.canvas = /** @type {HTMLCanvasElement} */ (h('canvas', { class: 'cells' }));
    slot.press.append(this.canvas);
    const pixels = new Pixels(this.canvas, ctx.scene.colour);
    this.grid = new CellGrid(pixels, { ...stageGrid, words: groupWords(ctx) }, byFreshness(ctx.model));
    /** What shows under the keyboard. */
    this.cursor = '';
    /** Colour by phase, not by freshness. */
    this.phases = false;
    /** Objects with this in their key are bright and all others dim, while it is not empty. */
    this.query = '';
    this.matches = 0;
    this.agedAt = 0;
    /** Where the log was with the last frame. */
    this.seq = 0;
    this.listen();
  }

  /** @private */
  listen() {
    const { canvas } = this;
    canvas.tabIndex = 0;
    canvas.dataset.x = String(field.x);
    canvas.setAttribute('role', 'application');
    canvas.setAttribute('aria-roledescription', 'object grid');
    canvas.addEventListener('pointermove', (e) => {
      const cell = this.objectUnder(e);
      canvas.title = cell ? cell.key + (cell.phase ? ` · ${cell.phase}` : '') : '';
    });
    canvas.addEventListener('click', (e) => {
      const cell = this.objectUnder(e);
      if (cell) this.choose(cell.key);
    });
    canvas.addEventListener('keydown', (e) => {
      const { cols, per } = this.grid;
      const cells = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: cols, ArrowUp: -cols }[e.key];
      if (cells !== undefined) this.walk(cells * per);
      else if (e.key !== 'Enter') return;
      else if (this.cursor) this.choose(this.cursor);
      else this.walk(0);
      e.preventDefault();
      e.stopPropagation();
    });
  }

  /** The object under the pointer. @param {MouseEvent} e @private */
  objectUnder(e) {
    const box = this.canvas.getBoundingClientRect();
    return this.grid.hit(((e.clientX - box.left) / box.width) * field.w, ((e.clientY - box.top) / box.height) * field.h);
  }

  /** Selects an object; the keyboard goes on from there. @param {string} key */
  choose(key) {
    this.cursor = key;
    this.describe();
    this.ctx.select(key);
  }

  /** @param {number} step @private */
  walk(step) {
    const next = this.grid.neighbour(this.grid.byKey.get(this.cursor), step);
    if (next) this.choose(next.key);
  }

  /** Says what the keyboard stands on. */
  describe() {
    const cell = this.grid.byKey.get(this.cursor);
    const { t, model } = this.ctx;
    const named = cell && (cell.phase ? `${cell.key}, ${cell.phase}` : cell.key);
    attr(this.canvas, 'aria-label', named ?? t('idx.cells', { n: exact(model.cells.size) }));
  }

  /** Shows phases, or freshness again. */
  swap() {
    this.phases = !this.phases;
    this.recolour();
  }

  /** Makes what has this in its key bright. @param {string} query */
  mark(query) {
    this.query = query.trim().toLowerCase();
    this.count();
    this.recolour();
  }

  /** @private */
  recolour() {
    const { model } = this.ctx;
    this.grid.show(this.query ? byWord(this.query) : this.phases ? byPhase : byFreshness(model), this.ctx.now());
    this.grid.surface.flush();
  }

  /** How many objects are marked. @private */
  count() {
    this.matches = 0;
    if (!this.query) return;
    for (const key of this.grid.byKey.keys()) if (key.toLowerCase().includes(this.query)) this.matches++;
  }

  /**
   * Draws what the last frame brought, and lets cells age.
   * @param {Frame | null} frame
   * @param {boolean} whole everything at once, as time is paused
   */
  paint(frame, whole) {
    const { grid } = this;
    const { model } = this.ctx;
    const now = this.ctx.now();
    if (frame) {
      if (model.touched.size || model.goneCells.length || model.groupsChanged || model.cellsReset || grid.moved) this.take(frame, now);
      this.seq = model.view.seq;
    }
    this.age(now, !!frame, whole);
    grid.surface.flush();
  }

  /** @param {Frame} frame @param {number} now @private */
  take(frame, now) {
    const { grid } = this;
    const { model } = this.ctx;
    const { motion } = this.ctx;
    // A mark says that something happened just now. After a jump nothing has: what is missing here had not come yet, or had gone before.
    const happened = !frame.jump && model.view.seq > this.seq;
    const marked = happened && model.cells.size <= mostMarked && grid.size >= 3;
    const few = model.touched.size <= mostMarks;
    const middle = () => grid.size / 2;
    /** @param {number} x @param {number} y @param {import('../kit/glyphs.js').Kind} kind */
    const mark = (x, y, kind) => motion.mark(field.x + x + middle(), field.y + y + middle(), kind);
    grid.take(model, now, marked ? {
      // An object that came to another group is still there.
      went: (cell, x, y) => model.cells.get(cell.slot)?.key !== cell.key && mark(x, y, 'del'),
      came: (cell, x, y) => few && model.freshness(now - cell.at) === freshest && mark(x, y, kindOf(cell.op)),
    } : {});
  }

  /** @param {number} now @param {boolean} news @param {boolean} whole @private */
  age(now, news, whole) {
    const { grid } = this;
    const clock = performance.now();
    const begun = grid.isSweeping;
    const due = begun || (whole && news) || clock - this.agedAt > agingPause(this.ctx);
    if (!due || grid.moved || !this.ctx.model.cells.size) return;
    if (!begun) {
      this.agedAt = clock;
      this.count();
    }
    grid.sweepSome(now, whole ? Infinity : atOnce);
  }

  /** Lays everything out again: other words, another size, other colours. */
  resize() {
    const { grid } = this;
    const { scene, model } = this.ctx;
    grid.k = scene.k;
    place(this.canvas, field.x, field.y, field.w, field.h);
    grid.rename();
    if (model.any) grid.layout(model, this.ctx.now());
    grid.surface.flush();
  }

  /** Where an object's cell is on the stage. @param {string} key */
  cellAt(key) {
    const cell = this.grid.byKey.get(key);
    const at = cell ? this.grid.spot(cell) : null;
    return at ? { x: field.x + at[0], y: field.y + at[1], size: this.grid.size } : null;
  }
}

/**
 * The names of the groups beside their cells, each of which shows its keys when it is pressed.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @param {Field} cells
 */
function stageLabels({ g: root, press }, ctx, cells) {
  const { grid } = cells;
  const labels = Array.from({ length: labelCount }, () => ({
    name: text(root, nameX, 215, 'l t1'), count: text(root, countX, 215, 'l', 'end'), laid: 0, n: -1, early: false,
  }));
  const over = new Rows(ctx, press, labelCount, 641, {
    act: (i) => {
      const group = grid.blocks[i]?.groups[0];
      const name = group === undefined ? undefined : ctx.model.groups.list[group]?.[0];
      if (name !== undefined) openKeys(ctx, over.rows[i].el, ctx.model.groups.index, name, (key) => cells.choose(key));
    },
  });
  return {
    paint() {
      over.label(ctx.t('idx.groups'));
      labels.forEach((label, i) => {
        // Groups keep their places; an empty store shows words instead.
        const block = ctx.model.cells.size ? grid.blocks[i] : undefined;
        const n = block ? countOf(ctx, block) : -1;
        if (label.laid === grid.layoutCount && label.n === n && !label.early) return;
        label.laid = grid.layoutCount;
        label.n = n;
        label.name.show(!!block);
        label.count.show(!!block);
        if (!block) {
          label.early = !over.set(i, '');
          return;
        }
        const words = exact(n);
        const y = field.y + block.y + 11;
        label.name.moveTo(nameX, y).set(fit(block.name, 90 - width(words)), block.name);
        label.count.moveTo(countX, y).set(words);
        const name = block.groups.length === 1 ? ctx.t('idx.group', { name: block.name, n: words }) : '';
        label.early = !over.set(i, name, 549, field.y + block.y - 1, 95, 14);
      });
    },
  };
}

/** What the colours of the cells mean, and what changes them. @param {Slot} slot @param {Ctx} ctx @param {Field} cells */
function stageLegend(slot, ctx, cells) {
  const { t } = ctx;
  const { g: root, press } = slot;
  const ages = s('g');
  root.append(ages);
  const newest = text(ages, 575, legendY, 'l3', 'end');
  for (let i = 0; i <= freshest; i++) {
    ages.append(s('rect', { x: 580 + 11 * i, y: 173, width: 9, height: 9, class: 'hc' + (freshest - i) }));
  }
  const oldest = text(ages, 640, legendY, 'l3');
  const phases = phaseLegend(slot, ctx);
  const swap = button({ class: 'sbtn quiet', 'data-x': 642 }, () => cells.swap());
  const weight = weightButton(ctx, press);
  const clear = h('button', { class: 'sbtn line raise idxq', type: 'button', hidden: '', 'data-x': 643 });
  const found = h('span');
  clear.append(found, s('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, s('use', { href: '#i-x' })));
  clear.addEventListener('click', () => cells.mark(''));
  press.append(swap, clear);

  /** @param {string} query */
  function paintFound(query) {
    const said = t('idx.matches', { q: fit(query, 120), n: exact(cells.matches) });
    put(found, said);
    attr(clear, 'aria-label', `${said}: ${t('idx.clear', { q: query })}`);
  }

  return {
    /** @param {Lane} lane @param {boolean} held the buttons of a hold stand here */
    paint(lane, held) {
      const { any } = ctx.model;
      const marked = cells.query !== '' && any;
      const byPhases = cells.phases && !marked && any;
      show(ages, !held && !cells.phases && !marked);
      phases.show(!held && byPhases);
      reveal(swap, !held && !marked && any);
      reveal(clear, marked && !held);
      const words = t(cells.phases ? 'idx.colourBack' : 'idx.colour');
      attr(swap, 'aria-label', words);
      attr(swap, 'title', words);
      place(swap, 548, 168, byPhases ? phases.paint(lane) - 551 : 124, 19);
      if (marked) paintFound(cells.query);
      weight.paint(lane, !held && any && !byPhases && !marked && knowsWeights(lane.state));
      newest.set(t('idx.now'));
      oldest.set(t('idx.minute') + (cells.grid.per > 1 ? ` · ${t('idx.per', { n: cells.grid.per })}` : ''));
    },
  };
}

/** The phases that most objects are in, each with its colour and how many there are. @param {Slot} slot @param {Ctx} ctx */
function phaseLegend(slot, ctx) {
  const g = s('g');
  slot.above.append(g);
  const rows = Array.from({ length: 5 }, () => {
    const rect = s('rect', { x: 551, y: 173.5, width: 8, height: 8 });
    g.append(rect);
    return { rect, words: text(g, 551, legendY, 'l knock') };
  });
  let end = 551;
  const draw = whenChanged((_, /** @type {import('../wire/types.js').Phase[]} */ most) => {
    end = 551;
    rows.forEach(({ rect, words }, i) => {
      const said = most[i] ? `${most[i][0] || ctx.t('idx.noPhase')} ${exact(most[i][1])}` : '';
      const wide = said ? width(said) : 0;
      const on = !!said && end + 12 + wide <= 800;
      show(rect, on);
      words.set(on ? said : '');
      if (!on) return;
      const ink = phaseInk(most[i][0]);
      attr(rect, 'x', end.toFixed(1));
      attr(rect, 'class', `${ink.hollow ? 'phh' : 'phc'}-${ink.colour}`);
      words.moveTo(Number((end + 12).toFixed(1)), legendY);
      end += 12 + wide + 10;
    });
  });

  return {
    /** @param {boolean} on */
    show: (on) => show(g, on),
    /** Returns where the last one ends. @param {Lane} lane */
    paint(lane) {
      draw(lane, ctx.model.phases);
      return end;
    },
  };
}

/**
 * The number of objects, the store's version or that it has none, and the button that groups by another index.
 * @param {Slot} slot
 * @param {Ctx} ctx
 * @param {Field} cells
 */
function stageHead({ head: root, press, x }, ctx, cells) {
  const { t, model } = ctx;
  text(root, x, 68, 'ti').set(title);
  const objects = new Num(root, x, 96, 'num', 7).markEarly();
  const right = text(root, 800, 68, 'l', 'end').markEarly();
  const rv = s('text', { x: 800, y: 96, class: 'n20', 'text-anchor': 'end' });
  const digits = s('tspan');
  const rvNumber = new Txt(digits).markEarly();
  rv.append(s('tspan', { class: 'l' }, 'rv '), digits);
  root.append(rv);
  const noVersion = text(root, 800, 96, 'l', 'end');
  const by = h('button', { class: 'sbtn quiet pickby detail', type: 'button', 'aria-haspopup': 'listbox', 'data-x': 640 });
  const byWords = h('span');
  by.append(byWords, caret());
  by.addEventListener('click', () => openIndices(ctx, by, (key) => cells.choose(key)));
  press.append(by);

  /** Writes about the store's state, and returns whether it may be old. @param {Lane} lane */
  function paintMatter(lane) {
    const { state, facts, now } = lane;
    const old = model.any && isUnsure(ctx);
    const held = state.holds.find((x) => x.stage === 'pop');
    const stands = held && state.reflector.phase === 'watching' ? now - held.sinceMillis : 0;
    const stale = model.staleMillis(now, facts);
    const mutated = !stale && state.indexer.mutated > 0 && !stands;
    if (stale) right.bind(lane, staleFrom, 't idx.stale');
    else if (old) right.set(t('idx.unsure'));
    else if (mutated) right.bind(lane, 'n=exact indexer.mutated', 't idx.mutated');
    else right.bind(lane, stands > 0 ? `s=seconds ${heldFrom}` : '', 't idx.still');
    return old || mutated;
  }

  return {
    objects,
    /** @param {Lane} lane */
    paint(lane) {
      const { indexer, era } = lane.state;
      objects.bind(lane, 'indexer.count', 'count', t(indexer.count === 1 ? 'idx.object' : 'idx.objects'));
      right.cls(paintMatter(lane) ? 'l cwt' : 'l t1');
      const versioned = !!indexer.resourceVersion;
      show(rv, versioned);
      if (versioned) rvNumber.bind(lane, 'indexer.resourceVersion', 'version');
      noVersion.set(!versioned && indexer.count ? t('idx.noRv', { era }) : '');
      reveal(by, !right.words && model.any);
      const group = model.groups.index || 'namespace';
      const grouped = !indexer.count || !indexer.indexSizes || group in indexer.indexSizes ? t('idx.by', { index: group }) : t('idx.unindexed');
      put(byWords, fit(grouped, 120));
      attr(by, 'title', grouped);
    },
  };
}

/**
 * The newest change that a handler made to an object in the store: what it wrote, what the API server had sent, and an index that does not know.
 * @param {Ctx} ctx @param {Element} g @param {number} x @param {number} bottom the line of the last words @param {number} w
 * @param {{cls: string, font: string, step: number}} type
 */
function mutationNote(ctx, g, x, bottom, w, { cls, font, step }) {
  const { t } = ctx;
  const lines = [0, 1, 2, 3].map(() => text(g, x, bottom, cls));
  const height = 4 * step;
  return {
    /** @param {import('../wire/types.js').State} state @param {number} free from where on nothing else is drawn */
    paint(state, free) {
      const m = free <= bottom - height ? state.indexer.mutations[0] : undefined;
      const name = state.listeners.find((l) => l.id === m?.listener)?.name ?? '';
      const was = m?.was ? `${m.label}=${m.was}` : t('idx.none', { label: m?.label ?? '' });
      const words = m ? [m.key, t('idx.wrote', { name, label: m.label, is: m.is }), t('idx.sent', { was }),
        m.stale.length ? t('idx.staleIndex', { index: m.stale[0] }) : ''] : [];
      const said = words.filter(Boolean);
      lines.forEach((line, i) => {
        line.cls(i === 1 ? `${cls} cwt` : cls).moveTo(x, bottom - (said.length - 1 - i) * step);
        line.set(fit(said[i] ?? '', w, font), said[i] ?? '');
      });
    },
  };
}

/** The frame around the cell of the selected object. @param {Ctx} ctx @param {Field} cells */
function stageSelection(ctx, cells) {
  const g = s('g');
  const fill = s('rect', { x: -5, y: -5, width: 10, height: 10, rx: 1 });
  g.append(fill, s('rect', { x: -6.5, y: -6.5, width: 13, height: 13, rx: 2, class: 'selbox' }));
  const glyph = new Glyph(g, -4.5, -4.5, 9);
  ctx.scene.high.append(g);
  show(g, false);
  return {
    paint() {
      const key = ctx.selected();
      const at = key ? cells.cellAt(key) : null;
      const cell = key ? cells.grid.byKey.get(key) : undefined;
      show(g, !!at);
      if (!at || !cell) return;
      attr(g, 'transform', `translate(${(at.x + at.size / 2).toFixed(1)} ${(at.y + at.size / 2).toFixed(1)})`);
      const kind = kindOf(cell.op);
      attr(fill, 'class', `ch mv k-${kind}`);
      glyph.set(kind, true);
    },
  };
}

/** What the calm stage says of the store. @param {ReturnType<typeof gist>} says @param {Lane} lane @param {Ctx} ctx */
function paintGist(says, lane, ctx) {
  const { t, model } = ctx;
  const { lag: { total }, upToDate } = lane.facts;
  if (!model.any) return says.set('');
  if (!model.cells.size) return says.set(t('idx.emptyWhy'));
  if (isUnsure(ctx)) return says.set(t('idx.unsure'));
  return total && total > 0 ? says.bind(lane, 'n=count facts.lag.total', 't idx.gistBehind') : says.set(upToDate ? t('idx.gistNow') : '');
}

/**
 * The main stage's: beside what every station has, what finds objects, their cells, and draws these apart from the words.
 * @param {Slot} slot
 * @param {Ctx} ctx
 */
function full(slot, ctx) {
  const { g: root, x, y, w, h: tall } = slot;
  const { t, model } = ctx;
  const cells = new Field(slot, ctx);
  const head = stageHead(slot, ctx, cells);
  const legend = stageLegend(slot, ctx, cells);
  root.append(s('rect', { x, y, width: w, height: tall, rx: 4, class: 'pn' }));
  const labels = stageLabels(slot, ctx, cells);
  const empty = text(root, 556, 221, 'l t1');
  const emptyWhy = text(root, 556, 241, 'l');
  const selection = stageSelection(ctx, cells);
  // Beside the cells, where the names of their groups are among the details.
  const says = gist({ ...slot, w: 96 });
  const mutation = mutationNote(ctx, root, 551, y + tall - 12, w - 16, { cls: 'l', font: '12px', step: 17 });
  /** The field in which a part of a name is typed, or null when the marks stay without it. @type {HTMLElement | null} */
  let asking = null;
  cells.resize();

  /** What is marked while it is typed is no longer when the field went. */
  function forgetQuery() {
    if (!asking || asking.isConnected) return;
    asking = null;
    if (cells.query) cells.mark('');
  }

  return {
    /** @param {Lane} lane */
    paint(lane) {
      forgetQuery();
      labels.paint();
      cells.describe();
      head.paint(lane);
      paintGist(says, lane, ctx);
      legend.paint(lane, !!model.hold('pop'));
      const none = model.any && !model.cells.size;
      empty.set(none ? t('idx.empty') : '');
      emptyWhy.set(none ? t('idx.emptyWhy') : '');
      reveal(cells.canvas, !none && model.any);
      const dim = model.any && isUnsure(ctx) && !document.documentElement.classList.contains('is-contrast') ? '0.55' : '';
      if (cells.canvas.style.opacity !== dim) cells.canvas.style.opacity = dim;
      selection.paint();
      mutation.paint(lane.state, field.y + cells.grid.end);
    },
    find: () => openFind(ctx, head.objects.el, {
      keys: () => [...cells.grid.byKey.keys()],
      query: () => cells.query,
      matches: () => cells.matches,
      mark: (query) => cells.mark(query),
      choose: (key) => cells.choose(key),
      asking: (input) => (asking = input),
    }),
    compared: (/** @type {Lane} */ lane) => head.paint(lane),
    resize: () => cells.resize(),
    focus: () => cells.canvas.focus(),
    /** @param {Frame | null} frame @param {boolean} whole */
    cells: (frame, whole) => cells.paint(frame, whole),
    /** The selected object continues to its cell. @type {Record<string, import('../wire/page-types.js').Point>} */
    points: {
      cell(m) {
        const c = cells.cellAt(m.k ?? '');
        const node = x + 188.5;
        return c && [node, slot.rail, node, c.y + c.size / 2, c.x + c.size / 2, c.y + c.size / 2];
      },
    },
    field: cells,
    place: field,
    keys: () => [...cells.grid.byKey.keys()],
  };
}

// --- The other layouts --------------------------------------------------------------------------------------------------------

/** For how long the store has had no news, and for how long Pop has been held, as Txt.bind takes it. */
const staleFrom = 's=seconds now - facts.staleSince max 0';
const heldFrom = 'now - holds[stage=pop].sinceMillis';

/** The cells of presenter mode, with the names of their groups where there is room. What is not stored yet is framed. @param {Slot} slot @param {Ctx} ctx */
function hallCells(slot, ctx) {
  const x = slot.x + slot.pad;
  const y = slot.y + 10;
  const room = slot.w - 2 * slot.pad;
  const { names, options } = hallGrid(slot);
  const g = s('g');
  slot.g.append(g);
  const cells = smallGrid(g, ctx, x + names, y, options);
  const field = s('g', { transform: `translate(${x + names} ${y})` });
  slot.g.append(field);
  const changes = frameDifferences(field, cells, true);
  const labels = Array.from({ length: options.named }, () => text(slot.g, x, y, slot.type.label));
  const each = text(slot.g, x, slot.y + slot.h - 7, slot.type.label);
  const mutation = mutationNote(ctx, slot.g, x, slot.y + slot.h - 40, room, { cls: 'p16', font: '16px', step: 24 });
  return {
    /** @param {number} clock @param {Lane} lane */
    paint(clock, { state, facts }) {
      mutation.paint(state, y + cells.grid.end);
      attr(g, 'opacity', ctx.model.isSure() ? null : 0.55);
      if (!changes(facts.unstored, clock)) return;
      const { blocks, per } = cells.grid;
      labels.forEach((label, i) => {
        const block = blocks[i];
        label.set(block ? fit(block.name, names - 8, slot.fonts.label) : '', block?.name ?? '');
        if (block) label.moveTo(x, y + block.y + 13);
      });
      each.set(per > 1 ? ctx.t('idx.per', { n: per }) : '');
    },
  };
}

/**
 * How far the store is behind what the Reflector has, or that it is not, while it is not stale. A few changes on their way are not worth a word.
 * Behind a held Pop each one is, and until the last of them has come.
 * @param {Ctx} ctx
 */
function freshness(ctx) {
  const { t, model } = ctx;
  let behind = false;
  return (/** @type {Lane} */ { state, facts }) => {
    const { queued } = facts.lag;
    if (queued === null) behind = (facts.versions.queued ?? 0) > 0; // a list is on its way in
    else behind = queued > (behind || model.hold('pop') ? 0 : 5) && !!state.indexer.resourceVersion;
    if (isUnsure(ctx)) return t('pres.unsure');
    if (state.indexer.mutated) return t('idx.mutated', { n: exact(state.indexer.mutated) });
    if (model.isUnlisted()) return '';
    if (!behind) return t('pres.current');
    return queued === null ? t('pres.behind') : `${exact(queued)} ${t('pres.behind')}`;
  };
}

/**
 * What the store weighs, in one line that ends at its right: as the objects came, where a transform dropped something, and as they are held.
 * @param {Element} g
 * @param {number} x
 * @param {number} y
 * @param {string} cls
 */
function weightLine(g, x, y, cls) {
  const line = s('text', { x, y, class: cls, 'text-anchor': 'end' });
  const parts = [0, 1, 2].map(() => s('tspan'));
  line.append(...parts, ' JSON');
  const paint = weights(parts);
  g.append(line);
  return {
    /** @param {Lane} lane @param {boolean} on */
    paint(lane, on) {
      show(line, on);
      if (on) paint(lane);
    },
  };
}

/** The cluster as its changes have come, and beside it the store, on the phone. What differs is framed. @param {Slot} slot @param {Ctx} ctx */
function twoMaps(slot, ctx) {
  const gap = 16;
  const wide = (slot.w - 2 - gap) / 2;
  const top = slot.y + 62;
  const sizes = [{ pitch: 9, size: 8, gap: 3 }, { pitch: 6, size: 5, gap: 2 }, { pitch: 4, size: 3, gap: 1 }];
  const maps = ['maps.cluster', 'maps.store'].map((id, i) => {
    const x = slot.x + i * (wide + gap);
    const g = s('g', { transform: `translate(${x} ${top})` });
    slot.g.append(g);
    const cells = smallGrid(g, ctx, 0, 0, { w: wide, h: 100, sizes, named: 0, lowest: 0 });
    return { g, id, title: text(slot.g, x, top - 9, 'l'), paint: frameDifferences(g, cells, i > 0) };
  });
  return {
    /** @param {import('../wire/types.js').Facts} facts @param {number} clock */
    paint(facts, clock) {
      const sure = ctx.model.isSure(facts);
      for (const { g, id, title, paint } of maps) {
        title.set(ctx.t(id));
        paint(facts.unstored, clock);
        attr(g, 'opacity', sure ? null : 0.55);
      }
    },
  };
}

/** The head of the phone's station. @param {Slot} slot @param {Ctx} ctx */
function phoneHead(slot, ctx) {
  const { t, model } = ctx;
  const head = lineHeading(slot, title);
  return {
    head,
    /** @param {Lane} lane */
    paint(lane) {
      const { indexer } = lane.state;
      head.bind(lane, 'indexer.count', 'count', t('pres.objects', { n: indexer.count }));
      head.left.set(indexer.resourceVersion ? `rv ${version(indexer.resourceVersion, 9)}` : t('lanes.keepsNone'));
      head.right.cls(isUnsure(ctx) || indexer.mutated > 0 ? 'l cwt' : 'l t1');
      const changed = indexer.mutated ? t('idx.mutated', { n: exact(indexer.mutated) }) : '';
      if (model.staleMillis(lane.now, lane.facts)) head.right.bind(lane, staleFrom, 't idx.stale');
      else head.right.set(isUnsure(ctx) ? t('idx.unsure') : changed);
    },
  };
}

/** @type {import('../wire/page-types.js').Station & {full: typeof full}} */
export const indexer = {
  id: 'indexer',
  title,

  full,

  large(slot, ctx) {
    const number = heading(slot, title);
    panel(slot);
    const { lean, w } = slot;
    const right = slot.x + w;
    const fresh = text(slot.head, right, slot.rail - (lean ? 56 : 96), lean ? 'p16' : 'p18', 'end');
    const rv = text(slot.head, right, slot.rail - 56, 'p16', 'end');
    const words = freshness(ctx);
    const cells = hallCells(slot, ctx);
    const weight = weightLine(slot.g, right - slot.pad, slot.y + slot.h - 7, slot.type.label);
    return {
      paint(lane, clock) {
        const { indexer: store } = lane.state;
        number.bind(lane, 'indexer.count', 'count');
        const room = w - 12 - (lean ? width(number.words, '500 35px') : 78);
        const short = (/** @type {string} */ words) => fit(words, room, lean ? '16px' : '600 18px');
        fresh.cls(`${lean ? 'p16' : 'p18'}${isUnsure(ctx) || store.mutated ? ' cwt' : ''}`);
        if (ctx.model.staleMillis(lane.now, lane.facts)) fresh.bind(lane, staleFrom, 't idx.stale', '', short);
        else fresh.set(short(words(lane)));
        rv.set(store.resourceVersion && w > 200 && !lean ? `rv ${bigVersion(store.resourceVersion)}` : '');
        cells.paint(clock, lane);
        weight.paint(lane, w > 240 && knowsWeights(lane.state));
      },
    };
  },

  line(slot, ctx) {
    const { head, paint } = phoneHead(slot, ctx);
    // The store in three lines.
    const cells = slot.bare ? null : smallGrid(head.asides, ctx, slot.x, slot.y + 33, {
      w: slot.w, h: 18, sizes: [{ pitch: 6, size: 5, gap: 0 }], named: 0, lowest: 0,
    });
    return {
      paint(lane, clock) {
        paint(lane);
        cells?.paint(clock);
      },
    };
  },

  open(slot, ctx) {
    const { paint } = phoneHead(slot, ctx);
    const maps = twoMaps(slot, ctx);
    const weight = weightLine(slot.g, slot.x + slot.w, slot.y + 190, slot.type.label);
    return {
      paint(lane, clock) {
        paint(lane);
        maps.paint(lane.facts, clock);
        weight.paint(lane, knowsWeights(lane.state));
      },
    };
  },

  // One of several informers under each other: as of which version its store is, or how much it holds, and how long Pop has been held
  // before it. What the store was in between is drawn into its panel by comparison.js.
  lane(slot, ctx) {
    const { g, x, w, rail, type } = slot;
    const frame = hangPanel(slot, 9);
    const held = text(g, x + 2, rail - 24, 'l t1'); // above stacked chips
    const line = s('text', { x: x + w, y: rail - 24, class: type.label, 'text-anchor': 'end' });
    const [before, value, after] = [0, 1, 2].map(() => {
      const part = s('tspan');
      line.append(part);
      return new Txt(part);
    });
    g.append(line);
    return {
      paint(lane) {
        const { resourceVersion: rv, count: objects } = lane.state.indexer;
        show(frame, !unframed(ctx));
        held.bind(lane, ctx.model.hold('pop') ? heldFrom : '', 'seconds behind lanes.held');
        before.set(rv ? 'rv\u00a0' : '');
        if (rv) value.bind(lane, 'indexer.resourceVersion', 'version 9', 'same');
        else value.bind(lane, 'indexer.count', 'exact');
        after.set(rv ? '' : `\u00a0${ctx.t('pres.objects', { n: objects })}`);
      },
    };
  },

  // Beside a rail of the phone's two: what one release's store holds, as of which version, and what it made of the changes.
  half(slot, ctx) {
    const head = halfHead(slot);
    const stored = storedHalf(slot, ctx);
    return {
      paint(lane) {
        const { resourceVersion: rv } = lane.state.indexer;
        head.number.bind(lane, 'indexer.count', 'count');
        head.words.set(rv ? `rv ${version(rv, 8)}` : ctx.t('lanes.keepsNone'));
        stored(lane);
      },
    };
  },
  between: middleName(title),

  // In the row of an informer of a factory: how many objects it has.
  row({ g, x, y, w, type }) {
    const number = text(g, x + w, y, type.number, 'end').pulse();
    return { paint: (lane) => number.bind(lane, `${lane.of}.count`, 'exact') };
  },
};
