package informer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/sets"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// threadSafeMap is an indexed store: a map of objects and, for each index, a map of values to keys, under one lock. Its caller computes the keys.
// Mirrors client-go tools/cache.threadSafeMap (v0.37.2).
type threadSafeMap struct {
	lock  sync.RWMutex
	items map[string]*storedObject
	// added is how many keys were added since the last Replace.
	added int

	indexers Indexers
	// indices are the indexers with their contents, sorted by name within each addition.
	indices []*namedIndex
	rv      string
	// behaviour is that of the informer's release. A release without AtomicFIFO hides rv.
	behaviour releases.Behaviour

	observer   event.Observer
	writeEvent event.Event // reused for observer
	values     [][]string  // scratch memory for observer

	// newest is scratch memory of applyBatch.
	newest map[string]int
}

// storedObject is an object in a threadSafeMap. It does not change once the lock is free: a write makes another one.
type storedObject struct {
	key string
	obj any
	// number is the position among the stored objects: lists are in the order in which keys were added, so that one seed gives one log.
	number int
	// indexed are the index values that were reported last. Most writes do not change them, and then the same slice is reported again.
	indexed []event.IndexValues
}

type namedIndex struct {
	name string
	fn   IndexFunc
	keys map[string]sets.Set[string] // by value
}

// appendIndicesLocked adds empty indices for indexers and returns their names, sorted.
func (c *threadSafeMap) appendIndicesLocked(indexers Indexers) []string {
	names := slices.Sorted(maps.Keys(indexers))
	for _, name := range names {
		c.indices = append(c.indices, &namedIndex{name: name, fn: indexers[name], keys: map[string]sets.Set[string]{}})
	}
	return names
}

// valuesOf computes the indexed values of obj. It panics on an error, as client-go does.
func (x *namedIndex) valuesOf(obj any, key string) []string {
	values, err := x.fn(obj)
	if err != nil {
		panic(fmt.Errorf("unable to calculate an index entry for key %q on index %q: %v", key, x.name, err))
	}
	return values
}

// move moves a key from the values of old to those of obj, which it returns; nil stands for no object. The values of old are computed again rather than
// stored, so that an object that a handler changed in place leaves the same wrong entries as in client-go. Empty sets are dropped: with values that come
// and go they would accumulate (kubernetes#84959).
// Before 1.38 only a single value that stays is left as it is. Mirrors client-go tools/cache.(*storeIndex).updateSingleIndex (v0.37.2 and v0.38.0-beta.0).
func (x *namedIndex) move(key string, old, obj any, keepsAll bool) (after []string) {
	var before []string
	if old != nil {
		before = x.valuesOf(old, key)
	}
	if obj != nil {
		after = x.valuesOf(obj, key)
	}
	if (keepsAll || len(before) == 1) && slices.Equal(before, after) {
		return after
	}
	for _, v := range before {
		keys := x.keys[v]
		keys.Delete(key)
		if len(keys) == 0 {
			delete(x.keys, v)
		}
	}
	for _, v := range after {
		if x.keys[v] == nil {
			x.keys[v] = sets.Set[string]{}
		}
		x.keys[v].Insert(key)
	}
	return after
}

// indexValuesLocked returns the values of obj in every index, for an Observer. It skips an index whose function fails; storing such an object panics anyway.
func (c *threadSafeMap) indexValuesLocked(obj any) []event.IndexValues {
	if len(c.indices) == 0 {
		return nil
	}
	all := make([]event.IndexValues, 0, len(c.indices))
	for _, x := range c.indices {
		if values, err := x.fn(obj); err == nil {
			all = append(all, event.IndexValues{Index: x.name, Values: values})
		}
	}
	return all
}

// valuesToReportLocked returns values with the names of their indices: last, if they are the same.
func (c *threadSafeMap) valuesToReportLocked(last []event.IndexValues, values [][]string) []event.IndexValues {
	same := last != nil && len(last) == len(values)
	for i := 0; same && i < len(last); i++ {
		same = slices.Equal(last[i].Values, values[i])
	}
	if same {
		return last
	}
	all := make([]event.IndexValues, len(values))
	for i := range values {
		all[i] = event.IndexValues{Index: c.indices[i].name, Values: values[i]}
	}
	return all
}

// visibleRVLocked returns the store's resourceVersion as readers see it.
func (c *threadSafeMap) visibleRVLocked() string {
	if !c.behaviour.Atomic {
		return ""
	}
	return c.rv
}

