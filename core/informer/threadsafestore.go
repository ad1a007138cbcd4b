package informer

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/sets"
)

// ThreadSafeStore is an indexed store whose caller makes the keys. What it
// returns must be treated as read-only: changing an object in place does not
// move it in the indices.
type ThreadSafeStore interface {
	Add(key string, obj interface{})
	Update(key string, obj interface{})
	// Delete leaves the store's resourceVersion alone; DeleteWithObject takes it from obj.
	Delete(key string)
	DeleteWithObject(key string, obj interface{})
	Get(key string) (item interface{}, exists bool)
	List() []interface{}
	ListKeys() []string
	// Replace makes the map the whole contents.
	Replace(map[string]interface{}, string)
	Index(indexName string, obj interface{}) ([]interface{}, error)
	IndexKeys(indexName, indexedValue string) ([]string, error)
	Bookmark(rv string)
	LastStoreSyncResourceVersion() string
	ListIndexFuncValues(name string) []string
	ByIndex(indexName, indexedValue string) ([]interface{}, error)
	GetIndexers() Indexers
	AddIndexers(newIndexers Indexers) error
	// Resync does nothing.
	Resync() error
}

// ThreadSafeStoreTransaction is a Transaction with the key of its object.
type ThreadSafeStoreTransaction struct {
	Transaction
	Key string
}

// ThreadSafeStoreWithTransaction does several writes under one lock.
type ThreadSafeStoreWithTransaction interface {
	ThreadSafeStore
	Transaction(fns ...ThreadSafeStoreTransaction)
}

// NewThreadSafeStore returns a ThreadSafeStoreWithTransaction that uses the
// given maps; the caller must not touch them afterwards.
func NewThreadSafeStore(indexers Indexers, indices Indices) ThreadSafeStore {
	return newThreadSafeMap(indexers, indices, nil, false)
}

// Objects lie in chunks of this many slots. A List takes the chunk pointers
// under the lock and copies the objects after it, so a reader holds the lock
// for N/64 steps; a writer that meets a chunk some List has taken copies the
// chunk first.
const (
	chunkBits = 6
	chunkSize = 1 << chunkBits
	chunkMask = chunkSize - 1
)

type slot struct {
	key string
	obj any
}

type chunk struct {
	// born is the generation in which the chunk was made. A List starts a new
	// generation, and older chunks are never written again.
	born  uint64
	slots [chunkSize]slot
}

// threadSafeMap implements ThreadSafeStoreWithTransaction.
type threadSafeMap struct {
	lock sync.RWMutex
	// pos is where in the chunks a key's slot is; slots 0 to len(pos)-1 are used.
	pos    map[string]int
	chunks []*chunk
	gen    atomic.Uint64

	indexers Indexers
	// indices are the indexers with their contents, in the order of their names as they were added.
	indices []*namedIndex
	rv      string

	observer Observer
	hideRV   bool
}

type namedIndex struct {
	name string
	fn   IndexFunc
	// namespace: fn is MetaNamespaceIndexFunc, whose value can be had without making a slice.
	namespace bool
	values    index
}

var _ ThreadSafeStoreWithTransaction = &threadSafeMap{}

func newThreadSafeMap(indexers Indexers, indices Indices, o Observer, hideRV bool) *threadSafeMap {
	c := &threadSafeMap{pos: map[string]int{}, indexers: indexers, observer: o, hideRV: hideRV}
	names := c.appendIndices(indexers, indices)
	if c.observer != nil && len(names) > 0 {
		send(c.observer, Event{Kind: KindIndexersAdded, Text: strings.Join(names, ",")})
	}
	return c
}

// appendIndices adds namedIndexes for indexers and returns their names, sorted.
func (c *threadSafeMap) appendIndices(indexers Indexers, contents Indices) []string {
	names := slices.Sorted(maps.Keys(indexers))
	metaNamespace := reflect.ValueOf(MetaNamespaceIndexFunc).Pointer()
	for _, name := range names {
		values := contents[name]
		if values == nil {
			values = index{}
		}
		fn := indexers[name]
		c.indices = append(c.indices, &namedIndex{
			name: name, fn: fn, values: values,
			namespace: fn != nil && reflect.ValueOf(fn).Pointer() == metaNamespace,
		})
	}
	return names
}

