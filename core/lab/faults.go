package lab

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"informerscope/core/cluster/levers"
	"informerscope/core/lab/action"
	"informerscope/core/wire/faults"
	"informerscope/core/words/event"
)

// LongestHold is the greatest pace of a handler and the longest delay, in milliseconds.
const LongestHold = 60_000

// slowPace is the extra time of a handler's call while the fault "slow" is on.
const slowPace = 120 * time.Millisecond

// slowIndexing is the time of an object's index functions while the fault "slowindex" is on.
const slowIndexing = 50 * time.Millisecond

// faultNames are all faults: those of the client's stack, a slow handler, slow index functions, a handler that mutates shared objects, two of the
// controllers, and two of the simulated cluster.
var faultNames = append(slices.Clone(faults.Names), "slow", "slowindex", "mutate", "rewrite", "ratelimit", "compact", "restart")

// clusterFaults are the faults that are verbs of the simulated cluster.
var clusterFaults = map[string]string{"compact": "compact", "restart": levers.Reboot}

// FaultNames returns the names of all faults. The caller owns the list.
func FaultNames() []string { return slices.Clone(faultNames) }

// FaultArgs are the arguments of a fault; all are optional.
type FaultArgs = faults.Args

// Fault makes a fault happen, or switches a fault that stays on, and returns whether it is on now. docs/protocol.md lists the names. "slow" and "mutate"
// apply to one informer, the others to all.
func (i Informer) Fault(name string, args FaultArgs) (on bool, err error) {
	l := i.lab
	if s, ok := l.sharedCluster(); ok && clusterFaults[name] != "" {
		_, err := l.pullShared(s, clusterFaults[name], ClusterArgs{})
		return false, err
	}
	err = l.act(func() (s action.Step, err error) {
		if l.exp == nil {
			return s, errors.New("nothing is running that could have a fault")
		}
		if on, err = l.fault(name, args, i.lane); err != nil {
			return s, err
		}
		switch name {
		case "compact":
			return action.New("compact"), nil
		case "restart":
			return action.New("reboot"), nil
		case "slow", "mutate":
			return action.New("fault", name, onOff(on), max(args.Millis, 0), 0, i.lane), nil
		case "refuse", "nobookmarks", "noendmark", "forbidden", "halfopen", "delay", "slowindex", "rewrite", "ratelimit":
			return action.New("fault", name, onOff(on), max(args.Millis, 0)), nil
		}
		return action.New("fault", name, "", "", max(args.Count, 0)), nil
	})
	return on, err
}

// fault carries out Fault. l.mu is held.
func (l *Lab) fault(name string, args FaultArgs, lane int) (bool, error) {
	switch name {
	case "slow":
		if l.exp == nil {
			return false, nil
		}
		return l.exp.slowMailer(lane, args)
	case "mutate":
		if l.exp == nil {
			return false, nil
		}
		return l.exp.mutate(lane, args)
	case "slowindex":
		return l.slowIndex(args), nil
	case "ratelimit":
		return l.misuse(name, &l.rateLimits, args), nil
	case "compact", "restart", "rewrite":
		if l.src.cluster == nil {
			return false, fmt.Errorf("%q is for the simulated cluster: a live cluster is never written to", name)
		}
		if name == "rewrite" {
			return l.misuse(name, &l.rewrites, args), nil
		}
		_, err := l.change(clusterFaults[name], ClusterArgs{})
		return false, err
	}
	return l.faults.Make(name, args)
}

// slowIndex slows the index functions of all informers down, or makes them fast again.
func (l *Lab) slowIndex(args FaultArgs) bool {
	on := l.holds.indexing.Load() == 0
	if args.On != nil {
		on = *args.On
	}
	d := time.Duration(0)
	if on {
		d = slowIndexing
		if args.Millis > 0 {
			d = time.Duration(min(args.Millis, LongestHold)) * time.Millisecond
		}
	}
	l.holds.indexing.Store(int64(d))
	l.emitFault(faults.Strike{Name: "slowindex", On: on, Delay: d})
	return on
}

// misuse gives all controllers a bug, or takes it from them.
func (l *Lab) misuse(name string, has *atomic.Bool, args FaultArgs) bool {
	on := !has.Load()
	if args.On != nil {
		on = *args.On
	}
	has.Store(on)
	l.emitFault(faults.Strike{Name: name, On: on})
	return on
}

// misuses returns the names of the bugs that the controllers have.
func (l *Lab) misuses() (names []string) {
	if l.rewrites.Load() {
		names = append(names, "rewrite")
	}
	if l.rateLimits.Load() {
		names = append(names, "ratelimit")
	}
	return names
}

// emitFault logs an occurrence of a fault.
func (l *Lab) emitFault(s faults.Strike) {
	l.emit(0, event.Fault{Name: s.Name, On: s.On, Argument: s.Delay, Struck: s.Struck}.Event())
}

// faultsOn returns the faults that are on, as steps of a story.
func (l *Lab) faultsOn() (steps []action.Step) {
	for _, s := range l.faults.On() {
		steps = append(steps, action.New("fault", s.Name, onOff(true), s.Delay.Milliseconds()))
	}
	if d := time.Duration(l.holds.indexing.Load()); d > 0 {
		steps = append(steps, action.New("fault", "slowindex", onOff(true), d.Milliseconds()))
	}
	for _, name := range l.misuses() {
		steps = append(steps, action.New("fault", name, onOff(true)))
	}
	return steps
}
