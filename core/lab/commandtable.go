package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"time"

	"informerscope/core/faults"
	"informerscope/core/selection"
	"informerscope/core/view"
)

const (
	// clusterPatience bounds commands that wait for a cluster.
	clusterPatience = 30 * time.Second
	// longestName bounds names that a user gives, and longestExpression the expression of an index, in bytes.
	longestName       = 253
	longestExpression = 1000
	// longestHold is the greatest pace of a handler and the longest delay, in milliseconds.
	longestHold = 60_000
	// longestResync is the longest resync period in milliseconds: a day.
	longestResync = 86_400_000
	// most bounds the whole numbers that a page represents exactly.
	most = 1 << 53
)

// runner carries out a command with checked arguments.
type runner func(ctx context.Context, c *Console, given arguments) (any, error)

// nothing is a runner without arguments.
func nothing(do func(ctx context.Context, c *Console) (any, error)) runner {
	return func(ctx context.Context, c *Console, _ arguments) (any, error) { return do(ctx, c) }
}

// one is a runner with one argument, which is otherwise if omitted.
func one[A any](otherwise A, do func(ctx context.Context, c *Console, a A) (any, error)) runner {
	return func(ctx context.Context, c *Console, given arguments) (any, error) {
		a, err := argument(given, 0, otherwise)
		if err != nil {
			return nil, err
		}
		return do(ctx, c, a)
	}
}

// two is a runner with two arguments.
func two[A, B any](do func(ctx context.Context, c *Console, a A, b B) (any, error)) runner {
	return func(ctx context.Context, c *Console, given arguments) (any, error) {
		var zeroA A
		var zeroB B
		a, err := argument(given, 0, zeroA)
		if err != nil {
			return nil, err
		}
		b, err := argument(given, 1, zeroB)
		if err != nil {
			return nil, err
		}
		return do(ctx, c, a, b)
	}
}

// three is a runner with three arguments.
func three[A, B, C any](do func(c *Console, a A, b B, third C) (any, error)) runner {
	return func(ctx context.Context, c *Console, given arguments) (any, error) {
		var zero C
		third, err := argument(given, 2, zero)
		if err != nil {
			return nil, err
		}
		return two(func(_ context.Context, c *Console, a A, b B) (any, error) { return do(c, a, b, third) })(ctx, c, given)
	}
}

// listenerArg is the id of a listener.
func listenerArg(needed bool) Arg {
	return Arg{Name: "listener", Type: Whole, Needed: needed, Min: 0, Max: math.MaxInt32}
}

func transformArg(needed bool) Arg {
	return Arg{Name: "transform", Type: Text, Needed: needed, OneOf: selection.Transforms()}
}

func stageArg() Arg { return Arg{Name: "stage", Type: Text, Needed: true, OneOf: stages} }

func laneArg() Arg { return Arg{Name: "lane", Type: Whole, Min: 0, Max: maxLanes - 1} }

// about returns the informer whose lane is argument at, or the informer on stage if that is omitted.
func about(c *Console, given arguments, at int) (Informer, error) {
	lane, err := shownLane(c, given, at)
	return c.Lab.Informer(lane), err
}

func shownLane(c *Console, given arguments, at int) (int, error) {
	lane, err := argument[*int](given, at, nil)
	if err != nil {
		return 0, err
	}
	if lane == nil {
		return c.View.Shown(), nil
	}
	return *lane, nil
}

// ofObject is a runner with an object's key and an optional lane.
func ofObject(look func(v *view.View, lane int, key string) (any, error)) runner {
	return func(_ context.Context, c *Console, given arguments) (any, error) {
		key, err := argument(given, 0, "")
		if err != nil {
			return nil, err
		}
		lane, err := shownLane(c, given, 1)
		if err != nil {
			return nil, err
		}
		return look(c.View, lane, key)
	}
}

// oneAbout is a runner with one argument and the optional lane of the informer it applies to.
func oneAbout[A any](do func(i Informer, a A) (any, error)) runner {
	return func(_ context.Context, c *Console, given arguments) (any, error) {
		var a A
		a, err := argument(given, 0, a)
		if err != nil {
			return nil, err
		}
		i, err := about(c, given, 1)
		if err != nil {
			return nil, err
		}
		return do(i, a)
	}
}

