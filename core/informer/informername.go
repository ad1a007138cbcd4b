package informer

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
)

// informerNames are the names in use. The map is created with the first name, so that programs without names pay nothing.
var informerNames struct {
	lock  sync.Mutex
	names map[string]*InformerName
}

// InformerName is a name, unique in the process, under which informers publish metrics: one informer per GroupVersionResource. A nil InformerName means
// no name: its methods work, and nothing is reserved. All methods are safe for concurrent use.
type InformerName struct {
	name     string
	reserved atomic.Bool

	lock sync.Mutex
	// resources are the reservations, which Release cancels.
	resources map[schema.GroupVersionResource]*atomic.Bool
}

// NewInformerName reserves name until Release. It returns an error for an empty name, and for one that is in use.
func NewInformerName(name string) (*InformerName, error) {
	if name == "" {
		return nil, errors.New("informer name cannot be empty")
	}
	informerNames.lock.Lock()
	defer informerNames.lock.Unlock()
	// A name that is being released is already free.
	if n, taken := informerNames.names[name]; taken && n.reserved.Load() {
		return nil, fmt.Errorf("informer name %q is already registered", name)
	}
	n := &InformerName{name: name, resources: map[schema.GroupVersionResource]*atomic.Bool{}}
	n.reserved.Store(true)
	if informerNames.names == nil {
		informerNames.names = map[string]*InformerName{}
	}
	informerNames.names[name] = n
	return n, nil
}

// WithResource returns the identity for an informer of gvr. The first identity per gvr is reserved. Further ones, and those made after Release, are
// not, so their informers publish nothing.
// Mirrors client-go tools/cache.(*InformerName).WithResource (v0.37.2).
func (n *InformerName) WithResource(gvr schema.GroupVersionResource) InformerNameAndResource {
	if n == nil {
		return InformerNameAndResource{gvr: gvr}
	}
	n.lock.Lock()
	defer n.lock.Unlock()
	id := InformerNameAndResource{name: n.name, gvr: gvr, reserved: &atomic.Bool{}}
	switch _, taken := n.resources[gvr]; {
	case !n.reserved.Load():
	case taken:
		klog.Background().Error(nil, "A second informer of a resource under one name publishes no metrics", "informerName", n.name, "resource", gvr.String())
	default:
		id.reserved.Store(true)
		n.resources[gvr] = id.reserved
	}
	return id
}

// Release frees the name and all its reservations. As in client-go, a second call frees the name even if another InformerName has reserved it
// meanwhile.
func (n *InformerName) Release() {
	if n == nil {
		return
	}
	n.lock.Lock()
	defer n.lock.Unlock()
	//maporder:free each is set to the same value
	for _, reserved := range n.resources {
		reserved.Store(false)
	}
	clear(n.resources)
	n.reserved.Store(false)
	informerNames.lock.Lock()
	defer informerNames.lock.Unlock()
	delete(informerNames.names, n.name)
}

// Name returns the name, "" for nil.
func (n *InformerName) Name() string {
	if n == nil {
		return ""
	}
	return n.name
}

// InformerNameAndResource identifies one informer. The zero value identifies none. Copies share one reservation.
type InformerNameAndResource struct {
	name     string
	gvr      schema.GroupVersionResource
	reserved *atomic.Bool
}

// Reserved reports whether the identity belongs to one informer alone, so that it may publish metrics. InformerName.Release makes it false.
func (n InformerNameAndResource) Reserved() bool { return n.reserved != nil && n.reserved.Load() }

// Name returns the name, "" for none.
func (n InformerNameAndResource) Name() string { return n.name }

// GroupVersionResource returns the resource.
func (n InformerNameAndResource) GroupVersionResource() schema.GroupVersionResource { return n.gvr }

// ResetInformerNamesForTesting releases every name. It is for tests that need a name that another test did not release.
func ResetInformerNamesForTesting() {
	informerNames.lock.Lock()
	names := make([]*InformerName, 0, len(informerNames.names))
	//maporder:free for tests, and the order of releases does not matter
	for _, n := range informerNames.names {
		names = append(names, n)
	}
	informerNames.lock.Unlock()
	for _, n := range names {
		n.Release()
	}
}
