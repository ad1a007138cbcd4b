package view

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"informerscope/core/informer"
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/words/releases"
)

// freshSteps are the ages in ms at which an object of the store counts as less fresh.
var freshSteps = []float64{4e3, 12e3, 26e3, 60e3}

// factInputs has all inputs of a lane's facts. state is the lane's as its stations show it; fold and moment are those of the Indexer.
type factInputs struct {
	stationFold
	stations    *stationFolds
	wire        *fold.Recent // of the moment that the Reflector shows
	lane        int
	state       *fold.State
	selectedKey string              // the key of the selected object
	scratch     map[string]struct{} // scratch space for counting
}

// facts computes the facts of a lane. They depend only on the inputs.
func (x *factInputs) facts() *facts.Facts {
	s := x.state
	recent, queue, listeners := x.Recent(x.lane), &x.stations[atQueue], &x.stations[atListeners]
	depths := &queue.Recent(x.lane).Depths
	features := featuresOf(s)
	f := &facts.Facts{
		Sure:        s.Source.Trouble == "" && s.Source.Cause == "" && s.Reflector.Phase != "backoff" && !x.wire.Silent,
		Unlisted:    s.Reflector.ResourceVersion == "" && !s.Queue.Synced,
		Fresh:       freshSteps,
		Trouble:     troubleOf(s, x.wire.Cause),
		NextBatch:   x.NextPop(x.lane, x.scratch),
		NextRequest: nextRequest(s, features),
		NextWaits:   nextWaits(&s.Reflector),
		MarkSince:   markSince(&s.Reflector, x.stations[atReflector].moment),
		Features:    features,
		Depths:      depthsOf(depths),
		Listener:    x.mainListener(recent),
		Versions:    versionsOf(s),
	}
	f.UpToDate = f.Sure && !f.Unlisted && isUpToDate(s)
	f.Growing = growthRate(s, depths, queue.moment)
	if x.isRecent(recent.Passed.At, passageTime) {
		took := micros(recent.Passage)
		f.WireMicros = &took
	}
	if !f.Unlisted && x.wire.Silent {
		f.StaleSince = fold.Millis(x.wire.SilentAt)
	}
	f.WritesPerSecond = x.stations[atAPI].WritesPerSecond(x.lane, x.stations[atAPI].moment)
	f.Listeners = make([]facts.ListenerFacts, 0, len(s.Listeners))
	for i := range s.Listeners {
		l := &s.Listeners[i]
		if l.Removed {
			continue
		}
		in, out := listeners.Rate(x.lane, l.ID).At(listeners.moment)
		f.Listeners = append(f.Listeners, facts.ListenerFacts{ID: l.ID, In: in, Out: out, Slow: isSlow(l), Behind: l.Pending > manyPending,
			DrainMillis: drainMillis(s, l)})
		f.Pending += l.Pending
	}
	if s.Workqueue != nil && len(s.Fidelity) == 0 {
		f.KeyListener = controllerListener
	}
	//maporder:free a sum of whole numbers
	for _, n := range s.Queue.Mix {
		f.Deltas += n
	}
	var queued []facts.LedgerEntry
	f.Ledger, queued = ledgerOf(s, f.Deltas)
	f.Lag = x.lag(f)
	f.Unstored = unstoredOf(s, queued, x.Objects(x.lane))
	f.Held = heldChanges(s)
	f.Selected = x.selectedObject()
	f.Due = x.dueTimes()
	f.Lens = x.lens()
	f.Requests = requestsOf(s)
	f.Focus = focusOf(s, f, fold.Millis(x.stations[atAPI].moment))
	f.Sentence, f.Headline = x.sentence(f, recent), x.headline(f, recent)
	return f
}

// featuresOf returns the features of the release, none if it is not known.
func featuresOf(s *fold.State) releases.Features {
	release, err := releases.Parse(s.Release)
	if err != nil {
		return releases.Features{}
	}
	return release.Features()
}

// passageTime is how long the facts name a change's time from the wire into the queue.
const passageTime = 2 * time.Second

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