// twoAbout is a runner with two arguments and the optional lane.
func twoAbout[A, B any](do func(i Informer, a A, b B) (any, error)) runner {
	return func(ctx context.Context, c *Console, given arguments) (any, error) {
		return two(func(_ context.Context, c *Console, a A, b B) (any, error) {
			i, err := about(c, given, 2)
			if err != nil {
				return nil, err
			}
			return do(i, a, b)
		})(ctx, c, given)
	}
}

// The arguments in a link. An old link must work whatever today's limits are, so only the types are checked.
func linkText(name string) Arg  { return Arg{Name: name, Type: Text} }
func linkWhole(name string) Arg { return Arg{Name: name, Type: Whole, Min: 0, Max: math.MaxInt32} }
func linkNumber(name string) Arg {
	return Arg{Name: name, Type: Number, Min: 0, Max: math.Nextafter(1e9, 0)}
}

// onOff returns how a switch is written in a link.
func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func stateCommands() []Command {
	return []Command{{
		Name: "state", Effect: Looks, Script: true, Answers: "State (`core/trace.State`) at the view's moment",
		run: nothing(func(_ context.Context, c *Console) (any, error) { return c.View.State(), nil }),
	}, {
		Name: "select", Effect: Begins, Script: true, Patience: clusterPatience,
		Args: []Arg{{Name: "change", Type: Object, Members: []Arg{
			{Name: "source", Type: Text, OneOf: []string{"sim", "live", selection.SourceProbe}}, {Name: "context", Type: Text}, {Name: "group", Type: Text},
			{Name: "version", Type: Text}, {Name: "resource", Type: Text}, {Name: "kind", Type: Text}, {Name: "namespace", Type: Text},
			{Name: "era", Type: Text}, {Name: "seed", Type: Whole, Min: 0, Max: math.MaxUint64},
			{Name: "objects", Type: Whole, Min: 0, Max: selection.MaxObjects}, {Name: "rate", Type: Number, Min: 0, Max: selection.MaxRate},
			{Name: "do", Type: Text, Longest: maxStory}, {Name: "from", Type: Whole, Min: 0, Max: float64(farthest.Milliseconds())},
			{Name: "at", Type: Whole, Min: 0, Max: most}, transformArg(false),
		}}},
		Does: "ends the experiment and watches something else, with an empty log. Members that are left out keep their value, except `namespace`: " +
			"a newly chosen live context begins in its own (`\"\"` means all). `era` is a release, or two with a comma between them. " +
			"`resource` is one resource, or up to eight with commas between them; a factory then has an informer of each. " +
			"The source `probe` is the attached process: `resource` names its informers, or is empty for all, and nothing else can be chosen. " +
			"`do`, `from` and `at` play recorded actions (see *Actions in a link*). Other calls go on while `select` asks a cluster; " +
			"a later `select` or `load` replaces it, and it returns an error",
		Answers: "the selection that runs",
		Verbs: []Verb{{
			Name: "watch", Args: []Arg{linkText("eras"), linkText("group"), linkText("version"), linkText("resource"), linkText("kind"),
				linkText("namespace"), linkText("transform")},
			Means: "an earlier experiment begins", play: (*Lab).playWatch,
		}, {
			Name: "halt", Means: "it ends", play: func(l *Lab, _ step) { l.stopExperiment() },
		}},
		run: one(selection.Change{}, func(ctx context.Context, c *Console, change selection.Change) (any, error) {
			return c.choose(ctx, change)
		}),
	}, {
		Name: "transform", Effect: Begins, Script: true, Patience: clusterPatience, Args: []Arg{transformArg(true)},
		Does: "sets the TransformFunc that changes every object before the informer queues it. `off` is none, `managedFields` drops " +
			"`metadata.managedFields`, `metadata` keeps apiVersion, kind and the rest of `metadata` only. client-go takes a transform " +
			"before an informer starts, so the watch starts over, as with `select({transform})`",
		Answers: "as `select`",
		run: one("", func(ctx context.Context, c *Console, transform string) (any, error) {
			return c.choose(ctx, selection.Change{Transform: &transform})
		}),
	}, {
		Name: "story", Effect: Looks, Args: []Arg{{Name: "seq", Type: Whole, Min: 0, Max: most}},
		Answers: "what replays the simulated log up to that event: `{seed, objects, rate, from, do}`",
		run:     one(uint64(0), func(_ context.Context, c *Console, seq uint64) (any, error) { return c.Lab.Story(seq) }),
	}, {
		Name: "attached", Effect: Looks, Script: true, Patience: clusterPatience,
		Does: "asks the server which informers the attached process has", Answers: "Attached (`core/attached.Process`)",
		run: nothing(func(ctx context.Context, c *Console) (any, error) { return c.Lab.Attached(ctx), nil }),
	}, {
		Name: "checkStory", Effect: Looks, Args: []Arg{{Name: "do", Type: Text}},
		Answers: "`true`, or an error that names the part of `do` that cannot be read",
		run:     one("", func(_ context.Context, _ *Console, do string) (any, error) { return true, CheckStory(do) }),
	}, {
		Name: "arrive", Effect: Looks, Does: "waits until the replay has reached `at`, or cannot",
		Answers: "whether the page can show that event",
		run:     nothing(func(ctx context.Context, c *Console) (any, error) { return c.Lab.Arrive(ctx), nil }),
	}}
}

