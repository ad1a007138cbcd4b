// @ts-check
// Made by go run ./tools/webtypes from the Go types of the same names; not to be edited.
// The shapes of all that the worker says to the page (docs/dev/protocol.md). This file holds types alone.

/**
 * What is passed on as it came.
 * @typedef {null | boolean | number | string | JSONValue[] | {[name: string]: JSONValue}} JSONValue
 */

/**
 * Frame is the type of a frame. View.Frame writes its JSON by hand, for speed. Readers use these types: web/wire/types.js is generated from
 * them, and a test of tools/webtypes checks frames against them.
 * @typedef {object} Frame
 * @property {View} view
 * @property {LaneFrame[]} lanes
 * @property {TimelineFrame} [timeline]
 * @property {Fork} [fork] set if how the lanes of a fork differ has changed; null without a fork.
 * @property {StoryState} [story] set if the story's text has changed; null if there is no story.
 * @property {Factory} [factory] set if the overview of several informers has changed; null if there is one informer again, or one in two
 *   releases. With an overview, Lanes has only the lane on stage.
 * @property {Past} [past] what is new in the past of the stage's rows; missing if the page has not asked for a window.
 * @property {boolean} jump the view did not play through to this position. Show the new state at once, without animation.
 */

/**
 * View is a view's position in the log, and how the view follows the log.
 * @typedef {object} View
 * @property {number} seq
 * @property {number} atMillis
 * @property {EventName | null} event the event Seq, while the view is paused; else null.
 * @property {string} mode live, playing, paused
 * @property {number} speed
 * @property {number} behind events between the view and the log's end
 * @property {number} behindMillis
 * @property {number} first oldest seq that can be shown
 * @property {number} head
 * @property {number} headMillis
 * @property {Memory} memory
 */

/**
 * LaneFrame has the changes of one lane.
 * @typedef {object} LaneFrame
 * @property {Partial<State>} state State has the members of the state that changed; each replaces the whole member.
 * @property {Partial<Facts>} [facts] Facts has the members of the facts that changed, likewise.
 * @property {Cells} [cells]
 */

/**
 * TimelineFrame has the changes of the log as a whole.
 * @typedef {object} TimelineFrame
 * @property {boolean} reset the page must first drop its bins and marks
 * @property {number} binMillis
 * @property {number} firstMillis the oldest moment that a view can show
 * @property {Bin[]} bins
 * @property {Mark[]} marks the new marks.
 */

/**
 * Fork is how the two lanes of a fork differ at the position of a view. It depends only on the log up to there.
 * @typedef {object} Fork
 * @property {string} acts the actions that only the second lane knows, as in a link. AtMillis is when the first of them happens, in ms of
 *   the log.
 * @property {number} atMillis
 * @property {Parting | null} parting the first event that only one lane has; null while there is none. The actions themselves are none.
 *   Instead is the first one that only the other lane has at that time; null if there is none.
 * @property {Parting | null} instead
 * @property {StoreDifference} stores Stores compares the objects of both stores, and Handlers what each handler was called with since the
 *   fork.
 * @property {HandlerCalls[]} handlers
 */

/**
 * StoryState is the state of a story at the moment shown.
 * @typedef {object} StoryState
 * @property {string} id the story's id, Release the release in which it plays.
 * @property {string} era
 * @property {boolean} starting the first step has not begun.
 * @property {number} step the step at the moment shown, from 0; Last is the last step that has begun.
 * @property {number} last
 * @property {boolean} done at the moment shown, the step's condition has been met. Ended: at the log's end it has, whatever moment is
 *   shown.
 * @property {boolean} ended
 * @property {Saying | null} caption the caption whose claim is true at the moment shown; nil for none.
 * @property {boolean} awaitsPress the step's caption stands, and what it speaks of begins when the user goes on.
 * @property {boolean} waits the step waits for the reader's action or answer, and time stands still until then. Asks is the request.
 * @property {Saying} [asks]
 * @property {number} [right] the number of the right answer, from 1; 0 until the step decides it.
 * @property {boolean} hurry the running step plays to its end as fast as it can, because the user has asked for that.
 * @property {number} pace the ratio of the log's time to real time at the log's end. It is 0 while time stands still.
 * @property {boolean} stands time stands still until the user goes to the next step.
 * @property {StoryRide} [ride] the object to ride, once the requested step has ended; nil for none.
 * @property {number} [level] the level of the reader, from 1; 0 is 1.
 * @property {Record<string, string>} [letters] the letters of objects, by key.
 * @property {StoryMark[]} marks Marks has the events of each step, so that other pages with the same log can show the same.
 * @property {string} [problem] the reason why the story cannot go on, in words.
 */

/**
 * Factory is what the informers of a SharedInformerFactory show together, with any unshared ones beside them. It depends only on the log up
 * to a view's position, and on Shown.
 * @typedef {object} Factory
 * @property {number} shown the lane that the rest of the State describes.
 * @property {string[]} resources those that the factory was asked for, as a link names them. Namespace is where the namespaced ones are
 *   watched.
 * @property {string} namespace
 * @property {FactoryStage[]} factories Factories has one entry for each release.
 * @property {FactoryRow[]} rows Rows has one entry for each informer. Those that have not synced come first, then the order in which they
 *   were requested. Informers of a probed process are sorted by their worst condition: not synced, in trouble, no watch open, a ring with
 *   little room.
 * @property {number} open Open counts the open requests of all informers, Objects the objects in all their stores.
 * @property {number} objects
 * @property {FactoryAPI} api the API server that they share.
 * @property {Sentence} sentence the caption for all of them; its ID is one of FactorySentences.
 */

/**
 * Past is what a frame brings of the rows of the stage. It lies in columns of one length: column n lasts from n to n+1 times StepMillis, in
 * ms of the log.
 * @typedef {object} Past
 * @property {boolean} reset the page drops the columns that it has.
 * @property {number} stepMillis
 * @property {number} from From and Last are the first and the last column that the frame brings, in place of those that the page has. One
 *   of them that a row lacks is empty.
 * @property {number} last
 * @property {number} first the oldest column that the log still has. Nothing is known of what came before.
 * @property {Row[]} rows the rows of the stage, from the top: the cluster's, then each informer's. Of a factory one informer is open; the
 *   others have one row each. In a fork the second lane has a cluster of its own.
 * @property {Journey | null} journey the way of the followed change, which is the object's newest unless a version is followed; null if
 *   none is followed, or nothing is known of it.
 */

/**
 * EventName says which event a view stands at. Kind is a name of core/words/event, and Key is empty if the event is about no object.
 * @typedef {object} EventName
 * @property {string} kind
 * @property {string} key
 */

/**
 * Memory is the memory of the program that holds the log, in bytes; zero if it is not measured.
 * @typedef {object} Memory
 * @property {number} live left by the last garbage collection
 * @property {number} total obtained from the system; in a browser it never shrinks
 * @property {number} limit the most that it can get
 */

/**
 * State is the part of a lane's fold.State that frames carry; the rest is in the frame's Position, or constant for each lane.
 * @typedef {object} State
 * @property {Source} source
 * @property {string} era
 * @property {Resource} resource
 * @property {API} api
 * @property {World} world
 * @property {Reflector} reflector
 * @property {Queue} queue
 * @property {Indexer} indexer
 * @property {Listener[]} listeners
 * @property {Workqueue | null} workqueue
 * @property {Hold[]} holds
 * @property {Fault[]} faults
 * @property {Record<string, Fidelity>} fidelity Fidelity describes how exactly members are known, for another program's informer.
 */

/**
 * Facts are what is true of a lane at the moment shown, beside its State: what the page says and is no plain member of State. The viewer
 * computes them from the Fold and the moment alone (see core/page/view). So they do not depend on how the viewer got to the moment: live,
 * by steps, by a jump, or on a recording.
 * @typedef {object} Facts
 * @property {boolean} sure an update would arrive if there were one, so what agrees is known to agree, and the newest version is known to
 *   be current.
 * @property {TroubleFacts} trouble what is wrong between the informer and its cluster.
 * @property {number} deltas how many deltas of objects the queue holds; for a DeltaFIFO, those of all its keys.
 * @property {number} ahead how many frames of an open WatchList the client has read and decoded that the Reflector has not read: to the API
 *   server they are delivered.
 * @property {string[]} focus the stations to look at: those with a problem now or within the last three seconds.
 * @property {Reconcile | null} lastRun the controller's reconcile that began last, with the one cause, read and write that deserve a look;
 *   nil without one, or if the log names no causes of keys.
 * @property {Features} features what the release does that others do not.
 * @property {Sentence} sentence what a person wrote just now.
 * @property {Sentence} headline what the picture is about.
 */

