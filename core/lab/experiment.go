package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"informerscope/core/factory"
	"informerscope/core/informer"
	"informerscope/core/object"
	"informerscope/core/simcluster"
	"informerscope/core/trace"
)

// metricsResync is the resync period of the listener "metrics", and the
// informer's resync check period: a listener cannot have a shorter one once it runs.
const metricsResync = 30 * time.Second

// statsPeriod is how often the simulated cluster is asked how it is.
const statsPeriod = 250 * time.Millisecond

// stopPatience is how long an experiment that ends is waited for. The backoff
// of an informer whose WatchList was refused heeds no context (as in
// client-go), so it can end as much as a minute later; it is not heard then.
const stopPatience = 250 * time.Millisecond

// experiment is one run: a lane for each era.
type experiment struct {
	lab    *Lab
	clock  clock.WithTicker
	leave  func() // the road to the source
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	lanes  []*lane
	over   atomic.Bool // nothing that it does is heard any more
}

// tap passes events on until its experiment is over.
type tap struct {
	x    *experiment
	next informer.Observer
}

// Observe implements informer.Observer.
func (t tap) Observe(e *informer.Event) {
	if !t.x.over.Load() {
		t.next.Observe(e)
	}
}

// emit logs an event of a lane, until the experiment is over.
func (x *experiment) emit(lane uint8, e informer.Event) {
	if !x.over.Load() {
		x.lab.rec.Emit(lane, e)
	}
}

// trouble notes how the source is, until the experiment is over.
func (x *experiment) trouble(words string, err error) {
	if !x.over.Load() {
		x.lab.trouble(words, err)
	}
}

// lane is an informer with its handlers and its controller.
type lane struct {
	index     uint8
	informer  informer.SharedIndexInformer
	control   *controller
	listeners map[int32]*listener
}

type listener struct {
	handler      *handler
	registration informer.ResourceEventHandlerRegistration
}

// ListenerSpec describes a handler to add.
type ListenerSpec struct {
	Name         string  `json:"name"`
	PaceMillis   float64 `json:"paceMillis"`
	ResyncMillis float64 `json:"resyncMillis"`
}

func (l *Lab) newExperiment(sel trace.Selection) *experiment {
	ctx, cancel := context.WithCancel(context.Background())
	x := &experiment{lab: l, clock: l.src.clock, ctx: ctx, cancel: cancel}
	gvr := schema.GroupVersionResource{Group: sel.Group, Version: sel.Version, Resource: sel.Resource}
	client, leave := l.src.informers(x.hooks(), x.trouble)
	x.leave = leave
	for i, name := range sel.Eras {
		era, err := informer.ParseEra(name)
		if err != nil { // Change.apply has parsed it
			panic(err)
		}
		ln := &lane{index: uint8(i), listeners: map[int32]*listener{}}
		ln.informer = informer.NewSharedIndexInformerWithOptions(factory.NewListWatch(client, gvr, sel.Namespace, nil), &object.Object{}, informer.SharedIndexInformerOptions{
			ResyncPeriod:      metricsResync,
			Indexers:          l.indexers(gvr),
			ObjectDescription: gvr.GroupResource().String(), // for messages: every object here has one Go type
			Era:               era,
			Observer:          tap{x, l.rec.Lane(ln.index)},
			Gates:             l.holds,
			Clock:             x.clock,
			Random:            l.random(i),
		})
		ln.control = x.newController(ln, gvr, client)
		ln.control.tellWrites()
		x.lanes = append(x.lanes, ln)
		x.mustAdd(ln, "printer", 0, ln.control.enqueue)
		x.mustAdd(ln, "metrics", metricsResync, nil)
		x.mustAdd(ln, "mailer", 0, nil)
		x.wg.Go(func() { ln.informer.RunWithContext(ctx) })
		x.wg.Go(func() { ln.control.run(ctx) })
	}
	if l.src.cluster != nil {
		cluster := l.src.cluster
		x.wg.Go(func() { x.watchCluster(cluster, gvr) })
	}
	return x
}

// random is what a lane's Reflector draws from; on real time there is nothing to repeat. l.mu is held.
func (l *Lab) random(lane int) func() float64 {
	if l.src.virtual == nil {
		return nil
	}
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(l.selection.Seed, uint64(lane)))
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return r.Float64()
	}
}

// stop ends the run and waits for it, but not beyond stopPatience; afterwards
// nothing that it does is heard.
func (x *experiment) stop() {
	x.over.Store(true)
	x.cancel()
	ended := make(chan struct{})
	go func() {
		x.wg.Wait()
		close(ended)
	}()
	x.leave()
	if x.lab.src.virtual != nil {
		return // what can end ends in this turn
	}
	timer := x.clock.NewTimer(stopPatience)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C():
	}
}

// watchCluster emits what the simulated cluster says of itself, when it changed.
func (x *experiment) watchCluster(cluster *simcluster.Cluster, gvr schema.GroupVersionResource) {
	ticker := x.clock.NewTicker(statsPeriod)
	defer ticker.Stop()
	var last informer.Event
	name := gvr.GroupResource().String()
	for {
		s := cluster.Stats()
		e := informer.Event{
			Kind: trace.KindCluster, RV: strconv.FormatUint(s.ResourceVersion, 10), StoreRV: strconv.FormatUint(s.OldestResourceVersion[name], 10),
			N: s.Objects[name], M: int(s.Writes),
		}
		if e.RV != last.RV || e.StoreRV != last.StoreRV || e.N != last.N || e.M != last.M {
			last = e
			x.emit(0, e)
		}
		select {
		case <-ticker.C():
		case <-x.ctx.Done():
			return
		}
	}
}

