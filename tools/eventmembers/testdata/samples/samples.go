// Package samples is looked at by the test of eventmembers.
package samples

import (
	"informerscope/core/informer"
	"informerscope/core/trace"
)

func emit() []informer.Event {
	return []informer.Event{
		{Kind: informer.KindPopped, N: 1, M: 2, Flag: true, Text: "batch"},
		{Kind: informer.KindPopped, N: 1, Listener: 2}, // want "KindPopped has no Listener"
		{Kind: trace.KindNote, Key: "x"},               // want "KindNote has no Key"
		{Kind: informer.KindExternal + 100, Key: "x"},
	}
}

func read(e *trace.Event, other *informer.Event) int {
	switch e.Kind {
	case informer.KindPopped:
		return e.N + int(e.Lane) + int(e.Seq) + other.M
	case informer.KindMerged:
		return e.M + e.N // want "KindMerged has no N"
	case informer.KindAccepted, informer.KindDelivered:
		return e.M
	case informer.KindHandling, informer.KindHandled:
		e.Text = ""                                   // want "KindHandling or KindHandled has no Text"
		return func() int { return int(e.Req) }() + 1 // want "KindHandling or KindHandled has no Req"
	default:
		return e.N
	}
}
