package probe

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// This file writes the format of informerscope's docs/dev/trace.md. It runs in the goroutine of the trace's reader, never in one of the controller's.

type selection struct {
	Source  string `json:"source"`
	Context string `json:"context,omitempty"`
	target
	Namespace string   `json:"namespace"`
	Releases  []string `json:"eras"`
	Resources []target `json:"resources,omitempty"` // set if the trace has several
	Unshared  []laneOf `json:"unshared,omitempty"`  // further informers of the same resources
}

// target is a resource.
type target struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

type laneOf struct {
	target
	Release  string `json:"era,omitempty"`
	Unshared bool   `json:"unshared,omitempty"`
}

// maxLanesShown bounds the informers of one trace: a reader shows no more beside each other.
const maxLanesShown = 8

// maxHeld bounds the events that wait while a store is being replaced.
const maxHeld = 1 << 16

// viewer writes a trace.
type viewer struct {
	p         *Probe
	out       *bufio.Writer
	err       error
	start     time.Duration // on the probe's clock: when the trace began
	seq       uint64
	at        int64
	cursor    uint64
	buf       []event
	lanes     []*laneView
	held      []event // events that wait while a store is being replaced
	replacing int     // how many stores are being replaced
	reqs      map[uint32]*requestView
	bodies    bodies
	hurry     chan chan struct{} // asks for what is there at once; the answer closes the channel that comes
}

// newViewer makes a viewer of these informers.
func newViewer(p *Probe, w io.Writer, lanes []*lane) *viewer {
	v := &viewer{p: p, out: bufio.NewWriterSize(w, 64<<10), start: time.Since(p.start), reqs: map[uint32]*requestView{}, hurry: make(chan chan struct{})}
	names := map[string]bool{}
	var repeats []*laneView
	for _, l := range lanes {
		lv := &laneView{v: v, l: l, isRepeat: names[l.name]}
		if names[l.name] = true; lv.isRepeat {
			repeats = append(repeats, lv)
		} else {
			v.lanes = append(v.lanes, lv)
		}
	}
	v.lanes = append(v.lanes, repeats...) // the order of a selection
	for i, lv := range v.lanes {
		lv.i = uint8(i)
	}
	return v
}

func (v *viewer) put(l *line) {
	if v.err != nil {
		return
	}
	v.seq++
	l.Seq = v.seq
	if l.At < v.at { // an event that was held back
		l.At = v.at
	}
	v.at = l.At
	text, err := l.append(v.out.AvailableBuffer())
	if v.err = err; err == nil {
		_, v.err = v.out.Write(text)
	}
}

func (v *viewer) timeOf(e *event) int64 {
	if e.at < v.start {
		return 0
	}
	return int64(e.at - v.start)
}

// version returns the version of client-go that this program was built with.
func version() string {
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, d := range b.Deps {
			if d.Path == "k8s.io/client-go" {
				if d.Replace != nil && d.Replace.Version != "" {
					return d.Replace.Version
				}
				return d.Version
			}
		}
	}
	return "unknown"
}

// releaseOf returns the release, as the page names it, of a version of client-go with its default feature gates.
func releaseOf(version string) string {
	switch minor := minorOf(version); {
	case minor < 0: // not a released version: only its queue tells
		return "1.37"
	case minor < 33:
		return "1.31"
	case minor < 35:
		return "1.33"
	case minor < 36:
		return "1.35"
	case minor < 38:
		return "1.37"
	default: // one that is newer than newestMinor goes by its own number: how it behaves is not known
		return fmt.Sprint("1.", minor)
	}
}

// newestMinor is the newest minor version of client-go whose behaviour is known.
const newestMinor = 38

// minorOf returns the minor version of client-go, -1 if the version has none.
func minorOf(version string) int {
	var minor int
	if _, err := fmt.Sscanf(version, "v0.%d.", &minor); err != nil {
		return -1
	}
	return minor
}

// begin writes the header and the baseline.
func (v *viewer) begin(left []string) error {
	note := "recorded by a probe in " + filepath.Base(os.Args[0])
	if minorOf(version()) > newestMinor {
		note += "; client-go " + version() + " is newer than this probe knows, and shown as if it behaved like 0." + strconv.Itoa(newestMinor)
	}
	if len(left) > 0 {
		note += "; left out: " + strings.Join(left, ", ")
	}
	v.cursor = v.p.head()
	cuts := v.baseline()
	h := map[string]interface{}{"format": "informerscope-trace", "version": 1, "selection": v.selection(), "clientGo": version(),
		"startedAt": time.Now().Add(-(time.Since(v.p.start) - v.start)).UTC().Format(time.RFC3339), "note": note}
	if err := json.NewEncoder(v.out).Encode(h); err != nil {
		return err
	}
	v.restore(cuts)
	if len(left) > 0 {
		v.put(&line{Kind: "Note", Text: "left out; add them with ?informers=: " + strings.Join(left, ", ")})
	}
	for _, err := range v.p.unmatchedErrors(true) {
		v.put(&line{Kind: "Note", Text: err.Error()})
	}
	return v.flush()
}

