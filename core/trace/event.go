package trace

import (
	"time"

	"informerscope/core/informer"
)

// Event is one line of the log: a transition of an informer, of a work queue,
// or of what stands around them, with its place in the order of things.
type Event struct {
	// Seq numbers the events of a log from 1 without gaps.
	Seq uint64
	// At is the time since the log began.
	At time.Duration
	// Lane is the informer it belongs to, from 0. Events that belong to all lanes have lane 0.
	Lane uint8

	informer.Event
}

// The kinds that stand beside the informer's own.
const (
	// KindWireRequest: an HTTP request left. Req: its number on the wire (not the Reflector's), Text: its path and query.
	KindWireRequest informer.Kind = informer.KindExternal + iota
	// KindWireResponse: its response began. Req, N: the status; Err when there is none.
	KindWireResponse
	// KindWireBytes: N bytes of a response body arrived. Req.
	KindWireBytes
	// KindWireFrame: a watch frame was cut from the stream. Req, Op, Key, RV, N: its bytes.
	KindWireFrame
	// KindWireDone: the body ended. Req, Err: nil after a clean end.
	KindWireDone

	// KindSelected: an experiment began; the state starts anew. Text: the Selection as JSON (see Selection).
	KindSelected
	// KindCluster: what the simulated cluster says of itself. RV: its latest, StoreRV: the oldest a watch can still start from, N: objects of the watched resource, M: writes so far.
	KindCluster
	// KindFault: a fault was switched or struck. Text: its name, Flag: it is on now (a held fault), Dur: its argument. N: how many requests or connections it struck just now.
	KindFault
	// KindHold: a stage was held or let go. N: the Stage, Listener, Flag: held now.
	KindHold
	// KindReleased: a held stage let one through. N: the Stage, Listener, M: releases left.
	KindReleased
	// KindGateWaiting: something arrived at a held stage and waits there, or stopped waiting. N: the Stage, Listener, Flag: waiting now.
	KindGateWaiting
	// KindHandlerSpeed: the pace of a listener's handler was set. Listener, Dur: extra time a call.
	KindHandlerSpeed
	// KindTrouble: the source is in trouble or well again. Text: words for a person, empty: all is well. Err.
	KindTrouble
	// KindNote: a mark somebody set. Text.
	KindNote

	// KindWorkAdded to KindWorkShuttingDown mirror core/workqueue's kinds in its order (KindAdded is KindWorkAdded):
	// Key, N, Flag, Dur as there, Listener: the worker.
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

	// KindReconciled: a reconcile ended. Key, Listener: the worker, Dur, Err: it failed, Text: what it did.
	KindReconciled
	// KindListerRead: a reconciler read Key through the lister. RV: what it got (empty: not found), StoreRV: the latest the cluster is known to hold for it, N: how many versions behind, when known.
	KindListerRead
	// KindClusterWrite: a reconciler sends a write to the simulated cluster. Key, Text: the verb, RV: the one it read and sends, Listener: the worker.
	KindClusterWrite
	// KindClusterWritten: the write was answered. Key, Text, Listener as there, StoreRV: the one sent, RV: the new one, Dur: how long it took, Err: a conflict, or why it failed.
	KindClusterWritten
	// KindWrites: whether the controller writes was switched, or stands so from the beginning. Flag, N: workers that it has.
	KindWrites

	// KindRestored: the log begins here, not at the experiment's start; everything before it was not kept. One for each
	// lane. Text: the lane's State as JSON with its lists uncut (see Fold.Baseline), Items: what its Indexer holds.
	KindRestored
)

// Selection is what an experiment looks at; KindSelected carries it as JSON.
type Selection struct {
	Source    string   `json:"source"` // "sim", "live" or "file"
	Context   string   `json:"context,omitempty"`
	Group     string   `json:"group"`
	Version   string   `json:"version"`
	Resource  string   `json:"resource"`
	Kind      string   `json:"kind,omitempty"`
	Namespace string   `json:"namespace"`
	Eras      []string `json:"eras"`
	Seed      uint64   `json:"seed,omitempty"`
	Objects   int      `json:"objects,omitempty"`
	Rate      float64  `json:"rate,omitempty"`
}
