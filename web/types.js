// @ts-check
// Made by go run ./tools/webtypes from the Go types of the same names; not to be edited.
// The shapes of all that the worker says to the page (docs/protocol.md). This file holds types alone.

/**
 * What is passed on as it came.
 * @typedef {null | boolean | number | string | JSONValue[] | {[name: string]: JSONValue}} JSONValue
 */

/**
 * Frame is what View.Frame returns, as types. A view writes its frames by hand, since it does so for every picture; these types are for
 * those who read them: web/types.js is made from them, and a test of tools/webtypes holds frames against them.
 * @typedef {object} Frame
 * @property {View} view
 * @property {LaneFrame[]} lanes
 * @property {TimelineFrame} [timeline]
 * @property {Comparison} [compare] there when the comparison of two releases is another one than before; null when there is none any more.
 * @property {Told} [story] there when what a story tells is other than before; null when none is told.
 * @property {Factory} [factory] there when what several informers show together is another than before; null when there is one informer
 *   again, or the same in two releases. Lanes has the one that shows then.
 * @property {boolean} jump Jump says that the view did not play through to here: show the end at once, animate nothing.
 */

/**
 * View is where a view is in the log, and how it follows it.
 * @typedef {object} View
 * @property {string} mode live, playing, paused
 * @property {number} speed
 * @property {number} behind events between the view and the log's end
 * @property {number} behindMillis
 * @property {number} first oldest seq that can be shown
 * @property {number} head
 * @property {number} headMillis
 * @property {number} mergedTokens tokens merged for the eye in the last second
 * @property {number} shownTokens
 * @property {Memory} memory
 * @property {number} seq
 * @property {number} atMillis
 */

/**
 * LaneFrame is what is new in one lane.
 * @typedef {object} LaneFrame
 * @property {Partial<State>} state State has the members of the state that changed; each takes the place of the whole of what was there.
 * @property {Partial<Facts>} [facts] Facts has the members of the facts that changed, likewise.
 * @property {Groups} [groups] by which the cells are told apart; they come whole when they change.
 * @property {Cells} [cells]
 * @property {Move[]} [moves]
 */

/**
 * TimelineFrame is what is new in the log as a whole.
 * @typedef {object} TimelineFrame
 * @property {boolean} reset the page forgets its bins and marks first
 * @property {number} binMillis
 * @property {number} firstMillis the oldest moment that can still be shown
 * @property {Bin[]} bins
 * @property {Mark[]} marks new ones.
 */

/**
 * Comparison is what the informers of several releases made of the same changes, at the position of a view. It is a function of the log up
 * to there, of the moment shown, and of whether the view stands still: the same live, after a seek, and on a recording. What is compared is
 * a burst: the changes that were sent while Pop was held last, until three minutes after its release. Where there is none, it is the newest
 * few changes that every informer has taken, a new few every two and a half seconds.
 * @typedef {object} Comparison
 * @property {boolean} burst the changes are those that came while Pop was held. Held: it is held still.
 * @property {boolean} held
 * @property {number} [from] From and To are the seqs of the hold and of its release; 0: before the log's first event, and not released.
 * @property {number} [to]
 * @property {boolean} cut the log reaches back, or is read back, to a moment after From only; what came before is not counted.
 * @property {number} total Total and Keys count every change and every key, More the changes beyond those in Changes.
 * @property {number} keys
 * @property {number} more
 * @property {number} listener whose handler's calls are compared, 0 for nobody's: the first that is not removed.
 * @property {SentChange[]} changes the first of them, in the order in which they were sent; at most 6.
 * @property {LaneComparison[]} lanes Lanes say what each informer made of them. Lists name the changes in Changes only, counts count all.
 */

/**
 * Told is what a story tells of the moment shown.
 * @typedef {object} Told
 * @property {string} id the story's, Release that in which it is told.
 * @property {string} era
 * @property {boolean} starting its first step has not begun.
 * @property {number} step that of the moment shown, from 0; Last is the last one that has begun.
 * @property {number} last
 * @property {boolean} done the step's condition had come by the moment shown; Ended: by now, wherever one looks.
 * @property {boolean} ended
 * @property {Saying | null} caption what is true of the moment and said of it; nil while nothing is said.
 * @property {Saying} [before] what was said before the step's condition came, if that is still true: who has not read it yet may.
 * @property {boolean} waits the step waits for what it asks of the reader, an action or an answer, and time stands still until then. Asks
 *   is what.
 * @property {Saying} [asks]
 * @property {number} [right] the number of the answer that turned out to be right, from 1; 0 while it is open.
 * @property {string} hurry how the step that runs comes to its end: "" at its own pace, "fast" when the page was turned before, "skip" when
 *   twice.
 * @property {boolean} stands time stands still until the page is turned.
 * @property {StoryRide} [ride] the object to ride, once the step that was turned to has come to its end; nil while there is none.
 * @property {StoryMark[]} marks the events between which each step happened, so that others who have the log can be told the same.
 * @property {string} [problem] why the story cannot go on, in words.
 */

/**
 * Factory is what the informers of a SharedInformerFactory show together, and one that is not shared beside them. It is a function of the
 * log up to a view's position, and of nothing else but Shown.
 * @typedef {object} Factory
 * @property {number} shown the lane that the rest of the State is of.
 * @property {string[]} resources those that the factory was asked for, as a link names them, and Namespace is where those that have one are
 *   watched.
 * @property {string} namespace
 * @property {FactoryStage[]} factories one for each release.
 * @property {FactoryRow[]} rows one for each informer: those that have not synced come first, then they follow one another as they were
 *   asked for. Those of a process that is watched from outside come by what is worst of each: not synced, in trouble, no watch open, a ring
 *   with little room.
 * @property {number} open Open counts the requests that are open, of all informers, and Objects what all their stores hold.
 * @property {number} objects
 * @property {FactoryAPI} api the API server that they share.
 * @property {Sentence} sentence what is to be said of them, one of FactorySentences.
 */

/**
 * Memory is what the program that holds the log takes, in bytes; zero where nobody measures.
 * @typedef {object} Memory
 * @property {number} live what the last garbage collection left
 * @property {number} total had of the system; in a browser it never shrinks
 * @property {number} limit the most that it can have
 */

