//go:build v035

package releases

import (
	"fmt"

	"k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"

	"informerscope/core/informer/conformance/play"
)

const release = play.E135

var gates = []features.Feature{features.InOrderInformers, features.InOrderInformersBatchProcess, features.InformerResourceVersion, features.WatchListClient}

func queue(o play.QueueOptions) cache.Queue {
	return cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: o.Behind, Transformer: transformOf(o.Transform)})
}

func batches(cfg *cache.Config, process func([]cache.Delta, bool) error) { cfg.ProcessBatch = process }

func pop(q cache.Queue, say func(string, []cache.Delta, bool) error) error {
	return q.(cache.QueueWithBatch).PopBatch(func(deltas []cache.Delta, initial bool) error { return say("batch", deltas, initial) })
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