/**
 * Cells has the objects of the store and of the cluster that changed.
 * @typedef {object} Cells
 * @property {boolean} reset the page must first drop all its cells
 * @property {CellRow[]} set
 * @property {number[]} del slots
 */

/**
 * Bin has the number of events in a stretch of the log's time. Stretches are numbered from 0.
 * @typedef {[number: number, events: number]} Bin
 */

/**
 * Mark is an event that deserves a mark on the timeline.
 * @typedef {object} Mark
 * @property {number} seq
 * @property {number} atMillis
 * @property {number} lane
 * @property {string} kind list, relist, error, fault, resync, sync, hold, backoff, panic, trouble, selected, note or write.
 * @property {number} [code] the HTTP status of an error or of a refused write, 0 when it has none.
 * @property {boolean} [on] a fault, hold or trouble began.
 * @property {string} [text] the event's cause, name or note.
 * @property {string} [author] Author made a write.
 */

/**
 * Parting is an event that only one lane of a fork has.
 * @typedef {object} Parting
 * @property {number} seq
 * @property {number} atMillis
 * @property {number} lane
 * @property {string} kind
 * @property {string} [op]
 * @property {string} [key]
 * @property {string} [rv]
 * @property {string} [handler] the name of the listener that the event is about, if it is about one.
 */

/**
 * StoreDifference is how the stores of two lanes differ.
 * @typedef {object} StoreDifference
 * @property {[number, number]} counts objects in each
 * @property {[number, number]} only Only counts the keys that only that store has; OnlyKeys are the first ones in order, at most 24.
 * @property {[string[], string[]]} onlyKeys
 * @property {number} other Other counts the keys that both have, in different versions; OtherKeys are the first ones in order, at most 24.
 * @property {string[]} otherKeys
 * @property {string} map Map has a character for each key of either store, in order: = both have the same version, ~ different ones, < only
 *   the first has it, > only the second. It is empty for more than 1200 keys.
 */

/**
 * HandlerCalls is what one handler was called with in each lane of a fork.
 * @typedef {object} HandlerCalls
 * @property {number} listener
 * @property {string} name
 * @property {[HandlerCallCounts, HandlerCallCounts]} calls
 * @property {boolean} differ
 */

/**
 * Saying is a sentence in both languages of the page.
 * @typedef {object} Saying
 * @property {string} en
 * @property {string} zh
 * @property {number} readMillis the time to read it.
 * @property {SaidNumber[]} [numbers] the numbers that the page draws large beside it.
 */

/**
 * StoryRide names an object whose newest change the page rides, hop by hop.
 * @typedef {object} StoryRide
 * @property {string} key
 * @property {boolean} asked the user has asked for the next step, so the page begins the ride at once.
 */

/**
 * StoryMark has the events of a step: the last one before its calls, the last one after them, and the one at which its condition was met, 0
 * until then.
 * @typedef {object} StoryMark
 * @property {number} from
 * @property {number} begin
 * @property {number} end
 */

/**
 * FactoryStage is how far a factory's start or shutdown has come.
 * @typedef {object} FactoryStage
 * @property {string} era
 * @property {string} stage started, synced, stopping or stopped; empty before Start.
 * @property {string[]} waiting the informers that WaitForCacheSync still waits for.
 * @property {number} synced
 * @property {number} of
 */

/**
 * FactoryRow is one informer.
 * @typedef {object} FactoryRow
 * @property {number} lane
 * @property {string} resource "pods", "deployments.apps"
 * @property {string} era
 * @property {boolean} unshared
 * @property {string} [shard] the part of the objects that it asks for, such as "1/2"
 * @property {string} [namespace] that of its last request; empty for all. Selectors are those of the request: an informer of others does
 *   not ask for the same.
 * @property {boolean} running
 * @property {boolean} synced
 * @property {string} phase
 * @property {number} count
 * @property {FactoryRing | null} ring the fullest of the listeners' rings, nil without a listener.
 * @property {number} requests open
 * @property {boolean} twice another informer watches the same resource, and the two do not share.
 * @property {string[]} held the stages on hold.
 * @property {string} [trouble] Trouble describes what is wrong between this informer and its cluster, and Cause names it in one word; empty
 *   when all is well.
 * @property {string} [cause]
 * @property {Early} [early] Early counts the pods here whose nodes are not in the store of the factory's informer of nodes; nil when there
 *   are none.
 */

/**
 * FactoryAPI is what the informers' requests show of the API server.
 * @typedef {object} FactoryAPI
 * @property {FactoryTwice[]} twice the resources that both an informer of the factory and an unshared one watch.
 */

/**
 * Sentence is a caption about a moment: which one, and its values. The page has the words.
 * @typedef {object} Sentence
 * @property {string} id one of Sentences; empty when State's trouble is the caption.
 * @property {number} [n] N and M are counts; of a refused write N is the status. Name is a listener, or who wrote. Op is the type of a
 *   delta, a subresource, or what a person's write did. Key is an object, Other the name of a second one, RV a resourceVersion, Why an
 *   error or a reason.
 * @property {number} [m]
 * @property {string} [name]
 * @property {string} [key]
 * @property {string} [other]
 * @property {string} [rv]
 * @property {string} [op]
 * @property {string} [why]
 * @property {string} [en] EN and ZH are the words of a sentence about an action of the user.
 * @property {string} [zh]
 * @property {number} [until] when the wait ends, Since when what it describes began, in ms of the log.
 * @property {number} [since]
 */

/**
 * Row is a station of an informer, a handler, or the cluster. An informer that is not open has one row: what its store took, and what waits
 * in its queue and for each of its handlers.
 * @typedef {object} Row
 * @property {string} id unique: "cluster", "0.queue", "1.handler.3", "2.informer"
 * @property {'cluster' | 'reflector' | 'queue' | 'indexer' | 'handler' | 'work' | 'informer'} station
 * @property {number} lane
 * @property {number} [listener] of a handler; of a work queue the handler that feeds it
 * @property {string} [name] of a handler
 * @property {number} waiting how many wait at the moment shown: changes, or keys with all their changes.
 * @property {boolean} [keyed] keys wait here, and not changes
 * @property {boolean} [sampled] a probe counts what waits, and does not see which changes they are. Their type is 0.
 * @property {number} [changes] how many changes the waiting keys have together.
 * @property {number | null} oldestMillis when the one came that has waited longest; null if none waits.
 * @property {number} highest the highest pile of the window.
 * @property {Column[]} [columns] those in which something passed or waited, in order.
 * @property {Span[]} [spans] the causes and the happenings of the window, in order of their begin; missing if they are as in the last
 *   frame.
 * @property {boolean} [closed] Spans is empty now.
 */

/**
 * Journey is the way of the followed change through the rows.
 * @typedef {object} Journey
 * @property {string} key
 * @property {string} rv
 * @property {string} op
 * @property {Stop[]} stops the rows that it has come to, in order.
 */

/**
 * Source is where the objects come from.
 * @typedef {object} Source
 * @property {string} kind "sim", "live", "probe", "file", "broadcast"
 * @property {string} [context]
 * @property {string} [cluster] Cluster, User, Server (host and port) and Namespace (the context's default) come from a live context's
 *   kubeconfig, as known when the log began.
 * @property {string} [user]
 * @property {string} [server]
 * @property {string} [namespace]
 * @property {boolean} [simulated] the live context is the simulated cluster in the server's process
 * @property {number} [seed]
 * @property {number} [objects]
 * @property {number} [rate]
 * @property {string} [trouble] whole sentences for the user; empty when all is well
 * @property {string} [cause] of the trouble, in one word; see docs/dev/protocol.md
 * @property {Offer} [offer] what can be tried instead
 */

/**
 * Resource is the watched resource.
 * @typedef {object} Resource
 * @property {string} group
 * @property {string} version
 * @property {string} resource
 * @property {string} [kind]
 * @property {string} namespace
 */

/**
 * API is the API server as the wire (and a simulated cluster) shows it.
 * @typedef {object} API
 * @property {string} resourceVersion the highest known
 * @property {string} [oldest] the oldest version in the history; simulated cluster only
 * @property {number} objects of the resource in the cluster, of every namespace and label; -1 when unknown
 * @property {number} writes so far; simulated cluster only
 * @property {number} writesPerSecond over the last seconds of the log: writes, or frames where writes are unknown
 * @property {WireRequest[]} requests open now, and the last one that ended
 * @property {WireFrame[]} wire newest first
 * @property {number} refused requests of this informer that were answered 429
 * @property {Crowd} [crowd] a simulated cluster's other clients, and the load they cause; absent while there are none.
 */