/**
 * State is what frames say of a lane's trace.State; the rest is in the frame's Position, or known of each lane.
 * @typedef {object} State
 * @property {Source} source
 * @property {string} era
 * @property {Resource} resource
 * @property {API} api
 * @property {Reflector} reflector
 * @property {Queue} queue
 * @property {Indexer} indexer
 * @property {Listener[]} listeners
 * @property {Workqueue | null} workqueue
 * @property {Hold[]} holds
 * @property {Fault[]} faults
 * @property {Record<string, Fidelity>} fidelity how members are known of an informer that was watched from outside.
 */

/**
 * Facts are what is true of a lane at the moment shown, beside its State: all that a panel shows and a sentence says and that is not a
 * member of State as it is. The viewer computes them from the Fold and the moment alone (see core/view), so that they are the same at a
 * moment whichever way one came there: live, back and forth, after a jump, on a recording.
 * @typedef {object} Facts
 * @property {boolean} sure news would come if there were any, so what agrees may be said to agree and what is newest to be current.
 * @property {boolean} upToDate all that is known of the objects in the cluster is in the store, so what a lister reads now is the newest:
 *   nothing is on the wire, held before the queue, in it, or being processed.
 * @property {boolean} unlisted the first list has not come. The store never held what the cluster has, so nothing in it is old.
 * @property {number} staleSince since when the store has had no news and can have had none, in ms of the log; 0 while it can.
 * @property {TroubleFacts} trouble what stands between the informer and its cluster.
 * @property {number[]} fresh the ages in ms at which an object of the store counts as less fresh, in rising order.
 * @property {number} nextBatch how many deltas the next Pop takes, of the queue as it is.
 * @property {NextRequest | null} nextRequest what the Reflector sends when its present wait is over; nil while it does not wait.
 * @property {Depths} depths the curve of the queue's depth.
 * @property {number} growing by how many deltas (keys, of a DeltaFIFO) a second the queue grew, over the two seconds before the moment
 *   shown and since Pop was held; 0 while it is not held.
 * @property {number | null} wireMicros how long the newest change took from the wire into the queue, in µs of the log's clock; nil where
 *   none came in the last two seconds. What travels over the rail is a replay that takes longer.
 * @property {number} deltas how many deltas the queue holds: of a DeltaFIFO those of all its keys.
 * @property {number} pending how many notifications wait in the rings of all listeners that are there.
 * @property {Ledger} ledger how far the newest changes have come.
 * @property {Requests} requests those that the informer has sent.
 * @property {string[]} focus the stations to look at: those where something is the matter, or was within the last three seconds.
 * @property {number} listener the number of the listener that has most to tell, 0 when there is none.
 * @property {ListenerFacts[]} listeners Listeners has the facts of each listener that is there, in State's order.
 * @property {number} writesPerSecond that of the API server, over the two seconds before the moment shown.
 * @property {Versions} versions Versions compares the three resourceVersions.
 * @property {Sentence} sentence what is to be said of the moment.
 */

/**
 * Groups are the values of an index and how many objects have each.
 * @typedef {object} Groups
 * @property {string} index
 * @property {Group[]} list
 */

/**
 * Cells are those of the store's objects that changed.
 * @typedef {object} Cells
 * @property {boolean} reset the page forgets all it has first
 * @property {CellRow[]} set
 * @property {number[]} del slots
 */

/**
 * Move is something that passed along a path.
 * @typedef {object} Move
 * @property {string} p
 * @property {number} [l]
 * @property {string} [o]
 * @property {string} [k]
 * @property {string} [rv]
 * @property {number} s
 * @property {number} [n]
 * @property {Record<string, number>} [mix]
 */

/**
 * Bin is a stretch of the log's time, by number from 0, and how many events are in it.
 * @typedef {[number: number, events: number]} Bin
 */

/**
 * Mark is an event worth a mark on the timeline.
 * @typedef {object} Mark
 * @property {number} seq
 * @property {number} atMillis
 * @property {number} lane
 * @property {string} kind list, relist, error, fault, resync, sync, hold, backoff, panic, trouble, selected or note.
 * @property {number} [code] the HTTP status of an error, 0 when it has none.
 * @property {boolean} [on] On says of a fault, a hold and trouble that it began.
 * @property {string} [text] the cause, the name or the note, as the event has it.
 */

/**
 * SentChange is a change as the API server sent it.
 * @typedef {object} SentChange
 * @property {number} n its place in the order sent, from 1
 * @property {number} seq of the event that first brought it, over whichever watch
 * @property {number} atMillis
 * @property {string} key
 * @property {string} rv
 * @property {string} op
 * @property {string} letter names its key, in the order of the keys' first changes
 * @property {string} label names the change: the letter and N
 */

/**
 * LaneComparison is what one informer made of the changes.
 * @typedef {object} LaneComparison
 * @property {WaitingChanges[]} waits those in the queue now, as the queue has them: a DeltaFIFO's by key, a RealFIFO's in one line.
 * @property {number} waiting Waiting counts all that wait, Taken all that Pop took, Pops in how many pops.
 * @property {number} taken
 * @property {number} pops
 * @property {TakenChanges[]} took Took says which of Changes were taken together, in the order of the pops.
 * @property {ChangeStep[]} stored the order in which the store went through them; StoredCount counts all, StoredLate those that came into
 *   the store after one that was sent later. Newest is what came last of each key in Changes, be it one of them or not.
 * @property {number} storedCount
 * @property {number} storedLate
 * @property {StoredChange[]} newest
 * @property {Overtaking | null} overtaking the first time that the store held one of Changes while it was without one that had been sent
 *   before.
 * @property {ChangeStep[]} given the order in which the handler was given them, with the counts as those of Stored.
 * @property {number} givenCount
 * @property {number} givenLate
 */

/**
 * Saying is a sentence in the languages of the page.
 * @typedef {object} Saying
 * @property {string} en
 * @property {string} zh
 * @property {number} readMillis how long it takes to be read.
 * @property {SaidNumber[]} [numbers] drawn large beside it.
 */

/**
 * StoryRide is an object whose newest change is to be ridden, hop by hop.
 * @typedef {object} StoryRide
 * @property {string} key
 * @property {boolean} asked a page was turned for it, so that it is not to be waited for.
 */

/**
 * StoryMark are the events of a step: the one before its calls, the one after them, and the one at which its condition had come, 0 while it
 * has not.
 * @typedef {object} StoryMark
 * @property {number} from
 * @property {number} begin
 * @property {number} end
 */

