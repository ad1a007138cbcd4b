// @ts-check
// Why a key was reconciled, in lines: each run with its causes and their waits, what it read, and what it wrote.
import { exact, middle, span, version } from '../kit/format.js';
import { addWords, t } from '../kit/i18n.js';

/** @typedef {import('../wire/types.js').Reconciles} Reconciles */
/** @typedef {import('../wire/types.js').Reconcile} Reconcile */
/** @typedef {import('../wire/types.js').Cause} Cause */
/** @typedef {import('../wire/types.js').CacheRead} CacheRead */
/** @typedef {import('../wire/types.js').OwnWrite} OwnWrite */
/** @typedef {{ words: string, cls: string }} Line */

addWords({
  'why.tab': ['why reconciled', '为何调谐'],
  'why.none': ['No worker has taken this key yet, as far as the log goes back.', '在日志范围内，还没有 worker 取过这个 key。'],
  'why.woken': [
    'This key woke itself: {n} of its {m} [m:reconcile|reconciles] in the last minute followed from its own writes.',
    '这个 key 唤醒了自己：最近一分钟的 {m} 次调谐中有 {n} 次由它自己的写入引起。',
  ],
  'why.run': ['worker {w}, {s}', 'worker {w}，{s}'],
  'why.runs': ['worker {w}, {s} so far', 'worker {w}，已 {s}'],
  'why.attempt': ['attempt {n}', '第 {n} 次尝试'],
  'why.priority': ['priority {n}', '优先级 {n}'],
  'why.again': ['again after {s}', '{s} 后再来'],
  'why.retry': ['failed, again after {s}', '失败，{s} 后重试'],
  'why.failed': ['failed: {e}', '失败：{e}'],
  'why.merged': ['{n} entries became this run; {m} are listed', '{n} 次入队合并为这一次；列出 {m} 次'],
  'why.event': ['{op} {what} rv {rv}', '{op} {what} rv {rv}'],
  'why.resync': ['resync of {what} rv {rv}', '{what} rv {rv} 的 resync'],
  'why.requeue': ['it asked to run again', '它要求再次运行'],
  'why.retried': ['the rate limiter tries it again', '限速器让它重试'],
  'why.delay': ['its time came', '到期'],
  'why.unknown': ['added, by whom is not known', '入队，原因未知'],
  'why.waited': ['waited {s}', '等了 {s}'],
  'why.derived': ['derived', '推断'],
  'why.loop': ['its own write', '它自己的写入'],
  'why.own': ['a write of {key}', '{key} 的写入'],
  'why.read': ['read {what} rv {rv}', '读 {what} rv {rv}'],
  'why.readNone': ['read {what}: not found', '读 {what}：没有'],
  'why.list': ['listed {n} {what}', '列出 {n} 个 {what}'],
  'why.behind': ['{n} behind', '落后 {n}'],
  'why.older': ['older than its own write, rv {rv}', '比它自己的写入旧，rv {rv}'],
  'why.olderList': ['without its own write of {key}, rv {rv}', '缺少它自己对 {key} 的写入，rv {rv}'],
  'why.wrote': ['{verb} {what} → rv {rv}', '{verb} {what} → rv {rv}'],
  'why.deleted': ['{verb} {what}', '{verb} {what}'],
  'why.sends': ['{verb} {what}, not answered yet', '{verb} {what}，尚无响应'],
  'why.same': ['{verb} {what}: rv {rv} as before, it changed nothing', '{verb} {what}：rv {rv} 不变，没有改动'],
  'why.refused': ['{verb} {what}: {e}', '{verb} {what}：{e}'],
  'why.last': ['last reconcile, {s}', '最近一次调谐，{s}'],
  'why.lastRuns': ['reconcile runs for {s}', '调谐已进行 {s}'],
  'why.tooOld': ['too old', '太旧'],
  'why.second': ['a second one', '第二个'],
  'why.wrong': ['failed', '失败'],
  'why.open': ['not answered yet', '尚无响应'],
  'why.duplicate': ['a second one: it had made {key}', '重复：它已创建 {key}'],
});

/** @param {string} resource @param {string} key */
const what = (resource, key) => [resource, key].filter(Boolean).join(' ');

/** The lines of a key's reconciles, newest first. @param {Reconciles} data @param {number} now the log's time in ms @returns {Line[]} */
export function reconcileLines({ newest, runs, woken }, now) {
  if (!newest.length) return [{ words: t('why.none'), cls: '' }];
  const head = woken ? [{ words: t('why.woken', { n: exact(woken), m: exact(runs) }), cls: 'warned' }] : [];
  return [...head, ...newest.flatMap((r) => [
    { words: `−${span(Math.max(0, now - r.atMillis))} · ${runWords(r)}`, cls: 'run' },
    ...r.causes.map(causeLine),
    ...(r.merged > r.causes.length ? [{ words: t('why.merged', { n: exact(r.merged), m: exact(r.causes.length) }), cls: 'f' }] : []),
    ...r.reads.map(readLine),
    ...r.writes.map(writeLine),
  ])];
}

