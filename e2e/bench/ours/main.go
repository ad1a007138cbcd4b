//go:build js && wasm

// Command ours is informerscope's informer in the benchmark: core/client/restwatch,
// core/words/object and core/informer of the newest release.
package main

import (
	"context"
	"net/http"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/client/restwatch"
	"informerscope/core/informer"
	"informerscope/core/words/object"
	"informerscope/core/words/releases"
	"informerscope/e2e/bench/harness"
	library "informerscope/e2e/bench/pipeline/ours"
)

func main() { harness.Main(start, library.Start) }

type running struct {
	informer.SharedIndexInformer
	done chan struct{}
}

func (r *running) Keys() int { return len(r.GetIndexer().ListKeys()) }

func (r *running) Indexed(namespace string) (int, error) {
	objs, err := r.GetIndexer().ByIndex(informer.NamespaceIndex, namespace)
	return len(objs), err
}

func (r *running) Wait() { <-r.done }

func start(ctx context.Context, transport http.RoundTripper, handler harness.Handler) (harness.Informer, error) {
	client := &restwatch.Client{HTTP: &http.Client{Transport: transport}, Base: &url.URL{Scheme: "http", Host: "feed"}}
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	lw := &informer.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			list, err := client.List(ctx, pods, "", opts)
			if err != nil {
				return nil, err
			}
			return list, nil
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			return client.Watch(ctx, pods, "", opts)
		},
	}
	r := &running{done: make(chan struct{})}
	r.SharedIndexInformer = informer.NewSharedIndexInformerWithOptions(lw, &object.Object{}, informer.SharedIndexInformerOptions{
		Indexers: informer.Indexers{informer.NamespaceIndex: informer.MetaNamespaceIndexFunc},
		Release:  releases.V137,
	})
	_, err := r.AddEventHandler(informer.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { handler.Add() },
		UpdateFunc: func(any, any) { handler.Update() },
	})
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(r.done)
		r.RunWithContext(ctx)
	}()
	return r, nil
}
