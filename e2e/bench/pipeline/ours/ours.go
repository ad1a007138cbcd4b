// Package ours puts informerscope's informer into the pipeline's measurements.
package ours

import (
	"context"

	"informerscope/core/informer"
	"informerscope/core/log/trace"
	"informerscope/e2e/bench/pipeline"
)

type running struct {
	informer.SharedIndexInformer
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
	indexers := informer.Indexers{}
	for name, fn := range spec.Indexers {
		indexers[name] = fn
	}
	options := informer.SharedIndexInformerOptions{Indexers: indexers}
	if spec.Traced {
		options.Observer = trace.NewRecorder(trace.RecorderOptions{}).Lane(0)
	}
	lw := &informer.ListWatch{ListWithContextFunc: spec.List, WatchFuncWithContext: spec.Watch}
	r := &running{
		SharedIndexInformer: informer.NewSharedIndexInformerWithOptions(lw, &pipeline.Object{}, options),
		done:                make(chan struct{}),
	}
	for range spec.Listeners {
		if _, err := r.AddEventHandler(informer.ResourceEventHandlerFuncs{
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
