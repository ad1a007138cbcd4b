package analysis

import (
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// Mark is an event that deserves a mark on the timeline.
type Mark struct {
	Seq      uint64  `json:"seq"`
	AtMillis float64 `json:"atMillis"`
	Lane     uint8   `json:"lane"`
	// Kind is list, relist, error, fault, resync, sync, hold, backoff, panic, trouble, selected, note or write.
	Kind string `json:"kind"`
	// Code is the HTTP status of an error or of a refused write, 0 when it has none.
	Code int `json:"code,omitempty"`
	// On: a fault, hold or trouble began.
	On bool `json:"on,omitempty"`
	// Text is the event's cause, name or note.
	Text string `json:"text,omitempty"`
	// Author made a write.
	Author string `json:"author,omitempty"`
}

// Marks classifies an event; false if it deserves no mark. It depends only on the event, so marks can be computed incrementally, and again after a jump.
func Marks(e *event.Entry) (Mark, bool) {
	m, ok := classify(e)
	m.Text = fold.Shorten(m.Text)
	return m, ok
}

func classify(e *event.Entry) (Mark, bool) {
	m := Mark{Seq: e.Seq, AtMillis: fold.Millis(e.At), Lane: e.Lane}
	switch e.Kind {
	case event.KindListWatchStarted:
		listWatchStarted := e.ListWatchStarted()
		m.Kind, m.Text = "relist", listWatchStarted.Why
		if listWatchStarted.First || listWatchStarted.Why == "first list" { // older files do not have First
			m.Kind = "list"
		}
	case event.KindRequestAnswered, event.KindWatchClosed:
		if e.Err() == nil {
			return m, false
		}
		m.Kind, m.Code, m.Text = "error", event.StatusCode(e.Err()), e.Err().Error()
	case event.KindBackoff:
		backoff := e.Backoff()
		m.Kind, m.Text = "backoff", backoff.Then
		if backoff.Err != nil {
			m.Code, m.Text = event.StatusCode(backoff.Err), backoff.Err.Error()
		}
	case event.KindResyncDue:
		m.Kind = "resync"
	case event.KindInformerSynced:
		m.Kind = "sync"
	case event.KindHandled:
		if e.Err() == nil {
			return m, false
		}
		m.Kind, m.Text = "panic", e.Err().Error()
	case event.KindFault:
		fault := e.Fault()
		m.Kind, m.Text, m.On = "fault", fault.Name, fault.On || fault.Struck > 0
	case event.KindHold:
		x := e.Hold()
		m.Kind, m.On, m.Text = "hold", x.Held, fold.StageName(event.Stage(x.Stage))
	case event.KindTrouble:
		trouble := e.Trouble()
		m.Kind, m.Text, m.On = "trouble", trouble.Explanation, trouble.Explanation != "" || trouble.Err != nil
		if m.Text == "" && trouble.Err != nil {
			m.Text = trouble.Err.Error()
		}
	case event.KindSelected:
		m.Kind = "selected"
	case event.KindNote:
		m.Kind, m.Text = "note", e.Note().Text
	case event.KindAudit:
		w := fold.ReadPersonWrite(e)
		if w == nil {
			return m, false
		}
		m.Kind, m.Author, m.Text = "write", w.Author, w.Author+" "+w.Words
		if w.Refused() {
			m.Code = w.Status
		}
		if w.Refused() || w.Words == "" {
			m.Text = w.Author + ": " + w.Request(w.Key)
		}
	default:
		return m, false
	}
	return m, true
}

// DensityBin is the width of a bin of a Density.
const DensityBin = 250 * time.Millisecond

// maxBins covers a little more than an hour.
const maxBins = 1 << 14

// Density counts events in bins of DensityBin, and keeps the newest 16,384 bins. The zero value is empty.
type Density struct {
	first int64 // number of bins[0]
	bins  []uint32
	seq   uint64
}

// Add counts an event. It ignores an event that is not after the last one, so ranges that are read may overlap.
func (d *Density) Add(e *event.Entry) {
	if e.Seq <= d.seq || e.At < 0 {
		return
	}
	d.seq = e.Seq
	b := int64(e.At / DensityBin)
	if len(d.bins) == 0 || b >= d.first+int64(len(d.bins))+maxBins {
		d.first, d.bins = b, append(d.bins[:0], 0)
	}
	for d.first+int64(len(d.bins)) <= b {
		d.bins = append(d.bins, 0)
	}
	if over := len(d.bins) - maxBins; over > 0 {
		d.first += int64(over)
		d.bins = append(d.bins[:0], d.bins[over:]...)
	}
	if b >= d.first {
		d.bins[b-d.first]++
	}
}

// Seq returns the seq of the last event counted.
func (d *Density) Seq() uint64 { return d.seq }

// First returns the start of the oldest bin.
func (d *Density) First() time.Duration { return time.Duration(d.first) * DensityBin }

// Bins returns a copy of the counts, oldest first.
func (d *Density) Bins() []uint32 { return append([]uint32{}, d.bins...) }

// From returns the counts of the bins from the one with at, and that bin's start: what changed since an earlier call.
func (d *Density) From(at time.Duration) (time.Duration, []uint32) {
	i := max(int64(at/DensityBin)-d.first, 0)
	if i >= int64(len(d.bins)) {
		return time.Duration(d.first+int64(len(d.bins))) * DensityBin, nil
	}
	return time.Duration(d.first+i) * DensityBin, append([]uint32{}, d.bins[i:]...)
}
