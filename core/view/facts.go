package view

import (
	"slices"
	"strconv"
	"time"

	"informerscope/core/trace"
)

// freshSteps are the ages in ms at which an object of the store counts as less fresh.
var freshSteps = []float64{4e3, 12e3, 26e3, 60e3}

// factsFor has all that the facts of a lane are computed from. State is the lane's at the fold's position. At is the moment shown: that of the fold's last
// event, or a later one before the next event.
type factsFor struct {
	fold  *trace.Fold
	lane  int
	state *trace.State
	at    time.Duration
	seen  map[string]struct{} // scratch space for counting
}

// SetFacts computes the facts of a fold's State, and of its lanes, at a moment that is the fold's or later.
func SetFacts(f *trace.Fold, s *trace.State, at time.Duration) {
	seen := map[string]struct{}{}
	of := func(lane int, s *trace.State) *trace.Facts {
		x := factsFor{fold: f, lane: lane, state: s, at: max(at, f.At()), seen: seen}
		return x.facts()
	}
	s.Facts = of(0, s)
	for i, lane := range s.Lanes {
		lane.Facts = s.Facts
		if i > 0 {
			lane.Facts = of(i, lane)
		}
	}
}

// facts computes the facts of a lane. They depend only on factsFor.
func (x *factsFor) facts() *trace.Facts {
	s := x.state
	recent := x.fold.Recent(x.lane)
	f := &trace.Facts{
		Sure:        s.Source.Trouble == "" && s.Source.Cause == "" && s.Reflector.Phase != "backoff" && !recent.Silent,
		Unlisted:    s.Reflector.ResourceVersion == "" && !s.Queue.Synced,
		Fresh:       freshSteps,
		Trouble:     troubleOf(s, recent.Cause),
		NextBatch:   x.fold.NextPop(x.lane, x.seen),
		NextRequest: nextRequest(s),
		Depths:      depthsOf(recent),
		Listener:    x.mainListener(recent),
		Versions:    versionsOf(s),
	}
	f.UpToDate = f.Sure && !f.Unlisted && upToDate(s)
	f.Growing = growing(s, recent, x.at)
	if x.since(recent.Passed.At, passageStays) {
		took := micros(recent.Passage)
		f.WireMicros = &took
	}
	if !f.Unlisted && recent.Silent {
		f.StaleSince = millis(recent.SilentAt)
	}
	f.WritesPerSecond = x.fold.WritesPerSecond(x.at)
	f.Listeners = make([]trace.ListenerFacts, 0, len(s.Listeners))
	for i := range s.Listeners {
		l := &s.Listeners[i]
		if l.Removed {
			continue
		}
		in, out := x.fold.Rate(x.lane, l.ID).At(x.at)
		f.Listeners = append(f.Listeners, trace.ListenerFacts{ID: l.ID, In: in, Out: out, Slow: isSlow(l), DrainMillis: drain(s, l)})
		f.Pending += l.Pending
	}
	for _, n := range s.Queue.Mix {
		f.Deltas += n
	}
	f.Ledger = ledgerOf(s, f.Deltas)
	f.Requests = requestsOf(s)
	f.Focus = focusOf(s, f, millis(x.at))
	f.Sentence = x.sentence(f, recent)
	return f
}

// passageStays is how long the newest change's time from the wire into the queue is shown.
const passageStays = 2 * time.Second

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

// upToDate reports whether no known change of an object in the cluster is still on its way to the store.
func upToDate(s *trace.State) bool {
	if s.Reflector.Phase != "watching" || s.Queue.Depth > 0 || len(s.Queue.Batch) > 0 {
		return false
	}
	for i := range s.API.Wire {
		frame := &s.API.Wire[i]
		if d := ahead(s.Reflector.ResourceVersion, frame.RV); frame.Key != "" && d != nil && *d > 0 {
			return false
		}
	}
	return !delayed(s)
}

// delayed reports whether changes of the cluster arrive late, so that some may not be known yet: the wire delays them, or the API server that answers is
// behind.
func delayed(s *trace.State) bool { return isOn(s, "delay") || isOn(s, "failover") }

// isOn reports whether a fault that stays on is on.
func isOn(s *trace.State, name string) bool {
	for _, fault := range s.Faults {
		if fault.On && fault.Name == name {
			return true
		}
	}
	return false
}

// growWindow is the time over which the growth of a queue is measured.
const growWindow = 2 * time.Second

// growing returns how fast a queue grows while Pop is held, in entries a second.
func growing(s *trace.State, recent *trace.Recent, at time.Duration) float64 {
	h := &recent.Depths
	for _, hold := range s.Holds {
		if hold.Stage != "pop" || !h.Begun {
			continue
		}
		from := max(at-growWindow, time.Duration(hold.SinceMillis*float64(time.Millisecond)))
		step := min(int64(max(from, 0)/trace.DepthStep), h.Last)
		over := at - time.Duration(step+1)*trace.DepthStep
		if over <= 0 {
			return 0
		}
		was := 0
		h.Range(func(i int64, depth int) {
			if i == step {
				was = depth
			}
		})
		return max(0, float64(h.Depth-was)/max(over, growWindow/2).Seconds())
	}
	return 0
}

