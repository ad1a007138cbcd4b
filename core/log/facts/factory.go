package facts

import (
	"slices"
	"strings"
)

// Factory is what the informers of a SharedInformerFactory show together, with any unshared ones beside them. It depends only on the log up to a view's
// position, and on Shown.
type Factory struct {
	// Shown is the lane that the rest of the State describes.
	Shown int `json:"shown"`
	// Resources are those that the factory was asked for, as a link names them. Namespace is where the namespaced ones are watched.
	Resources []string `json:"resources"`
	Namespace string   `json:"namespace"`
	// Factories has one entry for each release.
	Factories []FactoryStage `json:"factories"`
	// Rows has one entry for each informer. Those that have not synced come first, then the order in which they were requested. Informers of a probed
	// process are sorted by their worst condition: not synced, in trouble, no watch open, a ring with little room.
	Rows []FactoryRow `json:"rows"`
	// Open counts the open requests of all informers, Objects the objects in all their stores.
	Open    int `json:"open"`
	Objects int `json:"objects"`
	// API is the API server that they share.
	API FactoryAPI `json:"api"`
	// Sentence is the caption for all of them; its ID is one of FactorySentences.
	Sentence Sentence `json:"sentence"`
}

// FactorySentences are the ids of a Factory's Sentence. Names are in Name, Key and Why.
var FactorySentences = []string{
	"factory.stopping", "factory.stopped", "factory.trouble", "factory.backoff", "factory.unstarted", "factory.waiting", "factory.early", "factory.loop",
	"factory.duplicate", "factory.starved", "factory.unshared", "factory.synced", "factory.running",
}

// FactoryStage is how far a factory's start or shutdown has come.
type FactoryStage struct {
	Release string `json:"era"`
	// Stage is started, synced, stopping or stopped; empty before Start.
	Stage string `json:"stage"`
	// Waiting are the informers that WaitForCacheSync still waits for.
	Waiting []string `json:"waiting"`
	Synced  int      `json:"synced"`
	Lanes   int      `json:"of"`
}

// FactoryAPI is what the informers' requests show of the API server.
type FactoryAPI struct {
	// Twice are the resources that both an informer of the factory and an unshared one watch.
	Twice []FactoryTwice `json:"twice"`
}

// FactoryTwice is what two unshared informers of one resource cost together.
type FactoryTwice struct {
	Resource string `json:"resource"`
	Release  string `json:"era"`
	Requests int    `json:"requests"` // open, of both
	Objects  int    `json:"objects"`  // in both stores
}

// FactoryRow is one informer.
type FactoryRow struct {
	Lane     int    `json:"lane"`
	Resource string `json:"resource"` // "pods", "deployments.apps"
	Release  string `json:"era"`
	Unshared bool   `json:"unshared"`
	Shard    string `json:"shard,omitempty"` // the part of the objects that it asks for, such as "1/2"
	// Namespace is that of its last request; empty for all. Selectors are those of the request: an informer of others does not ask for the same.
	Namespace string `json:"namespace,omitempty"`
	Selectors string `json:"-"`
	Running   bool   `json:"running"`
	Synced    bool   `json:"synced"`

	Phase string `json:"phase"`
	Count int    `json:"count"`
	// Ring is the fullest of the listeners' rings, nil without a listener.
	Ring     *FactoryRing `json:"ring"`
	Requests int          `json:"requests"` // open
	// Lens is what Sentence says of the controller behind a handler; nil without one, or if the log names no causes.
	Lens *Lens `json:"-"`
	// Twice: another informer watches the same resource, and the two do not share.
	Twice bool `json:"twice"`
	// Held are the stages on hold.
	Held []string `json:"held"`
	// Why is the reason for which it waits to ask again; empty if it does not wait.
	Why string `json:"-"`
	// Trouble describes what is wrong between this informer and its cluster, and Cause names it in one word; empty when all is well.
	Trouble string `json:"trouble,omitempty"`
	Cause   string `json:"cause,omitempty"`
	// Early counts the pods here whose nodes are not in the store of the factory's informer of nodes; nil when there are none.
	Early *Early `json:"early,omitempty"`
}

// FactoryRing is the fullest ring of an informer.
type FactoryRing struct {
	Listener int32  `json:"listener"`
	Name     string `json:"name"`
	Pending  int    `json:"pending"`
	Ring     int    `json:"ring"`
	Capacity int    `json:"capacity"`
}

