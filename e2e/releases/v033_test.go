//go:build v033

package releases

import (
	"k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"

	"informerscope/core/informer/conformance/play"
)

const release = play.E133

var gates = []features.Feature{features.InOrderInformers, features.InformerResourceVersion, features.WatchListClient}

func queue(o play.QueueOptions) cache.Queue {
	return cache.NewRealFIFO(cache.MetaNamespaceKeyFunc, o.Behind, transformOf(o.Transform))
}

func batches(*cache.Config, func([]cache.Delta, bool) error) {}

func pop(q cache.Queue, say func(string, []cache.Delta, bool) error) error {
	_, err := q.Pop(func(o any, initial bool) error { return say("single", o.(cache.Deltas), initial) })
	return err
}

// transaction is nil: a Store has none yet.
var transaction func(play.Cache, []string, []any) string