func (v *viewer) selection() selection {
	s := selection{Source: "live", Context: filepath.Base(os.Args[0]), Releases: []string{}}
	for i, lv := range v.lanes {
		resource := lv.l.target()
		if i == 0 {
			s.target, s.Releases = resource, []string{lv.release}
		}
		if lv.isRepeat {
			s.Unshared = append(s.Unshared, laneOf{resource, lv.release, true})
		} else if len(v.lanes) > 1 {
			s.Resources = append(s.Resources, resource)
		}
	}
	return s
}

// content is what one store holds at one position of the log.
type content struct {
	seq   uint64
	items map[string]string // key → resourceVersion
	s     *sample
}

// baseline reads the content of each store, with its position in the log.
func (v *viewer) baseline() []content {
	out := make([]content, len(v.lanes))
	for i, lv := range v.lanes {
		s := lv.l.sample()
		if s == nil {
			s = &sample{depth: -1}
		}
		lv.release = releaseOf(version())
		if s.release != "" {
			lv.release = s.release
		}
		for try := 0; ; try++ {
			lv.l.barrier()
			before := v.p.head()
			items := map[string]string{}
			for _, obj := range lv.l.inf.GetStore().List() {
				key, rv := ident(obj)
				items[key] = rv
			}
			lv.l.barrier()
			changes, seq, lost := v.p.eventsSince(before, v.buf[:0])
			v.buf = changes
			isUnsure := lost
			// The list may or may not contain a change that happened meanwhile. Applying it again does no harm.
			for j := range changes {
				e := &changes[j]
				if e.lane != lv.l.id {
					continue
				}
				switch e.kind {
				case evStoreAdded, evStoreUpdated:
					items[e.key] = e.rv
				case evStoreDeleted:
					delete(items, e.key)
				case evStoreReplacing, evStoreSettled, evStoreEmptied:
					isUnsure = true
				}
			}
			if out[i] = (content{seq, items, s}); !isUnsure || try == 100 {
				break
			}
		}
	}
	return out
}

// restore writes the baseline. The log is followed from there.
func (v *viewer) restore(cuts []content) {
	v.p.assignQueues(true)
	sel, _ := json.Marshal(v.selection())
	moment := int64(time.Since(v.p.start) - v.start)
	v.put(&line{At: moment, Kind: "Selected", Text: string(sel)})
	v.held, v.replacing, v.reqs = nil, 0, map[uint32]*requestView{}
	v.takePins()
	v.bodies.room = maxBaseline
	for i, lv := range v.lanes {
		lv.restore(moment, cuts[i])
	}
}

// drain writes the events since the last call.
func (v *viewer) drain() error {
	events, head, lost := v.p.eventsSince(v.cursor, v.buf[:0])
	v.buf = events
	v.takePins()
	if lost {
		v.put(&line{At: int64(time.Since(v.p.start) - v.start), Kind: "Note",
			Text: fmt.Sprintf("a gap: %d events came faster than they were read; the recording continues with a new baseline", head-v.cursor)})
		v.cursor = v.p.head()
		v.restore(v.baseline())
		return v.flush()
	}
	v.cursor = head
	isStale := false
	for i := range events {
		if events[i].kind == evBaselineStale {
			isStale = true
			continue
		}
		v.readEvent(&events[i], head-uint64(len(events)-1-i))
	}
	for _, lv := range v.lanes {
		offs := lv.l.offLayers()
		for layer, why := range offs {
			if _, isOff := lv.offLayers[layer]; !isOff {
				v.put(&line{At: int64(time.Since(v.p.start) - v.start), Kind: "Note", Text: fmt.Sprintf("%s: %s is no longer seen: %s", lv.l.name, layer, why)})
				isStale = true
			}
		}
	}
	if isStale { // the baseline lacks a work queue, or gives a wrong fidelity for a member of the State
		v.releaseHeld()
		v.cursor = v.p.head()
		v.restore(v.baseline())
	}
	return v.flush()
}

// endNote is the text of the last line of a whole recording: it lasts until then, even if nothing happened.
const endNote = "the recording ends"

// finish writes the events that were held back, and the end. That write gives the connection its time for what net/http still writes: in a quiet recording
// the last one is long ago.
func (v *viewer) finish() error {
	for _, lv := range v.lanes {
		lv.l.barrier()
	}
	if err := v.drain(); err != nil {
		return err
	}
	v.releaseHeld()
	v.put(&line{At: int64(time.Since(v.p.start) - v.start), Kind: "Note", Text: endNote})
	return v.flush()
}

func (v *viewer) flush() error {
	if err := v.out.Flush(); v.err == nil {
		v.err = err
	}
	return v.err
}

func (v *viewer) lane(id uint8) *laneView {
	for _, lv := range v.lanes {
		if lv.l.id == id {
			return lv
		}
	}
	return nil
}