// valuesOf computes the indexed values of obj. An error panics, as in client-go.
func (x *namedIndex) valuesOf(obj any, key string) []string {
	values, err := x.fn(obj)
	if err != nil {
		panic(fmt.Errorf("unable to calculate an index entry for key %q on index %q: %v", key, x.name, err))
	}
	return values
}

func (x *namedIndex) insert(key, value string) {
	set := x.values[value]
	if set == nil {
		set = sets.Set[string]{}
		x.values[value] = set
	}
	set.Insert(key)
}

// remove drops an emptied set: with values that come and go they would pile up
// (kubernetes#84959).
func (x *namedIndex) remove(key, value string) {
	set := x.values[value]
	if set == nil {
		return
	}
	delete(set, key)
	if len(set) == 0 {
		delete(x.values, value)
	}
}

// update moves key from the values of old to those of obj; either may be nil.
// The values of old are computed again rather than remembered, so that an
// object that a handler changed in place goes wrong just as it does in
// client-go. Mirrors client-go tools/cache.(*storeIndex).updateSingleIndex (v0.37.2).
func (x *namedIndex) update(old, obj any, key string) {
	if x.namespace {
		x.updateNamespace(old, obj, key)
		return
	}
	var before, after []string
	if old != nil {
		before = x.valuesOf(old, key)
	}
	if obj != nil {
		after = x.valuesOf(obj, key)
	}
	if len(before) == 1 && len(after) == 1 && before[0] == after[0] {
		return
	}
	for _, v := range before {
		x.remove(key, v)
	}
	for _, v := range after {
		x.insert(key, v)
	}
}

func (x *namedIndex) updateNamespace(old, obj any, key string) {
	var before, after string
	if old != nil {
		before = x.namespaceOf(old, key)
	}
	if obj != nil {
		after = x.namespaceOf(obj, key)
	}
	if old != nil && obj != nil && before == after {
		return
	}
	if old != nil {
		x.remove(key, before)
	}
	if obj != nil {
		x.insert(key, after)
	}
}

func (x *namedIndex) namespaceOf(obj any, key string) string {
	m, err := meta.Accessor(obj)
	if err != nil {
		return x.valuesOf(obj, key)[0] // panics with the index function's own error
	}
	return m.GetNamespace()
}

// indexed returns the values of obj in every index, for an Observer. An index
// whose function fails is left out; storing such an object panics anyway.
func (c *threadSafeMap) indexed(obj any) []IndexValues {
	if len(c.indices) == 0 {
		return nil
	}
	all := make([]IndexValues, 0, len(c.indices))
	for _, x := range c.indices {
		if values, err := x.fn(obj); err == nil {
			all = append(all, IndexValues{Index: x.name, Values: values})
		}
	}
	return all
}

func (c *threadSafeMap) slotAt(i int) *slot { return &c.chunks[i>>chunkBits].slots[i&chunkMask] }

// ownedSlot is slotAt for writing: it copies the chunk if a List has taken it.
func (c *threadSafeMap) ownedSlot(i int) *slot {
	ch := c.chunks[i>>chunkBits]
	if gen := c.gen.Load(); ch.born < gen {
		ch = &chunk{born: gen, slots: ch.slots}
		c.chunks[i>>chunkBits] = ch
	}
	return &ch.slots[i&chunkMask]
}

// putLocked stores obj and returns what was stored before.
func (c *threadSafeMap) putLocked(key string, obj any) (old any, existed bool) {
	if i, ok := c.pos[key]; ok {
		s := c.ownedSlot(i)
		old, s.obj = s.obj, obj
		return old, true
	}
	i := len(c.pos)
	if i>>chunkBits == len(c.chunks) {
		c.chunks = append(c.chunks, &chunk{born: c.gen.Load()})
	}
	*c.ownedSlot(i) = slot{key, obj}
	c.pos[key] = i
	return nil, false
}

// takeLocked removes the slot of key by moving the last slot into its place.
func (c *threadSafeMap) takeLocked(key string) {
	i, last := c.pos[key], len(c.pos)-1
	delete(c.pos, key)
	end := c.ownedSlot(last)
	if i != last {
		*c.ownedSlot(i) = *end
		c.pos[end.key] = i
	}
	*end = slot{}
	if last&chunkMask == 0 {
		c.chunks[last>>chunkBits] = nil
		c.chunks = c.chunks[:last>>chunkBits]
	}
}

