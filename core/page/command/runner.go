package command

import (
	"context"
	"math"
	"time"

	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/page/view"
	"informerscope/core/words/arg"
)

const (
	// clusterPatience bounds commands that wait for a cluster.
	clusterPatience = 30 * time.Second
	// longestName bounds names that a user gives, and longestExpression the expression of an index, in bytes.
	longestName       = 253
	longestExpression = 1000
	// longestShard bounds the name of a shard.
	longestShard = len("16/16")
	// longestResync is the longest resync period in milliseconds: a day.
	longestResync = 86_400_000
	// most bounds the whole numbers that a page represents exactly.
	most = 1 << 53
)

// runner carries out a command with checked arguments.
type runner func(ctx context.Context, c *Console, given arg.Values) (any, error)

// takeNone is a runner without arguments.
func takeNone(do func(ctx context.Context, c *Console) (any, error)) runner {
	return func(ctx context.Context, c *Console, _ arg.Values) (any, error) { return do(ctx, c) }
}

// takeOne is a runner with one argument, which is otherwise if omitted.
func takeOne[A any](otherwise A, do func(ctx context.Context, c *Console, a A) (any, error)) runner {
	return func(ctx context.Context, c *Console, given arg.Values) (any, error) {
		a, err := arg.Get(given, 0, otherwise)
		if err != nil {
			return nil, err
		}
		return do(ctx, c, a)
	}
}

// takeTwo is a runner with two arguments.
func takeTwo[A, B any](do func(ctx context.Context, c *Console, a A, b B) (any, error)) runner {
	return func(ctx context.Context, c *Console, given arg.Values) (any, error) {
		var zeroA A
		var zeroB B
		a, err := arg.Get(given, 0, zeroA)
		if err != nil {
			return nil, err
		}
		b, err := arg.Get(given, 1, zeroB)
		if err != nil {
			return nil, err
		}
		return do(ctx, c, a, b)
	}
}

// takeThree is a runner with three arguments.
func takeThree[A, B, C any](do func(c *Console, a A, b B, third C) (any, error)) runner {
	return func(ctx context.Context, c *Console, given arg.Values) (any, error) {
		var zero C
		third, err := arg.Get(given, 2, zero)
		if err != nil {
			return nil, err
		}
		return takeTwo(func(_ context.Context, c *Console, a A, b B) (any, error) { return do(c, a, b, third) })(ctx, c, given)
	}
}

// listenerArg is the id of a listener.
func listenerArg(needed bool) arg.Spec {
	return arg.Spec{Name: "listener", Type: arg.Whole, Needed: needed, Min: 0, Max: math.MaxInt32}
}

func transformArg(needed bool) arg.Spec {
	return arg.Spec{Name: "transform", Type: arg.Text, Needed: needed, OneOf: selection.Transforms()}
}

func stageArg() arg.Spec {
	return arg.Spec{Name: "stage", Type: arg.Text, Needed: true, OneOf: lab.Stages()}
}

func laneArg() arg.Spec {
	return arg.Spec{Name: "lane", Type: arg.Whole, Min: 0, Max: lab.MaxLanes - 1}
}

// informerAt returns the informer whose lane is argument at, or the informer on stage if that is omitted.
func informerAt(c *Console, given arg.Values, at int) (lab.Informer, error) {
	lane, err := laneAt(c, given, at)
	return c.Lab.Informer(lane), err
}

// laneAt returns the lane that is argument at, or the lane on stage if that is omitted.
func laneAt(c *Console, given arg.Values, at int) (int, error) {
	lane, err := arg.Get[*int](given, at, nil)
	if err != nil {
		return 0, err
	}
	if lane == nil {
		return c.View.StageLane(), nil
	}
	return *lane, nil
}

// takeObject is a runner with an object's key and an optional lane.
func takeObject(look func(v *view.View, lane int, key string) (any, error)) runner {
	return func(_ context.Context, c *Console, given arg.Values) (any, error) {
		key, err := arg.Get(given, 0, "")
		if err != nil {
			return nil, err
		}
		lane, err := laneAt(c, given, 1)
		if err != nil {
			return nil, err
		}
		return look(c.View, lane, key)
	}
}

// actOne is a runner with one argument and the optional lane of the informer it applies to.
func actOne[A any](do func(i lab.Informer, a A) (any, error)) runner {
	return func(_ context.Context, c *Console, given arg.Values) (any, error) {
		var a A
		a, err := arg.Get(given, 0, a)
		if err != nil {
			return nil, err
		}
		i, err := informerAt(c, given, 1)
		if err != nil {
			return nil, err
		}
		return do(i, a)
	}
}

// actTwo is a runner with two arguments and the optional lane.
func actTwo[A, B any](do func(i lab.Informer, a A, b B) (any, error)) runner {
	return func(ctx context.Context, c *Console, given arg.Values) (any, error) {
		return takeTwo(func(_ context.Context, c *Console, a A, b B) (any, error) {
			i, err := informerAt(c, given, 2)
			if err != nil {
				return nil, err
			}
			return do(i, a, b)
		})(ctx, c, given)
	}
}
