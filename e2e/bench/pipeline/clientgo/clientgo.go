// Package clientgo puts client-go's informer into the pipeline's measurements.
package clientgo

import (
	"context"

	"k8s.io/client-go/tools/cache"

	"informerscope/e2e/bench/pipeline"
)

type running struct {
	cache.SharedIndexInformer
	done chan struct{}
}

func (r *running) List() []any { return r.GetIndexer().List() }
func (r *running) Indexed(index, value string) ([]any, error) {
	return r.GetIndexer().ByIndex(index, value)
}
func (r *running) Update(obj any) error { return r.GetIndexer().Update(obj) }
func (r *running) Wait()                { <-r.done }

// Start is a pipeline.Library.
func Start(ctx context.Context, spec pipeline.Spec) (pipeline.Informer, error) {
	indexers := cache.Indexers{}
	for name, fn := range spec.Indexers {
		indexers[name] = fn
	}
	lw := &cache.ListWatch{ListWithContextFunc: spec.List, WatchFuncWithContext: spec.Watch}
	r := &running{SharedIndexInformer: cache.NewSharedIndexInformer(lw, &pipeline.Object{}, 0, indexers), done: make(chan struct{})}
	for range spec.Listeners {
		if _, err := r.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { spec.Handled() },
			UpdateFunc: func(any, any) { spec.Handled() },
		}); err != nil {
			return nil, err
		}
	}
	go func() {
		defer close(r.done)
		r.RunWithContext(ctx)
	}()
	return r, nil
}
