package controllerruntime

import (
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"example.org/informerscope/probe"
)

// Predicate returns a predicate with the same answers, and the probe counts by name what it throws away:
//
//	builder.WithPredicates(controllerruntime.Predicate(p, "generation", predicate.GenerationChangedPredicate{}))
//
// Wrap each predicate that you give to the builder, and those of WithEventFilter: the first one that says no throws the change away. Inside of
// predicate.Or and predicate.Not a no does not, so wrap what these return. An empty name stands for the predicate's type. Generic events are not seen.
func Predicate[T any](p *probe.Probe, name string, inner predicate.TypedPredicate[T]) predicate.TypedPredicate[T] {
	if name == "" {
		name, _, _ = strings.Cut(strings.TrimPrefix(fmt.Sprintf("%T", inner), "*"), "[")
	}
	return watchedPredicate[T]{inner, p, name}
}

type watchedPredicate[T any] struct {
	predicate.TypedPredicate[T]
	p    *probe.Probe
	name string
}

func (w watchedPredicate[T]) Create(e event.TypedCreateEvent[T]) bool {
	return w.log(w.TypedPredicate.Create(e))
}

func (w watchedPredicate[T]) Update(e event.TypedUpdateEvent[T]) bool {
	return w.log(w.TypedPredicate.Update(e))
}

func (w watchedPredicate[T]) Delete(e event.TypedDeleteEvent[T]) bool {
	return w.log(w.TypedPredicate.Delete(e))
}

func (w watchedPredicate[T]) log(passes bool) bool {
	if !passes {
		w.p.Drop(w.name)
	}
	return passes
}