// isUpToDate reports whether the store has every change that the log knows of.
func isUpToDate(s *fold.State) bool {
	if s.Reflector.Phase != "watching" || s.Queue.Depth > 0 || len(s.Queue.Batch) > 0 {
		return false
	}
	for i := range s.API.Wire {
		frame := &s.API.Wire[i]
		if d := versionLead(s.Reflector.ResourceVersion, frame.RV); frame.Key != "" && d != nil && *d > 0 {
			return false
		}
	}
	return !isDelayed(s)
}

// isDelayed reports whether the cluster may have changes that the log does not know of yet: the wire delays or swallows them, or the API server that
// answers is behind.
func isDelayed(s *fold.State) bool { return isOn(s, "delay") || isOn(s, "failover") || isHalfOpen(s) }

// isHalfOpen reports whether the connection of the open watch is half-open. The fault does not concern a watch that was opened later.
func isHalfOpen(s *fold.State) bool {
	for _, fault := range s.Faults {
		if fault.On && fault.Name == "halfopen" {
			return s.Reflector.Phase == "watching" && s.Reflector.RequestMillis <= fault.AtMillis
		}
	}
	return false
}

// isOn reports whether the fault with a name is on.
func isOn(s *fold.State, name string) bool {
	for _, fault := range s.Faults {
		if fault.On && fault.Name == name {
			return true
		}
	}
	return false
}

// growWindow is the time over which growthRate measures.
const growWindow = 2 * time.Second