func experimentCommands() []Command {
	return []Command{{
		Name: "fault", Effect: Acts, Story: true, Script: true,
		Args: []Arg{
			{Name: "name", Type: Text, Needed: true, OneOf: faultNames},
			{Name: "args", Type: Object, Members: []Arg{
				{Name: "on", Type: Switch}, {Name: "millis", Type: Whole, Min: 0, Max: longestHold},
				{Name: "count", Type: Whole, Min: 0, Max: faults.MaxAnswers},
			}},
			laneArg(),
		},
		Does:    "makes a fault happen, or switches a held one (see *Faults*). `slow` and `mutate` concern one informer, the others all",
		Answers: "`{name, on}`",
		Verbs: []Verb{{
			Name: "fault", Args: []Arg{linkText("name"), linkText("on or off"), linkWhole("millis"), linkWhole("count"), linkWhole("lane")},
			Means: "`on` or `off` for a held fault", play: (*Lab).playFault,
		}, {
			Name: "reboot", Means: "`restart`", play: func(l *Lab, _ step) { l.reboot() },
		}},
		run: twoAbout(func(i Informer, name string, args FaultArgs) (any, error) {
			on, err := i.Fault(name, args)
			return map[string]any{"name": name, "on": on}, err
		}),
	}, {
		Name: "hold", Effect: Acts, Story: true, Script: true, Args: []Arg{stageArg(), listenerArg(false), laneArg()},
		Does: "holds a stage; `deliver` needs the listener", Answers: "`true`",
		Verbs: []Verb{{Name: "hold", Args: []Arg{linkText("stage"), linkWhole("listener"), linkWhole("lane")}, play: func(l *Lab, s step) {
			_ = l.hold(s.arg(0), int32(s.int(1)), s.int(2))
		}}},
		run: twoAbout(func(i Informer, stage string, listener int32) (any, error) {
			return true, i.Hold(stage, listener)
		}),
	}, {
		Name: "release", Effect: Acts, Story: true, Script: true,
		Args: []Arg{stageArg(), {Name: "n", Type: Whole, Min: 0, Max: math.MaxInt32}, listenerArg(false), laneArg()},
		Does: "lets `n` through a held stage; 0 lets all through and ends the hold", Answers: "`true`",
		Verbs: []Verb{{Name: "release", Args: []Arg{linkText("stage"), linkWhole("n"), linkWhole("listener"), linkWhole("lane")}, play: func(l *Lab, s step) {
			_ = l.release(s.arg(0), s.int(1), int32(s.int(2)), s.int(3))
		}}},
		run: func(ctx context.Context, c *Console, given arguments) (any, error) {
			return three(func(c *Console, stage string, n int, listener int32) (any, error) {
				i, err := about(c, given, 3)
				if err != nil {
					return nil, err
				}
				return true, i.Release(stage, n, listener)
			})(ctx, c, given)
		},
	}, {
		Name: "addListener", Effect: Acts, Story: true, Script: true,
		Args: []Arg{{Name: "listener", Type: Object, Needed: true, Members: []Arg{
			{Name: "name", Type: Text, Longest: longestName}, {Name: "paceMillis", Type: Number, Min: 0, Max: longestHold},
			{Name: "resyncMillis", Type: Number, Min: 0, Max: longestResync},
		}}, laneArg()},
		Does: "registers another handler", Answers: "the number of its listener",
		Verbs: []Verb{{
			Name: "listen", Args: []Arg{linkText("name"), linkNumber("paceMillis"), linkNumber("resyncMillis"), linkWhole("lane")},
			play: experimentStep(func(x *experiment, s step) {
				_, _ = x.addListener(s.int(3), ListenerSpec{Name: s.arg(0), PaceMillis: s.float(1), ResyncMillis: s.float(2)})
			}),
		}},
		run: oneAbout(func(i Informer, spec ListenerSpec) (any, error) { return i.AddListener(spec) }),
	}, {
		Name: "removeListener", Effect: Acts, Story: true, Script: true, Args: []Arg{listenerArg(true), laneArg()},
		Does: "removes a handler", Answers: "`true`",
		Verbs: []Verb{{Name: "unlisten", Args: []Arg{linkWhole("listener"), linkWhole("lane")}, play: experimentStep(func(x *experiment, s step) {
			_ = x.removeListener(s.int(1), int32(s.int(0)))
		})}},
		run: oneAbout(func(i Informer, id int32) (any, error) { return true, i.RemoveListener(id) }),
	}, {
		Name: "pace", Effect: Acts, Story: true, Script: true,
		Args: []Arg{listenerArg(true), {Name: "millis", Type: Number, Min: 0, Max: longestHold}, laneArg()},
		Does: "sets the extra time that a handler takes per call", Answers: "`true`",
		Verbs: []Verb{{Name: "pace", Args: []Arg{linkWhole("listener"), linkNumber("millis"), linkWhole("lane")}, play: experimentStep(func(x *experiment, s step) {
			_ = x.pace(s.int(2), int32(s.int(0)), s.float(1))
		})}},
		run: twoAbout(func(i Informer, id int32, millis float64) (any, error) {
			return true, i.Pace(id, millis)
		}),
	}, {
		Name: "panic", Effect: Acts, Story: true, Script: true, Args: []Arg{listenerArg(true), laneArg()},
		Does: "makes the handler's next call panic", Answers: "`true`",
		Verbs: []Verb{{Name: "panic", Args: []Arg{linkWhole("listener"), linkWhole("lane")}, play: experimentStep(func(x *experiment, s step) {
			_ = x.panicNext(s.int(1), int32(s.int(0)))
		})}},
		run: oneAbout(func(i Informer, id int32) (any, error) { return true, i.Panic(id) }),
	}, {
		Name: "addIndex", Effect: Acts, Story: true, Script: true,
		Args: []Arg{{Name: "name", Type: Text, Needed: true, Longest: longestName},
			{Name: "expression", Type: Text, Needed: true, Longest: longestExpression}, laneArg()},
		Does: "adds an index, by `label:app`, `.spec.nodeName`, `.metadata.labels['a.b/c']` or `.spec.containers[*].image`", Answers: "the index's name",
		Verbs: []Verb{{Name: "index", Args: []Arg{linkText("name"), linkText("expression"), linkWhole("lane")}, play: func(l *Lab, s step) {
			_ = l.addIndex(s.arg(0), s.arg(1), s.int(2))
		}}},
		run: twoAbout(func(i Informer, name, expression string) (any, error) {
			return name, i.AddIndex(name, expression)
		}),
	}, {
		Name: "writes", Effect: Acts, Story: true, Script: true, Args: []Arg{{Name: "on", Type: Switch}},
		Does:    "switches whether controllers write to the simulated cluster; without `on` it toggles",
		Answers: "whether they write now; an error on other sources",
		Verbs: []Verb{{Name: "writes", Args: []Arg{linkText("on or off")}, play: func(l *Lab, s step) {
			l.write(s.arg(0) != "off")
		}}},
		run: one((*bool)(nil), func(_ context.Context, c *Console, on *bool) (any, error) { return c.Lab.Writes(on) }),
	}, {
		Name: "shutdown", Effect: Acts, Story: true, Script: true,
		Does:    "shuts down the factory of each release: its informers stop, and `Shutdown` waits until they have ended",
		Answers: "`true`",
		Verbs:   []Verb{{Name: "shutdown", play: experimentStep(func(x *experiment, _ step) { _ = x.shutdown() })}},
		run:     nothing(func(_ context.Context, c *Console) (any, error) { return true, c.Lab.Shutdown() }),
	}, {
		Name: "start", Effect: Acts, Story: true, Script: true,
		Does: "after `shutdown`, starts a new factory of the same resources, because one that was shut down starts nothing more. " +
			"While a factory runs it does nothing, as `Start` does",
		Answers: "`true`",
		Verbs:   []Verb{{Name: "start", play: experimentStep(func(x *experiment, _ step) { _ = x.start() })}},
		run:     nothing(func(_ context.Context, c *Console) (any, error) { return true, c.Lab.Start() }),
	}, {
		Name: "unshared", Effect: Acts, Story: true, Script: true, Args: []Arg{{Name: "on", Type: Switch}, laneArg()},
		Does:    "runs a second informer of the resource outside the factory, or ends it; without `on` it toggles",
		Answers: "whether one runs",
		Verbs: []Verb{{Name: "unshared", Args: []Arg{linkWhole("lane"), linkText("on or off")}, play: experimentStep(func(x *experiment, s step) {
			_ = x.unshared(s.int(0), s.arg(1) != "off")
		})}},
		run: oneAbout(func(i Informer, on *bool) (any, error) { return i.Unshared(on) }),
	}, {
		Name: "cluster", Effect: Acts, Story: true, Script: true,
		Args: []Arg{
			{Name: "verb", Type: Text, Needed: true, OneOf: clusterVerbs},
			{Name: "args", Type: Object, Members: []Arg{
				{Name: "namespace", Type: Text, Longest: longestName}, {Name: "name", Type: Text, Longest: longestName},
				{Name: "key", Type: Text, Longest: 2*longestName + 1},
				{Name: "replicas", Type: Whole, Min: 0, Max: selection.MaxObjects}, {Name: "n", Type: Whole, Min: 0, Max: selection.MaxRate},
				{Name: "perSecond", Type: Number, Min: 0, Max: selection.MaxRate},
			}},
		},
		Does: "changes the simulated cluster. Deployments: `create {namespace, name, replicas}`, `scale {…}`, `restart {namespace, name}`, " +
			"`deleteDeployment {…}`. `delete {key}`: a pod, without a key a random one. `burst {n}`: n updates of pods at once. " +
			"`compact`: the watch history. `failover {n}`: to an API server whose cache is n versions behind, until `failover {n: 0}`. " +
			"`crowd {n}`: n other clients watch the pods; all lists then share ten seats, and one that finds none gets 429. " +
			"`expire`: every watch of pods ends with 410, so that all list again. `rate {perSecond}`: events per second",
		Answers: "a sentence that says what was done",
		Verbs: []Verb{
			{Name: "create", Args: []Arg{linkText("namespace/name"), linkWhole("replicas")}, play: (*Lab).playDeployment},
			{Name: "scale", Args: []Arg{linkText("namespace/name"), linkWhole("replicas")}, play: (*Lab).playDeployment},
			{Name: "restart", Args: []Arg{linkText("namespace/name")}, play: (*Lab).playDeployment},
			{Name: "drop", Args: []Arg{linkText("namespace/name")}, Means: "`deleteDeployment`", play: (*Lab).playDeployment},
			{Name: "delete", Args: []Arg{linkText("namespace/name")}, Means: "without arguments a random pod", play: func(l *Lab, s step) {
				_, _ = l.change("delete", ClusterArgs{Key: s.arg(0)})
			}},
			{Name: "burst", Args: []Arg{linkWhole("n")}, play: func(l *Lab, s step) { _, _ = l.change("burst", ClusterArgs{N: s.int(0)}) }},
			{Name: "compact", play: func(l *Lab, _ step) { _, _ = l.change("compact", ClusterArgs{}) }},
			{Name: "failover", Args: []Arg{linkWhole("n")}, Means: "0: it has caught up",
				play: func(l *Lab, s step) { _, _ = l.change("failover", ClusterArgs{N: s.int(0)}) }},
			{Name: "crowd", Args: []Arg{linkWhole("n")},
				play: func(l *Lab, s step) { _, _ = l.change("crowd", ClusterArgs{N: s.int(0)}) }},
			{Name: "expire", play: func(l *Lab, _ step) { _, _ = l.change("expire", ClusterArgs{}) }},
			{Name: "rate", Args: []Arg{linkNumber("perSecond")}, play: func(l *Lab, s step) {
				_, _ = l.change("rate", ClusterArgs{PerSecond: s.float(0)})
			}},
		},
		run: two(func(_ context.Context, c *Console, verb string, args ClusterArgs) (any, error) {
			return c.Lab.Cluster(verb, args)
		}),
	}}
}

