package lab

import (
	"context"
	"fmt"
	"io"
	"time"

	"informerscope/core/ask/analysis"
	"informerscope/core/ask/doctor"
	"informerscope/core/log/tracefile"
	"informerscope/core/wire/broadcast"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
)

// Record writes the log so far as a trace file and returns a file name. With namesOnly the objects lose their bodies, as in a broadcast; what
// handlers changed in them stays.
func (l *Lab) Record(w io.Writer, namesOnly bool) (string, error) {
	l.mu.Lock()
	sel, stripped := l.selection, l.namesOnly && l.selection.Source == event.SourceFile
	l.mu.Unlock()
	end := l.logEnd()
	if l.o.Audience { // the speaker chose the selection, and it is in the log
		head, _ := l.rec.Head()
		sel = l.rec.FoldAt(head).Selection()
	}
	now := l.o.Clock.Now()
	h := tracefile.Header{Selection: sel, StartedAt: now.Add(-l.rec.Now()).UTC().Format(time.RFC3339), End: end}
	marshal := tracefile.MarshalObject
	if namesOnly || stripped {
		h.Objects = tracefile.Names
	}
	if namesOnly {
		marshal = func(o any) ([]byte, error) {
			raw, err := tracefile.MarshalObject(o)
			if err != nil {
				return nil, err
			}
			return broadcast.Strip(raw)
		}
	}
	if err := tracefile.WriteLog(w, h, l.rec, marshal); err != nil {
		return "", err
	}
	return fileName(sel, now, "jsonl"), nil
}

// Diagnose returns what is wrong in the log so far, worst first.
func (l *Lab) Diagnose() ([]doctor.Finding, error) {
	x, err := doctor.Examine(l.rec, l.logEnd(), l.o.Yield)
	if err != nil {
		return nil, err
	}
	return x.Findings, nil
}

// logEnd returns the moment up to which the log is known: now, or a recording's end.
func (l *Lab) logEnd() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.selection.Source == event.SourceFile {
		return l.recordingEnd
	}
	return l.rec.Now()
}

// Export writes the log so far in the Chrome trace-event format, which Perfetto opens, and returns a file name.
func (l *Lab) Export(w io.Writer) (string, error) {
	head, _ := l.rec.Head()
	if err := analysis.WriteChrome(w, l.rec.Events(l.rec.First(), head)); err != nil {
		return "", err
	}
	return fileName(l.Selection(), l.o.Clock.Now(), "trace.json"), nil
}

func fileName(sel event.Selection, now time.Time, ending string) string {
	return fmt.Sprintf("informerscope-%s-%s.%s", sel.Resource, now.UTC().Format("20060102-150405"), ending)
}

// Loaded describes a recording that was read.
type Loaded struct {
	Events int `json:"events"`
	// Warning says what was lost of a damaged file; empty if nothing was.
	Warning string `json:"warning"`
	// NamesOnly: the objects have no bodies.
	NamesOnly bool `json:"namesOnly"`
}

// Load ends the experiment and shows a recording instead. The experiment continues while the file is read, and other work gets its turn. If a selection is
// made or another recording is loaded meanwhile, Load returns ErrSuperseded.
func (l *Lab) Load(r io.Reader) (Loaded, error) {
	if l.o.Audience {
		return Loaded{}, ErrAudience
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	mine := &asking{cancel: cancel}
	l.mu.Lock()
	l.supersedeLocked()
	l.request = mine
	l.mu.Unlock()
	file := &countingReader{Reader: r}
	if sized, ok := r.(interface{ Len() int }); ok {
		file.size = sized.Len()
	}
	log := l.rec.Empty()
	h, events, damage, err := tracefile.ReadFile(file, tracefile.ReadOptions{DecodeObject: parseObject}, func(events []event.Entry) error {
		for i := range events {
			if e := &events[i]; e.Kind == event.KindSelected { // the state must show that this is a recording
				e.Event = e.Selected().ReplaceSource(event.SourceFile).Event()
			}
		}
		l.o.Progress("file", file.n, file.size)
		l.o.Yield()
		if ctx.Err() != nil {
			return ErrSuperseded
		}
		return log.Append(events)
	})
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	if err == nil && ctx.Err() == nil {
		l.halt()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return Loaded{}, errClosed
	case l.request != mine:
		return Loaded{}, ErrSuperseded
	case err != nil:
		l.request = nil
		return Loaded{}, err
	}
	l.request = nil
	l.stopSource()
	l.selection = h.Selection
	l.selection.Source = event.SourceFile
	l.namesOnly, l.recordingEnd = h.Objects == tracefile.Names, h.End
	l.rec.Load(log)
	loaded := Loaded{Events: events, NamesOnly: h.Objects == tracefile.Names}
	if damage != nil {
		loaded.Warning = damage.Error()
	}
	return loaded, nil
}

// countingReader counts the bytes that were read from a file.
type countingReader struct {
	io.Reader
	n, size int
}

// Read implements io.Reader.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func parseObject(raw []byte) (any, error) { return object.Parse(raw) }