// isSlow reports whether a handler's calls take long, or it was slowed down.
func isSlow(l *trace.Listener) bool {
	return l.PaceMillis >= 50 || l.MeanMicros > 50e3 && l.Pending > 8 || len(l.Capacities) > 0 && l.Pending > l.Capacity/4
}

// manyPending is the backlog in a ring above which the time to drain it is worth showing.
const manyPending = 20

// drain returns how long l's handler will need for what waits, in ms, if its calls take as long as before.
func drain(s *trace.State, l *trace.Listener) float64 {
	held := slices.ContainsFunc(s.Holds, func(h trace.Hold) bool { return h.Stage == "deliver" && h.Listener == l.ID })
	if held || l.Pending <= manyPending {
		return 0
	}
	return float64(l.Pending) * l.MeanMicros / 1e3
}

// mainListener returns the listener that is most worth a look; until one has had a backlog, the third, which by default is the slow one.
func (x *factsFor) mainListener(recent *trace.Recent) int32 {
	var there []int32
	for i := range x.state.Listeners {
		l := &x.state.Listeners[i]
		if l.Removed {
			continue
		}
		if l.ID == recent.Main {
			return l.ID
		}
		there = append(there, l.ID)
	}
	if len(there) == 0 {
		return 0
	}
	return there[min(2, len(there)-1)]
}

func depthsOf(recent *trace.Recent) trace.Depths {
	h := &recent.Depths
	d := trace.Depths{StepMillis: millis(trace.DepthStep), Max: []int{}}
	if h.Begun {
		d.FromMillis = millis(time.Duration(h.First) * trace.DepthStep)
	}
	h.Range(func(_ int64, depth int) { d.Max = append(d.Max, depth) })
	return d
}

// nextRequest returns what a Reflector sends after its wait.
//
// Mirrors client-go tools/cache.(*Reflector).relistResourceVersion and rewatchResourceVersion (v0.37.2).
func nextRequest(s *trace.State) *trace.NextRequest {
	r := &s.Reflector
	if r.Phase != "backoff" {
		return nil
	}
	path := "/api/" + s.Resource.Version
	if s.Resource.Group != "" {
		path = "/apis/" + s.Resource.Group + "/" + s.Resource.Version
	}
	if s.Resource.Namespace != "" {
		path += "/namespaces/" + s.Resource.Namespace
	}
	n := &trace.NextRequest{Verb: "LIST", Path: path + "/" + s.Resource.Resource, ResourceVersion: r.ResourceVersion}
	if r.BackoffThen == "watch again" {
		n.Verb = "WATCH"
		return n
	}
	n.Relist = r.ResourceVersion != ""
	if s.Release >= "1.35" {
		n.Verb = "WATCHLIST"
	} else if n.ResourceVersion == "" {
		n.ResourceVersion = "0"
	}
	if r.Unavailable {
		n.ResourceVersion = "" // the reached version is unavailable: it asks for the latest
	}
	return n
}

func versionsOf(s *trace.State) trace.Versions {
	store, here, cluster := s.Indexer.ResourceVersion, s.Reflector.ResourceVersion, s.API.ResourceVersion
	if cluster == "" {
		cluster = here
	}
	return trace.Versions{Queued: ahead(store, here), Behind: ahead(here, cluster), Total: ahead(store, cluster)}
}

// ahead returns by how much the resourceVersion b is ahead of a, nil if they are not numbers.
func ahead(a, b string) *float64 {
	x, err := strconv.ParseUint(a, 10, 64)
	if err != nil {
		return nil
	}
	y, err := strconv.ParseUint(b, 10, 64)
	if err != nil {
		return nil
	}
	d := float64(int64(y - x))
	return &d
}

// beforeCluster are the causes that lie before the cluster, whose state is then unknown.
var beforeCluster = []string{"relay-gone", "relay-silent", "proxy", "credentials", "exec-plugin", "exec-waiting", "token", "viewers",
	"probe-gone", "probe-refused"}

// saidNo are the causes that are an answer, from the cluster or from its proxy.
var saidNo = []string{"unauthorized", "forbidden", "namespace-missing", "not-served", "kubeconfig", "context", "context-not-served"}

// troubleOf returns what is wrong between the informer and its cluster. Cause is that of the error behind the last backoff.
func troubleOf(s *trace.State, cause string) trace.TroubleFacts {
	t := trace.TroubleFacts{Cause: s.Source.Cause}
	switch {
	case t.Cause != "":
		t.Down = true
	case s.Source.Trouble != "":
		t.Cause, t.Down = "other", true
	case s.Reflector.Phase == "backoff":
		t.Cause, t.Down = cause, cause != ""
	}
	switch {
	case !t.Down:
	case slices.Contains(beforeCluster, t.Cause):
		t.Answer = "unreached"
	case slices.Contains(saidNo, t.Cause):
		t.Answer = t.Cause
	default:
		t.Answer = "none"
	}
	return t
}
