package event

import "time"

// Entry is one line of the log: a transition of an informer, of a work queue, or of their surroundings.
type Entry struct {
	// Seq numbers the events of a log from 1 without gaps.
	Seq uint64
	// At is the time since the log began.
	At time.Duration
	// Lane is the informer of the event, from 0. Events of all lanes have lane 0.
	Lane uint8

	Event

	Weight int // rough size in bytes of an event that was read
}

// Bytes is roughly how many bytes a log keeps for the event.
func (e *Entry) Bytes() int { return max(e.NewBytes(), e.Weight) }

// The kinds beside the informer's own.
const (
	// KindWireRequest: an HTTP request was sent.
	KindWireRequest Kind = KindExternal + iota
	// KindWireResponse: its response began.
	KindWireResponse
	// KindWireBytes: N bytes of a response body arrived.
	KindWireBytes
	// KindWireFrame: a watch frame was cut from the stream.
	KindWireFrame
	// KindWireAhead: the number of frames changed that were read from a connection and wait to be delivered.
	KindWireAhead
	// KindWireDone: the body ended.
	KindWireDone

	// KindSelected: an experiment began; the state starts again from empty.
	KindSelected
	// KindCluster: the simulated cluster's own counters.
	KindCluster
	// KindFault: a fault was switched, or took effect.
	KindFault
	// KindHold: a stage was held or released.
	KindHold
	// KindReleased: a held stage let one item through.
	KindReleased
	// KindGateWaiting: something arrived at a held stage and waits there, or stopped waiting.
	KindGateWaiting
	// KindHandlerSpeed: the pace of a listener's handler was set.
	KindHandlerSpeed
	// KindTrouble: the source is in trouble, or well again.
	KindTrouble
	// KindNote: a mark that a user set.
	KindNote

	// KindWorkAdded to KindWorkShuttingDown mirror core/client/workqueue's kinds (KindAdded is KindWorkAdded): Key, N, Flag, Dur as there, Listener: the worker.
	KindWorkAdded
	KindWorkDeduplicated
	KindWorkMarkedDirty
	KindWorkTaken
	KindWorkDone
	KindWorkWaiting
	KindWorkWaitingSooner
	KindWorkWaitingUnchanged
	KindWorkDue
	KindWorkRateLimited
	KindWorkForgotten
	KindWorkShuttingDown
	// KindWorkPaused and KindWorkResumed are of a probe's queue alone (client-go 0.38).
	KindWorkPaused
	KindWorkResumed

	// KindReconciled: a reconcile ended.
	KindReconciled
	// KindListerRead: a reconciler read Key through the lister.
	KindListerRead
	// KindClusterWrite: a reconciler sends a write to the simulated cluster.
	KindClusterWrite
	// KindClusterWritten: the write was answered.
	KindClusterWritten
	// KindWrites: the controller's writes were switched on or off, or this is their state at the beginning.
	KindWrites

	// KindRestored: the log begins here, not at the experiment's start; what came before was not kept. There is one for each lane.
	KindRestored

	// KindLane: a lane has a new, empty informer from here on. It is one that its factory does not share, or belongs to a new factory after the last one was
	// shut down.
	KindLane
	// KindFactory: a factory changed its stage.
	KindFactory
	// KindSampled: a probe sampled what another program's informer does not report.
	KindSampled

	// KindMutated: a handler mutated the object that it received, which it shares with the store and all other handlers.
	KindMutated
	// KindMet: a handler received an object that another handler had mutated.
	KindMet

	// KindCrowd: what the simulated cluster's other clients do, or that there are none any more.
	KindCrowd

	// KindListerList: a reconciler read several objects through the lister.
	KindListerList

	// KindPredicateDropped: a predicate threw away what a handler was called with, in another program's controller.
	KindPredicateDropped

	// KindAudit: the API server of a shared simulated cluster has answered somebody's write.
	KindAudit

	// KindAct: a user, or a story, did something to the experiment or its cluster.
	KindAct
	// KindClusterObjects: what the page's simulated cluster holds of the lane's resource when the lane begins. The lanes of one resource that share their
	// requests have one event, in the first of them.
	KindClusterObjects
	// KindClusterChange: an object of the lane's resource was written in the page's simulated cluster, at this time. Lanes share it likewise.
	KindClusterChange
)
