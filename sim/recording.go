package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe"
)

// definedEvery is how often a resource is looked for that is not defined yet: a suite defines its own once the API server is ready.
const definedEvery = 250 * time.Millisecond

// record lets an informer watch each resource, all in this process, and writes to a file what a probe sees of them, until ctx ends. Each time that resources
// become defined, it begins again with the informers of all resources so far.
func record(ctx context.Context, config *rest.Config, path string, resources []schema.GroupResource) error {
	options := probe.Options{}
	for _, r := range resources {
		options.Objects = append(options.Objects, r.WithVersion(""))
	}
	p := probe.New(options)
	discoverer, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(p.WrapConfig(config))
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	endRecording := func() {}
	var running sync.WaitGroup
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoverer))
	for err == nil && len(resources) > 0 && ctx.Err() == nil {
		mapper.Reset()
		var found []cache.SharedIndexInformer
		resources = slices.DeleteFunc(slices.Clone(resources), func(r schema.GroupResource) bool {
			resource, missing := mapper.ResourceFor(r.WithVersion(""))
			if missing != nil || err != nil {
				return false
			}
			var informer cache.SharedIndexInformer
			informer, err = p.Informer(resource, dynamicinformer.NewFilteredDynamicInformer(client, resource, "", 0, cache.Indexers{}, nil).Informer())
			found = append(found, informer)
			return true
		})
		if err == nil && len(found) > 0 {
			endRecording()
			endRecording, err = p.Record(file)
			for _, informer := range found {
				running.Go(func() { informer.RunWithContext(ctx) })
			}
		}
		select {
		case <-time.After(definedEvery):
		case <-ctx.Done():
		}
	}
	if err == nil {
		<-ctx.Done()
	}
	p.Close() // ends the recording
	stop()
	running.Wait()
	endRecording()
	return errors.Join(err, file.Close())
}

// parseResources reads the names of resources, such as pods,deployments.apps.
func parseResources(text string) ([]schema.GroupResource, error) {
	var all []schema.GroupResource
	for name := range strings.SplitSeq(text, ",") {
		r := schema.ParseGroupResource(strings.TrimSpace(name))
		if r.Resource == "" {
			return nil, fmt.Errorf("%s=%s: name resources, such as pods,deployments.apps", envResources, text)
		}
		all = append(all, r)
	}
	return all, nil
}