/**
 * FactoryStage is how far a factory has come.
 * @typedef {object} FactoryStage
 * @property {string} era
 * @property {string} stage started, synced, stopping or stopped; empty before Start.
 * @property {string[]} waiting the informers that WaitForCacheSync still waits for; none when it waits no more.
 * @property {number} synced
 * @property {number} of
 */

/**
 * FactoryRow is an informer.
 * @typedef {object} FactoryRow
 * @property {number} lane
 * @property {string} resource "pods", "deployments.apps"
 * @property {string} era
 * @property {boolean} unshared
 * @property {boolean} running
 * @property {boolean} synced
 * @property {string} phase
 * @property {string} resourceVersion
 * @property {number} depth
 * @property {string} queueKind
 * @property {number} count
 * @property {FactoryRing | null} ring the fullest of the listeners' rings, nil without a listener.
 * @property {FactoryLamp[]} lamps the listeners' sync lamps, in order.
 * @property {number} requests Requests counts the open ones. Request is the newest of them; where none is open it is the one that ended
 *   last, and nil before any.
 * @property {FactoryRequest | null} request
 * @property {number} lists Lists and Watches count the requests that it has sent since it began: pages of a LIST too, and WatchLists as
 *   WATCHes.
 * @property {number} watches
 * @property {boolean} twice Twice says that another informer of the same resource runs beside it, and that the two do not share.
 * @property {string[]} held the stages that are held.
 * @property {string} [trouble] what stands between this informer and its cluster, in words, and Cause in one; empty when all is well.
 * @property {string} [cause]
 * @property {Early} [early] Early tells of the pods of this informer whose nodes the factory's informer of nodes has not got; nil when
 *   there are none.
 */

/**
 * FactoryAPI is what the informers' requests show of the API server.
 * @typedef {object} FactoryAPI
 * @property {string} resourceVersion the highest that any of them has seen, empty before the first answer.
 * @property {number} lists Lists and Watches count the requests that the informers have sent since each began: pages of a LIST too, and
 *   WatchLists as WATCHes.
 * @property {number} watches
 * @property {string[]} faults the names of those that are switched on.
 * @property {FactoryTwice[]} twice the resources that an informer of the factory and one that is not shared both watch.
 */

/**
 * Sentence is a sentence about a moment: which one, and what it speaks of. The page has the words.
 * @typedef {object} Sentence
 * @property {string} id one of Sentences; empty when the trouble that the State tells of is the sentence.
 * @property {number} [n] N and M are counts, Name a listener, Key an object, RV a resourceVersion, Op the type of a delta, Why an error or
 *   a reason.
 * @property {number} [m]
 * @property {string} [name]
 * @property {string} [key]
 * @property {string} [rv]
 * @property {string} [op]
 * @property {string} [why]
 * @property {number} [until] when the wait ends, Since when what it tells began, in ms of the log.
 * @property {number} [since]
 */

/**
 * Source is where the objects come from.
 * @typedef {object} Source
 * @property {string} kind "sim", "live", "probe", "file", "broadcast"
 * @property {string} [context]
 * @property {string} [cluster] Cluster, User, Server (host and port) and Namespace (the context's own, which is its default) are what the
 *   kubeconfig says of a live context, as far as it was known when the log began.
 * @property {string} [user]
 * @property {string} [server]
 * @property {string} [namespace]
 * @property {number} [seed]
 * @property {number} [objects]
 * @property {number} [rate]
 * @property {string} [trouble] whole sentences for a person; empty when all is well
 * @property {string} [cause] of the trouble, in one word; see docs/protocol.md
 * @property {Offer} [offer] what can be tried in its place
 */

/**
 * Resource is the resource that is watched.
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
 * @property {string} [oldest] where the history begins; simulated cluster only
 * @property {number} objects -1 when unknown
 * @property {number} writes so far; simulated cluster only
 * @property {number} writesPerSecond over the last seconds of the log: writes, or frames where writes are unknown
 * @property {WireRequest[]} requests open now, and the last one that ended
 * @property {WireFrame[]} wire the newest frames, newest first
 * @property {number} refused requests of this informer that were answered 429
 * @property {Crowd} [crowd] the other clients of a simulated cluster, and what they make it do; absent while there are none.
 */

/**
 * Reflector is the Reflector's state.
 * @typedef {object} Reflector
 * @property {string} phase idle, listing, watch-listing, watching, backoff, stopped
 * @property {string} resourceVersion
 * @property {number} lists LIST requests sent, pages too
 * @property {number} watches WATCH requests sent, WatchLists too
 * @property {number} relists rounds of ListAndWatch that began after a list had once been taken over
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
 * @property {string} why why the present round of ListAndWatch runs
 * @property {number} backoffMillis length of the present wait, 0 when none
 * @property {number} backoffSince when it began
 * @property {string} backoffCause
 * @property {string} backoffThen what follows the wait: "watch again" or "list and watch again"
 * @property {number[]} backoffs the waits of the present outage, in ms, oldest first (at most 16)
 * @property {number} tempStore objects in the WatchList's temporary store
 * @property {number} resyncs
 * @property {boolean} unavailable
 */

/**
 * Queue is the DeltaFIFO or the RealFIFO.
 * @typedef {object} Queue
 * @property {string} kind RealFIFO or DeltaFIFO
 * @property {number} depth deltas (RealFIFO) or keys (DeltaFIFO)
 * @property {number} maxDepth
 * @property {boolean} synced
 * @property {boolean} locked held while what was popped is processed
 * @property {boolean} closed
 * @property {number} initialPopulation
 * @property {QueueItem[]} items the head of the queue, in order, at most 48
 * @property {QueueItem[]} batch what was popped and is being processed, at most 24
 * @property {number} batchSize
 * @property {QueueItem[]} lastBatch what was popped last, at most 24
 * @property {number} lastBatchSize
 * @property {Record<string, number>} mix deltas in the queue by type
 * @property {number} pops
 * @property {number} merges
 */

/**
 * Indexer is the store and its indices.
 * @typedef {object} Indexer
 * @property {number} count
 * @property {number} bytes those of the JSON of the objects, as the store holds them, and CameBytes as they came, before the Transform.
 * @property {number} cameBytes
 * @property {string} transform managedFields or metadata; empty: objects are stored as they came
 * @property {string} resourceVersion
 * @property {Record<string, Record<string, number>>} indices index → value → objects, at most 512 values of an index
 * @property {Record<string, number>} indexSizes index → how many values it has
 * @property {number} replaces
 * @property {number} reborn the updates that put an object with another UID in the place of one with the same key.
 * @property {number} mutated how many of the objects a handler changed in place since they came, Mutations the newest of those changes, at
 *   most 24.
 * @property {Mutation[]} mutations
 */