/**
 * World is what the cluster holds of the resource in the watched namespace, and how far the store is apart from it.
 * @typedef {object} World
 * @property {'written' | 'seen' | ''} known how: "written", the log has each write at its time, or "seen", it has what came over the wire,
 *   so what did not come is not known. Empty: nothing is known yet.
 * @property {number} objects
 * @property {number} unsent of them, not asked for by this informer: another shard has them, or its selector does not select them
 * @property {number} apart how many changes the store does not have yet, of ApartObjects objects; the oldest of them was written, or seen,
 *   at OldestMillis. A change counts until the store has that version of the object or a newer one, a deletion until the object is gone. An
 *   object that a server with older data took back to an earlier version counts as one change.
 * @property {number} apartObjects
 * @property {number} [oldestMillis] missing: they are the same
 * @property {number} [cameMillis] when something last came over the wire; missing if nothing has, or if each write is known. What is seen
 *   is no newer than that.
 * @property {boolean} watched the Reflector has a watch, as far as it knows
 * @property {WorldObject[]} [differences] the objects that are not in the store as the cluster has them, and those that changed; only in a
 *   log's KindRestored.
 */

/**
 * Reflector is the Reflector's state.
 * @typedef {object} Reflector
 * @property {string} phase idle, listing, watch-listing, watching, backoff, stopped
 * @property {string} resourceVersion
 * @property {number} lists LIST requests sent, including pages
 * @property {number} watches WATCH requests sent, including WatchLists
 * @property {number} relists rounds of ListAndWatch that began after a list had been taken over
 * @property {number} events
 * @property {number} bookmarks
 * @property {number} dropped
 * @property {number} bytes
 * @property {string} lastRequest URL as sent
 * @property {string} verb of the last request: LIST, WATCH, WATCHLIST
 * @property {number} requestMillis when it was sent
 * @property {number} timeoutSeconds of an open watch
 * @property {string} lastError
 * @property {number} lastErrorMillis
 * @property {string} why why the current round of ListAndWatch runs
 * @property {number} backoffMillis length of the current wait, 0 when there is none
 * @property {number} backoffSince when it began
 * @property {string} backoffCause
 * @property {string} backoffThen what follows: "watch again", "list and watch again" or "send the request again".
 * @property {number[]} backoffs the waits of the current outage, in ms, oldest first (at most 16)
 * @property {number} tempStore objects in the WatchList's temporary store
 * @property {number} resyncs
 * @property {boolean} unavailable
 * @property {number} [unread] how many changes of what it watches it has not read. Absent where that is unknown: only the page's own
 *   simulated cluster counts them.
 */

/**
 * Queue is the DeltaFIFO or the RealFIFO.
 * @typedef {object} Queue
 * @property {string} kind RealFIFO or DeltaFIFO
 * @property {number} depth deltas (RealFIFO) or keys (DeltaFIFO)
 * @property {number} waiting Depth without bookmarks, which are about no object
 * @property {boolean} synced
 * @property {boolean} locked held while popped deltas are processed
 * @property {boolean} closed
 * @property {number} initialPopulation
 * @property {QueueItem[]} items the head of the queue, in order, at most 48
 * @property {QueueItem[]} batch popped and being processed, at most 24
 * @property {number} batchSize
 * @property {number} lastBatchSize popped last
 * @property {QueueItem[]} [lastBatch] its items; only in a log's KindRestored
 * @property {Record<string, number>} mix deltas in the queue by type
 * @property {number} pops
 * @property {number} runPops since the queue was last empty
 */

/**
 * Indexer is the store and its indices.
 * @typedef {object} Indexer
 * @property {number} count
 * @property {number} bytes the size of all objects in JSON bytes, as the store holds them; CameBytes is their size on arrival, before the
 *   Transform.
 * @property {number} cameBytes
 * @property {string} transform managedFields or metadata; empty: objects are stored unchanged
 * @property {string} resourceVersion
 * @property {Record<string, Record<string, number>>} indices index → value → objects, at most 512 values of each
 * @property {Record<string, number>} indexSizes index → number of its values
 * @property {number} replaces
 * @property {number} reborn Reborn counts updates that replaced an object by one with the same key and another UID.
 * @property {number} mutated Mutated counts the objects that a handler mutated since they arrived; Mutations are the newest mutations, at
 *   most 24.
 * @property {Mutation[]} mutations
 * @property {number} strayCount StrayCount counts the index entries that mutated objects left behind; Strays are the newest ones, at most
 *   24.
 * @property {Stray[]} strays
 */

/**
 * Listener is one processorListener with its handler.
 * @typedef {object} Listener
 * @property {number} id
 * @property {string} name
 * @property {number} pending accepted, not yet sent to nextCh: the ring and the one that waits
 * @property {number} ring in the ring
 * @property {number} capacity of the ring
 * @property {number[]} capacities earlier ones, oldest first
 * @property {boolean} waiting one notification waits at nextCh
 * @property {number} distributed
 * @property {number} delivered
 * @property {QueueItem} [given] the one delivered last
 * @property {number} handled
 * @property {number} panics
 * @property {string} [lastPanic]
 * @property {QueueItem | null} handling what the handler is handling
 * @property {number} handlingSince
 * @property {number} meanMicros over the last calls, at most 16
 * @property {number} paceMillis extra time per call, set by the user
 * @property {number} resyncMillis
 * @property {boolean} syncing
 * @property {boolean} synced
 * @property {boolean} removed
 * @property {number} discarded notifications thrown away when it stopped
 * @property {number} mutations shared objects that its handler mutated
 * @property {number} met calls of its handler with an object that another handler had mutated
 * @property {number} metOld calls of OnUpdate whose old object was such a one
 * @property {Met} [lastMet]
 * @property {Drop[]} [drops] what each predicate of the handler threw away, in order of the first one, at most 16. Drops of further
 *   predicates are in the last one.
 */

/**
 * Workqueue is the controller behind one listener.
 * @typedef {object} Workqueue
 * @property {Worker[]} workers
 * @property {number} depth
 * @property {string[]} queue head first, at most 24
 * @property {Worker[]} processing
 * @property {number} dirtyCount
 * @property {number} reAdded added again while being processed
 * @property {number} waitingCount
 * @property {WaitingKey[]} waiting soonest first, at most 24
 * @property {number} retries keys with failures
 * @property {Record<string, number>} [failing] keys with failures, and how many; only in a log's KindRestored
 * @property {Record<string, string>} [whys] the errors of their last reconciles, by key; only there
 * @property {string[]} dirty keys added again while being processed, at most 24
 * @property {number} reconciles
 * @property {number} failures
 * @property {Read | null} lastRead
 * @property {boolean} writing it writes to the cluster: on the simulated one, unless switched off
 * @property {number} writes writes that made a new version
 * @property {number} conflicts writes refused because the version read was stale
 * @property {number} writeFails writes that failed for another reason
 * @property {number} creates objects that it created, which are not among the writes
 * @property {number} taken creates refused because an object has the name: AlreadyExists
 * @property {Write} [lastWrite]
 * @property {boolean} shuttingDown
 * @property {boolean} [paused] Get gives nothing to a worker until Resume: of a probe's queue, since client-go 0.38
 */

/**
 * Hold is a stage on hold.
 * @typedef {object} Hold
 * @property {'store' | 'pop' | 'deliver' | 'take'} stage
 * @property {number} [listener]
 * @property {boolean} waiting
 * @property {number} sinceMillis
 * @property {number} releases released while held
 */

/**
 * Fault is a fault that is on, or was.
 * @typedef {object} Fault
 * @property {string} name
 * @property {boolean} on
 * @property {number} struck
 * @property {number} atMillis
 */

/**
 * Fidelity is how a member of the State is known.
 * @typedef {object} Fidelity
 * @property {string} how exact, derived (from exact members), sampled (now and then) or unseen
 * @property {string} [why]
 */

/**
 * TroubleFacts describe what is wrong between the informer and its cluster; the zero value: nothing.
 * @typedef {object} TroubleFacts
 * @property {string} [cause] the trouble's cause in one word (see docs/dev/protocol.md), or that of the error behind the Reflector's
 *   backoff. It is empty when all is well, and for an unknown error.
 * @property {boolean} down the cluster does not answer.
 * @property {string} [answer] what came instead of an answer: "unreached" when the cause lies before the cluster, "none" when nothing
 *   answers, the cause itself when the cluster or its proxy refused. It is empty while nothing is wrong.
 */

