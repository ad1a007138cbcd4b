package tracetest

import (
	"io"

	"informerscope/core/event"
	"informerscope/core/trace"
)

// Read reads a trace file as trace.ReadFile does, and keeps all of its events.
func Read(r io.Reader, o trace.ReadOptions) (h trace.Header, events []event.Entry, warning, err error) {
	h, _, warning, err = trace.ReadFile(r, o, func(some []event.Entry) error {
		events = append(events, some...)
		return nil
	})
	return h, events, warning, err
}