/**
 * Listener is one processorListener with its handler.
 * @typedef {object} Listener
 * @property {number} id
 * @property {string} name
 * @property {number} pending accepted, not yet handed to nextCh: ring and the one waiting
 * @property {number} ring in the ring
 * @property {number} capacity of the ring
 * @property {number[]} capacities earlier ones, oldest first
 * @property {boolean} waiting one waits at nextCh
 * @property {number} distributed
 * @property {number} delivered
 * @property {number} handled
 * @property {number} panics
 * @property {string} [lastPanic]
 * @property {QueueItem | null} handling what the handler is busy with
 * @property {number} handlingSince
 * @property {number} meanMicros of the last calls
 * @property {number} paceMillis extra time a call, set by hand
 * @property {number} resyncMillis
 * @property {boolean} syncing
 * @property {boolean} synced
 * @property {boolean} removed
 * @property {number} discarded notifications thrown away when it stopped
 * @property {number} mutations objects that its handler changed in place, though they are shared
 * @property {number} met calls of its handler about an object that another one had changed so
 * @property {number} metOld calls of OnUpdate whose old object was one
 * @property {Met} [lastMet]
 */

/**
 * Workqueue is the controller behind one listener.
 * @typedef {object} Workqueue
 * @property {Worker[]} workers
 * @property {number} depth
 * @property {string[]} queue head first, at most 24
 * @property {Worker[]} processing
 * @property {number} dirtyCount
 * @property {number} reAdded dirty while being processed
 * @property {number} waitingCount
 * @property {WaitingKey[]} waiting soonest first, at most 24
 * @property {number} retries keys with failures
 * @property {Record<string, number>} [failing] keys with failures and how many; only in a log's KindRestored
 * @property {string[]} dirty keys added again while being processed, at most 24
 * @property {number} reconciles
 * @property {number} failures
 * @property {Read | null} lastRead
 * @property {boolean} writing it writes: on the simulated cluster, unless switched off
 * @property {number} writes that made a new version
 * @property {number} conflicts writes refused because what was read was stale
 * @property {number} writeFails writes that failed for another reason
 * @property {Write} [lastWrite]
 * @property {boolean} shuttingDown
 */

/**
 * Hold is a held stage.
 * @typedef {object} Hold
 * @property {'store' | 'pop' | 'deliver' | 'take'} stage
 * @property {number} [listener]
 * @property {boolean} waiting
 * @property {number} sinceMillis
 * @property {number} releases let through while held
 */

/**
 * Fault is a fault that is on, or struck last.
 * @typedef {object} Fault
 * @property {string} name
 * @property {boolean} on
 * @property {number} struck
 * @property {number} atMillis
 */

/**
 * Fidelity is how a member of the State is known.
 * @typedef {object} Fidelity
 * @property {string} how exact, derived (it follows from what is exact), sampled (looked at now and then) or unseen
 * @property {string} [why]
 */

/**
 * TroubleFacts say what stands between the informer and its cluster; its zero value: nothing.
 * @typedef {object} TroubleFacts
 * @property {string} [cause] the trouble's cause in one word (see docs/protocol.md), or that of the error for which the Reflector waits;
 *   empty when all is well, and for an error that is none of the known ones.
 * @property {boolean} down the cluster does not answer, nothing can be asked of it now.
 * @property {string} [answer] what stands in the place of an answer: "unreached" when the cause lies before the cluster, the cause when the
 *   cluster or the server before it said no, "none" when nothing answers; empty while nothing is wrong.
 */

/**
 * NextRequest is a request that will be sent.
 * @typedef {object} NextRequest
 * @property {string} verb LIST, WATCH or WATCHLIST
 * @property {string} path
 * @property {string} resourceVersion
 * @property {boolean} relist it asks for everything again, though a list had been taken over.
 */

/**
 * Depths is the greatest depth of a queue in each step of time, the oldest first. The newest step ends with the last change of the queue:
 * from there on it is as deep as State says.
 * @typedef {object} Depths
 * @property {number} fromMillis when the first step began
 * @property {number} stepMillis
 * @property {number[]} max
 */

/**
 * Ledger has the newest changes by how far they have come.
 * @typedef {object} Ledger
 * @property {LedgerPart} wire said by the cluster, not taken by the Reflector yet
 * @property {LedgerPart} queue being popped, and behind that waiting: the head first
 * @property {LedgerPart} store through the queue, the newest first
 */

/**
 * Requests say which of API.Requests there are.
 * @typedef {object} Requests
 * @property {number} open how many are open
 * @property {number} foremost the ID of the one to tell of: one that is open, or the last one; 0 before the first.
 */

/**
 * ListenerFacts are what is true of a listener beside its State.
 * @typedef {object} ListenerFacts
 * @property {number} id
 * @property {number} in In and Out are what it took and what its handler handled in the last whole second of the log.
 * @property {number} out
 * @property {boolean} slow its handler takes long, or was made to.
 * @property {number} drainMillis how long its handler has to do with what waits, as long as its calls take as they did; 0 where that is
 *   over at once, cannot be known, or its handler is held.
 */

/**
 * Versions are how far the resourceVersions of the store, of the Reflector and of the cluster are apart, as the numbers that they are in
 * etcd; nil where one is not known or is no number.
 * @typedef {object} Versions
 * @property {number | null} queued the Reflector before the store
 * @property {number | null} behind the cluster before the Reflector
 * @property {number | null} total the cluster before the store
 */

/**
 * Group is a value of an index, and the number of the objects that have it.
 * @typedef {[value: string, count: number]} Group
 */

/**
 * CellRow is one object of the store: its slot is its own for as long as it is there.
 * @typedef {[slot: number, key: string, group: number, atMillis: number, op: string, phase: string, mutated: boolean]} CellRow
 */

/**
 * WaitingChanges stand together in a queue: those of one key, or a line (then Letter is empty).
 * @typedef {object} WaitingChanges
 * @property {string} [letter]
 * @property {number[]} changes N of each
 */

