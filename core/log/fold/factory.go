package fold

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"informerscope/core/log/facts"
)

// NoValue is an object's value in an index whose path does not exist in it.
const NoValue = "(none)"

// Compares reports whether the lanes are one resource in several releases, so that they can be compared.
func (f *Fold) Compares() bool {
	return len(f.lanes) > 1 && !f.IsFork() && len(f.sel.Resources) == 0 && !f.lanes[len(f.lanes)-1].identity.Unshared
}

// HasFactory reports whether the lanes are those of a Factory: several resources, or an unshared informer.
func (f *Fold) HasFactory() bool { return len(f.lanes) > 1 && !f.Compares() && !f.IsFork() }

// SameResource reports whether two lanes are of one resource in several releases. Then what holds for one by its resource holds for the other.
func (f *Fold) SameResource(a, b int) bool {
	return a >= 0 && b >= 0 && a < len(f.lanes) && b < len(f.lanes) && f.holdsOf(a) == f.holdsOf(b)
}

// Factory returns what the lanes show together; nil for a single informer, or one resource in several releases.
func (f *Fold) Factory(lane int) *facts.Factory {
	if !f.HasFactory() {
		return nil
	}
	if lane < 0 || lane >= len(f.lanes) {
		lane = 0
	}
	out := &facts.Factory{Shown: lane, Namespace: f.sel.Namespace, Factories: []facts.FactoryStage{}, Rows: make([]facts.FactoryRow, 0, len(f.lanes)),
		API: facts.FactoryAPI{Twice: []facts.FactoryTwice{}}}
	for _, t := range f.sel.Targets() {
		out.Resources = append(out.Resources, t.FullName())
	}
	for i := range f.lanes {
		r := f.factoryRow(i)
		out.Open += r.Requests
		out.Objects += r.Count
		out.Rows = append(out.Rows, r)
		f.lanes[i].stageIn(out)
	}
	out.Pair()
	slices.SortStableFunc(out.Rows, func(a, b facts.FactoryRow) int { return cmp.Compare(f.urgency(&b), f.urgency(&a)) })
	out.Sentence = out.ChooseSentence()
	return out
}

// urgency is higher the more urgently an informer needs a look. For our own informers only the sync lamp counts: a user who holds one to watch it wants its
// row to stay in place.
func (f *Fold) urgency(r *facts.FactoryRow) (n int) {
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
func (l *lane) stageIn(out *facts.Factory) {
	if l.identity.Unshared {
		return
	}
	i := slices.IndexFunc(out.Factories, func(s facts.FactoryStage) bool { return s.Release == l.releaseName() })
	if i < 0 {
		i = len(out.Factories)
		out.Factories = append(out.Factories, facts.FactoryStage{Release: l.releaseName(), Stage: l.stage, Waiting: []string{}})
	}
	s := &out.Factories[i]
	s.Lanes++
	if l.synced {
		s.Synced++
	} else if l.stage == "started" && l.running { // WaitForCacheSync does not wait for one that was not started
		s.Waiting = append(s.Waiting, l.identity.Name())
	}
}

func (f *Fold) factoryRow(i int) facts.FactoryRow {
	l := &f.lanes[i]
	w := &f.wires[l.wire]
	r := facts.FactoryRow{
		Lane: i, Resource: l.identity.Name(), Release: l.releaseName(), Unshared: l.identity.Unshared, Shard: l.identity.Shard,
		Running: l.running, Synced: l.synced,
		Phase: l.refl.Phase, Count: l.store.objects.Len(), Ring: l.fullest(), Held: []string{},
		Trouble: w.trouble.words, Cause: w.trouble.cause, Early: f.countEarly(i),
	}
	if r.Trouble == "" && r.Phase == "backoff" && l.recent.Cause != "" {
		r.Trouble, r.Cause = l.refl.BackoffCause, l.recent.Cause
	}
	if r.Phase == "backoff" {
		r.Why = l.refl.BackoffCause
	}
	r.Namespace, r.Selectors = ScopeOf(l.refl.lastRequest(f.sel.ForTarget(l.identity.Target)))
	for j := range w.open {
		if !w.open[j].Unowned && f.ownsRequest(i, w.open[j].URL) {
			r.Requests++
		}
	}
	r.Lens = f.lensFacts(i)
	for _, h := range f.world.holdStates(f.holdsOf(i)) {
		r.Held = append(r.Held, h.Stage)
	}
	return r
}

// ScopeOf returns the namespace of a request, empty for all, and its selectors as a query, empty for none.
func ScopeOf(request string) (namespace, selectors string) {
	u, err := url.Parse(request)
	if err != nil {
		return "", ""
	}
	if _, rest, isOne := strings.Cut(u.Path, "/namespaces/"); isOne {
		name, _, isIn := strings.Cut(rest, "/")
		if isIn {
			namespace = name
		}
	}
	asked, q := u.Query(), url.Values{}
	for _, name := range []string{"labelSelector", "fieldSelector", "shardSelector"} {
		if value := asked.Get(name); value != "" {
			q.Set(name, value)
		}
	}
	return namespace, q.Encode()
}

// ownsRequest reports whether a request on a lane's wire is that lane's own. Lanes of one resource in several releases share a wire; a request there belongs
// to the lane whose Reflector sent that URL last.
func (f *Fold) ownsRequest(at int, url string) bool {
	for i := range f.lanes {
		if i != at && f.lanes[i].wire == f.lanes[at].wire {
			return f.lanes[at].refl.wire == url
		}
	}
	return true
}

// verbOf returns what a request is, by its parameters: LIST, WATCH or WatchList. continues: it asks for a further page of a LIST.
func verbOf(url string) (verb string, continues bool) {
	verb = "LIST"
	_, query, _ := strings.Cut(url, "?")
	for p := range strings.SplitSeq(query, "&") {
		switch {
		case p == "sendInitialEvents=true":
			return "WatchList", false
		case p == "watch=true" || p == "watch=1":
			verb = "WATCH"
		case strings.HasPrefix(p, "continue="):
			continues = true
		}
	}
	return verb, continues && verb == "LIST"
}

// fullest returns the ring with the least room, relative to its capacity; the first of those that are equally full.
func (l *lane) fullest() *facts.FactoryRing {
	var out *facts.FactoryRing
	for i := range l.listeners {
		li := &l.listeners[i]
		if li.removed {
			continue
		}
		r := facts.FactoryRing{Listener: li.id, Name: li.name, Pending: li.pending(), Ring: li.ring, Capacity: li.capacity}
		// Compare the shares without dividing by a capacity that may be 0.
		if out == nil || r.Pending*max(out.Capacity, 1) > out.Pending*max(r.Capacity, 1) {
			out = &r
		}
	}
	return out
}

// countEarly counts the pods of a lane whose nodes are not in the store of its factory's informer of nodes.
func (f *Fold) countEarly(at int) *facts.Early {
	l := &f.lanes[at]
	if l.identity.Name() != "pods" || l.identity.Unshared {
		return nil
	}
	nodes := slices.IndexFunc(f.lanes, func(x lane) bool {
		return x.identity.Name() == "nodes" && !x.identity.Unshared && x.release == l.release
	})
	if nodes < 0 {
		return nil
	}
	there := f.Objects(nodes)
	var out facts.Early
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