// experimentStep plays a step that does nothing if no experiment runs.
func experimentStep(play func(x *experiment, s step)) func(*Lab, step) {
	return func(l *Lab, s step) {
		if l.exp != nil {
			play(l.exp, s)
		}
	}
}

func (l *Lab) playFault(s step) {
	args := FaultArgs{Millis: s.int(2), Count: s.int(3)}
	if on := s.arg(1) == "on"; s.arg(1) != "" {
		args.On = &on
	}
	_, _ = l.fault(s.arg(0), args, s.int(4))
}

// playWatch begins an earlier experiment on the cluster again.
func (l *Lab) playWatch(s step) {
	sel, err := s.watched().Apply(l.selection)
	if err != nil { // readStory has checked it
		panic(err)
	}
	l.start(sel)
}

// playDeployment repeats a step on a deployment.
func (l *Lab) playDeployment(s step) {
	a := ClusterArgs{Replicas: s.int(1)}
	a.Namespace, a.Name, _ = strings.Cut(s.arg(0), "/")
	verb := s.verb
	if verb == "drop" {
		verb = "deleteDeployment"
	}
	_, _ = l.change(verb, a)
}

func viewCommands() []Command {
	return []Command{{
		Name: "play", Effect: Moves, Story: true, Script: true, Args: []Arg{{Name: "speed", Type: Number, Min: 0, Max: 8}},
		Does: "lets time go on, at a speed of 1/32 to 8; 0 keeps the last speed", Answers: "View",
		run: one(0.0, func(_ context.Context, c *Console, speed float64) (any, error) {
			c.Lab.Go()
			err := c.View.Play(speed)
			return c.View.Describe(), err
		}),
	}, {
		Name: "pause", Effect: Moves, Story: true, Script: true, Does: "stops the view at its moment", Answers: "View",
		run: nothing(func(_ context.Context, c *Console) (any, error) {
			c.View.Pause()
			return c.View.Describe(), nil
		}),
	}, {
		Name: "live", Effect: Moves, Story: true, Script: true, Does: "goes to the newest moment and stays there", Answers: "View",
		run: nothing(func(_ context.Context, c *Console) (any, error) {
			c.Lab.Go()
			c.View.Live()
			return c.View.Describe(), nil
		}),
	}, {
		Name: "step", Effect: Moves, Story: true, Script: true, Args: []Arg{{Name: "n", Type: Whole, Min: -most, Max: most}},
		Does: "moves by `n` events (1 by default, negative: back) and pauses", Answers: "View",
		run: one(1, func(_ context.Context, c *Console, n int) (any, error) {
			if n > 0 && c.View.Describe().Behind < uint64(n) {
				c.Lab.Go()
			}
			c.View.Step(n)
			return c.View.Describe(), nil
		}),
	}, {
		Name: "seek", Effect: Moves, Story: true, Script: true, Args: []Arg{{Name: "seq", Type: Whole, Min: -most, Max: most}},
		Does: "goes to an event, at the earliest the log's first, and pauses", Answers: "View",
		run: one(int64(0), func(_ context.Context, c *Console, seq int64) (any, error) {
			c.View.Seek(uint64(max(0, seq)))
			return c.View.Describe(), nil
		}),
	}, {
		Name: "seekTime", Effect: Moves, Story: true, Script: true, Args: []Arg{{Name: "millis", Type: Number, Min: -most, Max: most}},
		Does: "goes to a moment on the log's clock and pauses", Answers: "View",
		run: one(0.0, func(_ context.Context, c *Console, millis float64) (any, error) {
			millis = min(max(millis, 0), float64(math.MaxInt64/2/time.Millisecond))
			c.View.SeekTime(time.Duration(millis * float64(time.Millisecond)))
			return c.View.Describe(), nil
		}),
	}, {
		Name: "mark", Effect: Moves, Story: true, Script: true, Args: []Arg{{Name: "direction", Type: Whole, Min: -1, Max: 1}},
		Does: "goes to the next mark, with -1 to the one before", Answers: "View",
		run: one(1, func(_ context.Context, c *Console, direction int) (any, error) {
			err := c.View.Mark(direction)
			return c.View.Describe(), err
		}),
	}, {
		Name: "object", Effect: Looks, Script: true, Args: []Arg{{Name: "key", Type: Text, Needed: true}, laneArg()},
		Does:    "shows an object at the view's moment; `journey` is its way so far, `ahead` what the log knows after that moment (`core/trace.Journey`)",
		Answers: "`{key, rv, json, oldRv, oldJson, deleted, journey: [Hop], ahead: [Hop]}`",
		run:     ofObject(func(v *view.View, lane int, key string) (any, error) { return v.Object(lane, key) }),
	}, {
		Name: "ride", Effect: Looks, Script: true, Args: []Arg{{Name: "key", Type: Text, Needed: true}, laneArg()},
		Does: "shows the way of one change of an object, hop by hop, with client-go's function for each (`core/trace.RideOf`). It is the newest " +
			"change that had begun by the view's moment and whose handler call has returned",
		Answers: "Ride (`core/trace.Ride`)",
		run:     ofObject(func(v *view.View, lane int, key string) (any, error) { return v.Ride(lane, key) }),
	}, {
		Name: "index", Effect: Looks, Script: true, Args: []Arg{{Name: "name", Type: Text, Needed: true}, {Name: "value", Type: Text}, laneArg()},
		Does:    "shows an index at the view's moment, or the keys of one value; at most 500 entries",
		Answers: "`{index, values: [{value, count}], total}`, with a value `{index, value, keys: […], total}`",
		run: func(ctx context.Context, c *Console, given arguments) (any, error) {
			return two(func(_ context.Context, c *Console, name string, value *string) (any, error) {
				lane, err := shownLane(c, given, 2)
				if err != nil {
					return nil, err
				}
				return c.View.Index(lane, name, value)
			})(ctx, c, given)
		},
	}, {
		Name: "show", Effect: Shows, Script: true, Args: []Arg{laneArg()},
		Does: "with several informers, chooses the lane (0 by default) that the top level of State and the frames describe, and to which " +
			"commands without a `lane` apply",
		Answers: "the lane",
		run:     one(0, func(_ context.Context, c *Console, lane int) (any, error) { return lane, c.View.Show(lane) }),
	}, {
		Name: "follow", Effect: Shows, Args: []Arg{{Name: "key", Type: Text}},
		Does: "keeps this object's tokens from being merged with others; `\"\"` follows none", Answers: "the key",
		run: one("", func(_ context.Context, c *Console, key string) (any, error) {
			c.View.Follow(key)
			return key, nil
		}),
	}, {
		Name: "groupBy", Effect: Shows, Story: true, Script: true, Args: []Arg{{Name: "index", Type: Text, Needed: true}},
		Does: "groups the cells by an index", Answers: "the index's name",
		run: one("", func(_ context.Context, c *Console, index string) (any, error) {
			c.View.GroupBy(index)
			return index, nil
		}),
	}}
}