func (v *viewer) readEvent(e *event, seq uint64) {
	if e.kind >= evWireRequest {
		v.report(e)
		return
	}
	if lv := v.lane(e.lane); lv != nil && (seq > lv.cut && !e.isWork() || seq > lv.workCut && e.isWork()) {
		v.report(e)
	}
}

// report writes an event, or holds it back while a store is being replaced: a handler may get an object of the new list before the whole list is known.
func (v *viewer) report(e *event) {
	switch e.kind {
	case evStoreReplacing:
		lv := v.lane(e.lane)
		if lv.replacing == nil {
			lv.replacing = []lineItem{}
			v.replacing++
		}
		lv.replacing = append(lv.replacing, lv.item(e.key, e.rv))
		lv.replacedAt = v.timeOf(e)
		return
	case evStoreSettled:
		lv := v.lane(e.lane)
		if lv.replacing != nil {
			lv.writeReplaced()
			if v.replacing--; v.replacing == 0 {
				v.releaseHeld()
			}
		}
		return
	}
	if v.replacing > 0 {
		if v.held = append(v.held, *e); len(v.held) > maxHeld {
			v.releaseHeld()
		}
		return
	}
	v.write(e)
}

func (v *viewer) releaseHeld() {
	for _, lv := range v.lanes {
		if lv.replacing != nil {
			lv.writeReplaced()
		}
	}
	v.replacing = 0
	held := v.held
	v.held = nil
	for i := range held {
		v.write(&held[i])
	}
}

func (v *viewer) write(e *event) {
	if e.kind == evNote {
		v.put(&line{At: v.timeOf(e), Kind: "Note", Text: e.text})
		return
	}
	if e.kind >= evWireRequest {
		v.writeWire(e)
		return
	}
	lv := v.lane(e.lane)
	moment := v.timeOf(e)
	switch e.kind {
	case evQueued:
		lv.writeQueued(moment, e)
	case evStoreAdded, evStoreUpdated, evStoreDeleted:
		lv.writeStored(moment, e)
	case evStoreEmptied:
		lv.replacing, lv.replacedAt = []lineItem{}, moment
		lv.writeReplaced()
	case evHandling:
		lv.addListener(moment, e.listener)
		lv.put(&line{At: moment, Kind: "Delivered", Listener: e.listener, Op: opNames[e.op], Key: e.key, RV: e.rv, N: lv.listener(e.listener).ring})
		lv.put(&line{At: moment, Kind: "Handling", Listener: e.listener, Op: opNames[e.op], Key: e.key, RV: e.rv, Flag: e.flag})
	case evHandled:
		lv.addListener(moment, e.listener)
		x := line{At: moment, Kind: "Handled", Listener: e.listener, Op: opNames[e.op], Key: e.key, RV: e.rv, Dur: int64(e.dur)}
		if e.flag {
			x.Err = &lineError{Message: "the handler panicked"}
		}
		lv.put(&x)
	case evDropped:
		lv.addListener(moment, e.listener)
		lv.put(&line{At: moment, Kind: "PredicateDropped", Listener: e.listener, Op: opNames[e.op], Key: e.key, RV: e.rv, Text: e.text})
	case evMutated:
		lv.addListener(moment, e.listener)
		lv.put(&line{At: moment, Kind: "Mutated", Listener: e.listener, Key: e.key, RV: e.rv, Text: "{}"})
	case evSampled:
		lv.writeSample(moment, e.more.(*sample))
	default:
		lv.writeWork(moment, e)
	}
}

// calledBy returns the informers with a name. A name without a group means those of any group if no informer has it.
func calledBy(name string, all []*lane) (found []*lane) {
	var ofGroups []*lane
	resource := schema.ParseGroupResource(name)
	for _, l := range all {
		if l.isCalled(target{Group: resource.Group, Resource: resource.Resource}) {
			found = append(found, l)
		} else if strings.HasPrefix(l.name, name+".") {
			ofGroups = append(ofGroups, l)
		}
	}
	if found == nil {
		return ofGroups
	}
	return found
}

// choose returns the informers with these names, or all, and the names of those that do not fit into a trace.
func (p *Probe) choose(names string) (lanes []*lane, left []string, err error) {
	all := p.informers()
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("no informer has been added to the probe: call Probe.Informer or Probe.Factory before they start")
	}
	if names == "" {
		lanes = all
	}
	for _, name := range strings.Split(names, ",") {
		if name == "" {
			continue
		}
		named := calledBy(name, all)
		if lanes = append(lanes, named...); len(named) == 0 {
			return nil, nil, fmt.Errorf("no informer has that name; the names are %s", strings.Join(namesOf(all), ", "))
		}
	}
	if len(lanes) > maxLanesShown {
		for _, l := range lanes[maxLanesShown:] {
			left = append(left, l.name)
		}
		lanes = lanes[:maxLanesShown]
	}
	return lanes, left, nil
}

func statusError(code int) *lineError {
	return &lineError{Message: http.StatusText(code), Code: code}
}
