//go:build v031

package releases

import (
	"context"

	"k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"

	"informerscope/core/informer/conformance/play"
)

const release = play.E131

var gates = []features.Feature{features.InformerResourceVersion, features.WatchListClient}

// This release knows no contexts.

func source(o play.Options) cache.ListerWatcher {
	if o.Bare {
		return &cache.ListWatch{ListFunc: o.Source.List, WatchFunc: o.Source.Watch}
	}
	return o.Source
}

func runShared(ctx context.Context, s cache.SharedIndexInformer) { s.Run(ctx.Done()) }
func runController(ctx context.Context, c cache.Controller)      { c.Run(ctx.Done()) }
func runReflector(ctx context.Context, r *cache.Reflector)       { r.Run(ctx.Done()) }

func queue(o play.QueueOptions) cache.Queue {
	if o.Sync {
		return cache.NewDeltaFIFO(cache.MetaNamespaceKeyFunc, nil)
	}
	return cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: o.Behind, EmitDeltaTypeReplaced: true, Transformer: transformOf(o.Transform)})
}

func batches(*cache.Config, func([]cache.Delta, bool) error) {}

func pop(q cache.Queue, say func(string, []cache.Delta, bool) error) error {
	_, err := q.Pop(func(o any, initial bool) error { return say("single", o.(cache.Deltas), initial) })
	return err
}

// transaction is nil: a Store has none yet.
var transaction func(play.Cache, []string, []any) string
