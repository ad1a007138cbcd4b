// @ts-check
// The shapes that cross from the worker to the page, as docs/protocol.md and core/trace/state.go define them.
// This file holds types alone.

/**
 * @typedef {{seq: number, op?: string, key?: string, rv?: string, count?: number, tombstone?: boolean, deltas?: QueueItem[]}} QueueItem
 * @typedef {{kind: string, context?: string, seed?: number, objects?: number, rate?: number, trouble?: string}} Source
 * @typedef {{group: string, version: string, resource: string, kind?: string, namespace: string}} Resource
 * @typedef {{id: number, url: string, status: number, open: boolean, sentMillis: number, bytes: number, frames: number, error?: string}} WireRequest
 * @typedef {{seq: number, op: string, key?: string, rv: string, bytes: number}} WireFrame
 * @typedef {{resourceVersion: string, oldest?: string, objects: number, writes: number, writesPerSecond: number, requests: WireRequest[], wire: WireFrame[]}} API
 * @typedef {{phase: string, resourceVersion: string, lists: number, watches: number, relists: number, events: number, bookmarks: number,
 *   dropped: number, bytes: number, lastRequest: string, verb: string, requestMillis: number, timeoutSeconds: number, lastError: string,
 *   lastErrorMillis: number, why: string, backoffMillis: number, backoffSince: number, backoffCause: string, backoffThen: string, backoffs: number[],
 *   tempStore: number, unavailable: boolean}} Reflector
 * @typedef {{kind: string, depth: number, maxDepth: number, synced: boolean, locked: boolean, closed: boolean, initialPopulation: number,
 *   items: QueueItem[], batch: QueueItem[], batchSize: number, lastBatch: QueueItem[], lastBatchSize: number, mix: Record<string, number>,
 *   pops: number, merges: number}} Queue
 * @typedef {{count: number, resourceVersion: string, indices: Record<string, Record<string, number>>,
 *   indexSizes?: Record<string, number>, replaces: number}} Indexer
 * @typedef {{id: number, name: string, pending: number, ring: number, capacity: number, capacities: number[], waiting: boolean,
 *   distributed: number, delivered: number, handled: number, panics: number, lastPanic?: string, handling: QueueItem | null,
 *   handlingSince: number, meanMicros: number, paceMillis: number, resyncMillis: number, syncing: boolean, synced: boolean, removed: boolean, discarded?: number}} Listener
 * @typedef {{id: number, key?: string, sinceMillis: number}} Worker_
 * @typedef {{key: string, dueMillis: number, setMillis: number, failures: number}} WaitingKey
 * @typedef {{key: string, rv: string, latest?: string, behind: number, atMillis: number}} Read
 * @typedef {{workers: Worker_[], depth: number, queue: string[], processing: Worker_[], dirtyCount: number, reAdded: number, waitingCount: number,
 *   waiting: WaitingKey[], retries: number, reconciles: number, failures: number, dirty?: string[], lastRead: Read | null, writing: boolean, writes: number, conflicts: number, writeFails: number,
 *   lastWrite?: Write_, shuttingDown: boolean}} Workqueue
 * @typedef {{key: string, verb: string, worker: number, rv: string, newRV?: string, open?: boolean, code?: number, error?: string, atMillis: number, tookMicros?: number}} Write_
 * @typedef {{stage: string, listener?: number, waiting: boolean, sinceMillis: number, releases: number}} Hold
 * @typedef {{name: string, on: boolean, struck: number, atMillis: number}} Fault
 * @typedef {{source: Source, era: string, resource: Resource, api: API, reflector: Reflector, queue: Queue, indexer: Indexer,
 *   listeners: Listener[], workqueue: Workqueue | null, holds: Hold[], faults: Fault[]}} State
 * @typedef {{mode: string, speed: number, seq: number, atMillis: number, behind: number, behindMillis: number, first: number, head: number,
 *   headMillis: number, mergedTokens: number, shownTokens: number, memory?: {live: number, total: number, limit: number}}} View
 * @typedef {{p: string, o?: string, k?: string, rv?: string, s: number, l?: number, n?: number, mix?: Record<string, number>}} Move
 * @typedef {[number, string, number, number, string, string]} CellRow
 * @typedef {{state?: Partial<State>, groups?: {index: string, list: [string, number][]}, cells?: {reset?: boolean, set?: CellRow[], del?: number[]}, moves?: Move[]}} LaneFrame
 * @typedef {{seq: number, atMillis: number, lane?: number, kind: string, code?: number, on?: boolean, text?: string}} Mark
 * @typedef {{seq: number, atMillis: number, lane: number, change: number, stage: string, listener?: number, kind: string, op?: string, rv?: string,
 *   position?: number, of?: number, n?: number, m?: number, flag?: boolean, micros?: number, text?: string, error?: string}} Hop
 * @typedef {{key: string, rv?: string, json?: any, oldRv?: string, oldJson?: any, deleted?: boolean, journey?: Hop[], ahead?: Hop[], error?: string}} ObjectView
 * @typedef {{view: View, lanes: LaneFrame[], timeline?: {reset?: boolean, binMillis: number, firstMillis?: number, bins?: [number, number][], marks?: Mark[]}, jump?: boolean}} Frame
 * @typedef {{slot: number, key: string, group: number, at: number, op: string, phase: string, pos: number, step: number}} Cell
 */

/**
 * What every panel is given: the model, the clock of the log, words, and ways to act.
 * @typedef {{
 *   model: import('./model.js').Model,
 *   now: () => number,
 *   t: (key: string, args?: Record<string, string | number>) => string,
 *   call: (name: string, ...args: any[]) => Promise<any>,
 *   act: (name: string, ...args: any[]) => Promise<any>,
 *   scene: import('./scene.js').Scene,
 *   select: (key: string) => void,
 *   selected: () => string,
 *   popup: (anchor: Element, build: (root: HTMLElement, close: () => void) => void, options?: {width?: number, label?: string}) => void,
 *   say: (text: string, bad?: boolean) => void,
 *   storyTitle?: () => string
 * }} Ctx
 */

/**
 * What a panel is: mount builds its nodes once, paint brings them to the model's state and touches only what changed,
 * resize tells it how many device pixels a unit of the stage has, focus puts the keyboard on it.
 * @typedef {{mount: (root: SVGElement, ctx: Ctx) => void, paint: (frame: Frame | null, state: State) => void, resize: (scale: number) => void, focus: () => void}} Panel
 */

export {};
