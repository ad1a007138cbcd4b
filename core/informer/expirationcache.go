package informer

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// ExpirationCache is a Store whose objects expire. An expired object is removed when it is looked up or listed; until then ListKeys includes it.
type ExpirationCache struct {
	cacheStorage     ThreadSafeStore
	keyFunc          KeyFunc
	clock            clock.Clock
	expirationPolicy ExpirationPolicy
	// expirationLock prevents that a new object is removed because an older one under the same key has expired.
	expirationLock sync.Mutex
}

// ExpirationPolicy decides whether an object has expired.
type ExpirationPolicy interface {
	IsExpired(obj *TimestampedEntry) bool
}

// TTLPolicy makes objects expire by age.
type TTLPolicy struct {
	// TTL is the age above which an object has expired. Zero or less means never.
	TTL time.Duration
	// Clock determines the age. Required.
	Clock clock.Clock
}

// IsExpired reports whether obj is older than TTL.
func (p *TTLPolicy) IsExpired(obj *TimestampedEntry) bool {
	return p.TTL > 0 && p.Clock.Since(obj.Timestamp) > p.TTL
}

// TimestampedEntry is an object and the time when it was stored.
type TimestampedEntry struct {
	Obj       interface{}
	Timestamp time.Time
	key       string
}

// NewTTLStore returns an ExpirationCache whose objects expire after ttl.
func NewTTLStore(keyFunc KeyFunc, ttl time.Duration) Store {
	return NewExpirationStore(keyFunc, &TTLPolicy{ttl, clock.RealClock{}})
}

// NewExpirationStore returns an ExpirationCache whose objects expire by policy.
func NewExpirationStore(keyFunc KeyFunc, expirationPolicy ExpirationPolicy) Store {
	return &ExpirationCache{
		cacheStorage:     NewThreadSafeStore(Indexers{}, Indices{}),
		keyFunc:          keyFunc,
		clock:            clock.RealClock{},
		expirationPolicy: expirationPolicy,
	}
}

// lookUp returns the object stored under key. It removes the object if it has expired.
func (c *ExpirationCache) lookUp(key string) (interface{}, bool) {
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	item, _ := c.cacheStorage.Get(key)
	entry, ok := item.(*TimestampedEntry)
	if !ok {
		return nil, false
	}
	if c.expirationPolicy.IsExpired(entry) {
		c.cacheStorage.Delete(key)
		return nil, false
	}
	return entry.Obj, true
}

// GetByKey implements Store; the error is always nil.
func (c *ExpirationCache) GetByKey(key string) (interface{}, bool, error) {
	obj, exists := c.lookUp(key)
	return obj, exists, nil
}

// Get implements Store.
func (c *ExpirationCache) Get(obj interface{}) (interface{}, bool, error) {
	key, err := c.keyFunc(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return c.GetByKey(key)
}

// List implements Store.
func (c *ExpirationCache) List() []interface{} {
	items := c.cacheStorage.List()
	list := make([]interface{}, 0, len(items))
	for _, item := range items {
		if obj, exists := c.lookUp(item.(*TimestampedEntry).key); exists {
			list = append(list, obj)
		}
	}
	return list
}

// ListKeys implements Store. It includes expired objects.
func (c *ExpirationCache) ListKeys() []string { return c.cacheStorage.ListKeys() }

// LastStoreSyncResourceVersion implements Store. Stored objects do not change it, because they are wrapped in TimestampedEntries; Replace, Delete and
// Bookmark do.
func (c *ExpirationCache) LastStoreSyncResourceVersion() string {
	return c.cacheStorage.LastStoreSyncResourceVersion()
}

// Bookmark implements Store.
func (c *ExpirationCache) Bookmark(rv string) { c.cacheStorage.Bookmark(rv) }

// Add implements Store. An object's age counts from its last Add or Update.
func (c *ExpirationCache) Add(obj interface{}) error {
	key, err := c.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	c.cacheStorage.Add(key, &TimestampedEntry{obj, c.clock.Now(), key})
	return nil
}

// Update implements Store: it is Add.
func (c *ExpirationCache) Update(obj interface{}) error { return c.Add(obj) }

// Delete implements Store.
func (c *ExpirationCache) Delete(obj interface{}) error {
	key, err := c.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	c.cacheStorage.DeleteWithObject(key, obj)
	return nil
}

// Replace implements Store. The age of all objects counts from this call.
func (c *ExpirationCache) Replace(list []interface{}, resourceVersion string) error {
	items := make(map[string]interface{}, len(list))
	now := c.clock.Now()
	for _, item := range list {
		key, err := c.keyFunc(item)
		if err != nil {
			return KeyError{item, err}
		}
		items[key] = &TimestampedEntry{item, now, key}
	}
	c.expirationLock.Lock()
	defer c.expirationLock.Unlock()
	c.cacheStorage.Replace(items, resourceVersion)
	return nil
}

// Resync implements Store: it does nothing.
func (c *ExpirationCache) Resync() error { return nil }
