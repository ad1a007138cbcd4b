package informer

import (
	"fmt"

	"informerscope/core/words/event"
)

// Store holds objects by the key that its KeyFunc computes. It is safe for concurrent use if callers treat returned objects as read-only.
type Store interface {
	// Add stores obj under its key.
	Add(obj interface{}) error
	// Update stores obj under its key.
	Update(obj interface{}) error
	// Delete removes the object stored under the key of obj.
	Delete(obj interface{}) error
	// List returns all objects in a slice that the caller owns.
	List() []interface{}
	// ListKeys returns all keys in a slice that the caller owns.
	ListKeys() []string
	// LastStoreSyncResourceVersion returns the resourceVersion of the last write: an object, a Replace or a Bookmark.
	LastStoreSyncResourceVersion() string
	// Bookmark sets the store's resourceVersion.
	Bookmark(rv string)
	// Get returns the object stored under the key of obj.
	Get(obj interface{}) (item interface{}, exists bool, err error)
	// GetByKey returns the object stored under key.
	GetByKey(key string) (item interface{}, exists bool, err error)
	// Replace replaces the contents by the list and takes ownership of it.
	Replace([]interface{}, string) error
	// Resync does nothing.
	Resync() error
}

// TransactionType is the kind of write of a Transaction.
type TransactionType string

// The transaction types.
const (
	TransactionTypeAdd    TransactionType = "Add"
	TransactionTypeUpdate TransactionType = "Update"
	TransactionTypeDelete TransactionType = "Delete"
)

// Transaction is one of several writes that are done together.
type Transaction struct {
	Object interface{}
	Type   TransactionType
}

// TransactionStore does several writes under one acquisition of its lock.
type TransactionStore interface {
	// Transaction does the writes that are possible; the error lists which were done.
	Transaction(txns ...Transaction) *TransactionError
}

// TransactionError is the error if some writes of a Transaction could not be done.
type TransactionError struct {
	// SuccessfulIndices are the positions of the writes that were done.
	SuccessfulIndices []int
	// TotalTransactions is how many were requested.
	TotalTransactions int
	// Errors are the causes.
	Errors []error
}

var _ error = &TransactionError{}

// Error implements error.
func (t *TransactionError) Error() string {
	return fmt.Sprintf("failed to execute (%d/%d) transactions failed due to: %v",
		t.TotalTransactions-len(t.SuccessfulIndices), t.TotalTransactions, t.Errors)
}

// StoreOption configures NewStore and NewIndexer.
type StoreOption = func(*cache)

// WithTransformer makes the store transform every object that is written to it.
func WithTransformer(transformer TransformFunc) StoreOption {
	return func(c *cache) { c.transformer = transformer }
}

// WithObserver makes the store report its changes to o.
func WithObserver(o event.Observer) StoreOption {
	return func(c *cache) { c.observer = o }
}

// withoutResourceVersion hides the store's resourceVersion, as client-go does if its AtomicFIFO gate is off.
func withoutResourceVersion() StoreOption {
	return func(c *cache) { c.hideRV = true }
}

// NewStore returns a Store without indices.
func NewStore(keyFunc KeyFunc, opts ...StoreOption) Store {
	return newCache(keyFunc, Indexers{}, opts...)
}

// NewIndexer returns an Indexer. It takes ownership of indexers: the caller must not write to the map afterwards.
func NewIndexer(keyFunc KeyFunc, indexers Indexers, opts ...StoreOption) Indexer {
	return newCache(keyFunc, indexers, opts...)
}

// cache is an Indexer made of a threadSafeMap and a KeyFunc.
type cache struct {
	storage     *threadSafeMap
	keyFunc     KeyFunc
	transformer TransformFunc
	observer    event.Observer
	hideRV      bool
	rvMetric    GaugeMetric
}

var (
	_ Indexer          = &cache{}
	_ TransactionStore = &cache{}
)

func newCache(keyFunc KeyFunc, indexers Indexers, opts ...StoreOption) *cache {
	c := &cache{keyFunc: keyFunc}
	for _, opt := range opts {
		opt(c)
	}
	c.storage = newThreadSafeMap(indexers, Indices{}, c.observer, c.hideRV)
	c.storage.rvMetric = c.rvMetric
	return c
}

