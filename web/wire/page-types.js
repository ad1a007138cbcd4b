// @ts-check
// What the parts of the page agree on among themselves: what is painted, and what every part is given. Only types; those of the worker's messages
// are in types.js.

/**
 * An informer that the stage shows, at a moment on the log's clock. One that has only a `row` of the factory is there, and its path `of`.
 * @typedef {{
 *   state: import('./types.js').State, facts: import('./types.js').Facts, view: import('./types.js').View, now: number,
 *   factory?: import('./types.js').Factory, row?: import('./types.js').FactoryRow, of?: string
 * }} Lane
 */

/**
 * An object of the cluster or of the store, or of both. `places` is the sum of a frame's row. `written` is when the cluster's version was written, 0 before
 * the log, and `at` when the store last changed. `clusterRV` and `storeRV` are the
 * versions of the cluster and of the store, empty where it lacks the object.
 * @typedef {{slot: number, key: string, places: number, written: number, at: number, clusterRV?: string, storeRV?: string}} WorldCell
 */

/**
 * A still: the part of the page that it is of, in CSS pixels, the SVG's text, and the PNG as a data: URL.
 * @typedef {{name: string, at: DOMRectInit, svg: string, png: string}} Still
 */

/** A stage that can be held. @typedef {import('./types.js').CallArgs['hold'][0]} Stage */
/** A fault of the client's stack. @typedef {import('./types.js').CallArgs['fault'][0]} FaultName */

/**
 * Asks the worker, which answers as docs/dev/protocol.md says.
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
 *   still: MediaQueryList,
 *   spotlight: (stations: string[] | null) => void,
 *   explain?: (station: string) => void,
 *   inspects?: () => boolean,
 *   riding?: () => import('../object/ride.js').Ride['position'],
 *   token?: () => string,
 *   select: (key: string, lane?: number, rv?: string) => void,
 *   selected: () => string,
 *   popup: (anchor: Element, build: (root: HTMLElement, close: () => void) => void, options?: {width?: number, left?: number, label?: string}) => void,
 *   say: (text: string, bad?: boolean) => void,
 *   attempt: (part: string, act: () => void) => boolean,
 *   repaint: () => void,
 *   relay: boolean,
 *   follower: boolean,
 *   ownStories?: () => Promise<void>,
 *   recording?: (name: string) => Promise<ArrayBuffer>,
 *   handout?: (id: string) => void,
 *   tellStory?: (id: string) => Promise<unknown>, openInformer?: (lane: number) => Promise<unknown>,
 *   storiesChanged?: () => void,
 *   laboratory?: () => void,
 *   diagnose?: () => void,
 *   opinion: import('../time/opinion.js').SecondOpinion,
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
 *   presenter?: boolean, story?: ReturnType<import('../story/stories.js').Stories['position']>, object?: string, lane?: number
 * }} SpeakerPage
 */

export {};
