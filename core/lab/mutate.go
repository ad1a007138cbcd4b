package lab

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"informerscope/core/informer"
	"informerscope/core/log/fold"
	"informerscope/core/wire/faults"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
)

// Handlers receive the very objects that are in the store. While the fault "mutate" is on, the `mailer` handler writes a label into them, like a controller
// that forgot DeepCopy. The log gets a copy of each object as it was at the event (see settled), so that a mutation does not change earlier events.

// mutatedLabel and mutatedValue are the label that the handler writes.
const (
	mutatedLabel = "app"
	mutatedValue = "mine"
)

// openTransform returns a TransformFunc that runs next, which may be nil. While the lane is open, it then gives each object a pointer of its own.
func (ln *lane) openTransform(next informer.TransformFunc) informer.TransformFunc {
	return func(obj any) (any, error) {
		if next != nil {
			var err error
			if obj, err = next(obj); err != nil {
				return obj, err
			}
		}
		if o, ok := obj.(*object.Object); ok && ln.open.Load() {
			return o.Share(), nil
		}
		return obj, nil
	}
}

// freeze returns a copy of an event, with its objects as they are at this moment.
func freeze(e *event.Event) *event.Event {
	m := e.Members()
	m.Obj, m.Old = content(m.Obj), content(m.Old)
	m.Items = slices.Clone(m.Items)
	for i := range m.Items {
		m.Items[i].Obj = content(m.Items[i].Obj)
	}
	frozen := event.New(e.Kind, m)
	return &frozen
}

func content(obj any) any {
	switch o := obj.(type) {
	case *object.Object:
		if o != nil {
			return o.Now()
		}
	case informer.DeletedFinalStateUnknown:
		o.Obj = content(o.Obj)
		return o
	}
	return obj
}

// mutate makes the `mailer` handler mutate the objects that arrive from now on, or stop that.
func (x *experiment) mutate(lane int, args FaultArgs) (bool, error) {
	if err := x.checkLane(lane); err != nil {
		return false, err
	}
	listeners := x.leader(lane).listeners
	for _, id := range slices.Sorted(maps.Keys(listeners)) {
		h := listeners[id].handler
		if h.name != "mailer" {
			continue
		}
		on := args.Switched(h.mutates.Load())
		x.lab.emitFault(faults.Strike{Name: "mutate", On: on})
		for _, ln := range x.laneGroup(lane) {
			if li := ln.listeners[id]; li != nil {
				if on {
					ln.open.Store(true)
				}
				li.handler.mutates.Store(on)
			}
		}
		return on, nil
	}
	return false, errors.New("the listener \"mailer\", whose handler mutates objects, was removed; start the experiment again to get it back")
}

// scribble mutates an object that a handler received, and that the store and all other handlers share.
func (h *handler) scribble(obj any) {
	o, ok := obj.(*object.Object)
	if !ok || o == nil || o.Share() != o { // it arrived before the fault was on, and the log has this pointer
		return
	}
	labels := o.GetLabels()
	label := labels[mutatedLabel]
	if label == mutatedValue {
		return
	}
	if labels == nil {
		labels = map[string]string{}
	}
	h.hasMutated.Store(true)
	before := o.Now()
	labels[mutatedLabel] = mutatedValue
	o.SetLabels(labels)
	e := event.Mutated{RV: o.GetResourceVersion(), Listener: h.id.Load(), Obj: o.Now(), Old: before, Change: changeText(label)}
	e.Key, _ = informer.MetaNamespaceKeyFunc(o) // all objects here have metadata
	indexer := h.lane.informer.GetIndexer()
	stored, exists, err := indexer.GetByKey(e.Key)
	e.Stored = err == nil && exists && stored == obj
	functions := indexer.GetIndexers()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		if values, err := functions[name](o); err == nil {
			e.Indexed = append(e.Indexed, event.IndexValues{Index: name, Values: values})
		}
	}
	h.x.emit(h.lane.index, e.Event())
}

// logMeeting logs that a handler received an object which another handler mutated.
func (h *handler) logMeeting(obj any, asOld bool) {
	before, o, ok := findMutation(obj)
	if !ok || h.hasMutated.Load() {
		return
	}
	e := event.Met{RV: o.GetResourceVersion(), Listener: h.id.Load(), AsOld: asOld, Change: changeText(before)}
	e.Key, _ = informer.MetaNamespaceKeyFunc(o)
	h.x.emit(h.lane.index, e.Event())
}

// findMutation reports whether a handler mutated an object, and returns the label's value before that.
func findMutation(obj any) (before string, o *object.Object, isMutated bool) {
	if gone, ok := obj.(informer.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	o, ok := obj.(*object.Object)
	if !ok || o == nil || o.Now() == o.Original() {
		return "", nil, false
	}
	return o.Original().GetLabels()[mutatedLabel], o, true
}

func changeText(before string) string {
	text, err := json.Marshal(fold.Change{Label: mutatedLabel, OldValue: before, Value: mutatedValue})
	if err != nil { // three strings always marshal
		panic(err)
	}
	return string(text)
}
