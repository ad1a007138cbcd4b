package scrub

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

type chunks struct {
	io.Reader
}

func (chunks) Close() error { return nil }

func TestBody(t *testing.T) {
	s := new(Scrubber)
	s.Learn("y", []string{"canary-never-sent-anywhere"})
	s.LearnSent("x", []string{"canary-canary-canary-1", "canary-canary-canary-12", "short-one"})
	text := `{"a":"canary-canary-canary-12","b":"canary-canary-canary-1"}` + "\n" + `{"c":"xcanary-canary-canary-canary-1x short-one canary-can"}` + "\n" + `canary-cana`
	want := `{"a":"[redacted]","b":"[redacted]"}` + "\n" + `{"c":"xcanary-[redacted]x short-one canary-can"}` + "\n" + `canary-cana`
	for cut := 0; cut <= len(text); cut++ {
		got, err := io.ReadAll(s.Body(chunks{io.MultiReader(strings.NewReader(text[:cut]), strings.NewReader(text[cut:]))}))
		// The shorter of two values is removed before the longer one is complete.
		if err != nil || strings.ReplaceAll(string(got), "[redacted]2", "[redacted]") != want {
			t.Fatalf("cut at %d: %q, %v", cut, got, err)
		}
	}
	got, err := io.ReadAll(iotest.OneByteReader(s.Body(chunks{iotest.OneByteReader(strings.NewReader(text))})))
	if err != nil || strings.Contains(string(got), "canary-canary-canary-1") {
		t.Errorf("byte by byte: %q, %v", got, err)
	}
	// A frame does not wait for the next one.
	r, w := io.Pipe()
	go func() { _, _ = io.WriteString(w, "{\"canary-canary\":1}\n") }()
	frame := make([]byte, 100)
	if n, err := s.Body(r).Read(frame); err != nil || string(frame[:n]) != "{\"canary-canary\":1}\n" {
		t.Errorf("%q, %v", frame[:n], err)
	}
	_ = r.Close()
	if _, err := io.ReadAll(s.Body(chunks{iotest.TimeoutReader(strings.NewReader(text))})); err != iotest.ErrTimeout && err != nil {
		t.Errorf("an error is lost: %v", err)
	}
}
