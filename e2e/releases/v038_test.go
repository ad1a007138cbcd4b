//go:build v038

package releases

import (
	"fmt"

	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"

	"informerscope/core/informer/conformance/play"
)

const release = play.E138

var gates = []features.Feature{features.AtomicFIFO, features.InOrderInformers, features.InOrderInformersBatchProcess, features.InformerResourceVersion,
	features.UnlockWhileProcessingFIFO, features.WatchListClient, features.WatchListClientConcurrentDecoding}

const syncedWithoutLock = true

func isDone(x any) bool {
	return cache.IsDone(x.(interface{ HasSyncedChecker() cache.DoneChecker }).HasSyncedChecker())
}

func storeVersion(s cache.Store) string { return s.LastStoreSyncResourceVersion() }

func bookmark(q cache.Queue) func(string) error {
	if b, ok := q.(cache.ReflectorBookmarkStore); ok {
		return b.Bookmark
	}
	return func(string) error { return nil }
}

func neutralDelta(o any) any {
	switch d := o.(type) {
	case cache.ReplacedAllInfo:
		return play.ReplacedAll{ResourceVersion: d.ResourceVersion, Objects: d.Objects}
	case cache.SyncAllInfo:
		return play.SyncAll{}
	case cache.BookmarkInfo:
		return play.Bookmark{ResourceVersion: d.ResourceVersion}
	}
	return o
}

func setHalf(s cache.SharedIndexInformer) {
	if err := s.SetShardSelector(sharding.NewSelector(sharding.ShardRangeRequirement(play.HalfShard))); err != nil {
		panic(err)
	}
}

func shutDown(i cache.SharedIndexInformer, r play.Registration) error {
	reg, _ := r.(cache.ResourceEventHandlerRegistration)
	return cache.ShutDownEventHandler(i, reg)
}

func queue(o play.QueueOptions) cache.Queue {
	if o.Sync {
		return cache.NewDeltaFIFO(cache.MetaNamespaceKeyFunc, nil)
	}
	if o.Each {
		return cache.NewRealFIFO(cache.MetaNamespaceKeyFunc, o.Behind, transformOf(o.Transform))
	}
	return cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true, EmitDeltaTypeBookmark: true,
		Transformer: transformOf(o.Transform)})
}

func batches(cfg *cache.Config, process func([]cache.Delta, bool) error) { cfg.ProcessBatch = process }

func pop(q cache.Queue, say func(string, []cache.Delta, bool) error) error {
	return q.(cache.QueueWithBatch).PopBatch(func(deltas []cache.Delta, initial bool) error { return say("batch", deltas, initial) },
		func(o any, initial bool) error { return say("single", o.(cache.Deltas), initial) })
}

func transaction(c play.Cache, kinds []string, objects []any) string {
	var txns []cache.Transaction
	for i, kind := range kinds {
		txns = append(txns, cache.Transaction{Type: cache.TransactionType(kind), Object: objects[i]})
	}
	err := c.(cache.TransactionStore).Transaction(txns...)
	if err == nil {
		return "done"
	}
	return fmt.Sprintf("done %v of %d, %d errors", err.SuccessfulIndices, err.TotalTransactions, len(err.Errors))
}

func (foreign) HasSyncedChecker() cache.DoneChecker { return nil }
