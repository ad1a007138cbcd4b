package doctor

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/log/lens"
	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
)

// recordingEnd is the text of the Note with which a probe ends a recording; one that breaks off has none.
const recordingEnd = "the recording ends"

// Bounds of what a Doctor keeps of each informer, and of what it returns.
const (
	maxKeys      = 1 << 16 // keys of a work queue
	maxListeners = 1024
	maxFindings  = 100
	perRule      = 8 // findings of a rule, in one informer
)

// Doctor sees the events of a log. It belongs to one goroutine.
type Doctor struct {
	lanes     []*lane
	lens      lens.Lens
	breaksOff bool // the log is a recording that has not come to its end
}

// lane is what the rules remember of one informer.
type lane struct {
	index      int
	hasStarted bool
	hasStopped bool
	isSynced   bool
	beginning  moment // when it started, or the log did
	refl       reflector
	hands      map[int32]*hand
	groups     map[string]*group // handlers by name, without digits
	// groupNames has the name of each handler that was added to the running informer.
	groupNames map[int32]string
	work       work
	mutations  mutations
}

// New returns a Doctor that has seen nothing.
func New() *Doctor { return &Doctor{lens: lens.Lens{Derive: true}} }

// lane returns the lane with an index.
func (d *Doctor) lane(i int) *lane {
	for len(d.lanes) <= i {
		d.lanes = append(d.lanes, newLane(len(d.lanes)))
	}
	return d.lanes[i]
}

func newLane(i int) *lane {
	return &lane{index: i, hands: map[int32]*hand{}, groups: map[string]*group{}, groupNames: map[int32]string{}, work: newWork()}
}

// See takes in the next event.
func (d *Doctor) See(e *event.Entry) {
	d.lens.See(e)
	switch e.Kind {
	case event.KindNote:
		d.breaksOff = d.breaksOff && e.Note().Text != recordingEnd
	case event.KindSelected:
		d.lanes = nil
		return
	case event.KindLane:
		d.lane(int(e.Lane))
		d.lanes[e.Lane] = newLane(int(e.Lane))
		return
	}
	switch event.SubjectOf(e.Kind) {
	case event.AboutWorld:
		if e.Kind == event.KindWireRequest && !e.WireRequest().Unowned {
			d.lane(int(e.Lane)).refl.see(e)
		}
		return
	case event.AboutSelection:
		if e.Kind == event.KindRestored {
			d.restore(e)
		}
		return
	}
	l := d.lane(int(e.Lane))
	switch e.Kind {
	case event.KindClusterWritten:
		d.seeWrite(e)
	case event.KindInformerStarted:
		l.hasStarted, l.beginning = true, moment{e.Seq, e.At}
	case event.KindInformerStopped:
		l.hasStopped = true
	case event.KindInformerSynced:
		l.isSynced, l.refl.hasStore = true, true
	case event.KindMutated:
		l.mutations.see(e)
	default:
		l.refl.see(e)
		l.seeHandler(e)
		l.work.see(e)
	}
}

// seeWrite notes what an own write made: the watch of the object's resource must bring it.
func (d *Doctor) seeWrite(e *event.Entry) {
	x := e.ClusterWritten()
	key, object := lens.ObjectOf(e, x.Lane, x.Objects)
	subresource := event.IndexValue(x.Objects, "subresource")
	if x.Err != nil || x.Verb == http.MethodDelete || object < 0 || object >= len(d.lanes) || key == "" || subresource != "" && subresource != "status" {
		return
	}
	d.lanes[object].refl.noteDebt(debt{key: key, rv: x.RV, resource: event.IndexValue(x.Objects, "resource"), at: moment{e.Seq, e.At}})
}

// restore begins a lane in the middle of its life, or goes on after a gap.
func (d *Doctor) restore(e *event.Entry) {
	l := d.lane(int(e.Lane))
	var s fold.State
	if json.Unmarshal([]byte(e.Restored().State), &s) != nil {
		return
	}
	hadGap := l.beginning.seq > 0
	l.hasStarted, l.isSynced = s.Running || s.Synced, s.Synced
	if !hadGap {
		l.beginning = moment{e.Seq, e.At}
	}
	l.refl.restore(&s, e)
	for i := range s.Listeners {
		x := &s.Listeners[i]
		if h := l.hand(x.ID); h != nil {
			h.ring, h.window = x.Ring, window{start: moment{e.Seq, e.At}, ring: x.Ring}
			h.call = moment{}
			if x.Handling != nil {
				h.call = moment{e.Seq, time.Duration(x.HandlingSince * float64(time.Millisecond))}
			}
		}
	}
	l.restoreGroups(s.Listeners, e)
	l.work.restore(&s, e)
	d.lens.Restore(l.index, e.At, s.WaitingKeys())
}

// Findings returns what is wrong at the end of the log whose fold is f, worst first, at most 100. The log ends at `end` on its clock: nothing happened between
// its last event and then. It ends the examination: the Doctor then sees nothing more.
func (d *Doctor) Findings(f *fold.Fold, end time.Duration) []Finding {
	r := &report{doctor: d, fold: f, end: moment{f.Seq(), max(f.At(), end)}, findings: []Finding{}}
	for i := range f.Lanes() {
		l := d.lane(i)
		r.lane, r.state = l, f.LaneState(i)
		r.reportReflector()
		r.reportHandlers()
		r.reportWorkQueue()
		r.reportStore()
	}
	r.reportUnshared()
	r.leaveOutExplained()
	sortFindings(r.findings)
	return slices.Clip(r.findings[:min(len(r.findings), maxFindings)])
}

