package trace

import (
	"time"

	"informerscope/core/informer"
)

// Event is one line of the log: a transition of an informer, of a work queue, or of their surroundings.
type Event struct {
	// Seq numbers the events of a log from 1 without gaps.
	Seq uint64
	// At is the time since the log began.
	At time.Duration
	// Lane is the informer of the event, from 0. Events of all lanes have lane 0.
	Lane uint8

	informer.Event

	weight int // rough size in bytes of an event that was read
}

// Bytes is roughly how many bytes a log keeps for the event.
func (e *Event) Bytes() int { return max(brought(&e.Event), e.weight) }

// The kinds beside the informer's own.
const (
	// KindWireRequest: an HTTP request was sent. Req: its number on the wire (not the Reflector's), Text: its path and query.
	KindWireRequest informer.Kind = informer.KindExternal + iota
	// KindWireResponse: its response began. Req, N: the status; Err when there is none.
	KindWireResponse
	// KindWireBytes: N bytes of a response body arrived. Req.
	KindWireBytes
	// KindWireFrame: a watch frame was cut from the stream. Req, Op, Key, RV, N: its bytes.
	KindWireFrame
	// KindWireDone: the body ended. Req, Err: nil after a clean end.
	KindWireDone

	// KindSelected: an experiment began; the state starts again from empty. Text: the Selection as JSON.
	KindSelected
	// KindCluster: the simulated cluster's own counters. RV: its latest version, StoreRV: the oldest from which a watch can start, N: objects of the
	// watched resource, M: writes so far.
	KindCluster
	// KindFault: a fault was switched, or took effect. Text: its name, Flag: it is on now (for a fault that stays on), Dur: its argument, N: how many
	// requests or connections it hit just now.
	KindFault
	// KindHold: a stage was held or released. N: the Stage, Listener, Flag: held now.
	KindHold
	// KindReleased: a held stage let one item through. N: the Stage, Listener, M: releases left.
	KindReleased
	// KindGateWaiting: something arrived at a held stage and waits there, or stopped waiting. N: the Stage, Listener, Flag: waiting now.
	KindGateWaiting
	// KindHandlerSpeed: the pace of a listener's handler was set. Listener, Dur: extra time a call.
	KindHandlerSpeed
	// KindTrouble: the source is in trouble, or well again. Text: an explanation, empty when all is well. Key: the cause, in one word. Indexed: what is
	// offered, under "namespace". Err.
	KindTrouble
	// KindNote: a mark that a user set. Text.
	KindNote

	// KindWorkAdded to KindWorkShuttingDown mirror core/workqueue's kinds (KindAdded is KindWorkAdded): Key, N, Flag, Dur as there, Listener: the worker.
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

	// KindReconciled: a reconcile ended. Key, Listener: the worker, Dur, Err when it failed, Text: what it did.
	KindReconciled
	// KindListerRead: a reconciler read Key through the lister. RV: the version it got (empty: not found). StoreRV: the latest version that the cluster
	// is known to hold, N: how many versions behind, when known. Flag: a handler had mutated the object it got (see KindMutated).
	KindListerRead
	// KindClusterWrite: a reconciler sends a write to the simulated cluster. Key, Text: the verb, RV: the version it read and sends, Listener: the
	// worker.
	KindClusterWrite
	// KindClusterWritten: the write was answered. Key, Text and Listener as above, StoreRV: the version sent, RV: the new one, Dur: how long it took,
	// Err: a conflict, or why it failed.
	KindClusterWritten
	// KindWrites: the controller's writes were switched on or off, or this is their state at the beginning. Flag, N: its workers.
	KindWrites

	// KindRestored: the log begins here, not at the experiment's start; what came before was not kept. There is one for each lane. Text: the lane's State
	// as JSON with its lists uncut (see Fold.Baseline), Items: what its store holds, StoreRV: the store's resourceVersion.
	KindRestored

	// KindLane: a lane has a new, empty informer from here on. It is one that its factory does not share, or belongs to a new factory after the last one
	// was shut down. Text: a LaneOf as JSON.
	KindLane
	// KindFactory: a factory changed its stage. Text: started, synced (WaitForCacheSync has returned), stopping (Shutdown waits for its informers) or
	// stopped, Key: the release of its informers.
	KindFactory
	// KindSampled: a probe sampled what another program's informer does not report. Text: a Sampled as JSON.
	KindSampled

	// KindMutated: a handler mutated the object that it received, which it shares with the store and all other handlers. Key, RV, Listener, Flag: the
	// store holds this object. Obj: the object now, Old: before the mutation, Text: a Change as JSON. Indexed: the values that the index functions now
	// return for it.
	KindMutated
	// KindMet: a handler received an object that another handler had mutated. Key, RV, Listener, Flag: as the old object of an update, Text: a Change as
	// JSON.
	KindMet

	// KindCrowd: what the simulated cluster's other clients do, or that there are none any more. Text: a CrowdCount as JSON.
	KindCrowd
)