func sourceCommands() []Command {
	return []Command{{
		Name: "sources", Effect: Looks, Script: true, Patience: clusterPatience,
		Answers: "`{sim: true, live: {contexts: [{name, cluster, server, user, namespace, error}], current, selected, error, cause}}`",
		run:     nothing(func(ctx context.Context, c *Console) (any, error) { return c.Lab.Sources(ctx), nil }),
	}, {
		Name: "token", Effect: Begins, Patience: clusterPatience, Args: []Arg{{Name: "token", Type: Text, Needed: true}},
		Does:    "uses the token of a newer start of the server, and starts a refused live watch over",
		Answers: "as `sources`",
		run:     one("", func(ctx context.Context, c *Console, token string) (any, error) { return c.token(ctx, token) }),
	}, {
		Name: "resources", Effect: Looks, Script: true, Patience: clusterPatience,
		Does: "lists the resources that discovery finds in the running source. `unwatchable` says why the page cannot watch a resource. " +
			"If a group version does not answer, its entry has no resource",
		Answers: "`[{group, version, resource, kind, namespaced, unwatchable}]`",
		run: nothing(func(ctx context.Context, c *Console) (any, error) {
			found, err := c.Lab.Resources(ctx)
			if len(found) > 0 { // one group that is down must not hide the others
				err = nil
			}
			return found, err
		}),
	}, {
		Name: "namespaces", Effect: Looks, Script: true, Patience: clusterPatience,
		Answers: "`{items: [\"default\", …], error, reason}`; `reason` is `forbidden`, `not-served` (by the server's `--resources`), " +
			"`unreachable` or empty",
		run: nothing(func(ctx context.Context, c *Console) (any, error) { return c.Lab.Namespaces(ctx) }),
	}}
}

