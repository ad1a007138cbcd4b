// @ts-check
// The controller's newest reconcile: what woke it, what it read through the lister, what it wrote. As words for every layout, and as the last steps of a
// change's way on the main stage.
import { whenChanged } from '../draw/when.js';
import { attr, s, show, text } from '../kit/dom.js';
import { exact, middle, span, version } from '../kit/format.js';
import { Glyph, kindOf } from '../kit/glyphs.js';
import { addWords } from '../kit/i18n.js';
import { width } from '../kit/measure.js';

/** @typedef {import('../wire/types.js').Facts['lens'] | undefined} Lens */
/** @import { Ctx } from '../wire/page-types.js' */

addWords({
  'con.lens.event': ['{key}: woken by {op} {object}{source}', '{key}：由 {op} {object}{source} 唤醒'],
  'con.lens.again': ['{key}: it asked to run again', '{key}：它要求再次运行'],
  'con.lens.retry': ['{key}: tried again after a failure', '{key}：失败后重试'],
  'con.lens.delay': ['{key}: its time came', '{key}：到期'],
  'con.lens.own': ['its own write', '它自己的写入'],
  'con.lens.waited': ['waited {s}', '等了 {s}'],
  'con.lens.merged': ['{n} entries became one', '{n} 次入队合并为一次'],
  'con.lens.did': ['{n} [n:read|reads], {m} [m:write|writes]', '读 {n} 次，写 {m} 次'],
  'con.lens.read': ['read {what} rv {rv}', '读 {what} rv {rv}'],
  'con.lens.none': ['read {what}: not found', '读 {what}：没有'],
  'con.lens.list': ['listed {n} {what}', '列出 {n} 个 {what}'],
  'con.lens.behind': ['{n} behind', '落后 {n}'],
  'con.lens.old': ['older than its own write', '比它自己的写入旧'],
  'con.lens.older': ['{n} older than its own write', '{n} 次比自己的写入旧'],
  'con.lens.loop': ['↻ {key} wakes itself: {n} [n:time|times] in the last minute', '↻ {key} 唤醒自己：最近一分钟 {n} 次'],
  'con.lens.twice': ['{key} created {made}, though it had made {had}', '{key} 创建了 {made}，而它已创建过 {had}'],
  'con.lens.starved': ['{key} waits for {s}: {n} [n:later key|later keys] went first', '{key} 已等 {s}：{n} 个更晚的 key 先被取走'],
  'con.run': ['last reconcile', '最近一次调谐'],
  'con.run.again': ['asked to run again', '它要求再次运行'],
  'con.run.retry': ['after a failure', '失败后重试'],
  'con.run.delay': ['its time came', '到期'],
  'con.run.own': ['own write', '自己的写入'],
  'con.run.read': ['read {key}', '读 {key}'],
  'con.run.list': ['listed {n}', '列出 {n} 个'],
  'con.run.old': ['too old', '太旧'],
  'con.run.absent': ['not found', '没有'],
  'con.run.failed': ['failed', '失败'],
});