// keyAndTransform computes the key of obj and then transforms obj, in this order.
func (c *cache) keyAndTransform(obj interface{}) (string, interface{}, error) {
	key, err := c.keyFunc(obj)
	if err != nil {
		return "", nil, KeyError{obj, err}
	}
	if c.transformer != nil {
		if obj, err = c.transformer(obj); err != nil {
			return "", nil, fmt.Errorf("transforming: %w", err)
		}
	}
	return key, obj, nil
}

// Add implements Store.
func (c *cache) Add(obj interface{}) error {
	key, obj, err := c.keyAndTransform(obj)
	if err != nil {
		return err
	}
	c.storage.Add(key, obj)
	return nil
}

// Update implements Store.
func (c *cache) Update(obj interface{}) error {
	key, obj, err := c.keyAndTransform(obj)
	if err != nil {
		return err
	}
	c.storage.Update(key, obj)
	return nil
}

// Delete implements Store.
func (c *cache) Delete(obj interface{}) error {
	key, err := c.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	c.storage.DeleteWithObject(key, obj)
	return nil
}

// Transaction implements TransactionStore. It skips objects without a key.
// Mirrors client-go tools/cache.(*cache).Transaction (v0.37.2).
func (c *cache) Transaction(txns ...Transaction) *TransactionError {
	keyed := make([]ThreadSafeStoreTransaction, 0, len(txns))
	done := make([]int, 0, len(txns))
	var errs []error
	for i, txn := range txns {
		key, err := c.keyFunc(txn.Object)
		if err != nil {
			errs = append(errs, KeyError{txn.Object, err})
			continue
		}
		done = append(done, i)
		keyed = append(keyed, ThreadSafeStoreTransaction{txn, key})
	}
	c.storage.Transaction(keyed...)
	if len(errs) == 0 {
		return nil
	}
	return &TransactionError{SuccessfulIndices: done, TotalTransactions: len(txns), Errors: errs}
}

// Replace implements Store. Of two objects with the same key, the later one stays.
func (c *cache) Replace(list []interface{}, resourceVersion string) error {
	keys := make([]string, len(list))
	objs := list
	if c.transformer != nil {
		objs = make([]interface{}, len(list))
	}
	for i, item := range list {
		key, obj, err := c.keyAndTransform(item)
		if err != nil {
			return err
		}
		keys[i], objs[i] = key, obj
	}
	c.storage.replaceList(keys, objs, resourceVersion)
	return nil
}

// Get implements Store.
func (c *cache) Get(obj interface{}) (item interface{}, exists bool, err error) {
	key, err := c.keyFunc(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return c.GetByKey(key)
}

// GetByKey implements Store; the error is always nil.
func (c *cache) GetByKey(key string) (item interface{}, exists bool, err error) {
	item, exists = c.storage.Get(key)
	return item, exists, nil
}

// List implements Store.
func (c *cache) List() []interface{} { return c.storage.List() }

// ListKeys implements Store.
func (c *cache) ListKeys() []string { return c.storage.ListKeys() }

// LastStoreSyncResourceVersion implements Store.
func (c *cache) LastStoreSyncResourceVersion() string {
	return c.storage.LastStoreSyncResourceVersion()
}

// Bookmark implements Store.
func (c *cache) Bookmark(rv string) { c.storage.Bookmark(rv) }

// Resync implements Store.
func (c *cache) Resync() error { return nil }

// Index implements Indexer.
func (c *cache) Index(indexName string, obj interface{}) ([]interface{}, error) {
	return c.storage.Index(indexName, obj)
}

// IndexKeys implements Indexer.
func (c *cache) IndexKeys(indexName, indexedValue string) ([]string, error) {
	return c.storage.IndexKeys(indexName, indexedValue)
}

// ListIndexFuncValues implements Indexer.
func (c *cache) ListIndexFuncValues(indexName string) []string {
	return c.storage.ListIndexFuncValues(indexName)
}

// ByIndex implements Indexer.
func (c *cache) ByIndex(indexName, indexedValue string) ([]interface{}, error) {
	return c.storage.ByIndex(indexName, indexedValue)
}

// GetIndexers implements Indexer.
func (c *cache) GetIndexers() Indexers { return c.storage.GetIndexers() }

// AddIndexers implements Indexer.
func (c *cache) AddIndexers(newIndexers Indexers) error {
	return c.storage.AddIndexers(newIndexers)
}
