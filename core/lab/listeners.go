package lab

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"informerscope/core/informer"
	"informerscope/core/lab/action"
	"informerscope/core/wire/faults"
	"informerscope/core/words/event"
	"informerscope/core/words/vclock"
)

// ListenerSpec describes a handler to add.
type ListenerSpec struct {
	Name         string  `json:"name"`
	PaceMillis   float64 `json:"paceMillis"`
	ResyncMillis float64 `json:"resyncMillis"`
}

// AddListener registers one more handler and returns its id.
func (i Informer) AddListener(spec ListenerSpec) (id int32, err error) {
	err = i.running(action.New("listen", spec.Name, spec.PaceMillis, spec.ResyncMillis, i.lane), func(x *experiment) (err error) {
		id, err = x.addListener(i.lane, spec)
		return err
	})
	return id, err
}

// RemoveListener removes a handler.
func (i Informer) RemoveListener(id int32) error {
	return i.running(action.New("unlisten", id, i.lane), func(x *experiment) error { return x.removeListener(i.lane, id) })
}

// Pace sets the extra time of a handler's calls, from 0 to a minute.
func (i Informer) Pace(id int32, millis float64) error {
	return i.running(action.New("pace", id, millis, i.lane), func(x *experiment) error { return x.pace(i.lane, id, millis) })
}

// Panic makes the next call of a handler panic.
func (i Informer) Panic(id int32) error {
	return i.running(action.New("panic", id, i.lane), func(x *experiment) error { return x.panicNext(i.lane, id) })
}

func (x *experiment) addListener(lane int, spec ListenerSpec) (int32, error) {
	if spec.Name == "" {
		return 0, errors.New("give the listener a name")
	}
	lanes, err := x.running(lane)
	if err != nil {
		return 0, err
	}
	if len(lanes[0].listeners) >= 12 {
		return 0, errors.New("at most twelve listeners can be shown; remove one first")
	}
	if !(spec.PaceMillis >= 0 && spec.PaceMillis <= LongestHold) || !(spec.ResyncMillis >= 0) {
		return 0, errors.New("a handler's pace is from 0 to 60000 milliseconds, and its resync period is not negative")
	}
	var id int32
	for _, ln := range lanes {
		n, err := x.add(ln, spec.Name, milliseconds(spec.ResyncMillis), milliseconds(spec.PaceMillis), nil)
		if err != nil {
			return 0, err
		}
		id = n
	}
	if spec.PaceMillis > 0 {
		return id, x.pace(lane, id, spec.PaceMillis)
	}
	return id, nil
}

func milliseconds(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

func (x *experiment) mustAdd(ln *lane, name string, resync time.Duration, onKey func(string)) {
	if _, err := x.add(ln, name, resync, 0, onKey); err != nil {
		panic(err) // an informer that has not started accepts every handler
	}
}

func (x *experiment) add(ln *lane, name string, resync, pace time.Duration, onKey func(string)) (int32, error) {
	h := &handler{x: x, lane: ln, onKey: onKey}
	h.name = name
	h.pace.Store(int64(pace)) // the initial list may be handled before the registration is known
	reg, err := ln.informer.AddEventHandlerWithOptions(h, informer.HandlerOptions{ResyncPeriod: &resync, Name: name})
	if err != nil {
		return 0, err
	}
	id := reg.(informer.ListenerIdentity).ListenerID()
	h.id.Store(id)
	ln.listeners[id] = &listener{handler: h, registration: reg}
	return id, nil
}

func (x *experiment) removeListener(lane int, id int32) error {
	found := false
	for _, ln := range x.laneGroup(lane) {
		if li := ln.listeners[id]; li != nil {
			found = true
			delete(ln.listeners, id)
			if err := ln.informer.RemoveEventHandler(li.registration); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("%s has no listener %d", x.laneName(lane), id)
	}
	x.lab.holds.release(holdKey{x.leader(lane).index, event.StageDeliver, id}, 0)
	return nil
}

func (x *experiment) pace(lane int, id int32, millis float64) error {
	if !(millis >= 0 && millis <= LongestHold) {
		return errors.New("a handler's pace is from 0 to 60000 milliseconds")
	}
	d := milliseconds(millis)
	found := false
	for _, ln := range x.laneGroup(lane) {
		if li := ln.listeners[id]; li != nil {
			found = true
			li.handler.pace.Store(int64(d))
		}
	}
	if !found {
		return fmt.Errorf("%s has no listener %d", x.laneName(lane), id)
	}
	x.lab.emit(x.leader(lane).index, event.HandlerSpeed{Listener: id, Extra: d}.Event())
	return nil
}

// panicNext makes the next call of a listener's handler panic.
func (x *experiment) panicNext(lane int, id int32) error {
	found := false
	for _, ln := range x.laneGroup(lane) {
		if li := ln.listeners[id]; li != nil {
			found = true
			li.handler.panic.Store(true)
		}
	}
	if !found {
		return fmt.Errorf("%s has no listener %d", x.laneName(lane), id)
	}
	x.lab.emitFault(faults.Strike{Name: "panic", Struck: 1})
	return nil
}

// slowMailer makes the `mailer` handler slow, or fast again.
func (x *experiment) slowMailer(lane int, args FaultArgs) (bool, error) {
	if err := x.checkLane(lane); err != nil {
		return false, err
	}
	listeners := x.leader(lane).listeners
	for _, id := range slices.Sorted(maps.Keys(listeners)) {
		li := listeners[id]
		if li.handler.name != "mailer" {
			continue
		}
		on := args.Switched(li.handler.pace.Load() > 0)
		millis := 0.0
		if on {
			millis = float64(slowPace / time.Millisecond)
			if args.Millis > 0 {
				millis = float64(min(args.Millis, LongestHold))
			}
		}
		x.lab.emitFault(faults.Strike{Name: "slow", On: on, Delay: time.Duration(millis) * time.Millisecond})
		return on, x.pace(lane, id, millis)
	}
	return false, errors.New("the listener \"mailer\" was removed; set another one's pace instead")
}

// handler is a handler that is registered with an informer. It takes its pace for each call, and passes the key on.
type handler struct {
	x     *experiment
	lane  *lane
	name  string
	id    atomic.Int32 // its listener's id, once known
	pace  atomic.Int64
	panic atomic.Bool // in the next call
	onKey func(string)

	mutates    atomic.Bool // the fault "mutate" is on
	hasMutated atomic.Bool // it has mutated an object
}

func (h *handler) OnAdd(obj any, _ bool) { h.handle(obj, true) }

func (h *handler) OnUpdate(old, obj any) {
	h.logMeeting(old, true)
	h.handle(obj, true)
}

func (h *handler) OnDelete(obj any) { h.handle(obj, false) }

// handle handles an object, which is in the store unless it was deleted.
func (h *handler) handle(obj any, stored bool) {
	h.logMeeting(obj, false)
	if pace := time.Duration(h.pace.Load()); pace > 0 {
		_ = vclock.Sleep(h.x.ctx, h.x.clock, pace)
	}
	if h.panic.CompareAndSwap(true, false) {
		panic("the handler " + h.name + " panics because it was told to")
	}
	if stored && h.mutates.Load() {
		h.scribble(obj)
	}
	if h.onKey == nil {
		return
	}
	if key, err := informer.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		h.onKey(key)
	}
}