/**
 * TakenChanges left the queue in one pop.
 * @typedef {object} TakenChanges
 * @property {number} n which of the pops that took compared changes, from 1
 * @property {number} seq
 * @property {number} deltas all that it took
 * @property {boolean} batch they are processed in one transaction
 * @property {number[]} changes N of each
 */

/**
 * ChangeStep is a change that reached the store or the handler.
 * @typedef {object} ChangeStep
 * @property {number} n
 * @property {number} position which of all the compared changes it was there, from 1
 * @property {number} seq
 * @property {number} atMillis
 * @property {string} op
 * @property {string} [was] the label of the change whose state it took the place of in the store; empty when that is none of those
 *   compared.
 */

/**
 * StoredChange is the change whose state a store holds of a key, or which took the key out of it.
 * @typedef {object} StoredChange
 * @property {number} n
 * @property {string} letter
 * @property {string} label
 * @property {string} key
 * @property {string} rv
 * @property {string} op
 */

/**
 * Overtaking says for how long a store held the change Later without Earlier, which had been sent before it.
 * @typedef {object} Overtaking
 * @property {number} later
 * @property {number} earlier
 * @property {number} millis
 */

/**
 * SaidNumber is a number as it is written, and what it counts.
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
 * FactoryLamp is a listener's sync lamp.
 * @typedef {object} FactoryLamp
 * @property {string} name
 * @property {boolean} synced
 */

/**
 * FactoryRequest is a request of one informer.
 * @typedef {object} FactoryRequest
 * @property {string} verb LIST, WATCH or WatchList
 * @property {boolean} open
 * @property {number} status 0 while unanswered
 * @property {number} sentMillis
 * @property {number} bytes
 * @property {number} frames
 * @property {string} [error]
 */

/**
 * Early is about pods that arrived before their nodes.
 * @typedef {object} Early
 * @property {number} pods
 * @property {number} nodes that are named and missing
 * @property {string} key one of the pods, and Node the one that it names.
 * @property {string} node
 */

/**
 * FactoryTwice is what two informers of one resource cost that do not share.
 * @typedef {object} FactoryTwice
 * @property {string} resource
 * @property {string} era
 * @property {number} requests open, of both
 * @property {number} objects in both stores
 */

/**
 * Offer is what a person in trouble can choose with one click.
 * @typedef {object} Offer
 * @property {string} [namespace]
 */

/**
 * WireRequest is one HTTP request.
 * @typedef {object} WireRequest
 * @property {number} id
 * @property {string} url
 * @property {number} status 0 while unanswered
 * @property {boolean} open
 * @property {number} sentMillis
 * @property {number} bytes
 * @property {number} frames
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
 * @property {number} atMillis when it came over the wire.
 */

/**
 * Crowd is a CrowdCount, and how many requests came in a second.
 * @typedef {object} Crowd
 * @property {number} clients other clients
 * @property {number} watching of them, with an open watch
 * @property {number} seats lists that are answered at a time
 * @property {number} busy seats that are taken
 * @property {number} requests for lists, WatchLists among them, by anybody
 * @property {number} refused of them, with 429
 * @property {number} perSecond requests in the second before the moment
 * @property {number} peak the most that there were
 */

/**
 * QueueItem is a delta in a RealFIFO, or a key with its Deltas in a DeltaFIFO.
 * @typedef {object} QueueItem
 * @property {number} seq of the event that queued it (its newest delta)
 * @property {string} [op]
 * @property {string} [key]
 * @property {string} [rv]
 * @property {number} [count] objects in a ReplacedAll
 * @property {boolean} [tombstone]
 * @property {QueueItem[]} [deltas]
 */

/**
 * Mutation is a change that a handler made to an object in the store, without the API server: the object is shared.
 * @typedef {object} Mutation
 * @property {string} key
 * @property {string} rv
 * @property {number} listener whose handler it was
 * @property {string} label
 * @property {string} was empty where the object had no such label
 * @property {string} is
 * @property {string[]} stale the indices that still have the object under values that their functions do not give for it any more, sorted.
 * @property {number} atMillis
 */

/**
 * Met is a call in which a handler was handed an object that another one had changed.
 * @typedef {object} Met
 * @property {string} key
 * @property {string} rv
 * @property {'old' | 'object'} as the old one of an update, or the one that it is about
 * @property {string} label
 * @property {string} is
 * @property {number} atMillis
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
 */

/**
 * Read is a lister read.
 * @typedef {object} Read
 * @property {string} key
 * @property {string} rv
 * @property {string} [latest]
 * @property {number} behind
 * @property {boolean} [mutated] a handler had changed what it got
 * @property {number} atMillis
 */

/**
 * Write is a write of a worker. Until it is answered, Open is true.
 * @typedef {object} Write
 * @property {string} key
 * @property {string} verb
 * @property {number} worker
 * @property {string} rv that was read and sent
 * @property {string} [newRV] that the write made
 * @property {boolean} [open]
 * @property {number} [code] of an error from the API server: 409 is a conflict
 * @property {string} [error]
 * @property {number} atMillis when it was sent, or answered
 * @property {number} [tookMicros]
 */

/**
 * LedgerPart is one part of a Ledger. Of the wire and of what is through the queue it counts the newest frames alone, those that State has.
 * @typedef {object} LedgerPart
 * @property {number} count
 * @property {Record<string, number>} mix by delta type
 * @property {number} total of Mix
 * @property {LedgerEntry[]} first the first few
 */

/**
 * LedgerEntry is a change in a Ledger. What has no object has no key, what has no version (a resync) no rv.
 * @typedef {object} LedgerEntry
 * @property {string} [op]
 * @property {string} [key]
 * @property {string} [rv]
 * @property {number} [bytes] of a frame
 */

