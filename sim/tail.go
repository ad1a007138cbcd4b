package main

import "sync"

// maxTail is how much of the components' logs is kept, in bytes, to be printed if the program fails.
const maxTail = 8 << 10

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	max  int
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if excess := len(t.text) - 2*t.max; excess > 0 {
		t.text = append(t.text[:0], t.text[len(t.text)-t.max:]...)
	}
	return len(p), nil
}

// String is the end of what was written.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text[max(0, len(t.text)-t.max):])
}