func (x *experiment) addListener(spec ListenerSpec) (int32, error) {
	if spec.Name == "" {
		return 0, errors.New("give the listener a name")
	}
	if len(x.lanes[0].listeners) >= 12 {
		return 0, errors.New("twelve listeners are as many as can be seen; remove one first")
	}
	if !(spec.PaceMillis >= 0 && spec.PaceMillis <= 60_000) || !(spec.ResyncMillis >= 0) {
		return 0, errors.New("a handler's pace is from 0 to 60000 milliseconds, and its resync period is not negative")
	}
	var id int32
	for _, ln := range x.lanes {
		n, err := x.add(ln, spec.Name, time.Duration(spec.ResyncMillis*float64(time.Millisecond)), time.Duration(spec.PaceMillis*float64(time.Millisecond)), nil)
		if err != nil {
			return 0, err
		}
		id = n
	}
	if spec.PaceMillis > 0 {
		return id, x.pace(id, spec.PaceMillis)
	}
	return id, nil
}

func (x *experiment) mustAdd(ln *lane, name string, resync time.Duration, onKey func(string)) {
	if _, err := x.add(ln, name, resync, 0, onKey); err != nil {
		panic(err) // an informer that has not started refuses no handler
	}
}

func (x *experiment) add(ln *lane, name string, resync, pace time.Duration, onKey func(string)) (int32, error) {
	h := &handler{x: x, onKey: onKey}
	h.name = name
	h.pace.Store(int64(pace)) // the initial list may be handled before the registration is known
	reg, err := ln.informer.AddEventHandlerWithOptions(h, informer.HandlerOptions{ResyncPeriod: &resync, Name: name})
	if err != nil {
		return 0, err
	}
	id := reg.(informer.ListenerIdentity).ListenerID()
	ln.listeners[id] = &listener{handler: h, registration: reg}
	return id, nil
}

func (x *experiment) removeListener(id int32) error {
	found := false
	for _, ln := range x.lanes {
		if li := ln.listeners[id]; li != nil {
			found = true
			delete(ln.listeners, id)
			if err := ln.informer.RemoveEventHandler(li.registration); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("there is no listener %d", id)
	}
	x.lab.holds.release(informer.StageDeliver, id, 0)
	return nil
}

func (x *experiment) pace(id int32, millis float64) error {
	if !(millis >= 0 && millis <= 60_000) {
		return errors.New("a handler's pace is from 0 to 60000 milliseconds")
	}
	d := time.Duration(millis * float64(time.Millisecond))
	found := false
	for _, ln := range x.lanes {
		if li := ln.listeners[id]; li != nil {
			found = true
			li.handler.pace.Store(int64(d))
		}
	}
	if !found {
		return fmt.Errorf("there is no listener %d", id)
	}
	x.lab.rec.Emit(0, informer.Event{Kind: trace.KindHandlerSpeed, Listener: id, Dur: d})
	return nil
}

// panicNext makes the next call of a listener's handler panic.
func (x *experiment) panicNext(id int32) error {
	found := false
	for _, ln := range x.lanes {
		if li := ln.listeners[id]; li != nil {
			found = true
			li.handler.panic.Store(true)
		}
	}
	if !found {
		return fmt.Errorf("there is no listener %d", id)
	}
	x.lab.faults.tell("panic", false, 0, 1)
	return nil
}

// slow makes the last of the first three listeners (or whichever is left) slow, or quick again.
func (x *experiment) slow(args FaultArgs) (bool, error) {
	listeners := x.lanes[0].listeners
	for _, id := range slices.Sorted(maps.Keys(listeners)) {
		li := listeners[id]
		if li.handler.name != "mailer" {
			continue
		}
		on := li.handler.pace.Load() == 0
		if args.On != nil {
			on = *args.On
		}
		millis := 0.0
		if on {
			millis = float64(slowPace / time.Millisecond)
			if args.Millis > 0 {
				millis = float64(min(args.Millis, 60_000))
			}
		}
		x.lab.faults.tell("slow", on, time.Duration(millis)*time.Millisecond, 0)
		return on, x.pace(id, millis)
	}
	return false, errors.New("the listener \"mailer\" was removed; set another one's pace instead")
}

// handler is what is registered with an informer. It takes the time it is
// told to, and hands the key on.
type handler struct {
	x     *experiment
	name  string
	pace  atomic.Int64
	panic atomic.Bool // in the next call
	onKey func(string)
}

func (h *handler) OnAdd(obj any, _ bool)  { h.handle(obj) }
func (h *handler) OnUpdate(_, newObj any) { h.handle(newObj) }
func (h *handler) OnDelete(obj any)       { h.handle(obj) }

func (h *handler) handle(obj any) {
	if pace := time.Duration(h.pace.Load()); pace > 0 {
		_ = sleep(h.x.ctx, h.x.clock, pace)
	}
	if h.panic.CompareAndSwap(true, false) {
		panic("the handler " + h.name + " panics because it was told to")
	}
	if h.onKey == nil {
		return
	}
	if key, err := informer.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		h.onKey(key)
	}
}
