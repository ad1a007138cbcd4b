package simtest

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

var requests = &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// heldWatch is the writer of an open watch: a hold makes it wait, and a cut ends it.
type heldWatch struct {
	http.ResponseWriter
	c        *Cluster
	resource string
	ctx      context.Context
	cancel   context.CancelFunc
	isCut    atomic.Bool
}

// Unwrap lets http.ResponseController reach the connection.
func (w *heldWatch) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write implements http.ResponseWriter.
func (w *heldWatch) Write(p []byte) (int, error) {
	for {
		if err := w.ctx.Err(); err != nil {
			return 0, err
		}
		held := w.c.hold(w.resource)
		if held == nil {
			return w.ResponseWriter.Write(p)
		}
		select {
		case <-held:
		case <-w.ctx.Done():
		}
	}
}

// hold returns what is closed when a hold of the resource's watches ends; nil if there is no hold.
func (c *Cluster) hold(resource string) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if all := c.holds[resource]; len(all) > 0 {
		return all[0]
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	info, err := requests.NewRequestInfo(r)
	if err != nil || info.Verb != "watch" {
		c.api.ServeHTTP(w, r)
		return
	}
	watch := &heldWatch{ResponseWriter: w, c: c, resource: schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}.String()}
	watch.ctx, watch.cancel = context.WithCancel(r.Context())
	defer watch.cancel()
	c.mu.Lock()
	c.watches[watch] = true
	c.mu.Unlock()
	c.api.ServeHTTP(watch, r.WithContext(watch.ctx))
	c.mu.Lock()
	delete(c.watches, watch)
	c.mu.Unlock()
	if watch.isCut.Load() {
		panic(http.ErrAbortHandler) // closes the connection in the midst of the answer
	}
}

// CutWatches cuts the connections of all open watches. Their clients watch again, from the version that they have. client-go lists again if the watch
// was open for less than a second and brought nothing: let time pass first, which is quick in a bubble.
func (c *Cluster) CutWatches() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.watches {
		w.isCut.Store(true)
		w.cancel()
	}
}

// Compact drops the history up to now, as a compaction of etcd does. A later watch from an older version gets 410 Expired, and its client must list again.
// Open watches go on: call CutWatches too if theirs are to begin again.
func (c *Cluster) Compact() { c.api.Cluster().Compact() }

// HoldWatch holds what watches of a resource ("pods", "deployments.apps") would send: events, bookmarks, and also the objects with which a WatchList begins.
// No event of a write that comes after HoldWatch reaches a client before release. Lists are answered. Release may be called more than once.
func (c *Cluster) HoldWatch(resource string) (release func()) {
	c.t.Helper()
	known := c.api.Cluster().Stats().Objects
	if _, ok := known[resource]; !ok {
		c.t.Fatalf("simtest: HoldWatch: the cluster has no resource %q, but %s", resource, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	held := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds[resource] = append(c.holds[resource], held)
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.holds[resource] = slices.DeleteFunc(c.holds[resource], func(other chan struct{}) bool { return other == held })
		close(held)
	})
}

// LagBehind ends all watches, and lets another API server answer, whose watch cache stands so many versions behind the newest, until LagBehind(0). Lists from
// the cache (resourceVersion "0") have that old state. A watch from a newer version is silent, and a list from one gets "Too large resource version".
// A get, or a list without a version, has the newest state.
func (c *Cluster) LagBehind(versions uint64) { c.api.Cluster().FailOver(versions) }
