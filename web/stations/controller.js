// @ts-check
// The Controller: its work queue with the keys that wait, are worked on, or are dirty, and its workers on the rail.
// Keys have no type any more, so everything here is neutral.
import { dropWords } from '../draw/drops.js';
import { heading, lineHeading } from '../draw/heading.js';
import { lines } from '../draw/lines.js';
import { pair } from '../draw/pair.js';
import { panel } from '../draw/panel.js';
import { row } from '../draw/row.js';
import { seats } from '../draw/seats.js';
import { gist, sentence } from '../draw/sentence.js';
import { hatch, unseenReason } from '../draw/unseen.js';
import { whenChanged } from '../draw/when.js';
import { attr, h, Num, place, put, reveal, s, shareOf, show, text } from '../kit/dom.js';
import { count, exact, middle, span, version, wait } from '../kit/format.js';
import { fit, width } from '../kit/measure.js';
import { addWords, t as say } from '../kit/i18n.js';
import { Rows } from '../kit/rows.js';
import { stationNames } from '../kit/names.js';
import { causeWords, lastRun, runTrouble, runWords } from './lastrun.js';

/** @typedef {import('../wire/types.js').Workqueue} Workqueue */
/** @import { Ctx, Draw, Lane, Slot } from '../wire/page-types.js' */

addWords({
  'con.rows': ['keys of the work queue', '工作队列的 key'],
  'con.tipQueue': [
    'In the FIFO, place {n}: the next free worker takes the first.',
    '在 FIFO 里，第 {n} 位：下一个空闲的 worker 取第一个。',
  ],
  'con.tipProcessing': [
    'Worker {w} has had it for {s}. If it is added again now, it is marked dirty, and queued when the worker is done.',
    'worker {w} 在处理它，已 {s}。这时再入队只标记 dirty，做完后再排队。',
  ],
  'con.tipWaiting': [
    'In the waiting heap, due in {s}, after {n} [n:failure|failures]. A fresh Add does not wait for that.',
    '在等待堆里，{s} 后到期，已失败 {n} 次。新的 Add 不等它。',
  ],
  'con.tipDirty': ['dirty: {n} [n:key waits or is|keys wait or are] to be reconciled again. Added again: {keys}', 'dirty：{n} 个 key 在等待或需要再次调谐。再次入队的：{keys}'],
  'con.tipNoDirty': [
    'dirty: no key is to be reconciled again. A key is dirty from when it is added until a worker takes it; added again while a worker has it, '
      + 'it is marked, and queued when the worker is done.',
    'dirty：没有 key 需要再次调谐。key 从入队到被 worker 取出都是 dirty；worker 处理期间再次入队时先标记，处理完后再排队。',
  ],
  'con.tipRead': [
    'The worker read {key} at rv {rv} through the lister; the cluster was at {latest}. A lister does not ask the API server.',
    'worker 通过 lister 读到 {key} 的 rv {rv}；集群已到 {latest}。lister 不访问 API server。',
  ],
  'con.lastRead': ['read rv {rv}, {n} behind', '读到 rv {rv}，落后 {n}'],
  'con.lastReadOld': ['read rv {rv}', '读到 rv {rv}'],
  'con.lastReadNow': ['read rv {rv}, then current', '读到 rv {rv}，当时最新'],
  'con.write': ['writes', '允许写回'],
  'con.written': ['[n:write|writes]', '次写回'],
  'con.writeOnly': ['reads only', '只读'],
  'con.writeTip': [
    'writes: the controller writes what it observed into an annotation of the object, in the simulated cluster only',
    '允许写回：controller 把观察结果写入对象的注解，仅限模拟集群',
  ],
  'con.conflicts': ['{n} [n:conflict|conflicts]', '冲突 {n} 次'],
  'con.fails': ['{n} failed', '失败 {n} 次'],
  'con.gistWait': ['the workers wait for a key', 'worker 在等 key'],
  'con.gistBusy': ['{n} [n:worker is|workers are] busy', '{n} 个 worker 在工作'],
  'con.gistHeld': ['you hold the workers: {n} [n:key waits|keys wait]', 'worker 被拦住：{n} 个 key 在等待'],
  'con.gistKeys': ['{n} [n:key waits|keys wait] for a worker', '{n} 个 key 在等 worker'],
  'con.sends': ['{verb} {key}, rv {rv}', '{verb} {key}，rv {rv}'],
  'con.sendsOnly': ['{verb} {key}', '{verb} {key}'],
  'con.posts': ['POST, a child of {key}', 'POST，{key} 的 child'],
  'con.posted': ['POST, a child of {key} → {new}', 'POST，{key} 的 child → {new}'],
  'con.exists': ['409 AlreadyExists: {key} has its child', '409 AlreadyExists：{key} 的 child 已存在'],
  'con.wrote': ['{verb} {key}, rv {rv} → {new}', '{verb} {key}，rv {rv} → {new}'],
  'con.wroteOnly': ['{verb} {key} → rv {new}', '{verb} {key} → rv {new}'],
  'con.stale': ['409 Conflict: rv {rv} was stale', '409 Conflict：rv {rv} 已过时'],
  'con.unwritten': ['{verb} failed: {e}', '{verb} 失败：{e}'],
  'con.tipWrites': [
    'A reconcile writes what it observed into an annotation, with the resourceVersion it read. If that was stale the API server answers 409 and '
      + 'the key is tried again. The write comes back over the watch, and then there is nothing to write. Last: worker {w}, {last}.',
    '一次调谐把观察结果写入注解，带着它读到的 resourceVersion。若已过时，API server 返回 409，这个 key 会重试。这次写入会经 watch 返回，之后便无需再写。上一次：worker {w}，{last}。',
  ],
});

