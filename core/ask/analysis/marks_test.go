package analysis

import (
	"strings"
	"testing"
	"time"

	"informerscope/core/words/event"
)

// TestMarksAreShort: the text of a mark is cut to what can be shown.
func TestMarksAreShort(t *testing.T) {
	m, _ := Marks(&event.Entry{Event: event.Note{Text: strings.Repeat("é", 2000)}.Event()})
	if want := strings.Repeat("é", 1<<9) + "…"; m.Text != want {
		t.Errorf("a text of %d bytes", len(m.Text))
	}
	if m, _ = Marks(&event.Entry{At: time.Second, Event: event.Note{Text: "short"}.Event()}); m.Text != "short" {
		t.Errorf("%q", m.Text)
	}
}