/**
 * Calls is what each call of the worker answers; docs/protocol.md and docs/reference.md describe them.
 * @typedef {object} Calls
 * @property {WholeState} state
 * @property {Selection} select
 * @property {Selection} transform
 * @property {ReplayedStory} story
 * @property {Attached} attached
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
 * @property {boolean} storyRide
 * @property {boolean} storyEnd
 * @property {boolean} storyFollow
 * @property {MadeFile} record
 * @property {{events: number, warning: string}} load
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
 * @property {IndexContents} index
 * @property {string} follow
 * @property {string} groupBy
 * @property {string} cluster
 * @property {number} addListener
 * @property {boolean} removeListener
 * @property {boolean} pace
 * @property {boolean} shutdown
 * @property {boolean} start
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
 * WholeState is what the panels show: the fold of a prefix of the log. Its JSON is what informerscope.state() returns. Lists too long to
 * send are cut; their full length stands beside them.
 * @typedef {object} WholeState
 * @property {number} seq
 * @property {number} atMillis
 * @property {boolean} live set by the viewer: the state is that of the log's end
 * @property {Source} source
 * @property {string} era
 * @property {boolean} running the informer runs
 * @property {boolean} synced the informer's HasSynced lamp
 * @property {Resource} resource
 * @property {API} api
 * @property {Reflector} reflector
 * @property {Queue} queue
 * @property {Indexer} indexer
 * @property {Listener[]} listeners
 * @property {Workqueue | null} workqueue
 * @property {Hold[]} holds
 * @property {Fault[]} faults
 * @property {Record<string, Fidelity>} fidelity Fidelity says of members of the State, by their path, how they are known, where an informer
 *   was watched from outside; of one that is not named its parent's holds. Without it everything is exact.
 * @property {ViewState} view set by the viewer
 * @property {Facts} [facts] set by the viewer: what is true of the moment shown beside its State
 * @property {Recent} [recent] only in a log's KindRestored
 * @property {boolean} [unshared] the informer is none of its factory's
 * @property {string} [stage] of the factory, where it was told: started, synced, stopping, stopped
 * @property {WholeState[]} [lanes] with several informers: every lane, the one at the top too
 * @property {Factory} [factory] set by the viewer, where several resources are watched or an informer is not shared.
 * @property {Comparison} [compare] set by the viewer, with two releases: what each made of the same changes.
 */

/**
 * Selection is what an experiment looks at; KindSelected carries it as JSON.
 * @typedef {object} Selection
 * @property {string} source "sim", "live", "probe", "file" or "broadcast"
 * @property {string} [context]
 * @property {string} group
 * @property {string} version
 * @property {string} resource
 * @property {string} [kind]
 * @property {string} namespace
 * @property {boolean} [clusterScoped] ClusterScoped says that the resource has no namespaces: Namespace is kept for the next one that has.
 * @property {string[]} eras
 * @property {string} [transform] what every object goes through before it is queued: "managedFields" or "metadata"; empty for nothing.
 * @property {number} [seed]
 * @property {number} [objects]
 * @property {number} [rate]
 * @property {string} [cluster] What the kubeconfig says of a live context, without credentials.
 * @property {string} [user]
 * @property {string} [server]
 * @property {string} [contextNamespace]
 * @property {Target[]} [resources] all that are watched where those are several, in order; the members above are of the first. It is empty
 *   for one.
 * @property {LaneOf[]} [unshared] the informers that are not shared, in the KindSelected of a log whose beginning was not kept.
 */

/**
 * ReplayedStory is what must be known to play an experiment on the simulated cluster again.
 * @typedef {object} ReplayedStory
 * @property {number} seed
 * @property {number} objects
 * @property {number} rate
 * @property {number} from when the experiment began, in milliseconds since the cluster did: another one watched it before.
 * @property {string} do what was done by hand, and when: "12345:fault:cut,13000:burst:100", in milliseconds since the cluster began.
 */

/**
 * Attached is what there is to attach to, as the page's menu has it.
 * @typedef {object} Attached
 * @property {boolean} offered the server was started with --attach
 * @property {string} clientGo
 * @property {AttachedInformer[]} informers
 * @property {string} [error] why it cannot be asked now
 */

/**
 * ViewState says how the page follows the log; the viewer fills it in.
 * @typedef {object} ViewState
 * @property {string} mode live, playing, paused
 * @property {number} speed
 * @property {number} behind events between the view and the log's end
 * @property {number} behindMillis
 * @property {number} first oldest seq that can be shown
 * @property {number} head
 * @property {number} headMillis
 * @property {number} mergedTokens tokens merged for the eye in the last second
 * @property {number} shownTokens
 * @property {Memory} memory
 */

/**
 * Library are the stories and the parts of the chooser.
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
 * @property {boolean} preferred Preferred says that this is the version the server prefers among those in which it serves this resource.
 * @property {string} [unwatchable] Unwatchable says in words for a person why it cannot be listed and watched; empty when it can. An entry
 *   without a Resource stands for a whole version of a group that could not be discovered.
 */

/**
 * Namespaces is the answer to what namespaces there are.
 * @typedef {object} Namespaces
 * @property {string[]} items sorted by name; never nil
 * @property {string} error why they are not known, in words for a person
 * @property {string} reason forbidden, not-served (by the server's own flags) or unreachable, with an Error.
 */

/**
 * ObjectView is what the inspector shows of one object at the view's position.
 * @typedef {object} ObjectView
 * @property {string} key
 * @property {string} rv
 * @property {JSONValue} json
 * @property {string} oldRv
 * @property {JSONValue} oldJson
 * @property {boolean} deleted the store no longer holds it; JSON is its last known state.
 * @property {string} unseen why there is no JSON, of an object of an informer that is watched from outside.
 * @property {Mutation} [mutation] what a handler wrote into the object that the store holds; OldJSON is then what it was before that.
 * @property {Hop[]} journey
 * @property {Hop[]} ahead what the log knows of the object after the view's position; empty while it follows the log's end.
 */

/**
 * Ride is the way of one change of an object through one informer, to one handler and on to a worker, in the order in which it came there.
 * @typedef {object} Ride
 * @property {string} key
 * @property {number} lane the informer's, Listener the handler that is followed: the one that enqueued the key, else the first that was
 *   told; 0 for none.
 * @property {number} listener
 * @property {boolean} whole a handler has returned from the change.
 * @property {number} micros how long it took from the first hop to the last.
 * @property {RideHop[]} hops
 */

/**
 * IndexContents is an index at the view's position: its values, or the keys of one of them.
 * @typedef {object} IndexContents
 * @property {string} index
 * @property {IndexValue[]} [values] the largest first, at most 500; Total says how many there are.
 * @property {string[]} [keys] sorted, at most 500; Total says how many there are.
 * @property {string} [value]
 * @property {number} total
 */

