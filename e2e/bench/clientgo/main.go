//go:build js && wasm

// Command clientgo is client-go's informer in the benchmark, as a browser
// program would use it: the dynamic client and its informer, with
// unstructured objects.
package main

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"informerscope/e2e/bench/harness"
	library "informerscope/e2e/bench/pipeline/clientgo"
)

func main() { harness.Main(start, library.Start) }

type running struct {
	cache.SharedIndexInformer
	done chan struct{}
}

func (r *running) Keys() int { return len(r.GetIndexer().ListKeys()) }

func (r *running) Indexed(namespace string) (int, error) {
	objs, err := r.GetIndexer().ByIndex(cache.NamespaceIndex, namespace)
	return len(objs), err
}

func (r *running) Wait() { <-r.done }

func start(ctx context.Context, transport http.RoundTripper, handler harness.Handler) (harness.Informer, error) {
	client, err := dynamic.NewForConfigAndClient(&rest.Config{Host: "http://feed", QPS: -1}, &http.Client{Transport: transport})
	if err != nil {
		return nil, err
	}
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	r := &running{done: make(chan struct{})}
	r.SharedIndexInformer = dynamicinformer.NewFilteredDynamicInformer(client, pods, metav1.NamespaceAll, 0, indexers, nil).Informer()
	_, err = r.AddEventHandler(cache.ResourceEventHandlerFuncs{
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
