package informer

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilcache "k8s.io/apimachinery/pkg/util/cache"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// MutationCache overlays a Store with the results of the program's own writes until the Store has caught up. It keeps a limited number for a limited
// time, so it only guarantees that it returns nothing older than the Store. It is safe for concurrent use. Calling OnAddOrUpdate and OnDelete from
// handlers makes it more exact.
type MutationCache interface {
	// GetByKey returns the newer of the Store's and the overlay's object.
	GetByKey(key string) (interface{}, bool, error)
	// ByIndex is GetByKey for all objects with a value in an index.
	ByIndex(indexName, indexKey string) ([]interface{}, error)
	// Mutation records the result of a write.
	Mutation(interface{})
	// OnAddOrUpdate records that the Store has obj.
	OnAddOrUpdate(obj runtime.Object)
	// OnDelete records that obj was removed from the Store.
	OnDelete(obj runtime.Object)

	// internal prevents other implementations, so that the interface can grow.
	internal()
}

// ResourceVersionComparator compares the resourceVersions of two objects.
type ResourceVersionComparator interface {
	// CompareResourceVersion returns -1, 0 or 1 for an older, equal or newer lhs.
	CompareResourceVersion(lhs, rhs runtime.Object) int
}

// MutationCacheOptions configures a MutationCache.
type MutationCacheOptions struct {
	// Indexer is searched by ByIndex; if it is nil, ByIndex returns an error.
	Indexer Indexer
	// TTL is how long a write is kept; zero means five minutes.
	TTL time.Duration
	// IncludeAdds also returns written objects that the Store does not have. Such an object may have been deleted up to TTL ago.
	IncludeAdds bool
	// MaxCacheSize is how many writes are kept; zero means 100.
	MaxCacheSize int
}

// NewIntegerResourceVersionMutationCacheWithOptions returns a MutationCache over backingCache, for objects whose resourceVersions are integers that
// grow with every write of the resource. Another resourceVersion panics, as in client-go.
func NewIntegerResourceVersionMutationCacheWithOptions(logger klog.Logger, backingCache Store, options MutationCacheOptions) MutationCache {
	size, ttl := 100, 5*time.Minute
	if options.MaxCacheSize != 0 {
		size = options.MaxCacheSize
	}
	if options.TTL != 0 {
		ttl = options.TTL
	}
	return &mutationCache{
		logger:       logger,
		backingStore: backingCache,
		indexer:      options.Indexer,
		writes:       utilcache.NewLRUExpireCache(size),
		ttl:          ttl,
		includeAdds:  options.IncludeAdds,
		comparator:   integerVersions{},
	}
}

// NewIntegerResourceVersionMutationCache is NewIntegerResourceVersionMutationCacheWithOptions for 100 writes.
func NewIntegerResourceVersionMutationCache(logger klog.Logger, backingCache Store, indexer Indexer, ttl time.Duration, includeAdds bool) MutationCache {
	return NewIntegerResourceVersionMutationCacheWithOptions(logger, backingCache, MutationCacheOptions{Indexer: indexer, TTL: ttl, IncludeAdds: includeAdds})
}

type mutationCache struct {
	logger       klog.Logger
	lock         sync.Mutex
	backingStore Store
	indexer      Indexer
	// writes holds objects and, for those known to be deleted, tombstones.
	writes      *utilcache.LRUExpireCache
	includeAdds bool
	ttl         time.Duration
	comparator  ResourceVersionComparator
}

func (c *mutationCache) internal() {}

// GetByKey implements MutationCache.
func (c *mutationCache) GetByKey(key string) (interface{}, bool, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	obj, exists, err := c.backingStore.GetByKey(key)
	if err != nil {
		return nil, false, err
	}
	if !exists {
		// An object that the Store lacks has either not arrived yet or been deleted already: without IncludeAdds it counts as deleted.
		if !c.includeAdds {
			return nil, false, nil
		}
		obj, exists = c.writes.Get(key)
		if _, deleted := obj.(*tombstone); !exists || deleted {
			return nil, false, nil
		}
	}
	return c.newerLocked(key, obj), true, nil
}

// ByIndex implements MutationCache.
// Mirrors client-go tools/cache.(*mutationCache).ByIndex (v0.37.2).
func (c *mutationCache) ByIndex(indexName, indexKey string) ([]interface{}, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.indexer == nil {
		return nil, errors.New("no indexer has been provided to the mutation cache")
	}
	keys, err := c.indexer.IndexKeys(indexName, indexKey)
	if err != nil {
		return nil, err
	}
	var items []interface{}
	stored := make(map[string]struct{}, len(keys))
	for _, key := range keys {
		stored[key] = struct{}{}
		obj, exists, err := c.indexer.GetByKey(key)
		if err != nil {
			return nil, err
		}
		if exists {
			items = append(items, c.newerLocked(key, obj))
		}
	}
	if !c.includeAdds {
		return items, nil
	}
	fn := c.indexer.GetIndexers()[indexName]
	for _, k := range c.writes.Keys() {
		key := k.(string)
		obj, ok := c.writes.Get(key)
		if _, deleted := obj.(*tombstone); !ok || deleted {
			continue
		}
		if _, ok := stored[key]; ok {
			continue
		}
		values, err := fn(obj)
		if err != nil {
			c.logger.V(4).Info("A written object cannot be indexed", "key", key, "err", err)
			continue
		}
		for _, v := range values {
			if v == indexKey {
				items = append(items, obj)
				break
			}
		}
	}
	return items, nil
}