/**
 * OnAir is what the page of a speaker is told.
 * @typedef {object} OnAir
 * @property {boolean} offered the server was started with --broadcast
 * @property {'' | 'on' | 'lost' | 'taken' | 'failed'} phase
 * @property {string} path of the audience's link, with its token
 * @property {boolean} objects the bodies of objects go out
 * @property {boolean} other another page speaks
 * @property {number} followers as the relay counted them last
 * @property {number} segments how many pieces have arrived at the relay
 * @property {number} bytes and what they weigh, compressed
 * @property {number} seq the newest event that has arrived there
 * @property {number} skipped how often a part of the log was lost before it could go out
 * @property {string} [error]
 */

/**
 * Hearing is what the page of a follower is told.
 * @typedef {object} Hearing
 * @property {'joining' | 'waiting' | 'following' | 'slow' | 'quiet' | 'silent' | 'unknown' | 'over' | 'damaged'} phase
 * @property {number} behindMillis how much later than it could what the speaker does comes in
 * @property {boolean} recording the talk was over when it was opened: it plays from its beginning
 * @property {boolean} own the follower looks around alone
 * @property {number} skipped how often a part was left out, because it came too late
 * @property {boolean} before the speaker shows a moment from before the follower came, which is not here
 * @property {string} [error]
 * @property {string} [mode] Mode and Page are the speaker's, at the moment that is shown.
 * @property {JSONValue} [page]
 */

/**
 * Recent is what a Fold remembers of a lane's last moments beside its State: what a curve, a rate and a sentence about this moment are made
 * of. It is part of the fold, so it is the same at a seq whichever way one came there. A log that begins later than its experiment brings
 * it in its KindRestored.
 * @typedef {object} Recent
 * @property {DepthHistory} depths
 * @property {ListenerRate[]} [rates] Rates of the listeners that took or handled something, by their number. In a Fold they stand with the
 *   listeners.
 * @property {number[]} [writes] Writes of the newest bins of time, and the number of the newest one. They belong to all lanes; in a Fold
 *   they stand with the world.
 * @property {number} [writesBin]
 * @property {number} [main] the number of the listener that has most to tell, 0 while none has had anything to tell, and MainAt when it
 *   became that.
 * @property {number} [mainAt]
 * @property {boolean} [silent] Silent says that nothing can come from the cluster: a request failed or ended with an error, and none was
 *   answered since. SilentAt is when it began.
 * @property {number} [silentAt]
 * @property {Happening} passed when a change was queued that had come in a frame of the wire, and Passage how long that took.
 * @property {number} [passage]
 * @property {string} [cause] ErrorCause of the error for which the Reflector waited last.
 * @property {boolean} [relisting] Relisting says that a relist began whose list the informer has not taken over, when the store had been
 *   replaced RelistReplaces times.
 * @property {number} [relistReplaces]
 * @property {Happening} relisted the last relist that was taken over. A Happening with a negative time has not happened.
 * @property {Batch} batch
 * @property {Happening} grew a ring that was made larger: From and To are its capacities.
 * @property {Happening} panicked a handler that panicked, Left a listener that was removed.
 * @property {Happening} left
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
 * LaneOf says what the informer of a lane is of.
 * @typedef {object} LaneOf
 * @property {string} group
 * @property {string} version
 * @property {string} resource
 * @property {string} [kind]
 * @property {boolean} [clusterScoped]
 * @property {string} [era]
 * @property {boolean} [unshared] it is none of the factory's.
 */

/**
 * AttachedInformer is an informer of the attached process.
 * @typedef {object} AttachedInformer
 * @property {string} name its resource, with the group if it has one
 * @property {boolean} synced
 * @property {number} objects
 * @property {Record<string, string>} [off] layers of the probe that are off, and why
 */

/**
 * StoryGroup is a part of the chooser.
 * @typedef {object} StoryGroup
 * @property {string} id
 * @property {StoryWords} name
 */

/**
 * Story is what the chooser shows of a story.
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
 * @property {string} [recording] the file on which it plays, which storyBegin is given.
 */

/**
 * LiveSources is what the relay can reach.
 * @typedef {object} LiveSources
 * @property {KubeContext[]} contexts
 * @property {string} current the kubeconfig's own
 * @property {string} selected the one the server was started with
 * @property {string} error why there are none, in words for a person
 * @property {string} [cause] of the error, if it is about the relay: see RelayError
 */

/**
 * Hop is one step of an object on its way from the API server to a handler and the controller. It is data, for the page to put in words.
 * @typedef {object} Hop
 * @property {number} seq
 * @property {number} atMillis
 * @property {number} lane
 * @property {number} change Change numbers the changes of the object within the journey, from 1: the hops of one change belong together.
 * @property {string} stage api, reflector, queue, indexer, listener or controller.
 * @property {number} [listener] of stage listener; the worker of stage controller
 * @property {string} kind see KindName
 * @property {string} [op]
 * @property {string} [rv]
 * @property {number} [position] the place in the queue or in what was popped, from 1, and Of how many there were.
 * @property {number} [of]
 * @property {number} [n] the event's own counts, see its Kind
 * @property {number} [m]
 * @property {boolean} [flag]
 * @property {number} [micros] how long it took: handled, processed, done, reconciled
 * @property {string} [text]
 * @property {string} [error]
 */

/**
 * RideHop is a hop of a ride.
 * @typedef {object} RideHop
 * @property {number} seq
 * @property {number} atMillis
 * @property {number} lane
 * @property {number} change Change numbers the changes of the object within the journey, from 1: the hops of one change belong together.
 * @property {string} stage api, reflector, queue, indexer, listener or controller.
 * @property {number} [listener] of stage listener; the worker of stage controller
 * @property {string} kind see KindName
 * @property {string} [op]
 * @property {string} [rv]
 * @property {number} [position] the place in the queue or in what was popped, from 1, and Of how many there were.
 * @property {number} [of]
 * @property {number} [n] the event's own counts, see its Kind
 * @property {number} [m]
 * @property {boolean} [flag]
 * @property {number} [micros] how long it took: handled, processed, done, reconciled
 * @property {string} [text]
 * @property {string} [error]
 * @property {string} function what did it, of client-go v0.37.2 or of the program that uses it, by its Go name; see Functions.
 * @property {number} sinceMicros the time since the hop before, to the microsecond; 0 for the first.
 */

/**
 * IndexValue is a value of an index and the number of objects that have it.
 * @typedef {object} IndexValue
 * @property {string} value
 * @property {number} count
 */