/**
 * Reconcile is one run of the reconciler for a key: from the moment when a worker took the key until it was done with it.
 * @typedef {object} Reconcile
 * @property {string} key
 * @property {number} seq of the event with which a worker took the key
 * @property {number} atMillis
 * @property {number} tookMillis so far, if it still runs
 * @property {boolean} running
 * @property {number} worker
 * @property {number} priority
 * @property {number} attempt 1, or one more than the failures since the last success
 * @property {string} [error]
 * @property {number} againMillis the time after which it asked to run again; Retry says that its rate limiter chose that time.
 * @property {boolean} [retry]
 * @property {number} merged how many entries of the key it is the answer to
 * @property {Cause[]} causes oldest first, at most 16 of those merged
 * @property {CacheRead[]} reads at most 16, as are Writes
 * @property {OwnWrite[]} writes
 * @property {number} older reads that were older than an own write
 */

/**
 * Features are the differences between releases that sentences and drawings depend on; the zero value is a release that is not known.
 * @typedef {object} Features
 * @property {boolean} keepsOrder the queue is a RealFIFO, which keeps the order of all changes (gate InOrderInformers).
 * @property {boolean} popsBatches Pop takes several deltas at once (gate InOrderInformersBatchProcess).
 * @property {boolean} listsByWatch the Reflector lists with a WATCH that sends the initial events (gate WatchListClient).
 * @property {boolean} atomic a relist is one ReplacedAll delta and a resync one SyncAll; bookmarks are queued (gate AtomicFIFO).
 * @property {boolean} unlocks the queue's lock is released while a batch is processed (gate UnlockWhileProcessingFIFO).
 * @property {boolean} contexts the functions of the Reflector take a context.
 * @property {boolean} resets the backoff starts over two minutes after its last reset, however often it is used. Before 0.36 it started
 *   over two minutes after its last use, its waits used ReflectorOptions.Clock, and a Reflector that was stopped before it ran sent no
 *   request.
 * @property {boolean} repeatsKeys a batch may have several deltas of a key, and goes on after an object without a key. The store applies
 *   the last write of each key only, so during a handler's call it may be ahead of the object in the call.
 * @property {boolean} decodesAhead goroutines decode a WatchList's stream before the Reflector reads it (gate
 *   WatchListClientConcurrentDecoding).
 */

/**
 * CellRow is one object; it keeps its slot while the store or the cluster has it.
 * @typedef {[slot: number, key: string, atMillis: number, places: number, writtenMillis: number, clusterRV: string, storeRV: string]} CellRow
 */

/**
 * HandlerCallCounts counts the calls of a handler.
 * @typedef {object} HandlerCallCounts
 * @property {number} added
 * @property {number} updated
 * @property {number} deleted
 */

/**
 * SaidNumber is a formatted number, and a text that says what it counts.
 * @typedef {object} SaidNumber
 * @property {string} is
 * @property {string} en
 * @property {string} zh
 */

/**
 * FactoryRing is the fullest ring of an informer.
 * @typedef {object} FactoryRing
 * @property {number} listener
 * @property {string} name
 * @property {number} pending
 * @property {number} ring
 * @property {number} capacity
 */

/**
 * Early counts pods that arrived before their nodes.
 * @typedef {object} Early
 * @property {number} pods
 * @property {number} nodes missing nodes that the pods name
 * @property {string} key one of the pods, Node the node it names.
 * @property {string} node
 */

/**
 * FactoryTwice is what two unshared informers of one resource cost together.
 * @typedef {object} FactoryTwice
 * @property {string} resource
 * @property {string} era
 * @property {number} requests open, of both
 * @property {number} objects in both stores
 */

/**
 * Column is what happened in a row during one step. Counts are pairs in one list: a type, as the number of its event.Op, and how many; 0
 * stands for a key.
 * @typedef {[number: number, passes: number[], pile: number[], followed: number, notches: number[]]} Column
 */

/**
 * Span is something that lasted, or happened, in a row.
 * @typedef {object} Span
 * @property {'hold' | 'call' | 'gap' | 'backoff' | 'list' | 'silent' | 'resync' | 'tombstone' | 'added' | 'removed' | 'retry' | 'failed' |
 *   'unseen' | 'burst' | 'pile' | 'read' | 'letter' | 'act'} kind
 * @property {number} fromMillis
 * @property {number | null} toMillis null while it lasts
 * @property {number} [n]
 * @property {number} [merged]
 * @property {number} [pops]
 * @property {number} [millis]
 * @property {number} [code]
 * @property {string} [key]
 * @property {string} [words]
 * @property {string} [rv] the version that a read got, empty for no object. Latest is the newest that the cluster is known to have had
 *   then, Behind versions later, and empty if the object was deleted.
 * @property {string} [latest]
 * @property {number} [behind]
 */

/**
 * Stop is when a change was at a row. What has not happened is null.
 * @typedef {object} Stop
 * @property {string} row its ID
 * @property {number} cameMillis when it came, LeftMillis when it went on, or its call began, and EndMillis when that call ended.
 * @property {number | null} leftMillis
 * @property {number | null} endMillis
 */

/**
 * Offer is what a user in trouble can choose with one click.
 * @typedef {object} Offer
 * @property {string} [namespace]
 */

/**
 * WireRequest is one HTTP request.
 * @typedef {object} WireRequest
 * @property {number} id
 * @property {string} url
 * @property {'LIST' | 'WATCH' | 'WatchList'} verb
 * @property {boolean} [continues] it asks for a further page of a LIST
 * @property {boolean} [unowned] a watch of a client that the log does not have
 * @property {number} status 0 while unanswered
 * @property {boolean} open
 * @property {number} sentMillis
 * @property {number} bytes
 * @property {number} frames
 * @property {number} [ahead] of a WatchList: frames that its client has read ahead, and not delivered yet
 * @property {string} [error]
 */

/**
 * WireFrame is one watch frame.
 * @typedef {object} WireFrame
 * @property {number} seq
 * @property {string} op
 * @property {string} [key]
 * @property {string} rv
 * @property {number} bytes
 * @property {number} atMillis when it arrived over the wire.
 */

/**
 * Crowd is a CrowdCount with its rate.
 * @typedef {object} Crowd
 * @property {number} clients other clients
 * @property {number} watching of them, those with an open watch
 * @property {number} waiting those that lost their watch and have not asked since
 * @property {number} listing those with a seat
 * @property {number} retrying those that were refused and wait to ask again
 * @property {number} seats lists that are answered at the same time
 * @property {number} busy seats that are taken
 * @property {number} requests for lists, including WatchLists, from all clients
 * @property {number} refused of them, those answered 429
 * @property {UnjitteredCount} unjittered the other clients, if their waits were not random
 * @property {number} perSecond requests in the second before the moment
 * @property {number} peak the highest PerSecond so far
 * @property {CrowdLists} lists requests by time
 */

/**
 * WorldObject is an object of the cluster, or one that is gone from there and still in the store.
 * @typedef {object} WorldObject
 * @property {string} key
 * @property {string} [rv] empty: it is gone
 * @property {boolean} [unsent]
 * @property {number} [atMillis] of this version
 * @property {WorldChange[]} [changes] that the store does not have
 */

/**
 * QueueItem is a delta in a RealFIFO, or a key with its Deltas in a DeltaFIFO.
 * @typedef {object} QueueItem
 * @property {number} seq of the event that queued it, or its newest delta
 * @property {string} [op]
 * @property {string} [key]
 * @property {string} [rv]
 * @property {number} [count] objects in a ReplacedAll
 * @property {boolean} [tombstone]
 * @property {QueueItem[]} [deltas]
 */

/**
 * Mutation is a change that a handler made to a shared object in the store, without the API server.
 * @typedef {object} Mutation
 * @property {string} key
 * @property {string} rv
 * @property {number} listener its handler made the change
 * @property {string} label
 * @property {string} was empty if the object had no such label
 * @property {string} is
 * @property {string[]} stale the indices that still list the object under values that their functions no longer return for it, sorted.
 * @property {number} atMillis
 */

/**
 * Stray is an index entry that a mutated object left behind. client-go computes an object's old index values from the object in the store.
 * So it does not find the entry of an object that a handler mutated, when that object changes or goes.
 * @typedef {object} Stray
 * @property {string} index
 * @property {string} value
 * @property {string} key
 * @property {boolean} gone the store has no object with this key, so ByIndex returns nil for it; otherwise ByIndex returns an object with
 *   another value.
 * @property {number} atMillis
 */

/**
 * Met is a call in which a handler received an object that another handler had mutated.
 * @typedef {object} Met
 * @property {string} key
 * @property {string} rv
 * @property {'old' | 'object'} as the old object of an update, or the event's own object
 * @property {string} label
 * @property {string} is
 * @property {number} atMillis
 */

/**
 * Drop is what one predicate threw away of what a handler was called with.
 * @typedef {object} Drop
 * @property {string} predicate its name; "…" for several
 * @property {number} [added]
 * @property {number} [updated]
 * @property {number} [deleted]
 * @property {number} [synced] updates with equal versions
 * @property {QueueItem} last the newest that it threw away
 */

