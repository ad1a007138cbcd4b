// @ts-check
// What the parts of the page agree on among themselves: stations, slots and layouts. Only types; those of the worker's messages
// are in types.js.

/**
 * One class for each use of type: a station's name, its one number, a number in its panel, a label, a key, a word for how it is.
 * @typedef {{title: string, number: string, value: string, label: string, key: string, state: string}} Type
 */

/**
 * The informer that a layout's lane shows, at a moment on the log's clock. One that has only a `row` of the factory is there, and its path `of`.
 * @typedef {{
 *   state: import('./types.js').State, facts: import('./types.js').Facts, view: import('./types.js').View, now: number,
 *   factory?: import('./types.js').Factory, row?: import('./types.js').FactoryRow, of?: string
 * }} Lane
 */

/**
 * The place where a station draws, and its layers. `g` is the group to draw into, `head` the group for its name and number: the same group,
 * but for the phone, where the head is pressed. `above` is the group for what lies on the rail, and `press` has the station's buttons.
 * The box is the panel's. `rail` is the y of the rail (on the phone, where it is upright, its x),
 * `from` and `to` where it enters and leaves. `type` are the classes of the layout's type and `fonts` what they are measured as. `chip` is
 * the size of a chip in a line, `pad` what a panel keeps free at its sides. A `bare` slot has room for name and number only; a `lit` one
 * is what a step speaks of; `lean` is narrow for its kind. `tall` is a row with large type. `listeners` are those
 * that have a row, `main` the one among them that is drawn large. On the main stage `rails` are the heights of the rails of its large
 * listeners. In presenter mode `store` is the Indexer's box, if that is large.
 * @typedef {{
 *   g: SVGElement, head: SVGElement, above: SVGElement, press: HTMLElement, x: number, y: number, w: number, h: number, rail: number, from: number, to: number,
 *   type: Type, fonts: Type, chip: number, pad: number, bare: boolean, lit: boolean, lean: boolean,
 *   listeners: number[], main: number, tall?: boolean, rails?: number[], store?: {w: number, h: number, pad: number} | null
 * }} Slot
 */

/**
 * A named place on the rail: x and y, or several pairs where the rail turns. Or a function that finds the place for a move, such as the row
 * of a listener or a seat in the queue.
 * @typedef {number[] | ((move: import('./types.js').Move, state: import('./types.js').State) => number[] | null)} Point
 */

/**
 * What a station drew: `paint` brings it to a lane's state and touches only what changed.
 * @typedef {{
 *   paint: (lane: Lane, clock: number) => void, points?: Record<string, Point>, compared?: (lane: Lane) => void,
 *   resize?: (scale: number) => void, focus?: () => void
 * }} Drawn
 */

/** @typedef {(slot: Slot, ctx: Ctx) => Drawn} Draw */

/**
 * A station: one way to draw itself for each density that a layout can ask for.
 * @typedef {{id: string, title: string, full?: Draw, large: Draw, line: Draw, open: Draw, lane?: Draw, half?: Draw, between?: Draw, row?: Draw}} Station
 */

/**
 * Where a layout puts a station, and which of its densities is drawn there. `span` is its stretch of the rail, `lane` the informer that it is
 * of, where a layout shows several.
 * @typedef {Omit<Slot, 'g' | 'head' | 'above' | 'press'> & {
 *   id: string, density: 'full' | 'large' | 'quiet' | 'line' | 'open' | 'lane' | 'half' | 'between' | 'row', span: [number, number], lane?: number
 * }} Box
 */