func fileCommands() []Command {
	return []Command{{
		Name: "record", Effect: Looks, Script: true,
		Answers: "the log so far as a recording: `{name, parts}`, the parts being buffers, in order; for a script `{name, text}`",
		run:     nothing(func(_ context.Context, c *Console) (any, error) { return File{c.Lab.Record}, nil }),
	}, {
		Name: "export", Effect: Looks, Answers: "the log in the Chrome trace-event format, which Perfetto opens: `{name, parts}`",
		run: nothing(func(_ context.Context, c *Console) (any, error) { return File{c.Lab.Export}, nil }),
	}, {
		Name: "load", Effect: Begins, Script: true, Args: []Arg{{Name: "file", Type: Content, Needed: true}},
		Does: "ends the experiment and shows a recording instead. Other calls go on while it is read; a later `select` or `load` replaces it, and it " +
			"returns an error. docs/trace.md has the limits of a file",
		Answers: "`{events, warning}`",
		run: func(_ context.Context, c *Console, given arguments) (any, error) {
			content, err := given.content(0)
			if err != nil {
				return nil, err
			}
			c.simulated(false)
			n, warning, err := c.Lab.Load(bytes.NewReader(content))
			if err != nil {
				c.simulated(c.Lab.Selection().Source == "sim")
				return nil, err
			}
			c.View.Reset()
			return map[string]any{"events": n, "warning": warning}, nil
		},
	}}
}