// putLocked stores obj and returns it with its key, and the one that it replaces, which may be nil.
func (c *threadSafeMap) putLocked(key string, obj any) (item, old *storedObject) {
	item = &storedObject{key: key, obj: obj}
	if old = c.items[key]; old != nil {
		item.number, item.indexed = old.number, old.indexed
	} else {
		item.number = c.added
		c.added++
	}
	c.items[key] = item
	return item, old
}

// writeLocked stores obj, updates the indices and reports to the Observer. op is the type of the delta that caused the write, if any. If moveRV is set,
// the store's resourceVersion becomes rv, but only after the indices, because an index function may panic. version is obj's resourceVersion for the
// Observer, or "" if it was not looked up.
func (c *threadSafeMap) writeLocked(key string, obj any, op event.Op, rv string, moveRV bool, version string) (old any, existed bool) {
	item, replaced := c.putLocked(key, obj)
	if replaced != nil {
		old, existed = replaced.obj, true
	}
	whole := false
	if c.observer != nil {
		// Deferred, because the object is stored even if an index function panics.
		defer func() {
			if !whole {
				item.indexed = c.indexValuesLocked(obj)
			}
			if version == "" {
				version = rvOf(obj)
			}
			e := event.Stored{Kind: event.KindStoreAdded, Op: op, Key: key, RV: version, Obj: obj, Old: old, Indexed: item.indexed, StoreRV: c.visibleRVLocked()}
			if existed {
				e.Kind = event.KindStoreUpdated
			}
			c.writeEvent.SetStored(e)
			c.observer.Observe(&c.writeEvent)
		}()
	}
	c.values = c.values[:0]
	for _, x := range c.indices {
		c.values = append(c.values, x.move(key, old, obj, c.behaviour.KeepsIndexValues))
	}
	if c.observer != nil {
		item.indexed = c.valuesToReportLocked(item.indexed, c.values)
	}
	clear(c.values)
	whole = true
	if moveRV {
		c.rv = rv
	}
	return old, existed
}

// removeLocked is writeLocked for a delete. obj is the delete's object; it may be nil.
func (c *threadSafeMap) removeLocked(key string, obj any, rv string, moveRV bool) {
	item := c.items[key]
	if item == nil {
		if moveRV {
			c.bookmarkLocked(rv)
		}
		return
	}
	for _, x := range c.indices {
		x.move(key, item.obj, nil, c.behaviour.KeepsIndexValues)
	}
	delete(c.items, key)
	if moveRV {
		c.rv = rv
	}
	if c.observer != nil {
		deleted, _ := (&queueItem{obj: obj}).reportedObject()
		if deleted == nil {
			deleted = item.obj
		}
		send(c.observer, event.StoreDeleted{Key: key, RV: rvOf(deleted), Obj: deleted, Old: item.obj, StoreRV: c.visibleRVLocked()}.Event())
	}
}

func (c *threadSafeMap) bookmarkLocked(rv string) {
	moved := c.rv != rv
	c.rv = rv
	if c.observer != nil && moved && c.behaviour.Atomic {
		send(c.observer, event.StoreBookmark{StoreRV: rv}.Event())
	}
}

// objectRV returns the resourceVersion that the store gets by writing obj. ok is false if it gets none, as for a tombstone.
func objectRV(obj any) (rv string, ok bool) {
	if obj == nil {
		return "", false
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return "", false
	}
	return m.GetResourceVersion(), true
}

// set stores obj by a delta of type op. It returns the object stored before.
func (c *threadSafeMap) set(key string, obj any, op event.Op) (old any, existed bool) {
	rv, ok := objectRV(obj)
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.writeLocked(key, obj, op, rv, ok, rv)
}

// remove removes the object of key. The store's resourceVersion becomes that of obj, if it has one.
func (c *threadSafeMap) remove(key string, obj any) {
	rv, ok := objectRV(obj)
	c.lock.Lock()
	defer c.lock.Unlock()
	c.removeLocked(key, obj, rv, ok)
}