/**
 * Worker is a worker and the key it works on.
 * @typedef {object} Worker
 * @property {number} id
 * @property {string} [key]
 * @property {number} sinceMillis
 */

/**
 * WaitingKey is a key in the waiting heap.
 * @typedef {object} WaitingKey
 * @property {string} key
 * @property {number} dueMillis on the log's clock
 * @property {number} setMillis
 * @property {number} failures
 * @property {string} [why] the error of its last reconcile
 */

/**
 * Read is a lister read.
 * @typedef {object} Read
 * @property {string} key
 * @property {string} rv
 * @property {string} [latest]
 * @property {number} behind
 * @property {boolean} [mutated] a handler had mutated the object
 * @property {number} atMillis
 */

/**
 * Write is a write of a worker. Until it is answered, Open is true.
 * @typedef {object} Write
 * @property {string} key that it reconciles
 * @property {string} [object] the key of what it writes, if that is known to be another
 * @property {string} verb
 * @property {number} worker
 * @property {string} rv the version that was read and sent
 * @property {string} [newRV] the version that the write made
 * @property {boolean} [open]
 * @property {number} [code] of an error from the API server: 409 is a conflict
 * @property {string} [error]
 * @property {number} atMillis when it was sent, or answered
 */

/**
 * Cause is an entry of a key into the work queue.
 * @typedef {object} Cause
 * @property {number} seq
 * @property {'event' | 'again' | 'retry' | 'delay' | ''} why "event", a notification that a handler got; "again" or "retry", what a run
 *   asked for; "delay", an entry whose time was set before the log begins; or "", not known.
 * @property {string} [op] of the notification; Sync for an update with equal versions
 * @property {number} lane of the listener's informer; -1: not in the log
 * @property {number} [listener]
 * @property {string} [name] of the listener
 * @property {string} [resource] of the object
 * @property {string} [key] of the object
 * @property {string} [rv]
 * @property {number} waitMillis how long the entry waited for the worker.
 * @property {boolean} [derived] the handler's call is the only one that was open for the key; the log does not name it
 * @property {string} [by] the key whose reconcile wrote this version, through the same work queue; empty for none. Loop says that it is the
 *   cause's own key.
 * @property {boolean} [loop]
 */

/**
 * CacheRead is what a reconcile read through the lister.
 * @typedef {object} CacheRead
 * @property {number} seq
 * @property {number} lane of the informer
 * @property {string} [resource]
 * @property {string} [key]
 * @property {string} [rv] empty: not found
 * @property {number} behind versions, as far as known
 * @property {number} [objects] how many a list got; its Key is empty
 * @property {string} [index]
 * @property {string} [own] the version of the last own write to the object if the read is older; of a list, that of an own write that the
 *   store did not have.
 * @property {string} [ownKey] of a list: the key of that object
 */

/**
 * OwnWrite is a write of a reconcile.
 * @typedef {object} OwnWrite
 * @property {number} seq
 * @property {number} lane of an informer of the object's resource; -1: none in the log
 * @property {string} verb
 * @property {string} [resource]
 * @property {string} [subresource]
 * @property {string} key of the object
 * @property {string} [rv]
 * @property {number} tookMillis
 * @property {boolean} [open] not answered yet
 * @property {boolean} [same] it returned a version that was there before, so it changed nothing
 * @property {number} [code] of an error from the API server
 * @property {string} [error]
 * @property {string} [duplicate] the key of an object of the same resource that an earlier reconcile of the key had created, and that this
 *   one's read did not show.
 */

/**
 * UnjitteredCount is what a simulation of the same other clients without jitter counts at the same time.
 * @typedef {object} UnjitteredCount
 * @property {number} watching clients with an open watch
 * @property {number} requests for lists
 */

/**
 * CrowdLists counts the requests for lists of the last 128 seconds in each step of time, oldest first, from the first step to the last that
 * has any.
 * @typedef {object} CrowdLists
 * @property {number} fromMillis when the first step began
 * @property {number} stepMillis
 * @property {number[]} requests from all clients
 * @property {number[]} unjittered from the other clients, if their waits were not random
 */

/**
 * WorldChange is a change that the store does not have, or N that are counted together.
 * @typedef {object} WorldChange
 * @property {string} op
 * @property {string} rv
 * @property {number} atMillis
 * @property {number} n
 */

/**
 * Calls is what each call of the worker answers; docs/dev/protocol.md and docs/reference.md describe them.
 * @typedef {object} Calls
 * @property {WholeState} state
 * @property {Selection} select
 * @property {Selection} transform
 * @property {Selection} fork
 * @property {ReplayedStory} story
 * @property {Process} attached
 * @property {boolean} checkStory
 * @property {boolean} arrive
 * @property {{name: string, on: boolean}} fault
 * @property {boolean} hold
 * @property {boolean} release
 * @property {ViewState} play
 * @property {ViewState} pause
 * @property {ViewState} step
 * @property {ViewState} seek
 * @property {ViewState} live
 * @property {ViewState} seekTime
 * @property {ViewState} mark
 * @property {Library} stories
 * @property {string} storyAdd
 * @property {boolean} storyBegin
 * @property {boolean} storyTurn
 * @property {boolean} storyStep
 * @property {boolean} storyLevel
 * @property {boolean} storyRide
 * @property {boolean} storyEnd
 * @property {boolean} storyFollow
 * @property {MadeFile} record
 * @property {Loaded} load
 * @property {MadeFile} export
 * @property {string} addIndex
 * @property {boolean} panic
 * @property {boolean} writes
 * @property {Sources} sources
 * @property {Sources} token
 * @property {ServedResource[]} resources
 * @property {Namespaces} namespaces
 * @property {ObjectView} object
 * @property {Ride} ride
 * @property {Finding[]} diagnose
 * @property {Comparison} compare
 * @property {LabResult} laboratory
 * @property {IndexContents} index
 * @property {string} follow
 * @property {boolean} window
 * @property {Entry[]} entries
 * @property {string} cluster
 * @property {number} addListener
 * @property {boolean} removeListener
 * @property {boolean} pace
 * @property {boolean} shutdown
 * @property {boolean} start
 * @property {boolean} shard
 * @property {boolean} unshared
 * @property {number} show
 * @property {OnAir} broadcast
 * @property {OnAir} broadcastBegin
 * @property {OnAir} broadcastEnd
 * @property {boolean} page
 * @property {Hearing} apart
 * @property {Hearing} along
 */

/**
 * WholeState is what the fold of the log computes at the view's position, and what the view adds to it.
 * @typedef {object} WholeState
 * @property {boolean} live the state is that of the log's end
 * @property {ViewState} view
 * @property {Facts} [facts] what is true of the moment, beside the fold's State
 * @property {WholeState[]} [lanes] all informers, if there are several, including the one at the top. Their Live, View, Factory and Fork
 *   are not set.
 * @property {Factory} [factory] the overview if several resources are watched or an informer is unshared.
 * @property {Fork} [fork] how the lanes of a fork differ.
 * @property {number} seq
 * @property {number} atMillis
 * @property {Source} source
 * @property {string} era
 * @property {boolean} running the informer runs
 * @property {boolean} synced the informer's HasSynced lamp
 * @property {Resource} resource
 * @property {API} api
 * @property {World} world
 * @property {Reflector} reflector
 * @property {Queue} queue
 * @property {Indexer} indexer
 * @property {Listener[]} listeners
 * @property {Workqueue | null} workqueue
 * @property {Hold[]} holds
 * @property {Fault[]} faults
 * @property {Record<string, Fidelity>} fidelity Fidelity maps paths of State's members to how they are known, if the informer is in another
 *   program. A member without an entry has its parent's. An empty map means that everything is exact.
 * @property {Recent} [recent] only in a log's KindRestored
 * @property {boolean} [unshared] the informer does not belong to its factory
 * @property {string} [shard] the part of the objects that the informer asks for, such as "1/2"
 * @property {string} [stage] of the factory, if reported: started, synced, stopping, stopped
 */

