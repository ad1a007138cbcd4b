package informer

import (
	"fmt"
	"strings"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
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

// WithRelease makes the store that of an informer of a release. The default is releases.Standard.
func WithRelease(release releases.Release) StoreOption {
	return func(c *cache) { c.behaviour = release.Behaviour() }
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
	*threadSafeMap
	keyFunc     KeyFunc
	transformer TransformFunc
}

var (
	_ Indexer          = &cache{}
	_ TransactionStore = &cache{}
)

func newCache(keyFunc KeyFunc, indexers Indexers, opts ...StoreOption) *cache {
	c := &cache{threadSafeMap: &threadSafeMap{items: map[string]*storedObject{}, indexers: indexers, behaviour: releases.Standard.Behaviour()}, keyFunc: keyFunc}
	for _, opt := range opts {
		opt(c)
	}
	names := c.appendIndicesLocked(indexers)
	if c.observer != nil && len(names) > 0 {
		send(c.observer, event.IndexersAdded{Names: strings.Join(names, ",")}.Event())
	}
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
func (c *cache) Add(obj interface{}) error { return c.Update(obj) }

// Update implements Store.
func (c *cache) Update(obj interface{}) error {
	key, obj, err := c.keyAndTransform(obj)
	if err != nil {
		return err
	}
	c.set(key, obj, event.OpNone)
	return nil
}

// Delete implements Store.
func (c *cache) Delete(obj interface{}) error {
	key, err := c.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	c.remove(key, obj)
	return nil
}

// Transaction implements TransactionStore. It skips objects without a key. Since 1.38 it does only the last write of a key.
// Mirrors client-go tools/cache.(*cache).Transaction (v0.37.2).
func (c *cache) Transaction(txns ...Transaction) *TransactionError {
	var keys []string
	var keyed []Transaction
	var done []int
	var errs []error
	for i, txn := range txns {
		key, err := c.keyFunc(txn.Object)
		if err != nil {
			errs = append(errs, KeyError{txn.Object, err})
			continue
		}
		done = append(done, i)
		keys, keyed = append(keys, key), append(keyed, txn)
	}
	c.transact(keys, keyed)
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
	c.replace(keys, objs, resourceVersion)
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
