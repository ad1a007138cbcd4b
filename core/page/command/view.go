package command

import (
	"context"
	"math"
	"time"

	"informerscope/core/lab/ownwrites"
	"informerscope/core/page/view"
	"informerscope/core/words/arg"
)

// timeCommands move the view.
func timeCommands() []Command {
	return []Command{{
		Name: "play", Effect: Moves, Story: true, Script: true, Args: []arg.Spec{{Name: "speed", Type: arg.Number, Min: 0, Max: 8}},
		Does: "lets time go on, at a speed of 1/32 to 8; 0 keeps the last speed", Answers: "View",
		run: takeOne(0.0, func(_ context.Context, c *Console, speed float64) (any, error) {
			c.Lab.Driver().Go()
			err := c.View.Play(speed)
			return c.View.Describe(), err
		}),
	}, {
		Name: "pause", Effect: Moves, Story: true, Script: true, Does: "stops the view at its moment", Answers: "View",
		run: takeNone(func(_ context.Context, c *Console) (any, error) {
			c.View.Pause()
			return c.View.Describe(), nil
		}),
	}, {
		Name: "live", Effect: Moves, Story: true, Script: true, Does: "goes to the newest moment and stays there", Answers: "View",
		run: takeNone(func(_ context.Context, c *Console) (any, error) {
			c.Lab.Driver().Go()
			c.View.Live()
			return c.View.Describe(), nil
		}),
	}, {
		Name: "step", Effect: Moves, Story: true, Script: true, Args: []arg.Spec{{Name: "n", Type: arg.Whole, Min: -most, Max: most}},
		Does: "moves by `n` events (1 by default, negative: back) and pauses", Answers: "View",
		run: takeOne(1, func(_ context.Context, c *Console, n int) (any, error) {
			if n > 0 && c.View.Describe().Behind < uint64(n) {
				c.Lab.Driver().Go()
			}
			c.View.Step(n)
			return c.View.Describe(), nil
		}),
	}, {
		Name: "seek", Effect: Moves, Story: true, Script: true, Args: []arg.Spec{{Name: "seq", Type: arg.Whole, Min: -most, Max: most}},
		Does: "goes to an event, at the earliest the log's first, and pauses", Answers: "View",
		run: takeOne(int64(0), func(_ context.Context, c *Console, seq int64) (any, error) {
			c.View.Seek(uint64(max(0, seq)))
			return c.View.Describe(), nil
		}),
	}, {
		Name: "seekTime", Effect: Moves, Story: true, Script: true, Args: []arg.Spec{{Name: "millis", Type: arg.Number, Min: -most, Max: most}},
		Does: "goes to a moment on the log's clock and pauses", Answers: "View",
		run: takeOne(0.0, func(_ context.Context, c *Console, millis float64) (any, error) {
			millis = min(max(millis, 0), float64(math.MaxInt64/2/time.Millisecond))
			c.View.SeekTime(time.Duration(millis * float64(time.Millisecond)))
			return c.View.Describe(), nil
		}),
	}, {
		Name: "mark", Effect: Moves, Story: true, Script: true, Args: []arg.Spec{{Name: "direction", Type: arg.Whole, Min: -1, Max: 1}},
		Does: "goes to the next mark, with -1 to the one before", Answers: "View",
		run: takeOne(1, func(_ context.Context, c *Console, direction int) (any, error) {
			err := c.View.Mark(direction)
			return c.View.Describe(), err
		}),
	}}
}

// laboratorySeed is the laboratory's seed if none is given.
const laboratorySeed = 7