/**
 * Selection is what an experiment watches; KindSelected carries it as JSON.
 * @typedef {object} Selection
 * @property {string} source "sim", "live", "probe", "file" or "broadcast"
 * @property {string} [context]
 * @property {string} group
 * @property {string} version
 * @property {string} resource
 * @property {string} [kind]
 * @property {string} namespace
 * @property {boolean} [clusterScoped] the resource has no namespaces. Namespace is kept for the next selection that has.
 * @property {string[]} eras
 * @property {string} [selector] the label selector of every LIST and WATCH; empty selects all objects.
 * @property {string} [transform] what is done to every object before it is queued: "managedFields" or "metadata"; empty for nothing.
 * @property {number} [seed]
 * @property {number} [objects]
 * @property {number} [rate]
 * @property {string} [cluster] What the kubeconfig has about a live context, without credentials.
 * @property {string} [user]
 * @property {string} [server]
 * @property {string} [contextNamespace]
 * @property {boolean} [simulated] the live context is the simulated cluster in the server's process.
 * @property {Target[]} [resources] the watched resources, in order, when there are several; the members above describe the first. It is
 *   empty for one.
 * @property {string} [fork] the actions that only the second lane of a fork knows, as in a link; empty without a fork. Both lanes have a
 *   simulated cluster of their own, which are the same until then. ForkMillis is when the first of them happens, in ms since the log began.
 * @property {number} [forkMillis]
 * @property {LaneOf[]} [unshared] the informers that are not shared, in the KindSelected of a Baseline.
 */

/**
 * ReplayedStory is what is needed to replay an experiment on the simulated cluster.
 * @typedef {object} ReplayedStory
 * @property {number} seed
 * @property {number} objects
 * @property {number} rate
 * @property {string} era the release with which it began, or two with a comma between them: a later start may have another.
 * @property {string} selector the label selector of its requests, "" for none.
 * @property {number} from when the experiment began, in milliseconds since the cluster did; it is not 0 if an earlier experiment ran on the
 *   cluster.
 * @property {string} do the user's actions, with their times: "12345:fault:cut,13000:burst:100", in milliseconds since the cluster began.
 * @property {string} [fork] those that only the second of two lanes knows; empty without a fork.
 */

/**
 * Process describes the attached process, for the page's menu.
 * @typedef {object} Process
 * @property {boolean} offered the server was started with --attach
 * @property {string} clientGo
 * @property {Informer[]} informers
 * @property {string} [error] why it cannot be reached now
 */

/**
 * ViewState is how the page follows the log.
 * @typedef {object} ViewState
 * @property {string} mode live, playing, paused
 * @property {number} speed
 * @property {number} behind events between the view and the log's end
 * @property {number} behindMillis
 * @property {number} first oldest seq that can be shown
 * @property {number} head
 * @property {number} headMillis
 * @property {Memory} memory
 */

/**
 * Library has the stories and the groups of the chooser.
 * @typedef {object} Library
 * @property {StoryGroup[]} groups
 * @property {Story[]} stories
 */

/**
 * MadeFile is one that the worker made.
 * @typedef {object} MadeFile
 * @property {string} name
 * @property {ArrayBuffer[]} parts in order
 */

/**
 * Loaded describes a recording that was read.
 * @typedef {object} Loaded
 * @property {number} events
 * @property {string} warning Warning says what was lost of a damaged file; empty if nothing was.
 * @property {boolean} namesOnly the objects have no bodies.
 */

/**
 * Sources is what a Lab can watch.
 * @typedef {object} Sources
 * @property {boolean} sim
 * @property {LiveSources} live
 */

/**
 * ServedResource is a resource of the API. One that can be listed and watched can be the subject of an informer.
 * @typedef {object} ServedResource
 * @property {string} group
 * @property {string} version
 * @property {string} resource plural, as in URLs
 * @property {string} kind
 * @property {string} [singular]
 * @property {boolean} namespaced
 * @property {string[]} verbs
 * @property {string[]} [shortNames]
 * @property {string[]} [categories]
 * @property {boolean} preferred true if this is the server's most preferred version of the resource among those that can be watched.
 * @property {string} [unwatchable] Unwatchable explains, for the user, why the resource cannot be listed and watched; it is empty if it
 *   can. An entry without a Resource stands for a whole version of a group that could not be discovered.
 */

/**
 * Namespaces is the list of namespaces, or why there is none.
 * @typedef {object} Namespaces
 * @property {string[]} items sorted by name; never nil
 * @property {string} error why they are not known, in words for the user
 * @property {string} reason With an Error, Reason is forbidden, not-served (by the server's own flags) or unreachable.
 */

/**
 * ObjectView has one object at the view's position, for the inspector.
 * @typedef {object} ObjectView
 * @property {string} key
 * @property {string} rv
 * @property {JSONValue} json
 * @property {string} oldRv
 * @property {JSONValue} oldJson
 * @property {boolean} deleted the store no longer has it; JSON is its last known state.
 * @property {string} unseen the reason why there is no JSON, for an object of another program's informer.
 * @property {Mutation} [mutation] Mutation has the fields that a handler changed in the store's object; OldJSON is then the object before
 *   that.
 * @property {Audit} [author] the write that made this version; nil if the log does not have it.
 * @property {DiffLine[]} diff what differs between OldJSON and JSON. Of an object that was just added or deleted each line does; it is
 *   empty if a version is not known.
 * @property {Hop[]} journey
 * @property {string[]} todo the stations that its newest change has yet to reach, as Stage of a Hop names them; empty without a journey.
 * @property {Hop[]} ahead the object's hops after the view's position; empty while the view follows the log's end.
 * @property {Reconciles | null} reconciles the newest reconciles of its key, and their causes; nil if the lane has no work queue.
 */

/**
 * Ride is the way of one change of an object through one informer to one handler and on to a worker, in order.
 * @typedef {object} Ride
 * @property {string} key
 * @property {number} lane the informer's. Listener is the one that is followed: the one whose handler enqueued the key, else the first
 *   notified; 0 for none.
 * @property {number} listener
 * @property {boolean} whole a handler has returned from handling the change.
 * @property {number} micros how long it took from the first hop to the last.
 * @property {RideHop[]} hops
 */

/**
 * Finding is something that is wrong.
 * @typedef {object} Finding
 * @property {string} rule the name of a Rule
 * @property {TwoWords} title
 * @property {'critical' | 'warning' | 'hint'} weight
 * @property {number} lane the informer, Informer the name of its resource.
 * @property {string} informer
 * @property {number} sinceMillis when it began, or when the log began if that is later. Seq is the event that shows it best, and AtMillis
 *   its time. All are of the log.
 * @property {number} seq
 * @property {number} atMillis
 * @property {'exact' | 'derived' | 'sampled'} confidence the least certain of what the finding rests on.
 * @property {TwoWords} what
 * @property {TwoWords} advice
 * @property {string} story the id of the story that explains it
 */

/**
 * Comparison is what plain lists say of the informers' stores.
 * @typedef {object} Comparison
 * @property {number} atMillis when they were compared, on the log's clock.
 * @property {Opinion[]} opinions
 * @property {Finding[]} findings those of the log, and what the lists add.
 */

/**
 * LabResult is what three lanes did with the same load.
 * @typedef {object} LabResult
 * @property {number} seed
 * @property {number} lagMillis
 * @property {number} parents Parents and Children are how many parents the user creates, and how many children each wants at first.
 * @property {number} children
 * @property {number} userWrites the writes of the user.
 * @property {LabLane[]} lanes
 */

/**
 * IndexContents is an index at the view's position: its values, or the keys of one value.
 * @typedef {object} IndexContents
 * @property {string} index
 * @property {IndexValue[]} [values] sorted by size, largest first, at most 500; Total is their number.
 * @property {string[]} [keys] sorted, at most 500; Total is their number.
 * @property {string} [value]
 * @property {number} total
 */

/**
 * Entry is a change, or a key, at a row.
 * @typedef {object} Entry
 * @property {string} key
 * @property {string} rv
 * @property {string} op empty for a key
 * @property {string} row its ID
 * @property {number} cameMillis when it came, LeftMillis when it went on, or its call began, and EndMillis when that call ended.
 * @property {number | null} leftMillis
 * @property {number | null} endMillis
 */

/**
 * OnAir is the state of a broadcast, for the speaker's page.
 * @typedef {object} OnAir
 * @property {boolean} offered the server was started with --broadcast
 * @property {'' | 'on' | 'lost' | 'taken' | 'failed'} phase
 * @property {string} path of the audience's link, with its token
 * @property {boolean} objects bodies of objects are sent
 * @property {boolean} other another page broadcasts
 * @property {number} followers by the relay's last count
 * @property {number} segments number of segments that the relay has
 * @property {number} bytes their size, compressed
 * @property {number} seq the newest event that the relay has
 * @property {number} skipped how often a part of the log was lost before it could be sent
 * @property {string} [error]
 */