// visibleRV is the store's resourceVersion as a reader may know it.
func (c *threadSafeMap) visibleRV() string {
	if c.hideRV {
		return ""
	}
	return c.rv
}

// writeLocked stores obj, moves it in the indices and tells the Observer. If
// moveRV, the store's resourceVersion becomes rv, but only once the indices
// are done: an index function may panic.
func (c *threadSafeMap) writeLocked(key string, obj any, rv string, moveRV bool) (old any, existed bool) {
	old, existed = c.putLocked(key, obj)
	if c.observer != nil {
		// Deferred, because the object is stored even when an index function panics.
		defer func() {
			kind := KindStoreAdded
			if existed {
				kind = KindStoreUpdated
			}
			send(c.observer, Event{Kind: kind, Key: key, RV: rvOf(obj), Obj: obj, Old: old, Indexed: c.indexed(obj), StoreRV: c.visibleRV()})
		}()
	}
	for _, x := range c.indices {
		x.update(old, obj, key)
	}
	if moveRV {
		c.rv = rv
	}
	return old, existed
}

// removeLocked is writeLocked for a delete. obj is what the delete came with, perhaps nil.
func (c *threadSafeMap) removeLocked(key string, obj any, rv string, moveRV bool) {
	i, ok := c.pos[key]
	if !ok {
		if moveRV {
			c.bookmarkLocked(rv)
		}
		return
	}
	old := c.slotAt(i).obj
	for _, x := range c.indices {
		x.update(old, nil, key)
	}
	c.takeLocked(key)
	if moveRV {
		c.rv = rv
	}
	if c.observer != nil {
		gone, _ := (&queued{obj: obj}).observed()
		if gone == nil {
			gone = old
		}
		send(c.observer, Event{Kind: KindStoreDeleted, Key: key, RV: rvOf(gone), Obj: gone, Old: old, StoreRV: c.visibleRV()})
	}
}

func (c *threadSafeMap) bookmarkLocked(rv string) {
	moved := c.rv != rv
	c.rv = rv
	if c.observer != nil && moved && !c.hideRV {
		send(c.observer, Event{Kind: KindStoreBookmark, StoreRV: rv})
	}
}

// objectRV returns the resourceVersion that writing obj gives the store, and
// whether it gives one: a tombstone does not.
func objectRV(obj any) (string, bool) {
	if obj == nil {
		return "", false
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return "", false
	}
	return m.GetResourceVersion(), true
}

// Add implements ThreadSafeStore.
func (c *threadSafeMap) Add(key string, obj interface{}) { c.Update(key, obj) }

// Update implements ThreadSafeStore.
func (c *threadSafeMap) Update(key string, obj interface{}) { c.set(key, obj) }

// set is Update that returns what was stored before.
func (c *threadSafeMap) set(key string, obj any) (old any, existed bool) {
	rv, ok := objectRV(obj)
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.writeLocked(key, obj, rv, ok)
}

// Delete implements ThreadSafeStore.
func (c *threadSafeMap) Delete(key string) { c.DeleteWithObject(key, nil) }

// DeleteWithObject implements ThreadSafeStore.
func (c *threadSafeMap) DeleteWithObject(key string, obj interface{}) {
	rv, ok := objectRV(obj)
	c.lock.Lock()
	defer c.lock.Unlock()
	c.removeLocked(key, obj, rv, ok)
}

// Transaction implements ThreadSafeStoreWithTransaction. The store's
// resourceVersion becomes that of the last object.
// Mirrors client-go tools/cache.(*threadSafeMap).Transaction (v0.37.2).
func (c *threadSafeMap) Transaction(txns ...ThreadSafeStoreTransaction) {
	if len(txns) == 0 {
		return
	}
	rv, ok := objectRV(txns[len(txns)-1].Object)
	c.lock.Lock()
	defer c.lock.Unlock()
	for i, txn := range txns {
		moveRV := ok && i == len(txns)-1
		switch txn.Type {
		case TransactionTypeAdd, TransactionTypeUpdate:
			c.writeLocked(txn.Key, txn.Object, rv, moveRV)
		case TransactionTypeDelete:
			c.removeLocked(txn.Key, txn.Object, rv, moveRV)
		default:
			if moveRV {
				c.bookmarkLocked(rv)
			}
		}
	}
}

