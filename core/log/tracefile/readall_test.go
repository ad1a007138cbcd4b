package tracefile

import (
	"fmt"
	"io"

	"informerscope/core/words/event"
)

// readAll reads a file and keeps all of its events.
func readAll(r io.Reader, o ReadOptions) (h Header, events []event.Entry, warning, err error) {
	h, n, warning, err := ReadFile(r, o, func(some []event.Entry) error {
		events = append(events, some...)
		return nil
	})
	if n != len(events) {
		panic(fmt.Sprintf("%d events, and %d were given", n, len(events)))
	}
	for i := range events {
		events[i].Weight = 0
	}
	return h, events, warning, err
}
