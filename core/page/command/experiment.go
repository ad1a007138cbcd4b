package command

import (
	"context"
	"math"
	"strings"

	"informerscope/core/cluster/levers"
	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/wire/faults"
	"informerscope/core/words/arg"
)

// faultCommands make faults happen, and hold stages.
func faultCommands() []Command {
	return []Command{{
		Name: "fault", Effect: Acts, Story: true, Script: true,
		Args: []arg.Spec{
			{Name: "name", Type: arg.Text, Needed: true, OneOf: lab.FaultNames()},
			{Name: "args", Type: arg.Object, Members: []arg.Spec{
				{Name: "on", Type: arg.Switch}, {Name: "millis", Type: arg.Whole, Min: 0, Max: lab.LongestHold},
				{Name: "count", Type: arg.Whole, Min: 0, Max: faults.MaxAnswers},
			}},
			laneArg(),
		},
		Does:    "makes a fault happen, or switches a held one (see *Faults*)",
		Answers: "`{name, on}`",
		run: actTwo(func(i lab.Informer, name string, args lab.FaultArgs) (any, error) {
			on, err := i.Fault(name, args)
			return map[string]any{"name": name, "on": on}, err
		}),
	}, {
		Name: "hold", Effect: Acts, Story: true, Script: true, Args: []arg.Spec{stageArg(), listenerArg(false), laneArg()},
		Does: "holds a stage; `deliver` needs the listener", Answers: "`true`",
		run: actTwo(func(i lab.Informer, stage string, listener int32) (any, error) {
			return true, i.Hold(stage, listener)
		}),
	}, {
		Name: "release", Effect: Acts, Story: true, Script: true,
		Args: []arg.Spec{stageArg(), {Name: "n", Type: arg.Whole, Min: 0, Max: math.MaxInt32}, listenerArg(false), laneArg()},
		Does: "lets `n` through a held stage; 0 lets all through and ends the hold", Answers: "`true`",
		run: func(ctx context.Context, c *Console, given arg.Values) (any, error) {
			return takeThree(func(c *Console, stage string, n int, listener int32) (any, error) {
				i, err := informerAt(c, given, 3)
				if err != nil {
					return nil, err
				}
				return true, i.Release(stage, n, listener)
			})(ctx, c, given)
		},
	}}
}

// listenerCommands change the handlers and indices of an informer.
func listenerCommands() []Command {
	return []Command{{
		Name: "addListener", Effect: Acts, Story: true, Script: true,
		Args: []arg.Spec{{Name: "listener", Type: arg.Object, Needed: true, Members: []arg.Spec{
			{Name: "name", Type: arg.Text, Longest: longestName}, {Name: "paceMillis", Type: arg.Number, Min: 0, Max: lab.LongestHold},
			{Name: "resyncMillis", Type: arg.Number, Min: 0, Max: longestResync},
		}}, laneArg()},
		Does: "registers another handler", Answers: "the number of its listener",
		run: actOne(func(i lab.Informer, spec lab.ListenerSpec) (any, error) { return i.AddListener(spec) }),
	}, {
		Name: "removeListener", Effect: Acts, Story: true, Script: true, Args: []arg.Spec{listenerArg(true), laneArg()},
		Does: "removes a handler", Answers: "`true`",
		run: actOne(func(i lab.Informer, id int32) (any, error) { return true, i.RemoveListener(id) }),
	}, {
		Name: "pace", Effect: Acts, Story: true, Script: true,
		Args: []arg.Spec{listenerArg(true), {Name: "millis", Type: arg.Number, Min: 0, Max: lab.LongestHold}, laneArg()},
		Does: "sets the extra time that a handler takes per call", Answers: "`true`",
		run: actTwo(func(i lab.Informer, id int32, millis float64) (any, error) {
			return true, i.Pace(id, millis)
		}),
	}, {
		Name: "panic", Effect: Acts, Story: true, Script: true, Args: []arg.Spec{listenerArg(true), laneArg()},
		Does: "makes the handler's next call panic", Answers: "`true`",
		run: actOne(func(i lab.Informer, id int32) (any, error) { return true, i.Panic(id) }),
	}, {
		Name: "addIndex", Effect: Acts, Story: true, Script: true,
		Args: []arg.Spec{{Name: "name", Type: arg.Text, Needed: true, Longest: longestName},
			{Name: "expression", Type: arg.Text, Needed: true, Longest: longestExpression}, laneArg()},
		Does: "adds an index, by `label:app`, `.spec.nodeName`, `.metadata.labels['a.b/c']` or `.spec.containers[*].image`", Answers: "the index's name",
		run: actTwo(func(i lab.Informer, name, expression string) (any, error) {
			return name, i.AddIndex(name, expression)
		}),
	}}
}

