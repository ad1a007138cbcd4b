package tracetest

import (
	"io"

	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
)

// Read reads a trace file as tracefile.ReadFile does, and keeps all of its events.
func Read(r io.Reader, o tracefile.ReadOptions) (h tracefile.Header, events []event.Entry, warning, err error) {
	h, _, warning, err = tracefile.ReadFile(r, o, func(some []event.Entry) error {
		events = append(events, some...)
		return nil
	})
	return h, events, warning, err
}