/**
 * Hearing is the state of a Following, for the follower's page.
 * @typedef {object} Hearing
 * @property {'joining' | 'waiting' | 'following' | 'slow' | 'quiet' | 'silent' | 'unknown' | 'over' | 'damaged'} phase
 * @property {number} behindMillis how much later than possible the speaker's events arrive
 * @property {boolean} recording the broadcast had ended when the page opened: it plays from its beginning
 * @property {boolean} own the follower explores alone
 * @property {number} skipped how often a part was skipped because it arrived too late
 * @property {boolean} before the speaker shows a moment from before the follower joined, which this page does not have
 * @property {string} [error]
 * @property {string} [mode] Mode and Page are the speaker's, at the moment shown.
 * @property {JSONValue} [page]
 */

/**
 * Recent is what a Fold keeps about a lane's last moments beside its State: the source of sentences about the present. It is part of the
 * fold, so it is the same at a seq however a viewer got there. A log that begins after its experiment has it in its KindRestored.
 * @typedef {object} Recent
 * @property {number[]} [writes] Writes of the newest bins of time, and the number of the newest bin. They belong to all lanes; a Fold keeps
 *   them with its world.
 * @property {number} [writesBin]
 * @property {boolean} [silent] nothing arrives from the cluster, because a request failed or ended with an error and none was answered
 *   since. SilentAt is when that began.
 * @property {number} [silentAt]
 * @property {string} [cause] the ErrorCause of the error behind the last backoff.
 * @property {Happening} passed when a change was queued that had arrived in a wire frame. A Happening with a negative time has not
 *   happened.
 * @property {Happening} deep when the queue changed last and was deeper than DeepQueue then.
 * @property {boolean} [relisting] a relist began that the informer has not completed. RelistReplaces is how often the store had been
 *   replaced at its start.
 * @property {number} [relistReplaces]
 * @property {Happening} relisted the last completed relist.
 */

/**
 * Target is a resource that is watched.
 * @typedef {object} Target
 * @property {string} group
 * @property {string} version
 * @property {string} resource
 * @property {string} [kind]
 * @property {boolean} [clusterScoped]
 */

/**
 * LaneOf describes the informer of a lane.
 * @typedef {object} LaneOf
 * @property {string} [era]
 * @property {boolean} [unshared] it does not belong to the factory.
 * @property {string} [shard] the part of the objects that it asks for, such as "1/2"; empty for all.
 * @property {string} group
 * @property {string} version
 * @property {string} resource
 * @property {string} [kind]
 * @property {boolean} [clusterScoped]
 */

/**
 * Informer is an informer of the attached process.
 * @typedef {object} Informer
 * @property {string} name its resource, with the group if any
 * @property {boolean} synced
 * @property {number} objects
 * @property {Record<string, string>} [off] layers of the probe that are off, with the reason
 */

/**
 * StoryGroup is a group of stories in the chooser.
 * @typedef {object} StoryGroup
 * @property {string} id
 * @property {StoryWords} name
 */

/**
 * Story is a story in the chooser.
 * @typedef {object} Story
 * @property {string} id
 * @property {string} group
 * @property {StoryWords} title
 * @property {StoryWords} lesson
 * @property {string} terms
 * @property {number} seconds
 * @property {string[]} eras
 * @property {StoryPage[]} steps
 * @property {StoryTake} take
 * @property {StoryStop[]} rail where it happens.
 * @property {StoryLevel[]} [levels] what its readers may know already; none if it is the same for all.
 * @property {string} [recording] the file on which it plays, an argument of storyBegin.
 */

/**
 * LiveSources are the clusters that the relay can reach.
 * @typedef {object} LiveSources
 * @property {KubeContext[]} contexts
 * @property {string} current the kubeconfig's own
 * @property {string} selected the one the server was started with
 * @property {string} error why there are none, in words for the user
 * @property {string} [cause] of the error, if it is about the relay, as in Error
 */

/**
 * Audit is a write to the cluster: whose, and what it did. It has nothing of the object but its name.
 * @typedef {object} Audit
 * @property {string} author a short name: "kubectl", "deployment-controller"
 * @property {string} [user] as authenticated, of a person only
 * @property {string} verb create, update, patch, delete or deletecollection
 * @property {string} resource "deployments.apps"
 * @property {string} [subresource]
 * @property {string} [words] what it did, after its author: "scaled default/web from 3 to 6"
 */

/**
 * DiffLine is a line of what differs between two versions of an object. A line is a member, below the lines of what it is in.
 * @typedef {object} DiffLine
 * @property {string} op - for a line of the old version, + for one of the new, and empty for one of both.
 * @property {string} text the line, indented; empty if Folded.
 * @property {number} folded how many lines stand here that are of no interest: unchanged ones, or all beyond the first thousand.
 */

/**
 * Hop is one step of an object on its way from the API server to a handler and the controller. It is data; the page words it.
 * @typedef {object} Hop
 * @property {number} seq
 * @property {number} atMillis
 * @property {number} lane
 * @property {number} change Change numbers the object's changes within the journey, from 1; the hops of one change share it.
 * @property {string} stage api, reflector, queue, indexer, listener or controller.
 * @property {number} [listener] of stage listener; the worker of stage controller
 * @property {string} kind see KindName
 * @property {string} [op]
 * @property {string} [rv]
 * @property {number} [position] the place in the queue, or among the popped deltas, from 1; Total is how many there were.
 * @property {number} [of]
 * @property {number} [n] the event's own counts, see its Kind
 * @property {number} [m]
 * @property {boolean} [flag]
 * @property {number} [micros] how long it took, if it is Handled, Processed, WorkDone or Reconciled
 * @property {string} [text]
 * @property {string} [error]
 */

/**
 * Reconciles are the newest runs of the reconciler for one key, and how often the key has woken itself.
 * @typedef {object} Reconciles
 * @property {Reconcile[]} newest newest first, at most 8
 * @property {number} runs that began in the last minute
 * @property {number} woken of these, how many have a cause that an own write of the same key made
 */

/**
 * RideHop is a hop of a ride.
 * @typedef {object} RideHop
 * @property {string} function the Go name of the function that did it, in client-go v0.37.2 or in the program that uses it; see Functions.
 * @property {number} sinceMicros the time since the previous hop, in whole microseconds; 0 for the first.
 * @property {number} seq
 * @property {number} atMillis
 * @property {number} lane
 * @property {number} change Change numbers the object's changes within the journey, from 1; the hops of one change share it.
 * @property {string} stage api, reflector, queue, indexer, listener or controller.
 * @property {number} [listener] of stage listener; the worker of stage controller
 * @property {string} kind see KindName
 * @property {string} [op]
 * @property {string} [rv]
 * @property {number} [position] the place in the queue, or among the popped deltas, from 1; Total is how many there were.
 * @property {number} [of]
 * @property {number} [n] the event's own counts, see its Kind
 * @property {number} [m]
 * @property {boolean} [flag]
 * @property {number} [micros] how long it took, if it is Handled, Processed, WorkDone or Reconciled
 * @property {string} [text]
 * @property {string} [error]
 */

/**
 * TwoWords are a text in the languages of the page.
 * @typedef {object} TwoWords
 * @property {string} en
 * @property {string} zh
 */

/**
 * Opinion is what a plain list says of an informer's store.
 * @typedef {object} Opinion
 * @property {string} informer
 * @property {number} lane of the informer, in the log
 * @property {string} request the list's path and query, "" if none was sent. Objects are those of the list, and RV its version.
 * @property {number} objects
 * @property {string} rv
 * @property {boolean} isSynced IsSynced says whether the informer has synced; else nothing is compared.
 * @property {number} apart the number of objects in which list and store differ, Moving that of those of which nothing is said: they
 *   changed while the log was recorded.
 * @property {number} moving
 * @property {string} error what the list was answered, or why it was not read. "" for nothing.
 */

/**
 * LabLane is what one controller did.
 * @typedef {object} LabLane
 * @property {string} guard
 * @property {number} reconciles those that went on to read and write, Held those that were held back: sent back to the queue, or made to
 *   wait for a read.
 * @property {number} held
 * @property {number} requeued how often a key went back through the rate limiter: held back, or after a conflict.
 * @property {number} waitedMillis the time for which parents were held back, together, and WorstMillis the longest.
 * @property {number} worstMillis
 * @property {number} endMillis when the last reconcile ended.
 * @property {LabMoment} [first] the first reconcile whose store lacked an own write, and what became of it; nil if there is none. Until
 *   then all lanes do the same.
 * @property {LabReconcile[]} timeline Timeline has the first reconciles, at most 400.
 * @property {number} duplicates the children that were created although their parent had as many as it ever wanted.
 * @property {number} writes the writes that the API server carried out, and Conflicts those that it refused with 409.
 * @property {number} conflicts
 */

/**
 * IndexValue is a value of an index and the number of objects that have it.
 * @typedef {object} IndexValue
 * @property {string} value
 * @property {number} count
 */