// applied is what applyBatch learned about one delta.
type applied struct {
	old     any
	existed bool
}

// applyBatch writes deltas in one transaction and notes what each replaced.
// Deltas whose key could not be made are left out.
func (c *threadSafeMap) applyBatch(items []queued, results []applied) {
	last := len(items) - 1
	for last >= 0 && items[last].keyErr != nil {
		last--
	}
	if last < 0 {
		return
	}
	rv, ok := objectRV(items[last].obj)
	c.lock.Lock()
	defer c.lock.Unlock()
	for i := range items[:last+1] {
		it := &items[i]
		if it.keyErr != nil {
			continue
		}
		moveRV := ok && i == last
		if it.op == OpDeleted {
			c.removeLocked(it.key, it.obj, rv, moveRV)
			continue
		}
		results[i].old, results[i].existed = c.writeLocked(it.key, it.obj, rv, moveRV)
	}
}

// Get implements ThreadSafeStore.
func (c *threadSafeMap) Get(key string) (item interface{}, exists bool) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	i, ok := c.pos[key]
	if !ok {
		return nil, false
	}
	return c.slotAt(i).obj, true
}

// frozen returns the chunks, which will not change any more, and the number of used slots.
func (c *threadSafeMap) frozen() ([]*chunk, int) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	c.gen.Add(1)
	return slices.Clone(c.chunks), len(c.pos)
}

// List implements ThreadSafeStore.
func (c *threadSafeMap) List() []interface{} {
	chunks, n := c.frozen()
	list := make([]interface{}, n)
	for i := range list {
		list[i] = chunks[i>>chunkBits].slots[i&chunkMask].obj
	}
	return list
}

// ListKeys implements ThreadSafeStore.
func (c *threadSafeMap) ListKeys() []string {
	chunks, n := c.frozen()
	list := make([]string, n)
	for i := range list {
		list[i] = chunks[i>>chunkBits].slots[i&chunkMask].key
	}
	return list
}

// Replace implements ThreadSafeStore.
func (c *threadSafeMap) Replace(items map[string]interface{}, resourceVersion string) {
	keys := slices.Sorted(maps.Keys(items))
	objs := make([]any, len(keys))
	for i, key := range keys {
		objs[i] = items[key]
	}
	c.replaceList(keys, objs, resourceVersion)
}

// replaceList makes the objects the whole contents. Of two with one key the
// later stays, in the earlier's place.
func (c *threadSafeMap) replaceList(keys []string, objs []any, resourceVersion string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.replaceLocked(keys, objs, resourceVersion)
}

func (c *threadSafeMap) replaceLocked(keys []string, objs []any, resourceVersion string) {
	c.pos = make(map[string]int, len(keys))
	c.chunks = make([]*chunk, 0, (len(keys)+chunkMask)>>chunkBits)
	for i, key := range keys {
		c.putLocked(key, objs[i])
	}
	c.rv = resourceVersion
	if c.observer != nil {
		// Deferred, because the objects are stored even when an index function panics.
		defer func() {
			send(c.observer, Event{Kind: KindStoreReplaced, N: len(c.pos), Items: c.itemsLocked(), StoreRV: c.visibleRV()})
		}()
	}
	for _, x := range c.indices {
		x.values = make(index, len(x.values))
	}
	for i := range len(c.pos) {
		s := c.slotAt(i)
		for _, x := range c.indices {
			x.update(nil, s.obj, s.key)
		}
	}
}

// itemsLocked lists what is stored, with index values, for an Observer.
func (c *threadSafeMap) itemsLocked() []Item {
	items := make([]Item, len(c.pos))
	for i := range items {
		s := c.slotAt(i)
		items[i] = Item{Key: s.key, RV: rvOf(s.obj), Obj: s.obj, Indexed: c.indexed(s.obj)}
	}
	return items
}