// growthRate returns how fast the queue grows while Pop is held, in entries a second; 0 if Pop is not held.
func growthRate(s *fold.State, h *fold.DepthHistory, at time.Duration) float64 {
	for _, hold := range s.Holds {
		if hold.Stage != "pop" || !h.Begun {
			continue
		}
		from := max(at-growWindow, time.Duration(hold.SinceMillis*float64(time.Millisecond)))
		step := min(int64(max(from, 0)/fold.DepthStep), h.Last)
		over := at - time.Duration(step+1)*fold.DepthStep
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

// isSlow reports whether the listener's handler is slow: its pace was set so, its calls take long, or its ring grew.
func isSlow(l *fold.Listener) bool {
	return l.PaceMillis >= 50 || l.MeanMicros > 50e3 && l.Pending > 8 || len(l.Capacities) > 0 && l.Pending > l.Capacity/4
}

// manyPending is the backlog above which a listener is behind: the facts say how long it takes to drain, and a sentence may name a slow handler.
const manyPending = 20

// controllerListener is the ID of the listener that has the controller behind it, in our own informers: the first one.
const controllerListener = 1

// drainMillis returns how long l's handler will need for its backlog, in ms, if its calls take as long as before. It returns 0 if the backlog is small, or if
// the listener is held.
func drainMillis(s *fold.State, l *fold.Listener) float64 {
	held := slices.ContainsFunc(s.Holds, func(h fold.Hold) bool { return h.Stage == "deliver" && h.Listener == l.ID })
	if held || l.Pending <= manyPending {
		return 0
	}
	return float64(l.Pending) * l.MeanMicros / 1e3
}

// mainListener returns the listener that the page draws large: recent.Main. Until one has had a backlog it returns the third, which by default
// is the slow one.
func (x *factInputs) mainListener(recent *fold.Recent) int32 {
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

// depthsOf returns the queue's greatest depth in each recent step of time.
func depthsOf(h *fold.DepthHistory) facts.Depths {
	d := facts.Depths{StepMillis: fold.Millis(fold.DepthStep), Max: []int{}}
	if h.Begun {
		d.FromMillis = fold.Millis(time.Duration(h.First) * fold.DepthStep)
	}
	h.Range(func(_ int64, depth int) { d.Max = append(d.Max, depth) })
	return d
}

// nextRequest returns the request that a Reflector sends after its backoff, nil if it is not in one.
//
// Mirrors client-go tools/cache.(*Reflector).relistResourceVersion and rewatchResourceVersion (v0.37.2).
func nextRequest(s *fold.State, features releases.Features) *facts.NextRequest {
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
	n := &facts.NextRequest{Verb: "LIST", Path: path + "/" + s.Resource.Resource, ResourceVersion: r.ResourceVersion}
	if r.BackoffThen == "watch again" {
		n.Verb = "WATCH"
		return n
	}
	n.Relist = r.ResourceVersion != ""
	if features.ListsByWatch {
		n.Verb = "WATCHLIST"
	} else if n.ResourceVersion == "" {
		n.ResourceVersion = "0"
	}
	if r.Unavailable {
		n.ResourceVersion = "" // the API server does not have the version that the Reflector reached: the Reflector asks for the latest
	}
	return n
}

// nextWaits returns the waits that follow a Reflector's present one.
func nextWaits(r *fold.Reflector) []float64 {
	next := []float64{}
	if r.Phase == "backoff" {
		for _, d := range informer.GrowBackoff(time.Duration(r.BackoffMillis * float64(time.Millisecond))) {
			next = append(next, fold.Millis(d))
		}
	}
	return next
}

// markSince returns since when a WatchList has waited for its end mark, 0 if it does not or has not waited long enough for a warning.
func markSince(r *fold.Reflector, at time.Duration) float64 {
	if r.Phase != "watch-listing" || fold.Millis(at)-r.RequestMillis < fold.Millis(informer.MarkInterval) {
		return 0
	}
	return r.RequestMillis
}

// lag counts the changes that the store and the Reflector do not have.
func (x *factInputs) lag(f *facts.Facts) facts.Lag {
	l := facts.Lag{Queued: queuedChanges(&x.state.Queue, x.state.Fidelity), Behind: x.state.Reflector.Unread}
	if l.Behind == nil && !x.hidesRequests() {
		n := 0
		for i := range x.state.API.Wire {
			if frame := &x.state.API.Wire[i]; frame.Key != "" && isBehind(x.state.Reflector.ResourceVersion, frame.RV) {
				n++
			}
		}
		if n > 0 || f.Sure && !f.Unlisted && !isDelayed(x.state) {
			l.Behind = &n
		}
	}
	if l.Queued != nil && l.Behind != nil {
		n := *l.Queued + *l.Behind
		l.Total = &n
	}
	return l
}

// queuedChanges counts the changes in a queue. A list in it has an unknown number of them.
func queuedChanges(q *fold.Queue, fidelity map[string]fold.Fidelity) *int {
	n := q.Depth
	switch fidelity["queue"].How {
	case "unseen":
		return nil
	case "sampled":
		return &n
	}
	n = max(q.BatchSize-len(q.Batch), 0) // State lists only the first ones
	mix := maps.Clone(q.Mix)
	for _, e := range entriesOf(q.Batch) {
		mix[e.Op]++
	}
	if mix["Replaced"]+mix["ReplacedAll"] > 0 {
		return nil
	}
	n += mix["Added"] + mix["Updated"] + mix["Deleted"]
	return &n
}

// versionsOf returns by how many versions the store is behind the Reflector, and the Reflector behind the cluster.
func versionsOf(s *fold.State) facts.Versions {
	store, here, cluster := s.Indexer.ResourceVersion, s.Reflector.ResourceVersion, s.API.ResourceVersion
	if cluster == "" {
		cluster = here
	}
	return facts.Versions{Queued: versionLead(store, here), Behind: versionLead(here, cluster), Total: versionLead(store, cluster)}
}

// versionLead returns how far the resourceVersion b is ahead of a, nil if one of them is not a number.
func versionLead(a, b string) *float64 {
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

// pathCauses are the causes of trouble on the path to the cluster. The cluster's own state is then unknown.
var pathCauses = []string{"relay-gone", "relay-silent", "proxy", "credentials", "exec-plugin", "exec-waiting", "token", "viewers",
	"probe-gone", "probe-refused"}

// answerCauses are the causes of trouble that the cluster or its proxy has answered with.
var answerCauses = []string{"unauthorized", "forbidden", "namespace-missing", "not-served", "kubeconfig", "context", "context-not-served"}

// troubleOf returns the trouble between the informer and its cluster. cause is that of the error that led to the last backoff.
func troubleOf(s *fold.State, cause string) facts.TroubleFacts {
	t := facts.TroubleFacts{Cause: s.Source.Cause}
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
	case slices.Contains(pathCauses, t.Cause):
		t.Answer = "unreached"
	case slices.Contains(answerCauses, t.Cause):
		t.Answer = t.Cause
	default:
		t.Answer = "none"
	}
	return t
}
