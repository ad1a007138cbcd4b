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

// Cases of a switch, and what is left for the rest.
func cases(e *trace.Event, other *informer.Event) int {
	switch e.Kind {
	case informer.KindPopped:
		return e.N + int(e.Lane) + int(e.Seq) + other.M // want "KindInformerStarted or another has no M"
	case informer.KindMerged:
		return e.M + e.N // want "KindMerged has no N"
	case informer.KindAccepted, informer.KindDelivered:
		return e.N
	case informer.KindHandling, informer.KindHandled:
		e.Text = ""                                   // want "KindHandling or KindHandled has no Text"
		return func() int { return int(e.Req) }() + 1 // want "KindHandling or KindHandled has no Req"
	case informer.KindStoreAdded, informer.KindStoreDeleted:
		return len(e.Indexed) // one of them has it, and it is what it is called
	case informer.KindProcessed, informer.KindBackoff:
		return int(e.Dur) + e.N // want "KindBackoff has no N"
	default:
		return int(e.Req)
	}
}

// Conditions, ranges of kinds, and variables that were set to a kind.
func conditions(e *trace.Event) int {
	if e.Kind == informer.KindPopped && e.Flag || e.Flag { // want "KindInformerStarted or another has no Flag"
		return 0
	}
	if e.Kind != informer.KindPopped && e.Kind != informer.KindProcessed {
		return e.M // want "KindInformerStarted or another has no M"
	}
	n := e.M + e.N
	switch k := e.Kind; {
	case k == informer.KindPopped:
		return n + int(e.Dur) // want "KindPopped has no Dur"
	case k >= informer.KindListenerAdded && k <= informer.KindListenerRemoved:
		return int(e.Dur) // nothing comes here
	default:
		return int(e.Dur)
	}
}

// An event that is made step by step is of the kind that it got last.
func steps(scratch []informer.Event) {
	e := &scratch[0]
	e.Kind, e.N, e.M = informer.KindAccepted, 1, 2
	e.Dur = 3 // want "KindAccepted has no Dur"
	e.Kind = informer.KindHandled
	e.Dur = 3
	for i := range scratch {
		if e.Kind == informer.KindHandled {
			e.N = i // want "KindHandled has no N"
		}
		e = &scratch[i]
	}
	e.Flag = true // want "KindInformerStarted or another has no Flag"
	var late informer.Event
	late.N = 1
	late.Kind = informer.KindPopped
	if late.Flag = true; late.Listener > 0 { // want "KindPopped has no Listener"
		return
	}
}

// What a function is handed is what its callers hand over, through as many functions as there are.
func callers(e *trace.Event) {
	switch e.Kind {
	case informer.KindPopped, informer.KindProcessed:
		between(e)
	case informer.KindMerged:
		merged(&e.Event)
	}
	merged(&informer.Event{Kind: informer.KindMerged})
	value(*e, everything)
}

func between(e *trace.Event) { counts(&e.Event) }

func counts(e *informer.Event) int { return e.N + e.M + int(e.Dur) } // want "KindPopped has no Dur"

func merged(e *informer.Event) bool { return e.Flag && e.M > 0 && e.N > 0 } // want "KindMerged has no N"

// Who is called through a value or an interface can be handed anything.
func value(e trace.Event, f func(*informer.Event) int) int { return f(&e.Event) }

func everything(e *informer.Event) int { return e.M } // want "KindInformerStarted or another has no M"

type observer struct{ last logged }

type logged struct{ trace.Event }

// Observe is an observer's.
func (o *observer) Observe(e *informer.Event) {
	o.last.Event.Event = *e
	if o.last.Kind == informer.KindPopped {
		o.last.Err = nil // want "KindPopped has no Err"
	}
}

//eventmembers:any it is written down as it is
func all(e *informer.Event) (int, string) { return e.N, handed(e) }

func handed(e *informer.Event) string { return e.Text } // want "KindInformerStopped or another has no Text"

//eventmembers:any
func withoutReason(e *informer.Event) int { return e.M } // want "KindInformerStarted or another has no M"