// Selection is what an experiment watches; KindSelected carries it as JSON.
type Selection struct {
	Source    string `json:"source"` // "sim", "live", "probe", "file" or "broadcast"
	Context   string `json:"context,omitempty"`
	Group     string `json:"group"`
	Version   string `json:"version"`
	Resource  string `json:"resource"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace"`
	// ClusterScoped: the resource has no namespaces. Namespace is kept for the next selection that has.
	ClusterScoped bool     `json:"clusterScoped,omitempty"`
	Releases      []string `json:"eras"`
	// Transform is what is done to every object before it is queued: "managedFields" or "metadata"; empty for nothing.
	Transform string  `json:"transform,omitempty"`
	Seed      uint64  `json:"seed,omitempty"`
	Objects   int     `json:"objects,omitempty"`
	Rate      float64 `json:"rate,omitempty"`

	// What the kubeconfig has about a live context, without credentials.
	Cluster          string `json:"cluster,omitempty"`
	User             string `json:"user,omitempty"`
	Server           string `json:"server,omitempty"`
	ContextNamespace string `json:"contextNamespace,omitempty"`

	// Resources are the watched resources, in order, when there are several; the members above describe the first. It is empty for one.
	Resources []Target `json:"resources,omitempty"`
	// Unshared are the informers that are not shared, in the KindSelected of a Baseline.
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

// Name returns the resource as kubectl takes it: "pods", "deployments.apps".
func (t Target) Name() string {
	if t.Group == "" {
		return t.Resource
	}
	return t.Resource + "." + t.Group
}

// FullName returns the name with its version, as in a link: "pods", "deployments.v1.apps".
func (t Target) FullName() string {
	if t.Group == "" {
		return t.Resource
	}
	return t.Resource + "." + t.Version + "." + t.Group
}

// Targets returns the watched resources, at least one.
func (s Selection) Targets() []Target {
	if len(s.Resources) > 0 {
		return s.Resources
	}
	return []Target{{Group: s.Group, Version: s.Version, Resource: s.Resource, Kind: s.Kind, ClusterScoped: s.ClusterScoped}}
}

// Of returns the selection of t alone.
func (s Selection) Of(t Target) Selection {
	s.Group, s.Version, s.Resource, s.Kind, s.ClusterScoped = t.Group, t.Version, t.Resource, t.Kind, t.ClusterScoped
	s.Resources, s.Unshared = nil, nil
	return s
}

// LaneOf describes the informer of a lane.
type LaneOf struct {
	Target
	Release string `json:"era,omitempty"`
	// Unshared: it does not belong to the factory.
	Unshared bool `json:"unshared,omitempty"`
}

// Lanes returns the informers that a selection begins with: for each resource one for each release, then the unshared ones.
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

// AnyWatched returns the watched namespace; "" for all namespaces, or if no resource has any.
func (s Selection) AnyWatched() string {
	for _, t := range s.Targets() {
		if !t.ClusterScoped {
			return s.Namespace
		}
	}
	return ""
}

// Watched returns the watched namespace; "" for all namespaces, or if the (first) resource has none.
func (s Selection) Watched() string {
	if s.ClusterScoped {
		return ""
	}
	return s.Namespace
}