/**
 * DepthHistory is the greatest depth of a queue in each step of the log's time, for the newest DepthSteps of them.
 * @typedef {object} DepthHistory
 * @property {boolean} [begun] Begun says that there is one. First and Last are the numbers of the oldest and the newest step, Depth is how
 *   deep the queue is now.
 * @property {number} [first]
 * @property {number} [last]
 * @property {number} [depth]
 * @property {[number, number, number, number, number, number, number, number, number, number, number, number, number, number, number,
 *   number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number,
 *   number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number,
 *   number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number,
 *   number, number, number, number, number, number, number, number, number, number]} max Max of step i stands at i modulo DepthSteps.
 */

/**
 * ListenerRate counts what a listener took and what its handler handled in a whole second of the log, and in the one before it.
 * @typedef {object} ListenerRate
 * @property {number} id
 * @property {number} second
 * @property {number} [in]
 * @property {number} [out]
 * @property {number} [lastIn]
 * @property {number} [lastOut]
 */

/**
 * Happening is something that happened once, to a listener or to the lane as a whole.
 * @typedef {object} Happening
 * @property {number} at
 * @property {number} [listener]
 * @property {number} [from]
 * @property {number} [to]
 */

/**
 * Batch is what left the queue in one go.
 * @typedef {object} Batch
 * @property {number} at
 * @property {number} [n] deltas in it
 * @property {number} [ends] the type of the delta behind it, where that one is why the batch ended: it cannot be in one.
 */

/**
 * StoryWords are a text in the languages of the page.
 * @typedef {object} StoryWords
 * @property {string} en
 * @property {string} zh
 */

/**
 * StoryPage is what is shown of a step beside what is said.
 * @typedef {object} StoryPage
 * @property {StoryWords} name
 * @property {string[]} look
 * @property {string} [listener]
 * @property {string} [open]
 * @property {string} [control] what the reader is asked to press: the command and its plain arguments, "release pop 1".
 * @property {StoryWords} [how]
 * @property {StoryWords[]} [answers] those to its question; the keys 1 to 4 choose one.
 */

/**
 * StoryTake is what to take home from a story.
 * @typedef {object} StoryTake
 * @property {StoryWords} words
 * @property {string} go
 * @property {string[]} see
 */

/**
 * KubeContext is a context of the relay's kubeconfig.
 * @typedef {object} KubeContext
 * @property {string} name
 * @property {string} cluster
 * @property {string} server
 * @property {string} user
 * @property {string} namespace
 * @property {string} [error] why it cannot be used, if the kubeconfig alone tells
 */

/**
 * CallArgs is what each call of the worker takes, in order; the table of commands says within which limits.
 * @typedef {object} CallArgs
 * @property {[]} state
 * @property {[change?: {source?: 'sim' | 'live' | 'probe' | null, context?: string | null, group?: string | null, version?: string | null,
 *   resource?: string | null, kind?: string | null, namespace?: string | null, era?: string | null, seed?: number | null,
 *   objects?: number | null, rate?: number | null, do?: string | null, from?: number | null, at?: number | null,
 *   transform?: 'off' | 'managedFields' | 'metadata' | null} | null]} select
 * @property {[transform: 'off' | 'managedFields' | 'metadata']} transform
 * @property {[seq?: number | null]} story
 * @property {[]} attached
 * @property {[what?: string | null]} checkStory
 * @property {[]} arrive
 * @property {[name: 'cut' | 'refuse' | '410' | '429' | '500' | 'delay' | 'nobookmarks' | 'noendmark' | 'forbidden' | 'slow' | 'slowindex' | 'mutate' | 'compact' | 'restart',
 *   args?: {on?: boolean | null, millis?: number | null, count?: number | null} | null, lane?: number | null]} fault
 * @property {[stage: 'store' | 'pop' | 'deliver' | 'take', listener?: number | null, lane?: number | null]} hold
 * @property {[stage: 'store' | 'pop' | 'deliver' | 'take', n?: number | null, listener?: number | null, lane?: number | null]} release
 * @property {[listener: {name?: string | null, paceMillis?: number | null, resyncMillis?: number | null},
 *   lane?: number | null]} addListener
 * @property {[listener: number, lane?: number | null]} removeListener
 * @property {[listener: number, millis?: number | null, lane?: number | null]} pace
 * @property {[listener: number, lane?: number | null]} panic
 * @property {[name: string, expression: string, lane?: number | null]} addIndex
 * @property {[on?: boolean | null]} writes
 * @property {[]} shutdown
 * @property {[]} start
 * @property {[on?: boolean | null, lane?: number | null]} unshared
 * @property {[verb: 'create' | 'scale' | 'restart' | 'delete' | 'deleteDeployment' | 'burst' | 'compact' | 'failover' | 'crowd' | 'expire' | 'rate',
 *   args?: {namespace?: string | null, name?: string | null, key?: string | null, replicas?: number | null, n?: number | null,
 *   perSecond?: number | null} | null]} cluster
 * @property {[speed?: number | null]} play
 * @property {[]} pause
 * @property {[]} live
 * @property {[n?: number | null]} step
 * @property {[seq?: number | null]} seek
 * @property {[millis?: number | null]} seekTime
 * @property {[direction?: number | null]} mark
 * @property {[key: string, lane?: number | null]} object
 * @property {[key: string, lane?: number | null]} ride
 * @property {[name: string, value?: string | null, lane?: number | null]} index
 * @property {[lane?: number | null]} show
 * @property {[key?: string | null]} follow
 * @property {[index: string]} groupBy
 * @property {[]} stories
 * @property {[file: string, content: string | ArrayBuffer]} storyAdd
 * @property {[id: string, era?: string | null, step?: number | null, recording?: string | ArrayBuffer | null]} storyBegin
 * @property {[n?: number | null]} storyTurn
 * @property {[step?: number | null]} storyStep
 * @property {[]} storyRide
 * @property {[]} storyEnd
 * @property {[told?: object | null]} storyFollow
 * @property {[]} sources
 * @property {[token: string]} token
 * @property {[]} resources
 * @property {[]} namespaces
 * @property {[]} record
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
 * @typedef {'source' | 'context' | 'resource' | 'namespace' | 'era' | 'transform' | 'seed' | 'objects' | 'rate' | 'do' | 'from' | 'at' |
 *   'go' | 'speed' | 'lane' | 'story' | 'tour' | 'presenter' | 'embed' | 'embedder' | 'theme' | 'lang' | 'token' | 'broadcast' |
 *   'audience'} AddressKey
 */

export {};
