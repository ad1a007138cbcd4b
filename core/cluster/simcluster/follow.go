package simcluster

import (
	"net/url"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
)

// Version is a version of an object of a resource that is followed.
type Version struct {
	Key, RV string
	// Sent: the selectors select it, so that a watch with them brings it. Of a deletion: they selected the last version.
	Sent bool
}

// Follower takes every write to a resource, in their order. It is called with the cluster's lock held, so it must not call the cluster, and must be quick.
type Follower struct {
	Begin  func(versions []Version) // what the cluster holds
	Change func(typ apiwatch.EventType, v Version)
}

// follower is a Follower with what it follows.
type follower struct {
	Follower
	resource groupResource
	selector selector
}

// Follow calls a follower for what a namespace holds of a resource, and for each change after it, until stop is called. The query has the selectors of the
// informer that the follower compares with the cluster. It reports false, and calls nothing, if it cannot read them.
func (c *Cluster) Follow(gr schema.GroupResource, namespace string, q url.Values, do Follower) (stop func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &follower{Follower: do, resource: groupResource{gr.Group, gr.Resource}}
	r := c.resources[f.resource]
	if r == nil { // its definition may come
		r = &resource{}
	}
	sel, refusal := r.parseSelector(namespace, "", q)
	if refusal != nil {
		return func() {}, false
	}
	f.selector = sel
	var versions []Version
	if r.storage != nil {
		for _, o := range r.objects(namespace) {
			versions = append(versions, Version{o.key(), strconv.FormatUint(o.rev, 10), f.selector.matches(o)})
		}
	}
	f.Begin(versions)
	c.followers = append(c.followers, f)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.followers = slices.DeleteFunc(slices.Clone(c.followers), func(x *follower) bool { return x == f })
	}, true
}

// tell tells the followers of a resource of an event.
func (c *Cluster) tell(r *resource, e *event) {
	for _, f := range c.followers {
		if f.resource != (groupResource{r.group, r.plural}) || f.selector.namespace != "" && f.selector.namespace != e.obj.namespace {
			continue
		}
		isIn, wasIn := f.selector.matchesEvent(e)
		v := Version{e.obj.key(), strconv.FormatUint(e.rev, 10), isIn || wasIn && e.typ == deleted}
		f.Change(eventTypes[e.typ], v)
	}
}

var eventTypes = [...]apiwatch.EventType{added: apiwatch.Added, modified: apiwatch.Modified, deleted: apiwatch.Deleted}