// newerLocked returns the newer of stored and the object written under key, and drops the latter once the Store has caught up.
func (c *mutationCache) newerLocked(key string, stored interface{}) interface{} {
	storedObj, ok := stored.(runtime.Object)
	if !ok {
		return stored
	}
	written, _ := c.writes.Get(key)
	writtenObj, ok := written.(runtime.Object)
	if !ok {
		return stored
	}
	if c.comparator.CompareResourceVersion(storedObj, writtenObj) >= 0 {
		c.writes.Remove(key)
		return stored
	}
	return writtenObj
}

// key returns the key of obj, and false for an object without one, which it logs.
func (c *mutationCache) key(obj interface{}) (string, bool) {
	key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		utilruntime.HandleErrorWithLogger(c.logger, err, "The mutation cache was given an object without a key")
	}
	return key, err == nil
}

// Mutation implements MutationCache. It ignores a state older than the one it has, and an object that is known to be deleted.
func (c *mutationCache) Mutation(obj interface{}) {
	c.lock.Lock()
	defer c.lock.Unlock()
	key, ok := c.key(obj)
	if !ok || c.outdatedLocked(key, obj) {
		return
	}
	c.writes.Add(key, obj, c.ttl)
}

func (c *mutationCache) outdatedLocked(key string, obj interface{}) bool {
	newObj, ok := obj.(runtime.Object)
	if !ok {
		return false
	}
	known, _ := c.writes.Get(key)
	knownObj, ok := known.(runtime.Object)
	if !ok {
		return false
	}
	order := c.comparator.CompareResourceVersion(newObj, knownObj)
	if order < 0 {
		return true
	}
	t, deleted := known.(*tombstone)
	if !deleted {
		return false
	}
	m, err := meta.Accessor(obj)
	return order == 0 || err == nil && m.GetUID() == t.GetUID()
}

// OnAddOrUpdate implements MutationCache.
func (c *mutationCache) OnAddOrUpdate(obj runtime.Object) {
	key, ok := c.key(obj)
	if !ok {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	known, _ := c.writes.Get(key)
	if knownObj, ok := known.(runtime.Object); ok && c.comparator.CompareResourceVersion(obj, knownObj) >= 0 {
		c.writes.Remove(key)
	}
}

// OnDelete implements MutationCache. It drops writes of the same object and writes before the deletion, and keeps a tombstone so that they do not come
// back.
// Mirrors client-go tools/cache.(*mutationCache).OnDelete (v0.37.2).
func (c *mutationCache) OnDelete(obj runtime.Object) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	key, ok := c.key(obj)
	if !ok {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	known, _ := c.writes.Get(key)
	if knownObj, ok := known.(runtime.Object); ok {
		knownMeta, err := meta.Accessor(known)
		if err != nil {
			return
		}
		if c.comparator.CompareResourceVersion(obj, knownObj) < 0 && knownMeta.GetUID() != m.GetUID() {
			return // a newer object of the same name, which may well exist
		}
	}
	t := &tombstone{}
	t.Namespace, t.Name, t.UID, t.ResourceVersion = m.GetNamespace(), m.GetName(), m.GetUID(), m.GetResourceVersion()
	c.writes.Add(key, t, c.ttl)
}

// integerVersions compares resourceVersions as integers, as etcd creates them; "" counts as 0.
type integerVersions struct{}

// CompareResourceVersion implements ResourceVersionComparator.
func (v integerVersions) CompareResourceVersion(lhs, rhs runtime.Object) int {
	l, r := v.version(lhs), v.version(rhs)
	switch {
	case l < r:
		return -1
	case l > r:
		return 1
	}
	return 0
}

func (integerVersions) version(obj runtime.Object) uint64 {
	m, err := meta.Accessor(obj)
	if err != nil {
		panic(err)
	}
	rv := m.GetResourceVersion()
	if rv == "" {
		return 0
	}
	n, err := strconv.ParseUint(rv, 10, 64)
	if err != nil {
		panic(fmt.Errorf("a MutationCache needs integer resourceVersions: %w", err))
	}
	return n
}

// tombstone stands for a deleted object among the written ones. It is never returned to callers.
type tombstone struct{ metav1.ObjectMeta }

var _ runtime.Object = &tombstone{}

// GetObjectKind implements runtime.Object.
func (t *tombstone) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject implements runtime.Object.
func (t *tombstone) DeepCopyObject() runtime.Object {
	return &tombstone{*t.ObjectMeta.DeepCopy()}
}
