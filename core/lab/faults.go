package lab

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"informerscope/core/cluster/levers"
	"informerscope/core/lab/action"
	"informerscope/core/wire/faults"
	"informerscope/core/words/event"
)

// LongestHold is the greatest pace of a handler and the longest delay, in milliseconds.
const LongestHold = 60_000

// slowPace is the extra time of a handler's call while the fault "slow" is on: at the usual rate of a cluster, 8 changes a second, its ring fills.
const slowPace = 500 * time.Millisecond

// slowIndexing is the time of an object's index functions while the fault "slowindex" is on.
const slowIndexing = 50 * time.Millisecond

// Fault is something that goes wrong on purpose. Faults and FindFault return the entries of the one table of them, from which the command `fault`, links, the
// rail of a story, the page's menus and the documents are made.
type Fault struct {
	Name string
	// Does describes it for docs/dev/protocol.md.
	Does string
	// Held: it stays on until it is switched off.
	Held bool
	// PerInformer: one informer has it, not all.
	PerInformer bool
	// Lever is the lever that it pulls, if any simulated cluster has it; OwnCluster: only the page's own has it.
	Lever      string
	OwnCluster bool
	// Station is the station of the stage at which it breaks something.
	Station string
	// Millis is the length that the page's menus ask for; zero for the fault's own.
	Millis int

	// A fault of the controllers is a bug. Another fault outside the client's stack has make, which carries it out. on reports whether it is on, and its
	// length; it is nil if the fault ends with an experiment.
	bug  func(l *Lab) *atomic.Bool
	make func(l *Lab, args FaultArgs, lane int) (on bool, err error)
	on   func(l *Lab) (on bool, length time.Duration)
}

// faultTable has all faults, in the order of the page's menus. The first nine have the digits as keys.
var faultTable = []Fault{
	{Name: "cut", Station: "api", Does: "the informers' connections break"},
	{Name: "refuse", Station: "api", Held: true, Does: "connections break, and new ones are refused"},
	{Name: "410", Station: "api", Does: "each open watch gets this as an ERROR frame, else the next LIST or WATCH gets it; `{count}` answers, 1 by default"},
	{Name: "429", Station: "api", Does: "as `410`; the controller's next write gets it too"},
	{Name: "500", Station: "api", Does: "as `429`"},
	{
		Name: "slow", Station: "listeners", Held: true, PerInformer: true, Does: "the handler `mailer` takes `{millis}` (500) a call",
		make: inLane((*experiment).slowMailer),
	},
	{Name: "delay", Station: "api", Held: true, Millis: 500, Does: "answers and events come `{millis}` later (400)"},
	{Name: "nobookmarks", Station: "api", Held: true, Does: "bookmarks do not arrive"},
	{Name: "noendmark", Station: "api", Held: true, Does: "the bookmark that ends a WatchList's initial events does not arrive"},
	{Name: "halfopen", Station: "api", Held: true, Does: "open watches stay open and bring nothing, as if a firewall dropped their packets. " +
		"45 s after the last frame the client's health check ends them. New requests pass; switched off earlier, what was held back arrives"},
	{Name: "forbidden", Station: "api", Held: true, Does: "every LIST and WATCH gets 403; an open watch goes on"},
	{
		Name: "slowindex", Station: "indexer", Held: true, Does: "index functions take `{millis}` (50) a stored object",
		make: func(l *Lab, args FaultArgs, _ int) (bool, error) { return l.slowIndex(args), nil },
		on: func(l *Lab) (bool, time.Duration) {
			d := time.Duration(l.holds.indexing.Load())
			return d > 0, d
		},
	}, {
		Name: "mutate", Station: "indexer", Held: true, PerInformer: true,
		Does: "the handler `mailer` sets the label `app` to `mine` in each new object, which is the store's own",
		make: inLane((*experiment).mutate),
	},
	{
		Name: "ratelimit", Station: "controller", Held: true, Does: "the handler `printer` calls AddRateLimited in place of Add",
		bug: func(l *Lab) *atomic.Bool { return &l.rateLimits },
	}, {
		Name: "rewrite", Station: "controller", Held: true, OwnCluster: true, Does: "each reconcile of the controller also writes the time into an annotation",
		bug: func(l *Lab) *atomic.Bool { return &l.rewrites },
	},
	{Name: "compact", Station: "api", Lever: "compact", Does: "the simulated cluster compacts its history"},
	{Name: "restart", Station: "api", Lever: levers.Reboot, Does: "the API server of the simulated cluster restarts"},
}