// programCommands change the rest of the program around the informers: the controllers, the factories, and an informer of its own.
func programCommands() []Command {
	return []Command{{
		Name: "writes", Effect: Acts, Story: true, Script: true,
		Args: []arg.Spec{{Name: "on", Type: arg.Switch}, {Name: "children", Type: arg.Text, OneOf: lab.ChildNames()}},
		Does: "switches whether controllers write to the simulated cluster; without `on` it toggles. With `children` other than `none`, the controller " +
			"of pods creates a pod for each that has none in the store: with a name that the API server generates, or with a fixed one",
		Answers: "whether they write now; an error on other sources",
		run: takeTwo(func(_ context.Context, c *Console, on *bool, children string) (any, error) {
			return c.Lab.Writes(on, children)
		}),
	}, {
		Name: "shutdown", Effect: Acts, Story: true, Script: true,
		Does:    "shuts down the factory of each release: its informers stop, and `Shutdown` waits until they have ended",
		Answers: "`true`",
		run:     takeNone(func(_ context.Context, c *Console) (any, error) { return true, c.Lab.Shutdown() }),
	}, {
		Name: "start", Effect: Acts, Story: true, Script: true,
		Args: []arg.Spec{{Name: "late", Type: arg.Text, Longest: longestName}, {Name: "era", Type: arg.Text, Longest: longestName},
			{Name: "selector", Type: arg.Text, Longest: selection.LongestSelector}},
		Does: "after `shutdown`, starts a new factory of the same resources, because one that was shut down starts nothing more. " +
			"The informer of the resource `late`, such as `nodes`, is requested only after that start, so it does not run; " +
			"`selector`, such as `app=cart`, is the label selector of its requests. " +
			"With `era` the program starts again with another release of client-go. While a factory runs it starts the informers that do not run yet, as `Start` does",
		Answers: "`true`",
		run: takeThree(func(c *Console, late, release, selector string) (any, error) {
			return true, c.Lab.Start(late, release, selector)
		}),
	}, {
		Name: "shard", Effect: Acts, Story: true, Script: true, Args: []arg.Spec{{Name: "shard", Type: arg.Text, Longest: longestShard}},
		Does: "chooses a shard: the informers that `start` and `unshared` begin from now on ask only for the pods, or other objects, whose UID's hash is in it " +
			"(`shardSelector`). `1/2` is the first of two; without it they ask for all. An informer that runs keeps its shard. Simulated cluster only",
		Answers: "`true`",
		run:     takeOne("", func(_ context.Context, c *Console, shard string) (any, error) { return true, c.Lab.SetShard(shard) }),
	}, {
		Name: "unshared", Effect: Acts, Story: true, Script: true, Args: []arg.Spec{{Name: "on", Type: arg.Switch}, laneArg()},
		Does:    "runs a second informer of the resource outside the factory, or ends it; without `on` it toggles",
		Answers: "whether one runs",
		run:     actOne(func(i lab.Informer, on *bool) (any, error) { return i.SetUnshared(on) }),
	}}
}

// clusterCommands change the simulated cluster.
func clusterCommands() []Command {
	return []Command{{
		Name: "cluster", Effect: Acts, Story: true, Script: true,
		Args: []arg.Spec{
			{Name: "verb", Type: arg.Text, Needed: true, OneOf: levers.Names()},
			{Name: "args", Type: arg.Object, Members: levers.Members()},
		},
		Does:    "changes the simulated cluster. " + describeLevers(),
		Answers: "a sentence that says what was done",
		run: takeTwo(func(_ context.Context, c *Console, verb string, args lab.ClusterArgs) (any, error) {
			return c.Lab.Cluster(verb, args)
		}),
	}}
}

// describeLevers returns what the levers do, for docs/reference.md.
func describeLevers() string {
	var all []string
	for _, v := range levers.All() {
		if v.IsFault {
			continue
		}
		call := v.Name
		if members := v.Members(); len(members) > 0 {
			names := make([]string, len(members))
			for i, m := range members {
				names[i] = m.Name
			}
			call += " {" + strings.Join(names, ", ") + "}"
		}
		all = append(all, "`"+call+"`: "+v.Does)
	}
	return strings.Join(all, ". ")
}