/**
 * The reconcile that a work queue's worker began last, in four lines at most: its key, what woke it, the read that deserves a look, its last write.
 * @param {Reconcile} r with one cause, read and write at most @returns {import('./parts.js').Line[]}
 */
export function lastRunLines({ key, running, tookMillis, causes: [cause], reads: [read], writes: [write] }) {
  /** @type {import('./parts.js').Line[]} */
  const lines = [{ words: middle(key, 30), mono: true, aside: t(running ? 'why.lastRuns' : 'why.last', { s: span(tookMillis) }) }];
  if (cause) lines.push({ words: causeWords(cause, 26), mono: true, aside: cause.loop ? t('why.loop') : t('why.waited', { s: span(cause.waitMillis) }) });
  if (read) lines.push({ words: readWords(read, 26), mono: true, aside: readAside(read), tone: read.own ? 'warn' : undefined });
  if (write) {
    const wrong = write.error || write.duplicate;
    lines.push({ words: `→ ${write.verb} ${middle(write.key, 20)}`, mono: true, aside: writeAside(write), tone: wrong ? 'warn' : undefined });
  }
  return lines;
}

/** @param {CacheRead} r */
function readAside(r) {
  if (r.own) return t('why.tooOld');
  if (r.behind) return t('why.behind', { n: exact(r.behind) });
  return r.rv ? `rv ${version(r.rv, 10)}` : '';
}

/** @param {OwnWrite} w */
function writeAside(w) {
  if (w.duplicate) return t('why.second');
  if (w.error) return t('why.wrong');
  return w.open ? t('why.open') : w.rv ? `rv ${version(w.rv, 10)}` : '';
}

/** @param {Reconcile} r */
function runWords(r) {
  return [
    t(r.running ? 'why.runs' : 'why.run', { w: r.worker, s: span(r.tookMillis) }),
    r.priority ? t('why.priority', { n: r.priority }) : '',
    r.attempt > 1 ? t('why.attempt', { n: r.attempt }) : '',
    r.error ? t('why.failed', { e: r.error }) : '',
    r.againMillis ? t(r.retry && !r.error ? 'why.retry' : 'why.again', { s: span(r.againMillis) }) : '',
  ].filter(Boolean).join(' · ');
}

/** @param {Cause} c @returns {Line} */
function causeLine(c) {
  const own = c.loop ? t('why.loop') : c.by ? t('why.own', { key: c.by }) : '';
  const all = [causeWords(c), own, c.name ?? '', t('why.waited', { s: span(c.waitMillis) }), c.derived ? t('why.derived') : ''];
  return { words: all.filter(Boolean).join(' · '), cls: c.loop ? 'loop' : '' };
}

/** What woke a run. @param {Cause} c @param {number} [room] of its key, in characters */
function causeWords(c, room = Infinity) {
  const args = { op: c.op ?? '', what: middle(what(c.resource ?? '', c.key ?? ''), room), rv: version(c.rv ?? '', 12) };
  const words = c.why === 'event' ? t(c.op === 'Sync' ? 'why.resync' : 'why.event', args)
    : t({ again: 'why.requeue', retry: 'why.retried', delay: 'why.delay', '': 'why.unknown' }[c.why]);
  return `${c.loop ? '↻' : '←'} ${words}`;
}

/** @param {CacheRead} r @returns {Line} */
function readLine(r) {
  const own = !r.own ? '' : t(r.ownKey ? 'why.olderList' : 'why.older', { rv: version(r.own, 12), key: r.ownKey ?? '' });
  return { words: [readWords(r), r.behind ? t('why.behind', { n: exact(r.behind) }) : '', own].filter(Boolean).join(' · '), cls: own ? 'old' : '' };
}

/** What a run read. @param {CacheRead} r @param {number} [room] of what it read, in characters */
function readWords(r, room = Infinity) {
  const args = {
    what: middle(what(r.resource ?? '', r.key ?? (r.index ?? '').replace(/^namespace=/, '')), room), rv: version(r.rv ?? '', 12), n: exact(r.objects ?? 0),
  };
  return `· ${!r.key ? t('why.list', args) : t(r.rv ? 'why.read' : 'why.readNone', args)}`;
}

/** @param {OwnWrite} w @returns {Line} */
function writeLine(w) {
  const resource = [w.resource, w.subresource].filter(Boolean).join('/');
  const args = { verb: w.verb, what: what(resource, w.key), rv: version(w.rv ?? '', 12), e: w.error ?? '' };
  const words = w.open ? 'why.sends' : w.error ? 'why.refused' : w.same ? 'why.same' : w.rv ? 'why.wrote' : 'why.deleted';
  const twice = w.duplicate ? ` · ${t('why.duplicate', { key: w.duplicate })}` : '';
  return { words: `→ ${t(words, args)}${twice}`, cls: w.error || w.duplicate ? 'old' : '' };
}