// Early counts pods that arrived before their nodes.
type Early struct {
	Pods  int `json:"pods"`
	Nodes int `json:"nodes"` // missing nodes that the pods name
	// Key is one of the pods, Node the node it names.
	Key  string `json:"key"`
	Node string `json:"node"`
}

// Pair finds the unshared informers that run beside one of the factory and ask for the same.
func (x *Factory) Pair() {
	for i := range x.Rows {
		own := &x.Rows[i]
		if !own.Unshared || !own.Running {
			continue
		}
		for j := range x.Rows {
			shared := &x.Rows[j]
			if shared.Unshared || shared.Shard != own.Shard || shared.Resource != own.Resource || shared.Release != own.Release ||
				shared.Namespace != own.Namespace || shared.Selectors != own.Selectors {
				continue
			}
			own.Twice, shared.Twice = true, true
			x.API.Twice = append(x.API.Twice, FactoryTwice{
				Resource: own.Resource, Release: own.Release, Requests: own.Requests + shared.Requests, Objects: own.Count + shared.Count,
			})
			break
		}
	}
}

// isUnstarted reports whether WaitForCacheSync has returned and the informer of a row does not run: it was requested after Start.
func (x *Factory) isUnstarted(r *FactoryRow) bool {
	return !r.Unshared && !r.Running &&
		slices.ContainsFunc(x.Factories, func(s FactoryStage) bool { return s.Release == r.Release && s.Stage == "synced" })
}

// nameOf returns the name in a key, without its namespace.
func nameOf(key string) string { return key[strings.LastIndexByte(key, '/')+1:] }

// ChooseSentence returns the most important sentence about the informers together.
func (x *Factory) ChooseSentence() Sentence {
	for _, stage := range []string{"stopping", "stopped"} {
		for _, s := range x.Factories {
			if s.Stage == stage {
				return Sentence{ID: "factory." + stage, N: s.Lanes, Name: s.Release}
			}
		}
	}
	for _, r := range x.Rows {
		if r.Trouble != "" {
			return Sentence{ID: "factory.trouble", Name: r.Resource, Why: r.Trouble}
		}
	}
	backoff := Sentence{ID: "factory.backoff", M: len(x.Rows)}
	for _, r := range x.Rows {
		if r.Phase != "backoff" {
			continue
		}
		if backoff.N++; backoff.Why == "" && r.Why != "" {
			backoff.ID, backoff.Name, backoff.Why = "factory.backoffWhy", r.Resource, r.Why
		}
	}
	if backoff.N > 0 {
		return backoff
	}
	for _, r := range x.Rows {
		if x.isUnstarted(&r) {
			return Sentence{ID: "factory.unstarted", Name: r.Resource}
		}
	}
	for _, r := range x.Rows {
		if r.Early != nil {
			return Sentence{ID: "factory.early", N: r.Early.Pods, M: r.Early.Nodes, Key: r.Early.Key, Name: r.Early.Node}
		}
	}
	for _, s := range x.Factories {
		if len(s.Waiting) > 0 {
			return Sentence{ID: "factory.waiting", N: s.Synced, M: s.Lanes, Name: s.Waiting[0], Key: s.Release}
		}
	}
	for _, r := range x.Rows {
		if r.Lens == nil {
			continue
		}
		switch l := r.Lens; {
		case l.Loop != "":
			return Sentence{ID: "factory.loop", Key: l.Loop, N: l.AMinute}
		case l.Twice != "":
			return Sentence{ID: "factory.duplicate", Key: l.Twice, Name: nameOf(l.Duplicate), Other: nameOf(l.Earlier)}
		case l.Starved != "":
			return Sentence{ID: "factory.starved", Key: l.Starved, N: l.Overtaken}
		}
	}
	if len(x.API.Twice) > 0 {
		two := x.API.Twice[0]
		return Sentence{ID: "factory.unshared", N: two.Requests, M: two.Objects, Name: two.Resource}
	}
	if len(x.Factories) > 0 && x.Factories[0].Stage == "synced" {
		return Sentence{ID: "factory.synced", N: len(x.Rows), M: x.Objects}
	}
	return Sentence{ID: "factory.running", N: len(x.Rows), M: x.Objects}
}