/**
 * A layout for the present view: boxes, points, and the rail as stretches between places. A stretch is the `wire`'s, or lies `behind`
 * stages that can be held; "deliver" belongs to a `listener`. Nothing comes along one that is `idle`. `upright` rails stand at the left with
 * their head at the top. A layout of several informers has `lanes`: the points of each, beside those that all share. In a `layered` one the rail
 * lies above the panels, stages are held by a press, and the stations stay when the rail changes. `reach` is the selected object's way.
 * @typedef {{
 *   w: number, h: number, upright: boolean, layered?: boolean, ways: Record<string, string[]>, motion: import('../stage/motion.js').Plan, slots: Box[],
 *   points: Record<string, Point>, lanes?: Record<string, Point>[],
 *   rails: {station: string, pts: number[], wire?: boolean, behind?: string[], listener?: number, idle?: boolean, lane?: number}[],
 *   stems: {station: string, pts: number[]}[], nodes: {station: string, at: number[], r: number, lane?: number}[],
 *   source: {station: string, at: number[]} | null, cut: number[] | null, cuts?: number[][],
 *   holds: {stage: string, listener?: number, at: number[], lane?: number}[],
 *   forks?: number[][], read?: number[] | null,
 *   reach?: {begin: number, rail: number, end: number, gaps: number[][], at: Record<string, number>},
 *   way: {pts: number[], words: number[] | null} | null, canvases: import('../draw/surface.js').Stretch[]
 * }} Arranged
 */

/**
 * An object of the store as the page keeps it: the row of a frame, its place in its group, and when it was last drawn.
 * @typedef {{slot: number, key: string, group: number, at: number, op: string, phase: string, mutated: boolean}} Cell
 */

/**
 * An object of the cluster or of the store, or of both. `places` is the sum of a frame's row. `written` is when the cluster's version was written, 0 before
 * the log, and `at` when the store last changed.
 * @typedef {{slot: number, key: string, places: number, written: number, at: number}} WorldCell
 */

/**
 * A still: the part of the page that it is of, in CSS pixels, the SVG's text, and the PNG as a data: URL.
 * @typedef {{name: string, at: DOMRectInit, svg: string, png: string}} Still
 */

/** A stage that can be held. @typedef {import('./types.js').CallArgs['hold'][0]} Stage */
/** A fault of the client's stack. @typedef {import('./types.js').CallArgs['fault'][0]} FaultName */

/**
 * Asks the worker, which answers as docs/protocol.md says.
 * @typedef {<K extends keyof import('./types.js').Calls>(name: K, ...args: import('./types.js').CallArgs[K]) => Promise<import('./types.js').Calls[K]>} Call
 */

/**
 * What every panel is given: the model, the clock of the log, words, and ways to act.
 * @typedef {{
 *   model: import('./model.js').Model,
 *   now: () => number,
 *   t: (key: string, args?: Record<string, string | number>) => string,
 *   call: Call,
 *   act: Call,
 *   scene: import('../stage/scene.js').Scene,
 *   eye: import('./eye.js').Eye,
 *   motion: import('../stage/motion.js').Motion,
 *   spotlight: (stations: string[] | null) => void,
 *   inspects?: () => boolean,
 *   riding?: () => import('../object/ride.js').Ride['position'],
 *   token?: () => string,
 *   select: (key: string, lane?: number, rv?: string) => void,
 *   selected: () => string,
 *   popup: (anchor: Element, build: (root: HTMLElement, close: () => void) => void, options?: {width?: number, left?: number, label?: string}) => void,
 *   say: (text: string, bad?: boolean) => void,
 *   repaint: () => void,
 *   relay: boolean,
 *   follower: boolean,
 *   ownStories?: () => Promise<void>,
 *   recording?: (name: string) => Promise<ArrayBuffer>,
 *   handout?: (id: string) => void,
 *   tellStory?: (id: string) => Promise<unknown>, openInformer?: (lane: number) => Promise<unknown>,
 *   storiesChanged?: () => void,
 *   laboratory?: () => void,
 *   clusterMenu?: (anchor: HTMLElement) => void,
 *   leaveSpeaker?: () => void,
 *   recorded?: () => boolean,
 *   broadcast?: (anchor: Element) => void,
 *   picture: (caption?: boolean) => Promise<Still>,
 *   storyTitle?: () => string,
 *   newLink?: () => void,
 *   again?: () => void
 * }} Ctx
 */

/**
 * Where a speaker's page is, as it reports to its followers' pages. Another version of the page may have sent it, so any member may be missing.
 * @typedef {{
 *   presenter?: boolean, story?: ReturnType<import('../story/stories.js').Stories['position']>, object?: string, group?: string, lane?: number
 * }} SpeakerPage
 */

export {};