// report collects the findings of a log.
type report struct {
	doctor   *Doctor
	fold     *fold.Fold
	end      moment
	lane     *lane
	state    *fold.State // of the lane
	findings []Finding
	rule     *Rule // of the last finding, and how many it has in the lane
	count    int
}

// leaveOutExplained removes a generic finding of an informer that has a specific one.
func (r *report) leaveOutExplained() {
	explained := map[int][]string{}
	for i := range r.findings {
		f := &r.findings[i]
		for _, x := range ruleNamed(f.Rule).explains {
			if f.Weight == Critical || x == relistLoop || x == cutWatches {
				explained[f.Lane] = append(explained[f.Lane], x.Name)
			}
		}
	}
	outages := slices.ContainsFunc(r.findings, func(f Finding) bool { return f.Rule == outage.Name })
	r.findings = slices.DeleteFunc(r.findings, func(f Finding) bool {
		return slices.Contains(explained[f.Lane], f.Rule) || outages && f.Rule == neverSynced.Name && r.doctor.isOut(r.doctor.lane(f.Lane), r.end)
	})
}

// find adds a finding about the lane. Without advice it has the rule's.
func (r *report) find(rule *Rule, weight Weight, since time.Duration, at moment, what, advice Words) {
	if rule != r.rule {
		r.rule, r.count = rule, 0
	}
	if r.count++; r.count > perRule {
		return
	}
	if advice == (Words{}) {
		advice = rule.Advice
	}
	r.findings = append(r.findings, Finding{Rule: rule.Name, Title: rule.Title, Weight: weight, Lane: r.lane.index, Informer: r.name(),
		SinceMillis: fold.Millis(since), Seq: at.seq, AtMillis: fold.Millis(at.at), Confidence: confidence(r.state.Fidelity, rule.members), What: what,
		Advice: advice, Story: rule.Story})
}

// explainBy has another story than the rule's explain what was found last.
func (r *report) explainBy(story string) {
	if n := len(r.findings); n > 0 && r.count <= perRule {
		r.findings[n-1].Story = story
	}
}

// name returns the name of the lane's informer. If others are of its resource, the namespace and the selectors of its requests are a part of it.
func (r *report) name() string {
	name := informerName(r.state)
	for i := range r.fold.Lanes() {
		if i != r.lane.index && informerName(r.fold.LaneState(i)) == name {
			return name + r.lane.refl.scope.words(r.lane.refl.options)
		}
	}
	return name
}

func informerName(s *fold.State) string {
	return event.Target{Group: s.Resource.Group, Resource: s.Resource.Resource}.Name()
}

// listenerName returns the name of a handler, as the page shows it.
func (r *report) listenerName(id int32) string {
	for i := range r.state.Listeners {
		if x := &r.state.Listeners[i]; x.ID == id && x.Name != "" {
			return x.Name
		}
	}
	return fmt.Sprintf("listener %d", id)
}

// yieldEvery is after how many events Examine lets other work run.
const yieldEvery = 256

// Examine examines a log that ends at `end`, and may go on. If its beginning was evicted, it starts from the state before the first event that is left.
// It calls yield now and then, for a program whose goroutines share one thread.
func Examine(log *trace.Recorder, end time.Duration, yield func()) (*Examination, error) {
	head, _ := log.Head()
	first, events := log.Retain(1, head)
	d := New()
	if first > 1 {
		f := log.FoldAt(first - 1)
		if f.Seq() != first-1 {
			return nil, errors.New("the log evicted events while it was being read: pause, and diagnose again")
		}
		before := f.Baseline()
		for i := range before {
			d.See(&before[i])
		}
	}
	seen := 0
	for e := range events {
		d.See(e)
		if seen++; seen%yieldEvery == 0 {
			yield()
		}
	}
	return &Examination{Log: log, Findings: d.Findings(log.FoldAt(head), end), doctor: d, seen: head}, nil
}

// Examination is what Read learns of a recording, and Examine of a log.
type Examination struct {
	Header   tracefile.Header
	Log      *trace.Recorder // as the page has it: the newest events, numbered from 1
	Events   int
	Warning  string // what is wrong with the file, "" for nothing
	Findings []Finding
	Opinions []Opinion // of plain lists, see Compare

	doctor *Doctor
	seen   uint64 // the newest event of a log when it was examined; what came later is what changes; 0 for a recording, in which all does
}

// Read reads a recording, all of it, and examines it. If it is damaged, Read examines what stands before the damage. What is no recording is an error.
func Read(file io.Reader) (*Examination, error) {
	d := New()
	x := &Examination{Log: trace.NewRecorder(trace.RecorderOptions{}), doctor: d}
	d.breaksOff = true
	h, n, damage, err := tracefile.ReadFile(file, tracefile.ReadOptions{DecodeObject: func(raw []byte) (any, error) { return object.Parse(raw) }},
		func(events []event.Entry) error {
			if err := x.Log.Append(events); err != nil {
				return err
			}
			for i := range events {
				d.See(&events[i])
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("the recording has no events%s", cmp.Or(causeSuffix(damage), ": record again, for longer"))
	}
	x.Header, x.Events = h, n
	if damage != nil {
		x.Warning = damage.Error()
	}
	head, _ := x.Log.Head()
	x.Findings = d.Findings(x.Log.FoldAt(head), h.End)
	return x, nil
}

func causeSuffix(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}
