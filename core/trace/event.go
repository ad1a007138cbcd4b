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

	weight int // of one that was read: bytes of what it brings, about
}

// Bytes is what the log keeps of an event that was read, about.
func (e *Event) Bytes() int { return max(brought(&e.Event), e.weight) }

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
	// KindCluster: what the simulated cluster says of itself. RV: its latest, StoreRV: the oldest a watch can still start from, N: objects of
	// the watched resource, M: writes so far.
	KindCluster
	// KindFault: a fault was switched or struck. Text: its name, Flag: it is on now (a held fault), Dur: its argument. N: how many requests or
	// connections it struck just now.
	KindFault
	// KindHold: a stage was held or let go. N: the Stage, Listener, Flag: held now.
	KindHold
	// KindReleased: a held stage let one through. N: the Stage, Listener, M: releases left.
	KindReleased
	// KindGateWaiting: something arrived at a held stage and waits there, or stopped waiting. N: the Stage, Listener, Flag: waiting now.
	KindGateWaiting
	// KindHandlerSpeed: the pace of a listener's handler was set. Listener, Dur: extra time a call.
	KindHandlerSpeed
	// KindTrouble: the source is in trouble or well again. Text: words for a person, empty: all is well. Key: the cause, in one
	// word. Indexed: what is offered, under "namespace". Err.
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
	// KindListerRead: a reconciler read Key through the lister. RV: what it got (empty: not found), StoreRV: the latest the cluster is known
	// to hold for it, N: how many versions behind, when known, Flag: a handler had changed what it got (see KindMutated).
	KindListerRead
	// KindClusterWrite: a reconciler sends a write to the simulated cluster. Key, Text: the verb, RV: the one it read and sends, Listener: the worker.
	KindClusterWrite
	// KindClusterWritten: the write was answered. Key, Text, Listener as there, StoreRV: the one sent, RV: the new one, Dur: how long it took,
	// Err: a conflict, or why it failed.
	KindClusterWritten
	// KindWrites: whether the controller writes was switched, or stands so from the beginning. Flag, N: workers that it has.
	KindWrites

	// KindRestored: the log begins here, not at the experiment's start; everything before it was not kept. One for each
	// lane. Text: the lane's State as JSON with its lists uncut (see Fold.Baseline), Items: what its Indexer holds, StoreRV: the
	// Indexer's own resourceVersion.
	KindRestored

	// KindLane: an informer stands in a lane from here on, with nothing in it yet: one that its factory does not share, or that of a
	// new factory after the last one was shut down. Text: what it is of, as JSON (see LaneOf).
	KindLane
	// KindFactory: a factory moved on. Text: started, synced (what WaitForCacheSync waited for has come), stopping (Shutdown waits
	// for its informers) or stopped, Key: the release of its informers.
	KindFactory
	// KindSampled: what was looked at inside another program's informer now and then, because nobody tells of it. Text: a Sampled as JSON.
	KindSampled

	// KindMutated: a handler changed the object that it was handed, which the store and all other handlers have too. Key, RV, Listener, Flag:
	// it is the one that the store holds, Obj: as it is now, Old: as it was before, Text: a Change as JSON, Indexed: the values that the
	// index functions give for it now.
	KindMutated
	// KindMet: a handler was handed an object that another one had changed like that. Key, RV, Listener, Flag: as the old one of an update,
	// Text: a Change as JSON.
	KindMet

	// KindCrowd: what the other clients of the simulated cluster do, or nothing when there are none any more. Text: a CrowdCount as JSON.
	KindCrowd
)

// Selection is what an experiment looks at; KindSelected carries it as JSON.
type Selection struct {
	Source    string `json:"source"` // "sim", "live", "probe", "file" or "broadcast"
	Context   string `json:"context,omitempty"`
	Group     string `json:"group"`
	Version   string `json:"version"`
	Resource  string `json:"resource"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace"`
	// ClusterScoped says that the resource has no namespaces: Namespace is kept for the next one that has.
	ClusterScoped bool     `json:"clusterScoped,omitempty"`
	Releases      []string `json:"eras"`
	// Transform is what every object goes through before it is queued: "managedFields" or "metadata"; empty for nothing.
	Transform string  `json:"transform,omitempty"`
	Seed      uint64  `json:"seed,omitempty"`
	Objects   int     `json:"objects,omitempty"`
	Rate      float64 `json:"rate,omitempty"`

	// What the kubeconfig says of a live context, without credentials.
	Cluster          string `json:"cluster,omitempty"`
	User             string `json:"user,omitempty"`
	Server           string `json:"server,omitempty"`
	ContextNamespace string `json:"contextNamespace,omitempty"`

	// Resources are all that are watched where those are several, in order; the members above are of the first. It is empty for one.
	Resources []Target `json:"resources,omitempty"`
	// Unshared are the informers that are not shared, in the KindSelected of a log whose beginning was not kept.
	Unshared []LaneOf `json:"unshared,omitempty"`
}

// Target is a resource that is watched.
type Target struct {
	Group         string `json:"group"`
	Version       string `json:"version"`
	Resource      string `json:"resource"`
	Kind          string `json:"kind,omitempty"`
	ClusterScoped bool   `json:"clusterScoped,omitempty"`
}

// Name is the resource as a person writes it: "pods", "deployments.apps".
func (t Target) Name() string {
	if t.Group == "" {
		return t.Resource
	}
	return t.Resource + "." + t.Group
}

// FullName is the name with all that a link says of a resource: "pods", "deployments.v1.apps".
func (t Target) FullName() string {
	if t.Group == "" {
		return t.Resource
	}
	return t.Resource + "." + t.Version + "." + t.Group
}

// Targets are the resources that are watched, at least one.
func (s Selection) Targets() []Target {
	if len(s.Resources) > 0 {
		return s.Resources
	}
	return []Target{{Group: s.Group, Version: s.Version, Resource: s.Resource, Kind: s.Kind, ClusterScoped: s.ClusterScoped}}
}

// Of is the selection of one of the resources alone.
func (s Selection) Of(t Target) Selection {
	s.Group, s.Version, s.Resource, s.Kind, s.ClusterScoped = t.Group, t.Version, t.Resource, t.Kind, t.ClusterScoped
	s.Resources, s.Unshared = nil, nil
	return s
}

// LaneOf says what the informer of a lane is of.
type LaneOf struct {
	Target
	Release string `json:"era,omitempty"`
	// Unshared: it is none of the factory's.
	Unshared bool `json:"unshared,omitempty"`
}

// Lanes are the informers that a selection begins with: resource by resource, each in the order of the releases.
func (s Selection) Lanes() []LaneOf {
	releases := s.Releases
	if len(releases) == 0 {
		releases = []string{""}
	}
	var out []LaneOf
	for _, t := range s.Targets() {
		for _, release := range releases {
			out = append(out, LaneOf{Target: t, Release: release})
		}
	}
	return append(out, s.Unshared...)
}

// AnyWatched is the namespace of those of the resources that have one, "" for all of them or where none has any.
func (s Selection) AnyWatched() string {
	for _, t := range s.Targets() {
		if !t.ClusterScoped {
			return s.Namespace
		}
	}
	return ""
}

// Watched is the namespace whose objects are watched, "" for all of them or for a resource that has none.
func (s Selection) Watched() string {
	if s.ClusterScoped {
		return ""
	}
	return s.Namespace
}
