package trace

import (
	"cmp"
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
	"factory.stopping", "factory.stopped", "factory.trouble", "factory.waiting", "factory.early", "factory.unshared", "factory.synced",
	"factory.running",
}

// FactoryStage is how far a factory's start or shutdown has come.
type FactoryStage struct {
	Release string `json:"era"`
	// Stage is started, synced, stopping or stopped; empty before Start.
	Stage string `json:"stage"`
	// Waiting are the informers that WaitForCacheSync still waits for.
	Waiting []string `json:"waiting"`
	Synced  int      `json:"synced"`
	Of      int      `json:"of"`
}

// FactoryAPI is what the informers' requests show of the API server.
type FactoryAPI struct {
	// ResourceVersion is the highest that any of them has seen, empty before the first answer.
	ResourceVersion string `json:"resourceVersion"`
	// Lists and Watches count the requests that the informers have sent since each began. Each page of a LIST counts; a WatchList counts as a WATCH.
	Lists   int `json:"lists"`
	Watches int `json:"watches"`
	// Faults are the names of the faults that are on.
	Faults []string `json:"faults"`
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

// FactoryRequest is a request of one informer.
type FactoryRequest struct {
	Verb       string  `json:"verb"` // LIST, WATCH or WatchList
	Open       bool    `json:"open"`
	Status     int     `json:"status"` // 0 while unanswered
	SentMillis float64 `json:"sentMillis"`
	Bytes      int     `json:"bytes"`
	Frames     int     `json:"frames"`
	Error      string  `json:"error,omitempty"`
}

// FactoryRow is one informer.
type FactoryRow struct {
	Lane     int    `json:"lane"`
	Resource string `json:"resource"` // "pods", "deployments.apps"
	Release  string `json:"era"`
	Unshared bool   `json:"unshared"`
	Running  bool   `json:"running"`
	Synced   bool   `json:"synced"`

	Phase           string `json:"phase"`
	ResourceVersion string `json:"resourceVersion"`
	Depth           int    `json:"depth"`
	QueueKind       string `json:"queueKind"`
	Count           int    `json:"count"`
	// Ring is the fullest of the listeners' rings, nil without a listener.
	Ring *FactoryRing `json:"ring"`
	// Lamps are the listeners' sync lamps, in order.
	Lamps []FactoryLamp `json:"lamps"`
	// Requests counts the open ones. Request is the newest of them, else the one that ended last; nil before the first.
	Requests int             `json:"requests"`
	Request  *FactoryRequest `json:"request"`
	// Lists and Watches count the requests that it has sent since it began. Each page of a LIST counts; a WatchList counts as a WATCH.
	Lists   int `json:"lists"`
	Watches int `json:"watches"`
	// Twice: another informer watches the same resource, and the two do not share.
	Twice bool `json:"twice"`
	// Held are the stages on hold.
	Held []string `json:"held"`
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

// FactoryLamp is a listener's sync lamp.
type FactoryLamp struct {
	Name   string `json:"name"`
	Synced bool   `json:"synced"`
}

// Early counts pods that arrived before their nodes.
type Early struct {
	Pods  int `json:"pods"`
	Nodes int `json:"nodes"` // missing nodes that the pods name
	// Key is one of the pods, Node the node it names.
	Key  string `json:"key"`
	Node string `json:"node"`
}

// NoValue is an object's value in an index whose path does not exist in it.
const NoValue = "(none)"

// Compares reports whether the lanes are one resource in several releases, so that they can be compared.
func (f *Fold) Compares() bool {
	return len(f.lanes) > 1 && len(f.sel.Resources) == 0 && !f.lanes[len(f.lanes)-1].of.Unshared
}

// Several reports whether the lanes are those of a Factory: several resources, or an unshared informer.
func (f *Fold) Several() bool { return len(f.lanes) > 1 && !f.Compares() }

// Together reports whether two lanes are of one resource in several releases. Then what holds for one by its resource holds for the other.
func (f *Fold) Together(a, b int) bool {
	return a >= 0 && b >= 0 && a < len(f.lanes) && b < len(f.lanes) && f.holdsOf(a) == f.holdsOf(b)
}

// Factory returns what the lanes show together; nil for a single informer, or one resource in several releases.
func (f *Fold) Factory(lane int) *Factory {
	if !f.Several() {
		return nil
	}
	if lane < 0 || lane >= len(f.lanes) {
		lane = 0
	}
	out := &Factory{Shown: lane, Namespace: f.sel.Namespace, Factories: []FactoryStage{}, Rows: make([]FactoryRow, 0, len(f.lanes)),
		API: FactoryAPI{Faults: []string{}, Twice: []FactoryTwice{}}}
	for _, t := range f.sel.Targets() {
		out.Resources = append(out.Resources, t.FullName())
	}
	for i := range f.lanes {
		r := f.factoryRow(i)
		out.Open += r.Requests
		out.Objects += r.Count
		out.API.Lists += r.Lists
		out.API.Watches += r.Watches
		if rv := f.wires[f.lanes[i].wire].rv; laterRV(rv, out.API.ResourceVersion) {
			out.API.ResourceVersion = rv
		}
		out.Rows = append(out.Rows, r)
		f.lanes[i].stageIn(out)
	}
	for _, x := range f.world.faults {
		if x.On {
			out.API.Faults = append(out.API.Faults, x.Name)
		}
	}
	out.pair()
	slices.SortStableFunc(out.Rows, func(a, b FactoryRow) int { return cmp.Compare(f.badness(&b), f.badness(&a)) })
	out.Sentence = out.sentence()
	return out
}

// pair finds the unshared informers that run beside one of the factory.
func (x *Factory) pair() {
	for i := range x.Rows {
		own := &x.Rows[i]
		if !own.Unshared || !own.Running {
			continue
		}
		for j := range x.Rows {
			shared := &x.Rows[j]
			if shared.Unshared || shared.Resource != own.Resource || shared.Release != own.Release {
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

// badness is higher the more urgently an informer needs a look. For our own informers only the sync lamp counts: a user who holds one to watch it wants its
// row to stay in place.
func (f *Fold) badness(r *FactoryRow) (n int) {
	l := &f.lanes[r.Lane]
	if !r.Synced {
		n += 100
	}
	if len(l.fidelity) == 0 {
		return n
	}
	if r.Trouble != "" {
		n += 50
	}
	if r.Phase != "stopped" && r.Requests == 0 && l.fidelity["api"].How != "unseen" { // it can receive nothing new
		n += 20
	}
	if ring := r.Ring; ring != nil && ring.Capacity > 0 {
		n += min(4*ring.Pending/ring.Capacity, 4) // in quarters, so that rows do not keep changing places
		for c := ring.Capacity; c > 1024 && n%10 < 9; c /= 2 {
			n++ // it has grown, and does not shrink
		}
	}
	return n
}

// stageIn counts a lane in its factory.
func (l *lane) stageIn(out *Factory) {
	if l.of.Unshared {
		return
	}
	i := slices.IndexFunc(out.Factories, func(s FactoryStage) bool { return s.Release == l.release.String() })
	if i < 0 {
		i = len(out.Factories)
		out.Factories = append(out.Factories, FactoryStage{Release: l.release.String(), Stage: l.stage, Waiting: []string{}})
	}
	s := &out.Factories[i]
	s.Of++
	if l.synced {
		s.Synced++
	} else if l.stage == "started" {
		s.Waiting = append(s.Waiting, l.of.Name())
	}
}

func (f *Fold) factoryRow(i int) FactoryRow {
	l := &f.lanes[i]
	w := &f.wires[l.wire]
	r := FactoryRow{
		Lane: i, Resource: l.of.Name(), Release: l.release.String(), Unshared: l.of.Unshared, Running: l.running, Synced: l.synced,
		Phase: l.refl.Phase, ResourceVersion: l.refl.ResourceVersion, Depth: l.queue.len(), QueueKind: f.QueueKind(i),
		Count: l.store.objects.n, Ring: l.fullest(), Lamps: []FactoryLamp{}, Held: []string{},
		Lists: l.refl.Lists, Watches: l.refl.Watches, Trouble: w.trouble.words, Cause: w.trouble.cause, Early: f.early(i),
	}
	if r.Trouble == "" && r.Phase == "backoff" && l.recent.Cause != "" {
		r.Trouble, r.Cause = l.refl.BackoffCause, l.recent.Cause
	}
	for j := range w.open {
		if f.asks(i, w.open[j].URL) {
			r.Requests++
			r.Request = w.open[j].of()
		}
	}
	if r.Request == nil && w.hasEnd && f.asks(i, w.ended.URL) {
		r.Request = w.ended.of()
	}
	for j := range l.listeners {
		if li := &l.listeners[j]; !li.removed {
			r.Lamps = append(r.Lamps, FactoryLamp{Name: li.name, Synced: li.synced})
		}
	}
	for _, h := range f.world.holdStates(f.holdsOf(i)) {
		r.Held = append(r.Held, h.Stage)
	}
	return r
}

// asks reports whether a request on a lane's wire is that lane's own. Lanes of one resource in several releases share a wire; a request there belongs to the
// lane whose Reflector sent that URL last.
func (f *Fold) asks(at int, url string) bool {
	for i := range f.lanes {
		if i != at && f.lanes[i].wire == f.lanes[at].wire {
			return f.lanes[at].refl.wire == url
		}
	}
	return true
}

// of returns the request for a row.
func (r *WireRequest) of() *FactoryRequest {
	out := &FactoryRequest{
		Verb: "LIST", Open: r.Open, Status: r.Status, SentMillis: r.SentMillis, Bytes: r.Bytes, Frames: r.Frames, Error: r.Error,
	}
	_, query, _ := strings.Cut(r.URL, "?")
	for p := range strings.SplitSeq(query, "&") {
		switch {
		case p == "sendInitialEvents=true":
			out.Verb = "WatchList"
		case (p == "watch=true" || p == "watch=1") && out.Verb == "LIST":
			out.Verb = "WATCH"
		}
	}
	return out
}

// fullest returns the ring with the least room, relative to its capacity; the first of those that are equally full.
func (l *lane) fullest() *FactoryRing {
	var out *FactoryRing
	for i := range l.listeners {
		li := &l.listeners[i]
		if li.removed {
			continue
		}
		r := FactoryRing{Listener: li.id, Name: li.name, Pending: li.pending(), Ring: li.ring, Capacity: li.capacity}
		// Compare the shares without dividing by a capacity that may be 0.
		if out == nil || r.Pending*max(out.Capacity, 1) > out.Pending*max(r.Capacity, 1) {
			out = &r
		}
	}
	return out
}

// early counts the pods of a lane whose nodes are not in the store of its factory's informer of nodes.
func (f *Fold) early(at int) *Early {
	l := &f.lanes[at]
	if l.of.Name() != "pods" || l.of.Unshared {
		return nil
	}
	nodes := slices.IndexFunc(f.lanes, func(x lane) bool { return x.of.Name() == "nodes" && !x.of.Unshared && x.release == l.release })
	if nodes < 0 {
		return nil
	}
	there := f.Objects(nodes)
	var out Early
	index := f.Index(at, "node")
	index.Range(func(node string, pods int) bool {
		if _, ok := there.Get(node); ok || pods == 0 || node == NoValue {
			return true
		}
		out.Pods += pods
		out.Nodes++
		if out.Node == "" || node < out.Node {
			out.Node = node
		}
		return true
	})
	if out.Pods == 0 {
		return nil
	}
	index.Keys(out.Node, func(key string) bool {
		if out.Key == "" || key < out.Key {
			out.Key = key
		}
		return true
	})
	return &out
}

// sentence returns the most important sentence about the informers together.
func (x *Factory) sentence() Sentence {
	for _, stage := range []string{"stopping", "stopped"} {
		for _, s := range x.Factories {
			if s.Stage == stage {
				return Sentence{ID: "factory." + stage, N: s.Of, Name: s.Release}
			}
		}
	}
	for _, r := range x.Rows {
		if r.Trouble != "" {
			return Sentence{ID: "factory.trouble", Name: r.Resource, Why: r.Trouble}
		}
	}
	for _, r := range x.Rows {
		if r.Early != nil {
			return Sentence{ID: "factory.early", N: r.Early.Pods, M: r.Early.Nodes, Key: r.Early.Key, Name: r.Early.Node}
		}
	}
	for _, s := range x.Factories {
		if len(s.Waiting) > 0 {
			return Sentence{ID: "factory.waiting", N: s.Synced, M: s.Of, Name: s.Waiting[0], Key: s.Release}
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