// transact does several writes under one lock. The store's resourceVersion becomes that of the last object. Since 1.38 only the last write of each key is
// done, so that no index gets what lay between.
// Mirrors client-go tools/cache.(*threadSafeMap).Transaction (v0.37.2 and v0.38.0-beta.0).
func (c *threadSafeMap) transact(keys []string, txns []Transaction) {
	if len(txns) == 0 {
		return
	}
	rv, ok := objectRV(txns[len(txns)-1].Object)
	var last map[string]int
	if c.behaviour.RepeatsKeys {
		last = make(map[string]int, len(keys))
		for i, key := range keys {
			last[key] = i
		}
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	for i, txn := range txns {
		if last != nil && last[keys[i]] != i {
			continue
		}
		moveRV := ok && i == len(txns)-1
		switch txn.Type {
		case TransactionTypeAdd, TransactionTypeUpdate:
			c.writeLocked(keys[i], txn.Object, event.OpNone, rv, moveRV, "")
		case TransactionTypeDelete:
			c.removeLocked(keys[i], txn.Object, rv, moveRV)
		default:
			if moveRV {
				c.bookmarkLocked(rv)
			}
		}
	}
}

// applyResult is the result of applyBatch for one delta.
type applyResult struct {
	// old is what the delta replaces: the object of the delta before it with its key, or else the stored one. nil is none.
	old any
	// overwritten is set if a later delta of the batch has the same key.
	overwritten bool
}

// applyBatch does the last write of each key in one transaction, and records what each delta replaces. It skips deltas whose key could not be computed.
func (c *threadSafeMap) applyBatch(items []queueItem, results []applyResult) {
	last := len(items) - 1
	for last >= 0 && items[last].keyErr != nil {
		last--
	}
	if last < 0 {
		return
	}
	items = items[:last+1]
	rv, ok := objectRV(items[last].obj)
	c.lock.Lock()
	defer c.lock.Unlock()
	c.pairLocked(items, results)
	for i := range items {
		q := &items[i]
		if q.keyErr != nil || results[i].overwritten {
			continue
		}
		moveRV := ok && i == last
		if q.op == event.OpDeleted {
			c.removeLocked(q.key, q.obj, rv, moveRV)
		} else {
			c.writeLocked(q.key, q.obj, q.op, rv, moveRV, q.rv)
		}
	}
}

// pairLocked records what each delta replaces, and which one a later delta of its key overwrites.
func (c *threadSafeMap) pairLocked(items []queueItem, results []applyResult) {
	if c.newest == nil {
		c.newest = make(map[string]int, len(items))
	}
	clear(c.newest)
	for i := range items {
		q := &items[i]
		if q.keyErr != nil {
			continue
		}
		if before, repeats := c.newest[q.key]; !repeats {
			if stored := c.items[q.key]; stored != nil {
				results[i].old = stored.obj
			}
		} else {
			results[before].overwritten = true
			if items[before].op != event.OpDeleted {
				results[i].old = items[before].obj
			}
		}
		if c.behaviour.RepeatsKeys { // otherwise no key of a batch repeats
			c.newest[q.key] = i
		}
	}
}

// GetByKey implements Store; the error is always nil.
func (c *threadSafeMap) GetByKey(key string) (item interface{}, exists bool, err error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	if stored := c.items[key]; stored != nil {
		return stored.obj, true, nil
	}
	return nil, false, nil
}

// inOrder returns the objects in the order in which their keys were added.
func inOrder(items map[string]*storedObject) []*storedObject {
	//maporder:free no two numbers are equal
	return slices.SortedFunc(maps.Values(items), compareNumbers)
}

func compareNumbers(a, b *storedObject) int { return cmp.Compare(a.number, b.number) }

// snapshot returns the stored objects of one moment in their order. It sorts them without the lock.
func (c *threadSafeMap) snapshot() []*storedObject {
	c.lock.RLock()
	//maporder:free sorted below
	all := slices.AppendSeq(make([]*storedObject, 0, len(c.items)), maps.Values(c.items))
	c.lock.RUnlock()
	slices.SortFunc(all, compareNumbers)
	return all
}

// List implements Store.
func (c *threadSafeMap) List() []interface{} {
	all := c.snapshot()
	list := make([]interface{}, len(all))
	for i, item := range all {
		list[i] = item.obj
	}
	return list
}

// ListKeys implements Store.
func (c *threadSafeMap) ListKeys() []string {
	all := c.snapshot()
	list := make([]string, len(all))
	for i, item := range all {
		list[i] = item.key
	}
	return list
}

// replace replaces the contents by the objects. Of two with the same key, the later one stays, in the place of the earlier. It returns what was stored
// before.
func (c *threadSafeMap) replace(keys []string, objs []any, resourceVersion string) (before map[string]*storedObject) {
	c.lock.Lock()
	defer c.lock.Unlock()
	before = c.items
	c.items, c.added = make(map[string]*storedObject, len(keys)), 0
	for i, key := range keys {
		c.putLocked(key, objs[i])
	}
	c.rv = resourceVersion
	if c.observer != nil {
		// Deferred, because the objects are stored even if an index function panics.
		defer func() {
			send(c.observer, event.StoreReplaced{Count: len(c.items), Items: c.itemsLocked(), StoreRV: c.visibleRVLocked()}.Event())
		}()
	}
	for _, x := range c.indices {
		x.keys = make(map[string]sets.Set[string], len(x.keys))
	}
	c.fillLocked(c.indices)
	return before
}

// fillLocked adds every stored object to the indices.
func (c *threadSafeMap) fillLocked(indices []*namedIndex) {
	for _, item := range inOrder(c.items) {
		for _, x := range indices {
			x.move(item.key, nil, item.obj, c.behaviour.KeepsIndexValues)
		}
	}
}

// itemsLocked returns the stored objects with their index values, for an Observer.
func (c *threadSafeMap) itemsLocked() []event.Item {
	items := make([]event.Item, 0, len(c.items))
	for _, item := range inOrder(c.items) {
		items = append(items, event.Item{Key: item.key, RV: rvOf(item.obj), Obj: item.obj, Indexed: c.indexValuesLocked(item.obj)})
	}
	return items
}

// findLocked returns the named index.
func (c *threadSafeMap) findLocked(indexName string) (*namedIndex, error) {
	for _, x := range c.indices {
		if x.name == indexName && x.fn != nil {
			return x, nil
		}
	}
	return nil, fmt.Errorf("Index with name %s does not exist", indexName)
}

// gatherLocked returns the objects of keys, sorted by key. A key that was left behind by an object that was changed in place has nil.
func (c *threadSafeMap) gatherLocked(keys sets.Set[string]) []interface{} {
	list := make([]interface{}, 0, len(keys))
	for _, key := range sets.List(keys) {
		if item := c.items[key]; item != nil {
			list = append(list, item.obj)
		} else {
			list = append(list, nil)
		}
	}
	return list
}

// Index implements Indexer.
func (c *threadSafeMap) Index(indexName string, obj interface{}) ([]interface{}, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	x, err := c.findLocked(indexName)
	if err != nil {
		return nil, err
	}
	values, err := x.fn(obj)
	if err != nil {
		return nil, err
	}
	union := sets.Set[string]{}
	for _, v := range values {
		union = union.Union(x.keys[v])
	}
	return c.gatherLocked(union), nil
}

// ByIndex implements Indexer.
func (c *threadSafeMap) ByIndex(indexName, indexedValue string) ([]interface{}, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	x, err := c.findLocked(indexName)
	if err != nil {
		return nil, err
	}
	return c.gatherLocked(x.keys[indexedValue]), nil
}

// IndexKeys implements Indexer.
func (c *threadSafeMap) IndexKeys(indexName, indexedValue string) ([]string, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	x, err := c.findLocked(indexName)
	if err != nil {
		return nil, err
	}
	return sets.List(x.keys[indexedValue]), nil
}

// ListIndexFuncValues implements Indexer. The values are sorted; client-go's order is random. For a name that does not exist it returns no values.
func (c *threadSafeMap) ListIndexFuncValues(name string) []string {
	c.lock.RLock()
	defer c.lock.RUnlock()
	x, err := c.findLocked(name)
	if err != nil {
		return []string{}
	}
	return slices.Sorted(maps.Keys(x.keys))
}

// LastStoreSyncResourceVersion implements Store.
func (c *threadSafeMap) LastStoreSyncResourceVersion() string {
	c.lock.RLock()
	defer c.lock.RUnlock()
	return c.visibleRVLocked()
}

// Bookmark implements Store.
func (c *threadSafeMap) Bookmark(rv string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.bookmarkLocked(rv)
}

// GetIndexers implements Indexer.
func (c *threadSafeMap) GetIndexers() Indexers {
	c.lock.RLock()
	defer c.lock.RUnlock()
	return c.indexers
}

// AddIndexers implements Indexer.
func (c *threadSafeMap) AddIndexers(newIndexers Indexers) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	conflict := sets.KeySet(c.indexers).Intersection(sets.KeySet(newIndexers))
	if len(conflict) > 0 {
		return fmt.Errorf("indexer conflict: %v", conflict)
	}
	if c.indexers == nil {
		c.indexers = Indexers{}
	}
	maps.Copy(c.indexers, newIndexers)
	before := len(c.indices)
	names := c.appendIndicesLocked(newIndexers)
	if c.observer != nil {
		defer func() {
			send(c.observer, event.IndexersAdded{Items: c.itemsLocked(), Names: strings.Join(names, ",")}.Event())
		}()
	}
	c.fillLocked(c.indices[before:])
	return nil
}

// Resync implements Store. It does nothing.
func (c *threadSafeMap) Resync() error { return nil }

// len returns how many objects are stored.
func (c *threadSafeMap) len() int {
	c.lock.RLock()
	defer c.lock.RUnlock()
	return len(c.items)
}
