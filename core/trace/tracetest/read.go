package tracetest

import (
	"io"

	"informerscope/core/trace"
)

// Read reads a trace file as trace.ReadFile does, and keeps all of its events.
func Read(r io.Reader, o trace.ReadOptions) (h trace.Header, events []trace.Event, warning, err error) {
	h, _, warning, err = trace.ReadFile(r, o, func(some []trace.Event) error {
		events = append(events, some...)
		return nil
	})
	return h, events, warning, err
}
