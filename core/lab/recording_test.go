package lab

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"informerscope/core/lab/selection"
	"informerscope/core/log/trace"
)

// aRecording returns a recording with the given number of notes.
func aRecording(notes int) []byte {
	return []byte(`{"format":"informerscope-trace","version":1,"selection":{"source":"sim","version":"v1","resource":"pods","eras":["1.37"]}}` + "\n" +
		strings.Repeat(`{"s":1,"t":1,"k":"Note","txt":"a note"}`+"\n", notes))
}

// TestLoadingLetsOthersHaveTheirTurn: while a recording is read, other work gets a turn for each 64 KiB, and progress is reported. A selection that is made
// meanwhile replaces it.
func TestLoadingLetsOthersHaveTheirTurn(t *testing.T) {
	var turns atomic.Int64
	var during func()
	done := 0
	file := aRecording(50_000)
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := New(Options{Recorder: rec, Yield: func() {
		if turns.Add(1) == 5 && during != nil {
			during()
		}
	}, Progress: func(what string, n, total int) {
		if what != "file" {
			return
		}
		if n < done || n > total || total != len(file) {
			t.Errorf("%d of %d bytes after %d, of %d", n, total, done, len(file))
		}
		done = n
	}})
	defer l.Close()
	loaded, err := l.Load(bytes.NewReader(file))
	if loaded != (Loaded{Events: 50_000}) || err != nil {
		t.Fatalf("%+v, %v", loaded, err)
	}
	if most := int64(len(file) / (64 << 10)); turns.Load() < most || done != len(file) {
		t.Errorf("%d turns, want one for each of %d pieces; it came to %d of %d bytes", turns.Load(), most, done, len(file))
	}
	if head, _ := rec.Head(); head != 50_000 || l.Selection().Source != "file" {
		t.Errorf("%d events of %+v", head, l.Selection())
	}

	for name, other := range map[string]func(){
		"a selection": func() {
			objects, rate, source := 3, 0.0, "sim"
			if _, err := l.Select(context.Background(), selection.Change{Source: &source, Objects: &objects, Rate: &rate}); err != nil {
				t.Error(err)
			}
		},
		"another recording": func() {
			during = nil
			if loaded, err := l.Load(bytes.NewReader(aRecording(3))); loaded.Events != 3 || err != nil {
				t.Errorf("%+v, %v", loaded, err)
			}
		},
	} {
		turns.Store(0)
		done, during = 0, func() { done = 0; other(); done = 0 }
		progress := l.o.Progress
		l.o.Progress = func(string, int, int) {}
		if _, err := l.Load(bytes.NewReader(file)); !errors.Is(err, ErrSuperseded) {
			t.Errorf("%s meanwhile: %v", name, err)
		}
		l.o.Progress = progress
		if turns.Load() > 20 {
			t.Errorf("%s meanwhile: the file was read on for %d turns", name, turns.Load())
		}
		if head, _ := rec.Head(); head >= 50_000 {
			t.Errorf("%s meanwhile: the log has the %d events of the file", name, head)
		}
	}

	// A file that is not a recording leaves the experiment running.
	during = nil
	before := rec.Generation()
	if _, err := l.Load(strings.NewReader("no trace")); err == nil || rec.Generation() != before {
		t.Errorf("%v, and a new log began", err)
	}
}