/** The last part of a key. @param {string | undefined} key */
const short = (key) => middle((key ?? '').replace(/^.*\//, ''), 22);

/**
 * What is wrong with the controller's reconciles, in one sentence; empty for nothing.
 * @param {Lens} lens @param {Ctx['t']} t
 */
export function runTrouble(lens, t) {
  if (!lens) return '';
  const { key, loop, aMinute, twice, duplicate, had, starved, starvedMillis = 0, overtaken, older } = lens;
  if (loop) return t('con.lens.loop', { key: short(loop), n: exact(aMinute ?? 0) });
  if (twice) return t('con.lens.twice', { key: short(twice), made: short(duplicate), had: short(had) });
  if (starved) return t('con.lens.starved', { key: short(starved), s: span(starvedMillis), n: exact(overtaken ?? 0) });
  return older ? `${short(key)}: ${t('con.lens.older', { n: exact(older) })}` : '';
}

/** What woke the controller last; empty if it is not known. @param {Lens} lens @param {Ctx['t']} t */
export function causeWords(lens, t) {
  if (!lens?.why) return '';
  const { key, why, op, object, source, woken } = lens;
  const words = t(`con.lens.${why}`, { key: short(key), op: op ?? '', object: short(object), source: source ? ` · ${source}` : '' });
  return woken ? `${words} · ↻ ${t('con.lens.own')}` : words;
}

/** Why the controller ran last, and what it did. @param {Lens} lens @param {Ctx['t']} t */
export function runWords(lens, t) {
  const cause = causeWords(lens, t);
  if (!lens || !cause) return '';
  const { merged, waitMillis, reads, writes } = lens;
  return [
    cause,
    merged > 1 ? t('con.lens.merged', { n: exact(merged) }) : '',
    t('con.lens.waited', { s: span(waitMillis) }),
    reads + writes ? t('con.lens.did', { n: exact(reads), m: exact(writes) }) : '',
  ].filter(Boolean).join(' · ');
}

/**
 * What a run read, in words.
 * @param {import('../wire/types.js').CacheRead} r @param {Ctx['t']} t
 */
function readSentence(r, t) {
  const said = { what: [r.resource, short(r.key)].filter(Boolean).join(' '), rv: version(r.rv ?? '', 10), n: exact(r.objects ?? 0) };
  const words = t(!r.key ? 'con.lens.list' : r.rv ? 'con.lens.read' : 'con.lens.none', said);
  return [words, r.behind ? t('con.lens.behind', { n: exact(r.behind) }) : '', r.own ? t('con.lens.old') : ''].filter(Boolean).join(', ');
}

/**
 * What a run wrote, in words.
 * @param {import('../wire/types.js').OwnWrite} w @param {Ctx['t']} t
 */
function writeSentence(w, t) {
  const said = { verb: w.verb, key: [w.resource, short(w.key)].filter(Boolean).join(' '), new: version(w.rv ?? '', 10), e: w.error ?? '' };
  return t(w.error ? 'con.unwritten' : w.rv ? 'con.wroteOnly' : 'con.sendsOnly', said);
}

/** The distance of two rows. */
const pitch = 14;

/**
 * The newest run on the main stage: its key, and below each other what woke it, what it read last (or what was too old), and what it wrote last.
 * @param {SVGElement} parent
 * @param {{x: number, y: number, w: number}} at the foot of the first line
 * @param {Ctx} ctx
 * @param {(says: {key: string, words: string} | null, box: [number, number, number, number]) => void} tip takes all that is known of the run
 */
export function lastRun(parent, { x, y, w }, { t }, tip) {
  const g = s('g');
  parent.append(g);
  const right = x + w;
  const head = text(g, x, y, 'l');
  const name = text(g, right, y, 'm1', 'end');
  const way = s('path', { class: 'hair' });
  g.append(way);
  const rows = [1, 2, 3].map((i) => {
    const base = y + pitch * i;
    const node = i > 1 ? s('circle', { cx: x + 6, cy: base - 4, r: 3.5, class: i === 2 ? 'node' : 'nodedot' }) : null;
    if (node) g.append(node);
    const sign = node ? null : new Glyph(g, x - 1, base - 11, 14);
    const words = text(g, x + 20, base, 'm1');
    const value = text(g, right, base, 'l', 'end');
    return {
      middle: base - 4,
      /**
       * @param {string | undefined} op of a row with a glyph
       * @param {string[]} said the first of them that fits is shown, and the first of all to a pointer; empty for no row
       * @param {string} [end] @param {boolean} [wrong]
       */
      set(op, said, end = '', wrong = false) {
        const shows = said.length > 0;
        if (node) show(node, shows);
        else if (shows) sign?.set(kindOf(op));
        else sign?.hide();
        value.cls(wrong ? 'l cwt' : 'l').set(end);
        const room = Math.floor((w - 26 - width(end)) / 7.3);
        words.set(middle(said.find((x) => x.length <= room) ?? said.at(-1) ?? '', room), said[0]);
        return shows;
      },
    };
  });
  return {
    paint: whenChanged((_, /** @type {Lens | null} */ lens) => {
      const says = lens?.why ? lens : null;
      show(g, !!says);
      if (!says) return tip(null, [x, y - 12, 0, 0]);
      head.set(t('con.run'));
      name.set(middle(short(says.key), 15), says.key);
      const read = says.lastReads?.findLast((r) => r.own) ?? says.lastReads?.at(-1);
      const write = says.lastWrites?.at(-1);
      const [cause, reads, writes] = rows;
      const seen = [
        cause.set(says.op, [says.why === 'event' ? short(says.object) : t(`con.run.${says.why}`)],
          says.woken ? '↻ ' + t('con.run.own') : says.merged > 1 ? '×' + exact(says.merged) : '', says.woken),
        reads.set('', read ? readNames(read, t) : [], read ? readEnd(read, t) : '', !!read?.own),
        writes.set('', write ? [`${write.verb} ${short(write.key)}`] : [], write ? writeEnd(write, t) : '', !!write?.error),
      ];
      const last = rows[seen.lastIndexOf(true)];
      attr(way, 'd', last && last !== rows[0] ? `M${x + 6} ${rows[0].middle + 8}V${last.middle - 5}` : '');
      const all = [runWords(says, t), ...(says.lastReads ?? []).map((r) => readSentence(r, t)), ...(says.lastWrites ?? []).map((o) => writeSentence(o, t))];
      tip({ key: says.key, words: all.join(' · ') }, [x - 4, y - 12, w + 4, 3 * pitch + 16]);
    }),
  };
}

/** What was read, in long and in short. @param {import('../wire/types.js').CacheRead} r @param {Ctx['t']} t */
function readNames(r, t) {
  if (r.key) return [t('con.run.read', { key: short(r.key) })];
  const n = exact(r.objects ?? 0);
  return [t('con.lens.list', { n, what: r.resource ?? '' }), t('con.run.list', { n })];
}

/** How new a read was. @param {import('../wire/types.js').CacheRead} r @param {Ctx['t']} t */
function readEnd(r, t) {
  if (r.own) return t('con.run.old');
  if (r.behind) return t('con.lens.behind', { n: exact(r.behind) });
  if (r.rv) return `rv ${version(r.rv, 8)}`;
  return r.key ? t('con.run.absent') : '';
}

/** What became of a write. @param {import('../wire/types.js').OwnWrite} o @param {Ctx['t']} t */
function writeEnd(o, t) {
  if (o.error) return t('con.run.failed');
  return o.rv ? `rv ${version(o.rv, 8)}` : '';
}