// objectCommands show objects, and choose what the view shows of the log.
func objectCommands() []Command {
	return []Command{{
		Name: "object", Effect: Looks, Script: true, Args: []arg.Spec{{Name: "key", Type: arg.Text, Needed: true}, laneArg()},
		Does:    "shows an object at the view's moment; `journey` is its way so far, `ahead` what the log knows after that moment (`core/ask/analysis.Journey`)",
		Answers: "`{key, rv, json, oldRv, oldJson, diff: [DiffLine], deleted, journey: [Hop], ahead: [Hop]}`",
		run:     takeObject(func(v *view.View, lane int, key string) (any, error) { return v.Object(lane, key) }),
	}, {
		Name: "ride", Effect: Looks, Script: true, Args: []arg.Spec{{Name: "key", Type: arg.Text, Needed: true}, laneArg()},
		Does: "shows the way of one change of an object, hop by hop, with client-go's function for each (`core/ask/analysis.RideOf`). It is the newest " +
			"change that had begun by the view's moment and whose handler call has returned",
		Answers: "Ride (`core/ask/analysis.Ride`)",
		run:     takeObject(func(v *view.View, lane int, key string) (any, error) { return v.Ride(lane, key) }),
	}, {
		Name: "diagnose", Effect: Looks, Script: true,
		Does:    "finds what is wrong in the log so far, worst first, at most 100 findings ([doctor.md](doctor.md))",
		Answers: "`[Finding]` (`core/ask/doctor.Finding`)",
		run:     takeNone(func(_ context.Context, c *Console) (any, error) { return c.Lab.Diagnose() }),
	}, {
		Name: "compare", Effect: Looks, Script: true, Args: []arg.Spec{{Name: "most", Type: arg.Whole, Max: most}},
		Does: "lists the resource of each informer again, plainly, and says where store and cluster part. Only for a cluster behind the server; never Secrets, " +
			"nor for an informer with more than `most` objects",
		Answers: "`{opinions: [Opinion], findings: [Finding]}` (`core/ask/doctor`)",
		run:     takeOne(math.MaxInt, func(ctx context.Context, c *Console, most int) (any, error) { return c.Lab.Compare(ctx, most) }),
	}, {
		Name: "laboratory", Effect: Looks, Script: true, Args: []arg.Spec{
			{Name: "lag", Type: arg.Whole, Needed: true, Min: 0, Max: float64(ownwrites.MaxLag.Milliseconds())}, {Name: "seed", Type: arg.Whole, Min: 0, Max: most}},
		Does: "lets the same controller work unguarded, with a consistency store and with waiting reads, on simulated clusters of their own whose watch events " +
			"are late by `lag` milliseconds ([laboratory.md](dev/laboratory.md)); the seed is 7 by default",
		Answers: "Result (`core/lab/ownwrites.Result`)",
		run: takeTwo(func(ctx context.Context, c *Console, lag int, seed *uint64) (any, error) {
			o := ownwrites.Options{Seed: laboratorySeed, Lag: time.Duration(lag) * time.Millisecond, Idle: c.Idle}
			if seed != nil {
				o.Seed = *seed
			}
			return ownwrites.Run(ctx, o)
		}),
	}, {
		Name: "index", Effect: Looks, Script: true, Args: []arg.Spec{{Name: "name", Type: arg.Text, Needed: true}, {Name: "value", Type: arg.Text}, laneArg()},
		Does:    "shows an index at the view's moment, or the keys of one value; at most 500 entries",
		Answers: "`{index, values: [{value, count}], total}`, with a value `{index, value, keys: […], total}`",
		run: func(ctx context.Context, c *Console, given arg.Values) (any, error) {
			return takeTwo(func(_ context.Context, c *Console, name string, value *string) (any, error) {
				lane, err := laneAt(c, given, 2)
				if err != nil {
					return nil, err
				}
				return c.View.Index(lane, name, value)
			})(ctx, c, given)
		},
	}, {
		Name: "show", Effect: Shows, Script: true, Args: []arg.Spec{laneArg()},
		Does: "with several informers, chooses the lane (0 by default) that the top level of State and the frames describe, and to which " +
			"commands without a `lane` apply",
		Answers: "the lane",
		run:     takeOne(0, func(_ context.Context, c *Console, lane int) (any, error) { return lane, c.View.Show(lane) }),
	}, {
		Name: "follow", Effect: Shows, Args: []arg.Spec{{Name: "key", Type: arg.Text}, {Name: "rv", Type: arg.Text}},
		Does:    "selects an object: the past has the journey of its change `rv`, or of its newest without one; `\"\"` selects none",
		Answers: "the key",
		run: takeTwo(func(_ context.Context, c *Console, key, rv string) (any, error) {
			c.View.Follow(key, rv)
			return key, nil
		}),
	}, {
		Name: "window", Effect: Shows, Args: []arg.Spec{{Name: "millis", Type: arg.Number, Needed: true, Min: 0, Max: float64(view.MaxWindow.Milliseconds())},
			{Name: "columns", Type: arg.Whole, Needed: true, Min: 0, Max: view.MaxColumns}},
		Does:    "asks for the past of the last `millis` milliseconds, in so many columns: each frame then has what is new of it (`past`); no columns end that",
		Answers: "`true`",
		run: takeTwo(func(_ context.Context, c *Console, millis float64, columns int) (any, error) {
			return true, c.View.Window(millis, columns)
		}),
	}, {
		Name: "entries", Effect: Looks, Args: []arg.Spec{{Name: "row", Type: arg.Text, Needed: true},
			{Name: "column", Type: arg.Whole, Needed: true, Min: 0, Max: most}},
		Does: "lists what passed or waited in a row of the past during a column of the window, at most 100", Answers: "`[Entry]` (`core/log/tracks.Entry`)",
		run: takeTwo(func(_ context.Context, c *Console, row string, column int64) (any, error) {
			return c.View.Entries(row, column)
		}),
	}}
}
