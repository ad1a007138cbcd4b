package lab

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"informerscope/core/object"
	"informerscope/core/trace"
)

// Record writes the log so far as a trace file and returns a name for it.
func (l *Lab) Record(w io.Writer) (string, error) {
	l.mu.Lock()
	sel := l.selection
	l.mu.Unlock()
	if l.audience { // what it looks at is the speaker's choice, and stands in the log
		head, _ := l.rec.Head()
		sel = l.rec.FoldAt(head).Selection()
	}
	now := l.clock.Now()
	h := trace.Header{Selection: sel, StartedAt: now.Add(-l.rec.Now()).UTC().Format(time.RFC3339)}
	if err := l.rec.WriteFile(w, h); err != nil {
		return "", err
	}
	return fileName(sel, now, "jsonl"), nil
}

// Export writes the log so far in the Chrome trace-event format, which
// Perfetto opens, and returns a name for it.
func (l *Lab) Export(w io.Writer) (string, error) {
	head, _ := l.rec.Head()
	if err := trace.WriteChrome(w, l.rec.Events(l.rec.First(), head)); err != nil {
		return "", err
	}
	return fileName(l.Selection(), l.clock.Now(), "trace.json"), nil
}

func fileName(sel trace.Selection, now time.Time, ending string) string {
	return fmt.Sprintf("informerscope-%s-%s.%s", sel.Resource, now.UTC().Format("20060102-150405"), ending)
}

// Load ends the experiment and shows a recording in its place. It returns how many
// events there are, and what was lost of a damaged file, in words.
func (l *Lab) Load(r io.Reader) (events int, warning string, err error) {
	if l.audience {
		return 0, "", ErrAudience
	}
	h, log, damage, err := trace.ReadFile(r, trace.ReadOptions{DecodeObject: func(raw []byte) (any, error) { return object.Parse(raw) }})
	if err != nil {
		return 0, "", err
	}
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.halt()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, "", errClosed
	}
	l.supersede()
	l.stopSource()
	l.selection = h.Selection
	l.selection.Source = "file"
	for i := range log {
		if log[i].Kind != trace.KindSelected {
			continue
		}
		// The state says that it is a recording, whatever was recorded.
		var sel trace.Selection
		if json.Unmarshal([]byte(log[i].Text), &sel) == nil {
			sel.Source = "file"
			if text, err := json.Marshal(sel); err == nil {
				log[i].Text = string(text)
			}
		}
	}
	l.rec.Load(log)
	if damage != nil {
		warning = damage.Error()
	}
	return len(log), warning, nil
}