func talkCommands() []Command {
	return []Command{{
		Name: "broadcast", Effect: Talks, Script: true, Does: "asks the server how the broadcast goes", Answers: "as `onAir`",
		run: nothing(func(ctx context.Context, c *Console) (any, error) {
			s, err := c.speaker()
			if err != nil {
				return nil, err
			}
			return s.Look(ctx)
		}),
	}, {
		Name: "broadcastBegin", Effect: Talks, Script: true,
		Args: []Arg{{Name: "how", Type: Object, Members: []Arg{{Name: "take", Type: Switch}}}},
		Does: "starts a broadcast; `take` takes over from another page", Answers: "as `onAir`",
		run: one(talk{}, func(ctx context.Context, c *Console, how talk) (any, error) {
			s, err := c.speaker()
			if err != nil {
				return nil, err
			}
			c.Link.Retry()
			err = s.Begin(ctx, how.Take)
			return s.OnAir(), err
		}),
	}, {
		Name: "broadcastEnd", Effect: Talks, Script: true, Does: "ends the broadcast", Answers: "as `onAir`",
		run: nothing(func(ctx context.Context, c *Console) (any, error) {
			s, err := c.speaker()
			if err != nil {
				return nil, err
			}
			err = s.End(ctx)
			return s.OnAir(), err
		}),
	}, {
		Name: "page", Effect: Talks, Args: []Arg{{Name: "page", Type: Any, Needed: true}},
		Does: "sets what the broadcast says of the speaker's page beside its position, at most 7 KiB", Answers: "`true`",
		run: one(json.RawMessage(nil), func(_ context.Context, c *Console, page json.RawMessage) (any, error) {
			s, err := c.speaker()
			if err != nil {
				return nil, err
			}
			return true, s.Page(page)
		}),
	}, {
		Name: "apart", Effect: Talks, Does: "lets a follower leave the speaker and look around", Answers: "as `hearing`",
		run: nothing(func(_ context.Context, c *Console) (any, error) { return c.follower((*Following).Apart) }),
	}, {
		Name: "along", Effect: Talks, Script: true, Does: "takes a follower back to the speaker", Answers: "as `hearing`",
		run: nothing(func(_ context.Context, c *Console) (any, error) { return c.follower((*Following).Along) }),
	}}
}

// talk has the options of a new broadcast.
type talk struct {
	Take bool `json:"take"`
}