const title = stationNames.controller;

/** What became of a controller's last write. @param {import('../wire/types.js').Write | undefined} write */
export function writeWords(write) {
  if (!write) return '';
  const { rv, newRV = '', error = '', verb } = write;
  const creates = verb === 'POST' && !write.object; // a child, which the page's own controller makes
  const key = write.object ?? write.key;
  const said = { verb, key: middle(key.replace(/^.*\//, ''), 14), rv: version(rv, 9), new: version(newRV, 9), e: error };
  if (write.open) return say(creates ? 'con.posts' : rv ? 'con.sends' : 'con.sendsOnly', said);
  if (write.code === 409) return say(creates ? 'con.exists' : 'con.stale', said);
  if (error) return say('con.unwritten', said);
  if (creates) return say('con.posted', said);
  return say(!newRV ? 'con.sendsOnly' : rv ? 'con.wrote' : 'con.wroteOnly', said);
}

/** How new the lister's answers are, as the words on the way back from the store. @param {import('../wire/page-types.js').Lane} lane @param {Ctx} ctx */
export function readWords({ state, facts }, { t, model }) {
  const { workqueue: q } = state;
  if (model.isUnlisted()) return 'lister.Get';
  if (!model.isSure()) return t('con.readUnsure');
  if (!q?.lastRead) return 'lister.Get';
  if (q.lastRead.mutated) return t('con.readMutated');
  // Where the requests are not seen, what the cluster has beyond the queue is unknown.
  if (unseenReason(state, 'reflector') && !q.lastRead.behind) return 'lister.Get';
  if (facts.upToDate) return t('con.readFresh');
  if (q.lastRead.behind > 0) return t('con.read', { n: exact(q.lastRead.behind) });
  // A probe samples how far the Reflector is, so the store looks late; the read itself is compared with what has arrived.
  return t(state.fidelity?.['workqueue.lastRead'] ? 'con.readFresh' : 'con.readBehind');
}

/** The seats of the work queue: only the number of keys is shown. @param {Workqueue | null} q @param {number} n seats */
function sit(q, n) {
  const depth = q?.depth ?? 0;
  return Array.from({ length: Math.min(n, depth) }, (_, i) =>
    ({ kind: /** @type {const} */ ('key'), behind: i === n - 1 && depth > n ? 2 : 0 }));
}

/**
 * A worker on the rail, or several that are drawn as one.
 * @param {SVGElement} g @param {number} x @param {number} y @param {number} r @param {string} cls of its number
 */
function worker(g, x, y, r, cls) {
  const circle = s('circle', { cx: x, cy: y, r, class: 'worker' });
  g.append(circle);
  const number = text(g, x, y + (r > 11 ? 6 : 5), cls, 'middle');
  return {
    /** @param {string} words empty for no worker @param {boolean} busy */
    set(words, busy) {
      show(circle, words !== '');
      attr(circle, 'class', busy ? 'worker on' : 'worker');
      number.cls(busy ? `${cls} onw` : cls).set(words);
    },
    /** How many of them are busy; without a number while none is. @param {Lane} lane @param {number} n @param {string} [of] where that is */
    busy(lane, n, of = 'workqueue.processing.length') {
      show(circle, n >= 0);
      attr(circle, 'class', n > 0 ? 'worker on' : 'worker');
      number.cls(n > 0 ? `${cls} onw` : cls).bind(lane, n > 0 ? of : '', 'exact');
    },
  };
}

/**
 * Writes the keys that are worked on and those that wait for it into lines.
 * @param {Lane} lane @param {ReturnType<typeof lines>} list
 */
function writeKeys(lane, list) {
  const q = lane.state.workqueue;
  const busy = q?.processing ?? [];
  list.forEach((line, i) => {
    const waits = i - busy.length;
    const key = waits < 0 ? busy[i].key ?? '' : q?.queue[waits];
    if (key) line.bind(lane, '', waits < 0 ? `workqueue.processing.${i}.key` : `workqueue.queue.${waits}`, waits < 0);
    else line.set(key, '', waits < 0);
  });
}

// --- The main stage.

/** The lines that can be read closer or chosen, in the order of the keyboard. */
const places = { queue: 0, processing: 3, waiting: 5, run: 9, dirty: 10, read: 11, writes: 12, all: 13 };
/** How far the lists make room for the buttons below a held worker. */
const room = 30;

/** @type {Draw} */
function full(slot, ctx) {
  const { t, model } = ctx;
  const frame = s('rect', { x: slot.x, y: slot.y - 90, width: slot.w, height: slot.h + 90, rx: 4, class: 'pn' });
  slot.g.append(frame);
  const head = stageHead(slot, ctx);
  const rail = stageRail(slot, ctx);
  const tips = new LineTips(slot, ctx);
  const upper = s('g');
  const lower = s('g');
  slot.g.append(upper, lower);
  const list = {
    queue: queueLines(upper, slot, ctx, tips),
    processing: processingLines(upper, slot, ctx, tips),
    waiting: waitingLines(upper, slot, ctx, tips),
    dirty: dirtyLine(lower, slot, ctx, tips),
    writes: writesLine(lower, slot, ctx, tips),
  };
  const run = lastRun(lower, { x: slot.x + slot.pad, y: slot.y + 208, w: slot.w - 2 * slot.pad }, ctx, (says, box) => {
    tips.set(places.run, '', says ? { head: says.key, body: says.words } : null, says ? `${says.key}. ${says.words}` : '', box);
  });
  const foot = sentence(lower, { x: slot.x + slot.pad, y: slot.y + slot.h - 21, w: slot.w - 2 * slot.pad, lines: 2, pitch: 14, font: '12px', cls: 'l' });
  const ways = stageWays(slot, ctx, tips);
  const nobody = drawAbsent(slot, ctx);
  const says = gist(slot);
  return {
    paint(lane) {
      const { state: st } = lane;
      const q = st.workqueue;
      const held = !!model.hold('take');
      head(lane, q, st.source.kind);
      attr(frame, 'class', q ? 'pn' : 'pn ghost');
      for (const g of [upper, lower, rail.g]) show(g, !!q);
      nobody(lane, !q && model.any, unseenReason(st, 'workqueue'));
      tips.over.label(t('con.rows'));
      paintGist(says, lane, held, ctx);
      if (!q) {
        tips.clearLines();
        ways.none();
        return;
      }
      attr(upper, 'transform', held ? `translate(0 ${room})` : null);
      tips.down = held ? room : 0;
      rail.paint(lane, q, !!lane.facts.lens?.loop || !!lane.facts.lens?.woken);
      const selected = ctx.selected();
      list.queue(lane, q, selected);
      list.processing(lane, q, selected);
      list.waiting(lane, q, selected, held ? 2 : lane.facts.lens?.why ? 1 : 4, st.indexer.count > 2600 ? lane.facts.due : null);
      list.dirty(lane, q);
      list.writes(lane, q);
      const { lens } = lane.facts;
      const wrong = runTrouble(lens, t);
      const said = footWords(q, dropWords(st.listeners), ctx);
      run.paint(lane, held ? null : lens);
      foot.cls(wrong ? 'l cwt' : 'l').set(held ? '' : wrong || said.short, [wrong, said.whole].filter(Boolean).join(' · '));
      ways.paint(lane);
    },
    compared: (lane) => {
      if (lane.state.workqueue) ways.read(lane);
    },
    points: { key: (_, st) => rail.seat(st.workqueue) },
  };
}

/** What the calm stage says of the controller. @param {ReturnType<typeof gist>} says @param {Lane} lane @param {boolean} held @param {Ctx} ctx */
function paintGist(says, lane, held, { t }) {
  const q = lane.state.workqueue;
  if (!q) return says.set('');
  if (q.shuttingDown) return says.set(t('con.shutting'));
  const { lens } = lane.facts;
  const said = held ? '' : runTrouble(lens, t) || causeWords(lens, t);
  if (said) return says.set(said);
  const busy = q.processing.length;
  if (held || (q.depth && !busy)) return says.bind(lane, 'n=count workqueue.depth', held ? 't con.gistHeld' : 't con.gistKeys');
  return busy ? says.bind(lane, 'n=count workqueue.processing.length', 't con.gistBusy') : says.set(t('con.gistWait'));
}

/** Name and number; how many workers; whether it writes, and the button for it. @param {Slot} slot @param {Ctx} ctx */
function stageHead(slot, ctx) {
  const { t } = ctx;
  const right = slot.x + slot.w;
  const [name, number] = [slot.rail - 84, slot.rail - 56];
  text(slot.head, slot.x, name, slot.type.title).set(title);
  const num = new Num(slot.head, slot.x, number, slot.type.number, 7);
  const workers = text(slot.head, right, number, 'l', 'end');
  const reads = text(slot.head, right, name, 'l', 'end');
  const writesWord = h('span');
  const writes = h('button', { class: 'sbtn line lampb detail', type: 'button', hidden: '' }, h('i'), writesWord);
  place(writes, right - 74, name - 16, 74, 24);
  writes.addEventListener('click', () => ctx.act('writes', !ctx.model.state.workqueue?.writing));
  slot.press.append(writes);
  return whenChanged((lane, /** @type {Workqueue | null} */ q, /** @type {string} */ source) => {
    num.bind(lane, 'workqueue.depth', 'count', q ? t('con.queued') : '');
    attr(num.el, 'class', q ? slot.type.number : 'num2 t3');
    workers.set(q && q.depth < 1e4 ? t('con.workers', { n: q.workers.length }) : '');
    reads.set(q && !ctx.model.isSimulated() && source !== 'file' && source !== 'probe' ? t('con.writeOnly') : '');
    reveal(writes, !!q && source === 'sim');
    put(writesWord, t('con.write'));
    attr(writes, 'aria-label', t('con.writeTip'));
    attr(writes, 'aria-pressed', String(!!q?.writing));
  });
}

/** The tips of the lines, and the keys that they select. */
class LineTips {
  /** @param {Slot} slot @param {Ctx} ctx */
  constructor(slot, ctx) {
    /** How far the lines stand below their places. */
    this.down = 0;
    this.left = slot.x + slot.pad - 4;
    /** @type {string[]} */
    this.keys = [];
    /** @type {(import('../kit/rows.js').Tip | null)[]} */
    this.tips = [];
    this.over = new Rows(ctx, slot.press, places.all, slot.x + slot.pad, {
      act: (i) => {
        if (this.keys[i]) ctx.select(this.keys[i]);
      },
      tip: (i) => this.tips[i] ?? null,
    });
  }

  /** @param {number} i @param {string} key @param {import('../kit/rows.js').Tip | null} tip @param {string} name @param {number[]} box */
  set(i, key, tip, name, box) {
    this.keys[i] = key;
    this.tips[i] = tip;
    const [x, y, w, tall] = box;
    this.over.set(i, name, x, y, w, tall);
  }

  /** A line with a key. @param {number} i @param {string | undefined} key @param {string} says @param {number} y of its words */
  line(i, key, says, y) {
    this.set(i, key ?? '', key ? { head: key, body: says } : null, key ? `${key}. ${says}` : '', [this.left, y - 13 + this.down, 168, 18]);
  }

  clearLines() {
    for (let i = 0; i < places.all; i++) this.set(i, '', null, '', []);
  }
}

/** The seats and the workers on the rail. @param {Slot} slot @param {Ctx} ctx */
function stageRail(slot, ctx) {
  const { t } = ctx;
  const g = s('g');
  slot.above.append(g);
  const { x, rail } = slot;
  // Its head is nearest to the workers.
  const line = seats(g, { x: x + 72, y: rail, n: 3, size: 20, pitch: 24, vacant: 'slotk off', of: 'workqueue' });
  const hidden = text(g, x + 14, rail + 32, 'n16');
  const words = s('g', { class: 'detail' });
  g.append(words);
  const queueWord = text(words, x + 48, rail + 28, 'm2', 'middle');
  const workers = [124, 152].map((dx) => worker(g, x + dx, rail, 11, 't14'));
  // A write that wakes its own key again, as a way from the workers back into the queue.
  const loop = s('path', { d: `M${x + 138} ${rail - 14}C${x + 138} ${rail - 40} ${x + 62} ${rail - 40} ${x + 62} ${rail - 15}m-4 -6l4 6l4 -6`, class: 'hcw' });
  g.append(loop);
  const workersWord = text(words, x + 138, rail + 28, 'l', 'middle');
  return {
    g,
    /** Where a key comes to rest that is added now. @param {Workqueue | null} q */
    seat: (q) => line.at((q?.depth ?? 1) - 1),
    paint: whenChanged((_, /** @type {Workqueue} */ q, /** @type {boolean} */ loops) => {
      show(loop, loops);
      line.set(sit(q, 3));
      hidden.set(q.depth > 3 ? '×' + count(q.depth - 2) : '');
      queueWord.set(q.depth > 3 ? '' : 'queue');
      const busy = q.workers.map((w) => !!w.key || q.processing.some((p) => p.id === w.id));
      workers.forEach((circle, i) => {
        const rest = q.workers.length - workers.length;
        const last = i === workers.length - 1 && rest > 0;
        circle.set(!q.workers[i] ? '' : last ? `+${rest + 1}` : String(i + 1), !!busy[i]);
      });
      workersWord.set(busy.includes(true) ? 'workers' : t('con.idle'));
    }),
  };
}

/**
 * Where the lists begin and end from left to right.
 * @param {Slot} slot
 */
const sides = (slot) => ({ left: slot.x + slot.pad, right: slot.x + slot.w - slot.pad });

/**
 * A number and its word above a list.
 * @param {SVGElement} g @param {Slot} slot @param {number} y
 */
function listHead(g, slot, y) {
  return new Num(g, slot.x + slot.pad, y, 'n20', 6);
}

/** A line of a list. @param {SVGElement} g @param {Slot} slot @param {number} y */
function listLine(g, slot, y) {
  const { left, right } = sides(slot);
  return { ...row(g, { x: left, y, w: right - left, cls: 'm1', picked: true }), y };
}

/**
 * What a line with a key shows.
 * @param {boolean} selected @param {string} of where the key is @param {import('../draw/row.js').RowSays['value']} [value]
 */
function keyLine(selected, of, value) {
  return { of, room: 16, whole: true, value, selected, cls: selected ? 'm1 selk pickable' : 'm1 pickable' };
}

/** The FIFO. @param {SVGElement} g @param {Slot} slot @param {Ctx} ctx @param {LineTips} tips */
function queueLines(g, slot, { t }, tips) {
  const head = listHead(g, slot, slot.y + 14);
  const list = [0, 1, 2].map((i) => listLine(g, slot, slot.y + 34 + 18 * i));
  /** @param {Lane} lane @param {Workqueue} q @param {string} selected */
  return (lane, q, selected) => {
    head.bind(lane, 'workqueue.depth', 'count', 'queue');
    list.forEach((line, i) => {
      const more = i === 2 && q.depth > 3;
      const key = more ? undefined : q.queue[i];
      if (more) line.set(lane, { words: t('more', { n: count(q.depth - 2) }), cls: 'l' });
      else line.set(lane, key ? keyLine(key === selected, `workqueue.queue.${i}`) : null);
      tips.line(places.queue + i, key, key ? t('con.tipQueue', { n: i + 1 }) : '', line.y);
    });
  };
}

/** What the workers have. @param {SVGElement} g @param {Slot} slot @param {Ctx} ctx @param {LineTips} tips */
function processingLines(g, slot, { t }, tips) {
  const head = listHead(g, slot, slot.y + 100);
  const list = [0, 1].map((i) => listLine(g, slot, slot.y + 120 + 18 * i));
  /** @param {Lane} lane @param {Workqueue} q @param {string} selected */
  return (lane, q, selected) => {
    head.bind(lane, 'workqueue.processing.length', 'count', 'processing');
    list.forEach((line, i) => {
      const p = q.processing[i];
      const of = `workqueue.processing.${i}`;
      line.set(lane, p?.key ? keyLine(p.key === selected, `${of}.key`, [`now - ${of}.sinceMillis max 0`, 'span']) : null);
      tips.line(places.processing + i, p?.key, p ? t('con.tipProcessing', { w: p.id, s: span(lane.now - p.sinceMillis) }) : '', line.y);
    });
  };
}

/**
 * What waits for its time: a few keys with their bars, or how many are due when.
 * @param {SVGElement} g @param {Slot} slot @param {Ctx} ctx @param {LineTips} tips
 */
function waitingLines(g, slot, { t }, tips) {
  const { left, right } = sides(slot);
  const wide = right - left;
  const head = listHead(g, slot, slot.y + 168);
  const retries = text(g, right, slot.y + 168, 'l cwt', 'end');
  const list = [0, 1, 2, 3].map((i) => {
    const line = listLine(g, slot, slot.y + 188 + 21 * i);
    const all = s('rect', { x: left, y: line.y + 4, width: wide, height: 2, class: 'trk2' });
    const bar = s('rect', { x: left, y: line.y + 4, width: 0, height: 2, class: 'bar2' });
    g.append(all, bar);
    return { ...line, all, bar };
  });
  const times = dueTimes(g, left, slot.y + 222, t);
  /** @param {Lane} lane @param {import('../wire/types.js').WaitingKey | undefined} k @param {number} i @param {string} selected */
  const paintLine = (lane, k, i, selected) => {
    const line = list[i];
    const rest = k ? Math.max(0, k.dueMillis - lane.now) : 0;
    const due = `workqueue.waiting.${i}.dueMillis - now max 0`;
    line.set(lane, k ? keyLine(k.key === selected, `workqueue.waiting.${i}.key`, [due, 'wait']) : null);
    line.value.cls('l t1');
    tips.line(places.waiting + i, k?.key, k ? t('con.tipWaiting', { s: wait(rest), n: exact(k.failures) }) : '', line.y);
    show(line.all, !!k);
    show(line.bar, !!k);
    if (!k) return;
    shareOf(line.bar, due, String(longest), wide, 0, shortest);
    attr(line.bar, 'width', (wide * Math.min(1, Math.log1p(rest / shortest) / Math.log1p(longest / shortest))).toFixed(1));
    attr(line.bar, 'class', k.failures ? 'bar2 w' : 'bar2');
  };
  /**
   * @param {Lane} lane @param {Workqueue} q @param {string} selected @param {number} lines that there is room for
   * @param {import('../wire/types.js').DueTimes | null} due of all keys, where there are too many to be read
   */
  return (lane, q, selected, lines, due) => {
    head.bind(lane, 'workqueue.waitingCount', 'count', 'waiting');
    const worst = q.waiting.reduce((most, k) => Math.max(most, k.failures), 0);
    const once = q.retries === 1 && worst > 0;
    retries.set(!q.retries ? '' : once ? t('con.retry', { n: worst }) : t('con.retries', { n: exact(q.retries) }));
    const dense = !!due && q.waitingCount > 4;
    list.forEach((_, i) => paintLine(lane, dense || i >= lines ? undefined : q.waiting[i], i, selected));
    times(dense ? due : null, lane.now);
  };
}

/** The wait below which bars are about as long as it, in ms. */
const shortest = 200;
/** The longest wait that a bar or a column stands for, in ms. */
const longest = 20e3;

/**
 * How many keys are due when, in columns from now on.
 * @param {SVGElement} parent @param {number} x @param {number} y of their feet @param {Ctx['t']} t
 */
function dueTimes(parent, x, y, t) {
  const g = s('g');
  parent.append(g);
  const n = 40;
  const columns = Array.from({ length: n }, (_, i) => {
    const r = s('rect', { x: x + 4 * i, y, width: 3, height: 0, class: 'dd' });
    g.append(r);
    return r;
  });
  g.append(s('path', { d: `M${x} ${y + 0.5}h${4 * n}`, class: 'axis' }));
  const from = text(g, x, y + 15, 'l3');
  text(g, x + 4 * n, y + 15, 'l3', 'end').set(`${longest / 1000} s`);
  /** @param {import('../wire/types.js').DueTimes | null} due @param {number} now */
  return (due, now) => {
    show(g, !!due);
    if (!due) return;
    const { fromMillis, stepMillis } = due;
    const keys = new Array(n).fill(0);
    const failed = new Array(n).fill(false);
    due.keys.forEach((k, i) => {
      const column = Math.min(n - 1, Math.max(0, Math.floor(((fromMillis + i * stepMillis - now) * n) / longest)));
      keys[column] += k;
      failed[column] ||= due.failed[i];
    });
    const most = Math.max(1, ...keys);
    columns.forEach((r, i) => {
      const tall = keys[i] ? 3 + (15 * keys[i]) / most : 0;
      attr(r, 'y', (y - tall).toFixed(1));
      attr(r, 'height', tall.toFixed(1));
      attr(r, 'class', failed[i] ? 'dd w' : 'dd');
    });
    from.set(t('con.now'));
  };
}

/** What was added again. @param {SVGElement} g @param {Slot} slot @param {Ctx} ctx @param {LineTips} tips */
function dirtyLine(g, slot, { t }, tips) {
  const y = slot.y + 273;
  const head = listHead(g, slot, y);
  const again = text(g, sides(slot).right, y, 'l3', 'end');
  /** @param {Lane} lane @param {Workqueue} q */
  return (lane, q) => {
    head.bind(lane, 'workqueue.dirtyCount', 'count', 'dirty');
    again.set(q.reAdded ? t('con.readded', { a: count(q.dirtyCount - q.reAdded), b: count(q.reAdded) }) : '');
    const keys = (q.dirty ?? []).slice(0, 6).join(', ') || t('none');
    const body = q.dirtyCount ? t('con.tipDirty', { n: exact(q.dirtyCount), keys }) : t('con.tipNoDirty');
    tips.set(places.dirty, '', { head: 'dirty', body }, body, [tips.left, y - 18, 168, 24]);
  };
}

/** What it wrote. @param {SVGElement} g @param {Slot} slot @param {Ctx} ctx @param {LineTips} tips */
function writesLine(g, slot, { t }, tips) {
  const y = slot.y + 298;
  const head = listHead(g, slot, y);
  const refused = text(g, sides(slot).right, y, 'l cwt', 'end');
  /** @param {Lane} lane @param {Workqueue} q */
  return (lane, q) => {
    const { writes, conflicts, writeFails, lastWrite } = q;
    const tried = q.writing || !!lastWrite;
    head.bind(lane, tried ? 'workqueue.writes' : '', 'count', tried ? t('con.written', { n: writes }) : '');
    if (writeFails) refused.set(t('con.fails', { n: count(writeFails + conflicts) }));
    else refused.set(conflicts ? t('con.conflicts', { n: count(conflicts) }) : '');
    const body = tried ? t('con.tipWrites', { w: lastWrite?.worker || '—', last: writeWords(lastWrite) || t('none') }) : '';
    const tip = body ? { head: lastWrite?.key ?? t('con.write'), body } : null;
    tips.set(places.writes, lastWrite?.key ?? '', tip, body, [tips.left, y - 18, 168, 24]);
  };
}

/**
 * The words about the work queue as a whole, or about what does not get there.
 * @param {Workqueue} q @param {ReturnType<typeof dropWords>} drops @param {Ctx} ctx
 */
function footWords(q, drops, { t, model }) {
  const idle = !q.processing.length && !q.workers.some((w) => w.key) && !q.depth;
  if (drops.short && !q.shuttingDown && (idle || !q.failures)) return drops;
  const short = queueWords(q, idle, { t, model });
  return { short, whole: short };
}

/** @param {Workqueue} q @param {boolean} idle @param {Pick<Ctx, 't' | 'model'>} ctx */
function queueWords(q, idle, { t, model }) {
  if (q.shuttingDown) return t('con.shutting');
  if (idle) return t('con.wait');
  if (q.failures) return t('con.failed', { n: exact(q.failures), m: exact(q.reconciles) });
  if (!q.lastRead) return '';
  const { rv, behind } = q.lastRead;
  const words = !model.isSure() ? 'con.lastReadOld' : behind > 0 ? 'con.lastRead' : 'con.lastReadNow';
  return t(words, { rv: version(rv, 10), n: exact(behind) });
}

/**
 * The words on the ways back: what it read from the store, and what it writes to the cluster.
 * @param {Slot} slot @param {Ctx} ctx @param {LineTips} tips
 */
function stageWays(slot, ctx, tips) {
  const { t } = ctx;
  const low = slot.y + slot.h;
  const [reads, writes] = [{ x: slot.x - 142, y: low + 16 }, { x: slot.x - 646, y: low + 28 }];
  const read = text(slot.above, reads.x, reads.y, 'l knock', 'middle').markEarly();
  const write = text(slot.above, writes.x, writes.y, 'l knock', 'middle');
  return {
    none() {
      read.set('');
      write.set('');
      ctx.motion.words = null;
    },
    /** @param {Lane} lane */
    read: (lane) => {
      const stale = ctx.model.staleMillis(ctx.now(), lane.facts) && !ctx.model.isUnlisted();
      if (stale) read.bind(lane, 's=span now - facts.staleSince max 0', 't con.readStale');
      else read.set(readWords(lane, ctx));
    },
    /** @param {Lane} lane */
    paint(lane) {
      const { state: st } = lane;
      const { lastRead, lastWrite, writing } = /** @type {Workqueue} */ (st.workqueue);
      this.read(lane);
      const last = writeWords(lastWrite);
      const words = !writing ? '' : last ? fit(last, 560) : t('con.writes');
      write.set(words, lastWrite?.error ?? '');
      ctx.motion.words = { x: writes.x, y: low + 24, wide: words ? width(words) : 0 };
      const { key = '', rv = '', latest = '' } = lastRead ?? {};
      const body = lastRead ? t('con.tipRead', { key, rv: version(rv, 14), latest: version(latest || rv, 14) }) : '';
      tips.set(places.read, key, body ? { head: key, body } : null, body, [reads.x - 76, reads.y - 12, 152, 16]);
    },
  };
}

/** What stands there when no handler adds keys. @param {Slot} slot @param {Ctx} ctx */
function drawAbsent(slot, { t }) {
  const g = s('g');
  slot.g.append(g);
  const left = slot.x + slot.pad + 2;
  const none = text(g, left, slot.y + 25, 'c14');
  const why = [0, 1, 2].map((i) => text(g, left, slot.y + 51 + 18 * i, 'l'));
  const over = hatch(g, { x: slot.x + 8, y: slot.y + 104, w: slot.w - 16, h: slot.h - 112 });
  return whenChanged((_, /** @type {boolean} */ on, /** @type {string} */ hidden) => {
    show(g, on);
    if (!on) return;
    over.set(hidden);
    none.set(t(hidden ? 'con.unseen' : 'con.none'));
    const said = t(hidden ? 'con.unseenWhy' : 'con.noneWhy').split('\n');
    why.forEach((line, i) => line.set(said[i] ?? ''));
  });
}

// --- Presenter mode.

/** The seats and the workers of a slot that is drawn large. @param {Slot} slot */
function wideRail(slot) {
  const end = slot.x + slot.w - 20;
  const n = Math.max(2, Math.min(7, Math.floor((slot.w - 50) / 30)));
  const line = seats(slot.g, { x: end - 35, y: slot.rail, n, size: 26, pitch: 30, vacant: 'slotk off', of: 'workqueue' });
  const busy = worker(slot.g, end, slot.rail, 14, 'p18');
  return whenChanged((lane, /** @type {Workqueue | null} */ q) => {
    line.set(sit(q, n));
    busy.busy(lane, q ? q.processing.length : -1);
  });
}

/** @type {Draw} */
function large(slot, ctx) {
  const { t } = ctx;
  const number = heading(slot, title);
  const rail = wideRail(slot);
  panel(slot);
  const left = slot.x + slot.pad;
  const third = (slot.w - 2 * slot.pad) / 3;
  const [depth, waiting, retries] = [0, 1, 2].map((i) => pair(slot, left + third * i, slot.y + 38, third));
  const busy = text(slot.g, left, slot.y + 96, slot.type.label);
  const list = lines(slot, left, slot.y + 128, 7);
  const keys = whenChanged((lane, /** @type {Workqueue | null} */ q, /** @type {import('../wire/types.js').Facts['lens']} */ lens) => {
    number.bind(lane, 'workqueue.depth', 'count');
    depth.bind(lane, 'workqueue.depth', 'count', t('pres.queued'));
    waiting.bind(lane, 'workqueue.waitingCount', 'count', t('pres.waiting'));
    retries.bind(lane, 'workqueue.retries', 'count', t('pres.retries', { n: q?.retries ?? 0 }));
    const why = runTrouble(lens, t) || runWords(lens, t);
    const workers = q ? t('pres.busy', { n: `${q.processing.length} / ${q.workers.length}` }) : '';
    busy.set(fit(why ? `${workers} · ${why}` : workers, slot.w - 2 * slot.pad), why);
    writeKeys(lane, list);
  });
  return {
    paint(lane) {
      const { workqueue: q } = lane.state;
      rail(lane, q);
      keys(lane, q, lane.facts.lens);
    },
  };
}

// --- The phone, where the rail stands upright.

/** @param {Slot} slot @param {Ctx} ctx @param {number} rows */
function drawUpright(slot, ctx, rows) {
  const { t } = ctx;
  const { label } = slot.type;
  const head = lineHeading(slot, title);
  const busy = worker(slot.g, slot.rail, slot.y + 30, 11, 't14');
  const line = seats(slot.g, {
    x: slot.rail, y: slot.y - 3, n: 1, size: 18, pitch: 20, upright: true, vacant: 'slotk off', of: 'workqueue',
  });
  const list = lines(slot, slot.x, slot.y + 74, rows);
  const wrote = rows ? text(slot.g, slot.x, slot.y + 45, label) : null;
  const paint = whenChanged((lane, /** @type {Workqueue | null} */ q, /** @type {string} */ none) => {
    wrote?.set(q?.writing ? fit(writeWords(q.lastWrite), slot.w - 4) : '');
    head.bind(lane, 'workqueue.depth', 'count', q ? t('pres.queued') : '');
    const working = q?.processing.length ?? 0;
    head.left.set(q ? t('phone.workers', { a: working, b: q.workers.length, n: exact(q.depth) }) : t(none));
    head.right.cls(q?.retries ? `${label} cwt` : label).set(q?.retries ? t('phone.retry', { n: exact(q.retries) }) : '');
    busy.busy(lane, working);
    line.set(sit(q, 1));
    writeKeys(lane, list);
  });
  return {
    /** @param {Lane} lane */
    paint: (lane) => paint(lane, lane.state.workqueue, unseenReason(lane.state, 'workqueue') ? 'con.unseen' : 'phone.none'),
  };
}

/**
 * In the row of an informer of a factory: the work queue that one of its handlers fills, its workers, and in a tall row why it ran last.
 * @type {Draw}
 */
function factoryRow({ g, x, y, w, h: high, rail, from, to, chip, type, fonts, bare, tall }, { t }) {
  const whole = s('g');
  g.append(whole);
  const number = text(whole, x, y, type.number).pulse();
  const step = chip + 3;
  const n = bare ? 0 : Math.max(1, Math.min(3, Math.floor((from - x) / step) + 1));
  if (n) whole.append(s('path', { d: `M${to} ${rail}H${from + 1.2 * chip}`, class: 'rail' }));
  const seats = Array.from({ length: n }, (_, i) => s('rect', { x: from - step * i - chip / 2, y: rail - chip / 2, width: chip, height: chip, rx: 3 }));
  whole.append(...seats);
  const workers = n ? worker(whole, from + 1.75 * chip, rail, 0.62 * chip, type.label) : null;
  const lines = !tall ? 0 : high > 5.2 * chip + 16 ? 2 : 1;
  const why = sentence(whole, { x, y: rail + 1.6 * chip, w, lines, pitch: 0.9 * chip, font: fonts.label, cls: type.label });
  return {
    paint(lane) {
      const work = lane.row?.work;
      show(whole, !!work);
      if (!work) return;
      number.bind(lane, `${lane.of}.work.depth`, 'exact');
      seats.forEach((el, i) => attr(el, 'class', i < work.depth ? 'hbusy' : 'slot off'));
      workers?.busy(lane, work.busy, `${lane.of}.work.busy`);
      const wrong = runTrouble(work.lens, t);
      const words = wrong || causeWords(work.lens, t);
      why.cls(wrong ? `${type.label} cwt` : type.label).set(words);
    },
  };
}

/** @satisfies {import('../wire/page-types.js').Station} */
export const controller = {
  id: 'controller',
  title,
  full,
  large,
  /** @type {Draw} */
  line: (slot, ctx) => drawUpright(slot, ctx, 0),
  /** @type {Draw} */
  open: (slot, ctx) => drawUpright(slot, ctx, 4),
  row: factoryRow,
};
