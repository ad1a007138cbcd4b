package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
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
	r := &recorder{probe: p, file: file}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
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
			err = r.begin()
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
	if closing := r.close(); err == nil {
		err = closing
	}
	return err
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

// recorder keeps the stream of a probe in a file. It is for one goroutine.
type recorder struct {
	probe *probe.Probe
	file  *os.File
	end   context.CancelFunc // of the stream; nil before the first
	ended chan struct{}
}

// begin empties the file, and writes it from now on.
func (r *recorder) begin() error {
	if r.end != nil {
		r.end()
		<-r.ended
	}
	if err := r.file.Truncate(0); err != nil {
		return err
	}
	if _, err := r.file.Seek(0, 0); err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/stream", nil)
	if err != nil {
		end()
		return err
	}
	request.RemoteAddr = "127.0.0.1:0" // the probe answers only this machine
	out := &stream{file: r.file, header: http.Header{}, begun: make(chan struct{})}
	ended := make(chan struct{})
	r.end, r.ended = end, ended
	go func() {
		defer close(ended)
		r.probe.Handler().ServeHTTP(out, request)
	}()
	select {
	case <-out.begun:
		return nil
	case <-ended:
		return fmt.Errorf("the probe answers %d: %s", out.code, strings.TrimSpace(out.reason.String()))
	}
}

// close ends the file. The probe must be closed.
func (r *recorder) close() error {
	if r.end != nil {
		<-r.ended
		r.end()
	}
	return r.file.Close()
}

// stream is the ResponseWriter of a probe's stream, which goes to a file.
type stream struct {
	file   *os.File
	header http.Header
	code   int // 0 if all is well
	once   sync.Once
	begun  chan struct{}
	reason bytes.Buffer
}

// Header implements http.ResponseWriter.
func (s *stream) Header() http.Header { return s.header }

// WriteHeader implements http.ResponseWriter.
func (s *stream) WriteHeader(code int) { s.code = code }

// Write implements http.ResponseWriter.
func (s *stream) Write(p []byte) (int, error) {
	if s.code >= http.StatusBadRequest {
		return s.reason.Write(p)
	}
	defer s.once.Do(func() { close(s.begun) })
	return s.file.Write(p)
}
