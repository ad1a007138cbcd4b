package tracetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

// receipts are what a handler last received about each object.
type receipts struct {
	// last has the resourceVersion of each object, "" for a deleted one.
	last map[string]string
	// ended: the listener was removed.
	ended bool
}

// handlersOf reads from a log what each handler of a lane last received about each key, in calls that returned. A log whose beginning was evicted starts with
// the store's contents, and every handler is assumed to have received them. A wrong assumption would show in the later calls, since each change of the store
// causes one.
func handlersOf(events []event.Entry, lane uint8) map[int32]*receipts {
	handlers := map[int32]*receipts{}
	known := map[string]string{}
	handler := func(id int32) *receipts {
		h := handlers[id]
		if h == nil {
			h = &receipts{last: maps.Clone(known)}
			handlers[id] = h
		}
		return h
	}
	for i := range events {
		e := &events[i]
		switch {
		case e.Kind == event.KindSelected:
			clear(handlers)
			clear(known)
		case e.Lane != lane:
		case e.Kind == event.KindRestored:
			restored := e.Restored()
			for _, item := range restored.Items {
				known[item.Key] = item.RV
			}
			var s fold.State
			if json.Unmarshal([]byte(restored.State), &s) == nil {
				for _, l := range s.Listeners {
					handler(int32(l.ID))
				}
			}
		case e.Kind == event.KindListenerAdded:
			handler(e.Listener())
		case e.Kind == event.KindListenerRemoved:
			handler(e.Listener()).ended = true
		case e.Kind == event.KindHandled && e.Handled().Err == nil:
			handled := e.Handled()
			if h := handler(handled.Listener); handled.Op == event.OpDeleted {
				h.last[handled.Key] = ""
			} else {
				h.last[handled.Key] = handled.RV
			}
		}
	}
	return handlers
}

// DescribeLost describes what of a cluster is missing in the store of a lane, or was not delivered to one of its handlers; "" when nothing is.
func DescribeLost(events []event.Entry, lane uint8, want map[string]string) string {
	f := fold.NewFold()
	for i := range events {
		f.Apply(&events[i])
	}
	held := map[string]string{}
	f.Objects(int(lane)).Range(func(c *fold.Cell) bool {
		held[c.Key] = c.RV
		return true
	})
	if words := Difference(want, held); words != "" {
		return "in the store " + words
	}
	handlers := handlersOf(events, lane)
	if len(handlers) < 3 {
		return fmt.Sprintf("the log has %d handlers, and not the three printer, metrics and mailer", len(handlers))
	}
	for _, id := range slices.Sorted(maps.Keys(handlers)) {
		h := handlers[id]
		if h.ended {
			continue
		}
		knows := maps.Clone(h.last)
		maps.DeleteFunc(knows, func(_, rv string) bool { return rv == "" })
		if words := Difference(want, knows); words != "" {
			return fmt.Sprintf("by the last calls of handler %d %s", id, words)
		}
	}
	return ""
}

// Difference describes how held differs from want; "" when it does not.
func Difference(want, held map[string]string) string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if rv, ok := held[key]; !ok {
			words = append(words, key+" is missing")
		} else if rv != want[key] {
			words = append(words, fmt.Sprintf("%s is at %s, not %s", key, rv, want[key]))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(held)) {
		if _, ok := want[key]; !ok {
			words = append(words, key+" should be gone")
		}
	}
	if len(words) > 5 {
		words = append(words[:5], fmt.Sprintf("and %d more", len(words)-5))
	}
	return strings.Join(words, ", ")
}