// inLane carries out a fault of one informer; nothing happens if no experiment runs.
func inLane(do func(x *experiment, lane int, args FaultArgs) (bool, error)) func(*Lab, FaultArgs, int) (bool, error) {
	return func(l *Lab, args FaultArgs, lane int) (bool, error) {
		if l.exp == nil {
			return false, nil
		}
		return do(l.exp, lane, args)
	}
}

// Faults returns all faults, in the order of the documents and menus. The caller owns the list.
func Faults() []Fault { return slices.Clone(faultTable) }

// FaultNames returns the names of all faults. The caller owns the list.
func FaultNames() []string {
	names := make([]string, len(faultTable))
	for i := range faultTable {
		names[i] = faultTable[i].Name
	}
	return names
}

// FindFault returns the fault with a name, nil if there is none.
func FindFault(name string) *Fault {
	if i := slices.Index(FaultNames(), name); i >= 0 {
		return &faultTable[i]
	}
	return nil
}

// FaultArgs are the arguments of a fault; all are optional.
type FaultArgs = faults.Args

// Fault makes a fault happen, or switches one that stays on, and returns whether it is on now.
func (i Informer) Fault(name string, args FaultArgs) (on bool, err error) {
	l, f := i.lab, FindFault(name)
	if f == nil {
		return false, fmt.Errorf("unknown fault %q: choose one of %s", name, strings.Join(FaultNames(), ", "))
	}
	if s, ok := l.sharedCluster(); ok && f.Lever != "" {
		_, err := l.pullShared(s, f.Lever, ClusterArgs{})
		return false, err
	}
	err = l.act(func() (s action.Step, err error) {
		if l.exp == nil {
			return s, errors.New("nothing is running that could have a fault")
		}
		if on, err = l.faultLocked(f, args, i.lane); err != nil {
			return s, err
		}
		return f.step(on, args, i.lane), nil
	})
	return on, err
}

// step returns a fault as a step of a story.
func (f *Fault) step(on bool, args FaultArgs, lane int) action.Step {
	switch {
	case f.Lever != "":
		return leverStep(levers.Find(f.Lever), ClusterArgs{})
	case f.PerInformer:
		return action.New("fault", f.Name, onOff(on), max(args.Millis, 0), 0, lane)
	case f.Held:
		return action.New("fault", f.Name, onOff(on), max(args.Millis, 0))
	}
	return action.New("fault", f.Name, "", "", max(args.Count, 0))
}

// faultLocked carries out Fault.
func (l *Lab) faultLocked(f *Fault, args FaultArgs, lane int) (bool, error) {
	if (f.OwnCluster || f.Lever != "") && l.src.cluster == nil {
		return false, fmt.Errorf("%q is for the simulated cluster: a live cluster is never written to", f.Name)
	}
	return f.carryOut(l, args, lane)
}

// carryOut is fault on any source.
func (f *Fault) carryOut(l *Lab, args FaultArgs, lane int) (bool, error) {
	switch {
	case f.Lever != "":
		_, err := l.changeLocked(f.Lever, ClusterArgs{})
		return false, err
	case f.bug != nil:
		on := args.Switched(f.bug(l).Load())
		f.bug(l).Store(on)
		l.emitFault(faults.Strike{Name: f.Name, On: on})
		return on, nil
	case f.make != nil:
		return f.make(l, args, lane)
	}
	return l.faults.Make(f.Name, args)
}

// isOn reports whether a fault is on that outlives an experiment, and its length.
func (f *Fault) isOn(l *Lab) (on bool, length time.Duration) {
	switch {
	case f.bug != nil:
		return f.bug(l).Load(), 0
	case f.on != nil:
		return f.on(l)
	}
	return l.faults.IsOn(f.Name)
}

// slowIndex slows the index functions of all informers down, or makes them fast again.
func (l *Lab) slowIndex(args FaultArgs) bool {
	on := args.Switched(l.holds.indexing.Load() > 0)
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

// emitFault logs an occurrence of a fault.
func (l *Lab) emitFault(s faults.Strike) {
	l.emit(0, event.Fault{Name: s.Name, On: s.On, Argument: s.Delay, Struck: s.Struck}.Event())
}

// standing is a fault that is on, and its length.
type standing struct {
	*Fault
	length time.Duration
}

// faultsOn returns the faults that are on and outlive an experiment.
func (l *Lab) faultsOn() (all []standing) {
	for i := range faultTable {
		if on, length := faultTable[i].isOn(l); on {
			all = append(all, standing{&faultTable[i], length})
		}
	}
	return all
}