/**
 * Happening is a single event of a lane.
 * @typedef {object} Happening
 * @property {number} at
 */

/**
 * StoryWords is a text in the languages of the page.
 * @typedef {object} StoryWords
 * @property {string} en
 * @property {string} zh
 */

/**
 * StoryPage is a step as the page shows it, beside its captions.
 * @typedef {object} StoryPage
 * @property {StoryWords} name
 * @property {string[]} look
 * @property {string} [listener]
 * @property {string} [open]
 * @property {number} [windowMillis] how long the past is that the stage shows; 0 for the usual.
 * @property {number} [informer] which of several informers has all its rows, from 0.
 * @property {string} [function]
 * @property {string} [control] the name of the control that the reader is asked to press: its command and plain arguments, such as "release
 *   pop 1".
 * @property {StoryWords} [how]
 * @property {StoryWords[]} [answers] the answers to its question; the keys 1 to 4 choose one.
 * @property {number} [level] the last level to which it is new; 0 is all.
 */

/**
 * StoryTake is the advice that the reader takes home from a story.
 * @typedef {object} StoryTake
 * @property {StoryWords} words
 * @property {string} go
 * @property {string[]} see
 */

/**
 * StoryStop is a station on the small rail that the chooser draws beside a story.
 * @typedef {object} StoryStop
 * @property {string} station
 * @property {number} share the share of the story's steps that look at it, of those that look at the station seen most: from 0 to 1.
 * @property {boolean} [breaks] the story breaks something there.
 */

/**
 * StoryLevel is what a reader may know already.
 * @typedef {object} StoryLevel
 * @property {number} new the number of steps that are new to such a reader. The first and the last step, and questions, do not count.
 * @property {string} en
 * @property {string} zh
 */

/**
 * KubeContext is a context of the relay's kubeconfig.
 * @typedef {object} KubeContext
 * @property {string} name
 * @property {string} cluster
 * @property {string} server
 * @property {string} user
 * @property {string} namespace
 * @property {string} [error] why it cannot be used, if the kubeconfig alone shows that
 * @property {boolean} [simulated] it is the simulated cluster in the server's process
 */

/**
 * LabMoment is a reconcile with what the lane's guard made of it.
 * @typedef {object} LabMoment
 * @property {number} [refusals] how often its key was sent back to the queue before it went on.
 * @property {number} [waitedMillis] how long it was held back in all.
 * @property {string} key
 * @property {number} at since the beginning
 * @property {number} took
 * @property {number} [wrote] If the store lacked an own write when it began: the newest version written for the key, the store's version,
 *   and the resource.
 * @property {number} [read]
 * @property {string} [resource]
 * @property {boolean} [held] it was sent back to the queue before it read anything. After is how long its key had been held back when it
 *   went on.
 * @property {number} [after]
 * @property {number} [waited] how long its reads waited.
 * @property {number} [created]
 * @property {number} [duplicates]
 * @property {number} [deleted]
 * @property {string} [error]
 */

/**
 * LabReconcile is what a worker did with a key. Times are milliseconds.
 * @typedef {object} LabReconcile
 * @property {string} key
 * @property {number} at since the beginning
 * @property {number} took
 * @property {number} [wrote] If the store lacked an own write when it began: the newest version written for the key, the store's version,
 *   and the resource.
 * @property {number} [read]
 * @property {string} [resource]
 * @property {boolean} [held] it was sent back to the queue before it read anything. After is how long its key had been held back when it
 *   went on.
 * @property {number} [after]
 * @property {number} [waited] how long its reads waited.
 * @property {number} [created]
 * @property {number} [duplicates]
 * @property {number} [deleted]
 * @property {string} [error]
 */

/**
 * CallArgs is what each call of the worker takes, in order; the table of commands says within which limits.
 * @typedef {object} CallArgs
 * @property {[]} state
 * @property {[change?: {source?: 'sim' | 'live' | 'probe' | null, context?: string | null, group?: string | null, version?: string | null,
 *   resource?: string | null, kind?: string | null, namespace?: string | null, era?: string | null, seed?: number | null,
 *   objects?: number | null, rate?: number | null, do?: string | null, from?: number | null, at?: number | null,
 *   transform?: 'off' | 'managedFields' | 'metadata' | null, selector?: string | null, fork?: string | null} | null]} select
 * @property {[transform: 'off' | 'managedFields' | 'metadata']} transform
 * @property {[what?: string | null]} fork
 * @property {[seq?: number | null]} story
 * @property {[]} attached
 * @property {[what?: string | null]} checkStory
 * @property {[]} arrive
 * @property {[name: 'cut' | 'refuse' | '410' | '429' | '500' | 'slow' | 'delay' | 'nobookmarks' | 'noendmark' | 'halfopen' | 'forbidden' | 'slowindex' | 'mutate' | 'ratelimit' | 'rewrite' | 'compact' | 'restart',
 *   args?: {on?: boolean | null, millis?: number | null, count?: number | null} | null, lane?: number | null]} fault
 * @property {[stage: 'store' | 'pop' | 'deliver' | 'take', listener?: number | null, lane?: number | null]} hold
 * @property {[stage: 'store' | 'pop' | 'deliver' | 'take', n?: number | null, listener?: number | null, lane?: number | null]} release
 * @property {[listener: {name?: string | null, paceMillis?: number | null, resyncMillis?: number | null},
 *   lane?: number | null]} addListener
 * @property {[listener: number, lane?: number | null]} removeListener
 * @property {[listener: number, millis?: number | null, lane?: number | null]} pace
 * @property {[listener: number, lane?: number | null]} panic
 * @property {[name: string, expression: string, lane?: number | null]} addIndex
 * @property {[on?: boolean | null, children?: 'none' | 'generated' | 'fixed' | null]} writes
 * @property {[]} shutdown
 * @property {[late?: string | null, era?: string | null, selector?: string | null]} start
 * @property {[shard?: string | null]} shard
 * @property {[on?: boolean | null, lane?: number | null]} unshared
 * @property {[verb: 'create' | 'scale' | 'restart' | 'deleteDeployment' | 'delete' | 'drain' | 'burst' | 'crowd' | 'compact' | 'failover' | 'unsharded' | 'expire' | 'finalizer' | 'label' | 'rate',
 *   args?: {namespace?: string | null, name?: string | null, replicas?: number | null, key?: string | null, n?: number | null,
 *   label?: string | null, perSecond?: number | null} | null]} cluster
 * @property {[speed?: number | null]} play
 * @property {[]} pause
 * @property {[]} live
 * @property {[n?: number | null]} step
 * @property {[seq?: number | null]} seek
 * @property {[millis?: number | null]} seekTime
 * @property {[direction?: number | null]} mark
 * @property {[key: string, lane?: number | null]} object
 * @property {[key: string, lane?: number | null]} ride
 * @property {[]} diagnose
 * @property {[most?: number | null]} compare
 * @property {[lag: number, seed?: number | null]} laboratory
 * @property {[name: string, value?: string | null, lane?: number | null]} index
 * @property {[lane?: number | null]} show
 * @property {[key?: string | null, rv?: string | null]} follow
 * @property {[millis: number, columns: number]} window
 * @property {[row: string, column: number]} entries
 * @property {[]} stories
 * @property {[file: string, content: string | ArrayBuffer]} storyAdd
 * @property {[id: string, era?: string | null, step?: number | null, recording?: string | ArrayBuffer | null]} storyBegin
 * @property {[n?: number | null]} storyTurn
 * @property {[step?: number | null]} storyStep
 * @property {[level: number]} storyLevel
 * @property {[]} storyRide
 * @property {[]} storyEnd
 * @property {[state?: object | null]} storyFollow
 * @property {[]} sources
 * @property {[token: string]} token
 * @property {[]} resources
 * @property {[]} namespaces
 * @property {[objects?: 'whole' | 'names' | null]} record
 * @property {[]} export
 * @property {[file: string | ArrayBuffer]} load
 * @property {[]} broadcast
 * @property {[how?: {take?: boolean | null} | null]} broadcastBegin
 * @property {[]} broadcastEnd
 * @property {[page: object]} page
 * @property {[]} apart
 * @property {[]} along
 */

/**
 * AddressKey is a key of the URL fragment; docs/reference.md says what each means.
 * @typedef {'source' | 'context' | 'resource' | 'namespace' | 'era' | 'transform' | 'selector' | 'seed' | 'objects' | 'rate' | 'do' |
 *   'fork' | 'from' | 'at' | 'go' | 'speed' | 'lane' | 'story' | 'level' | 'tour' | 'laboratory' | 'presenter' | 'embed' | 'embedder' |
 *   'theme' | 'lang' | 'token' | 'broadcast' | 'audience'} AddressKey
 */

export {};