// replaceAll is replaceList that also says what it replaced: olds[i] is what
// was stored under keys[i], and gone are the slots whose key is not in keys.
func (c *threadSafeMap) replaceAll(keys []string, objs []any, resourceVersion string) (olds []any, gone []slot) {
	olds = make([]any, len(keys))
	c.lock.Lock()
	defer c.lock.Unlock()
	if len(c.pos) > 0 {
		keep := make(map[string]struct{}, len(keys))
		for i, key := range keys {
			keep[key] = struct{}{}
			if at, ok := c.pos[key]; ok {
				olds[i] = c.slotAt(at).obj
			}
		}
		for i := range len(c.pos) {
			s := c.slotAt(i)
			if _, ok := keep[s.key]; !ok {
				gone = append(gone, *s)
			}
		}
	}
	c.replaceLocked(keys, objs, resourceVersion)
	return olds, gone
}

// find returns the named index.
func (c *threadSafeMap) find(indexName string) (*namedIndex, error) {
	for _, x := range c.indices {
		if x.name == indexName && x.fn != nil {
			return x, nil
		}
	}
	return nil, fmt.Errorf("Index with name %s does not exist", indexName)
}

// gather returns the objects of the keys in set.
func (c *threadSafeMap) gather(set sets.Set[string]) []interface{} {
	list := make([]interface{}, 0, len(set))
	for key := range set {
		var obj any // nil for a key that an object changed in place left behind
		if i, ok := c.pos[key]; ok {
			obj = c.slotAt(i).obj
		}
		list = append(list, obj)
	}
	return list
}

// Index implements ThreadSafeStore.
func (c *threadSafeMap) Index(indexName string, obj interface{}) ([]interface{}, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	x, err := c.find(indexName)
	if err != nil {
		return nil, err
	}
	values, err := x.fn(obj)
	if err != nil {
		return nil, err
	}
	if len(values) == 1 {
		return c.gather(x.values[values[0]]), nil
	}
	union := sets.Set[string]{}
	for _, v := range values {
		for key := range x.values[v] {
			union.Insert(key)
		}
	}
	return c.gather(union), nil
}

// ByIndex implements ThreadSafeStore.
func (c *threadSafeMap) ByIndex(indexName, indexedValue string) ([]interface{}, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	x, err := c.find(indexName)
	if err != nil {
		return nil, err
	}
	return c.gather(x.values[indexedValue]), nil
}

// IndexKeys implements ThreadSafeStore.
func (c *threadSafeMap) IndexKeys(indexName, indexedValue string) ([]string, error) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	x, err := c.find(indexName)
	if err != nil {
		return nil, err
	}
	return sets.List(x.values[indexedValue]), nil
}

// ListIndexFuncValues implements ThreadSafeStore. A name that does not exist has no values.
func (c *threadSafeMap) ListIndexFuncValues(indexName string) []string {
	c.lock.RLock()
	defer c.lock.RUnlock()
	x, err := c.find(indexName)
	if err != nil {
		return []string{}
	}
	names := make([]string, 0, len(x.values))
	for v := range x.values {
		names = append(names, v)
	}
	return names
}

// LastStoreSyncResourceVersion implements ThreadSafeStore.
func (c *threadSafeMap) LastStoreSyncResourceVersion() string {
	c.lock.RLock()
	defer c.lock.RUnlock()
	return c.visibleRV()
}

// Bookmark implements ThreadSafeStore.
func (c *threadSafeMap) Bookmark(rv string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.bookmarkLocked(rv)
}

// GetIndexers implements ThreadSafeStore.
func (c *threadSafeMap) GetIndexers() Indexers {
	c.lock.RLock()
	defer c.lock.RUnlock()
	return c.indexers
}

// AddIndexers implements ThreadSafeStore.
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
	names := c.appendIndices(newIndexers, nil)
	if c.observer != nil {
		defer func() {
			send(c.observer, Event{Kind: KindIndexersAdded, Items: c.itemsLocked(), Text: strings.Join(names, ",")})
		}()
	}
	for i := range len(c.pos) {
		s := c.slotAt(i)
		for _, x := range c.indices[before:] {
			x.update(nil, s.obj, s.key)
		}
	}
	return nil
}

// Resync implements ThreadSafeStore.
func (c *threadSafeMap) Resync() error { return nil }

// len is how many objects are stored.
func (c *threadSafeMap) len() int {
	c.lock.RLock()
	defer c.lock.RUnlock()
	return len(c.pos)
}
