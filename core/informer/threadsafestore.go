package informer

import (
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/sets"

	"informerscope/core/words/event"
)

// ThreadSafeStore is an indexed store whose caller computes the keys. Callers must treat returned objects as read-only: changing an object in place
// does not move it in the indices.
type ThreadSafeStore interface {
	Add(key string, obj interface{})
	Update(key string, obj interface{})
	// Delete does not change the store's resourceVersion; DeleteWithObject sets it to that of obj.
	Delete(key string)
	DeleteWithObject(key string, obj interface{})
	Get(key string) (item interface{}, exists bool)
	List() []interface{}
	ListKeys() []string
	// Replace replaces the contents by those of the map.
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

// NewThreadSafeStore returns a ThreadSafeStoreWithTransaction. It takes ownership of the maps: the caller must not use them afterwards.
func NewThreadSafeStore(indexers Indexers, indices Indices, opts ...ThreadSafeStoreOption) ThreadSafeStore {
	c := newThreadSafeMap(indexers, indices, nil, false)
	for _, opt := range opts {
		opt(c)
	}
	return c
}

// threadSafeMap implements ThreadSafeStoreWithTransaction.
type threadSafeMap struct {
	lock sync.RWMutex
	// table finds the slots; their numbers are below len(refs), and they are in chunks.
	table  slotTable
	chunks []*chunk
	// refs is how many index sets contain each slot.
	refs []uint32
	// free are slots for reuse; objects is how many slots hold an object.
	free    []uint32
	objects int
	gen     atomic.Uint64
	// current is the view of the last List; nil after a write.
	current atomic.Pointer[view]
	// viewSize is how many chunks the last view had.
	viewSize atomic.Int64

	indexers Indexers
	// indices are the indexers with their contents, sorted by name within each addition.
	indices []*namedIndex
	rv      string

	observer   event.Observer
	writeEvent event.Event // reused for observer
	// lastReported is the last value list that was reported for each slot. Most writes do not change the values, and then the same list is reported again.
	// values is scratch memory for it.
	lastReported [][]event.IndexValues
	values       [][]string
	hideRV       bool
	rvMetric     GaugeMetric // nil without a provider
}

type namedIndex struct {
	name string
	fn   IndexFunc
	// namespace is set if fn is MetaNamespaceIndexFunc, whose value can be computed without allocating a slice.
	namespace bool
	values    map[string]*idSet
	// lastReported is the value list that was reported last, for the namespace index.
	lastReported []string
}

var _ ThreadSafeStoreWithTransaction = &threadSafeMap{}

func newThreadSafeMap(indexers Indexers, indices Indices, o event.Observer, hideRV bool) *threadSafeMap {
	c := &threadSafeMap{indexers: indexers, observer: o, hideRV: hideRV}
	names := c.appendIndices(indexers, indices)
	if c.observer != nil && len(names) > 0 {
		send(c.observer, event.IndexersAdded{Names: strings.Join(names, ",")}.Event())
	}
	return c
}

// appendIndices adds namedIndexes for indexers and returns their names, sorted.
func (c *threadSafeMap) appendIndices(indexers Indexers, contents Indices) []string {
	names := slices.Sorted(maps.Keys(indexers))
	metaNamespace := reflect.ValueOf(MetaNamespaceIndexFunc).Pointer()
	for _, name := range names {
		values := make(map[string]*idSet, len(contents[name]))
		for _, value := range slices.Sorted(maps.Keys(contents[name])) {
			set := &idSet{}
			for _, key := range sets.List(contents[name][value]) {
				if id := c.slotFor(key, hashKey(key)); set.add(id) {
					c.refs[id]++
				}
			}
			values[value] = set
		}
		fn := indexers[name]
		c.indices = append(c.indices, &namedIndex{
			name: name, fn: fn, values: values,
			namespace: fn != nil && reflect.ValueOf(fn).Pointer() == metaNamespace,
		})
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

// insert adds a slot to the set of a value.
func (c *threadSafeMap) insert(x *namedIndex, id int, value string) {
	set := x.values[value]
	if set == nil {
		set = &idSet{}
		x.values[value] = set
	}
	if set.add(id) {
		c.refs[id]++
	}
}

// remove removes a slot from the set of a value. It drops empty sets: with values that come and go they would accumulate (kubernetes#84959).
func (c *threadSafeMap) remove(x *namedIndex, id int, value string) {
	set := x.values[value]
	if set == nil {
		return
	}
	if set.remove(id) {
		c.refs[id]--
	}
	if set.n == 0 {
		delete(x.values, value)
	}
}

// reindex moves a slot from the values of old to those of obj, which it returns; nil stands for no object. The values of old are computed again rather
// than stored, so that an object that a handler changed in place leaves the same wrong entries as in client-go.
// Mirrors client-go tools/cache.(*storeIndex).updateSingleIndex (v0.37.2).
func (c *threadSafeMap) reindex(x *namedIndex, id int, old, obj any, key string) (after []string) {
	if x.namespace {
		return c.reindexNamespace(x, id, old, obj, key)
	}
	var before []string
	if old != nil {
		before = x.valuesOf(old, key)
	}
	if obj != nil {
		after = x.valuesOf(obj, key)
	}
	if len(before) == 1 && len(after) == 1 && before[0] == after[0] {
		return after
	}
	for _, v := range before {
		c.remove(x, id, v)
	}
	for _, v := range after {
		c.insert(x, id, v)
	}
	return after
}

func (c *threadSafeMap) reindexNamespace(x *namedIndex, id int, old, obj any, key string) []string {
	var before, after string
	if old != nil {
		before = x.namespaceOf(old, key)
	}
	if obj != nil {
		after = x.namespaceOf(obj, key)
	}
	if old == nil || obj == nil || before != after {
		if old != nil {
			c.remove(x, id, before)
		}
		if obj != nil {
			c.insert(x, id, after)
		}
	}
	if c.observer == nil {
		return nil
	}
	if len(x.lastReported) == 0 || x.lastReported[0] != after {
		x.lastReported = []string{after}
	}
	return x.lastReported
}

func (x *namedIndex) namespaceOf(obj any, key string) string {
	m, err := meta.Accessor(obj)
	if err != nil {
		return x.valuesOf(obj, key)[0] // panics with the index function's own error
	}
	return m.GetNamespace()
}

// indexValues returns the values of obj in every index, for an Observer. It skips an index whose function fails; storing such an object panics anyway.
func (c *threadSafeMap) indexValues(obj any) []event.IndexValues {
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

func (c *threadSafeMap) slotAt(id int) *slot { return &c.chunks[id>>chunkBits].slots[id&chunkMask] }

// ownedSlot is slotAt for writing: it copies the chunk if a List uses it.
func (c *threadSafeMap) ownedSlot(id int) *slot {
	if c.current.Load() != nil {
		c.current.Store(nil)
	}
	ch := c.chunks[id>>chunkBits]
	if gen := c.gen.Load(); ch.generation < gen {
		ch = &chunk{generation: gen, slots: ch.slots}
		c.chunks[id>>chunkBits] = ch
	}
	return &ch.slots[id&chunkMask]
}

// lookup returns the slot of key, or -1 if there is none. The slot may have no object.
func (c *threadSafeMap) lookup(key string, hash uint32) int {
	if c.table.n == 0 {
		return -1
	}
	mask := len(c.table.entries) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		e := c.table.entries[i]
		if e == 0 {
			return -1
		}
		if id := int(uint32(e)) - 1; uint32(e>>32) == hash && c.slotAt(id).key == key {
			return id
		}
	}
}

// findObject returns the slot of key if it holds an object, otherwise -1.
func (c *threadSafeMap) findObject(key string) int {
	if id := c.lookup(key, hashKey(key)); id >= 0 && c.slotAt(id).hasObject() {
		return id
	}
	return -1
}

// slotFor returns the slot of key, and creates one without an object if there is none.
func (c *threadSafeMap) slotFor(key string, hash uint32) int {
	if id := c.lookup(key, hash); id >= 0 {
		return id
	}
	var id int
	if n := len(c.free); n > 0 {
		id = int(c.free[n-1])
		c.free = c.free[:n-1]
	} else {
		id = len(c.refs)
		if id>>chunkBits == len(c.chunks) {
			c.chunks = append(c.chunks, &chunk{generation: c.gen.Load()})
		}
		c.refs = append(c.refs, 0)
	}
	*c.ownedSlot(id) = slot{key, noObject}
	c.table.put(hash, id)
	return id
}

// putLocked stores obj and returns its slot and the object stored before.
func (c *threadSafeMap) putLocked(key string, obj any) (id int, old any, existed bool) {
	id = c.slotFor(key, hashKey(key))
	s := c.ownedSlot(id)
	if s.hasObject() {
		old, existed = s.obj, true
	} else {
		c.objects++
	}
	s.obj = obj
	return id, old, existed
}

// takeLocked empties a slot. If an index still contains the slot, it keeps its key.
func (c *threadSafeMap) takeLocked(id int) {
	s := c.ownedSlot(id)
	s.obj = noObject
	c.objects--
	if c.refs[id] != 0 {
		return
	}
	c.table.remove(hashKey(s.key), id)
	s.key = ""
	c.free = append(c.free, uint32(id))
	if len(c.free) > 1024 && len(c.free) > 3*(len(c.refs)-len(c.free)) {
		c.compactLocked()
	}
}

// compactLocked renumbers the used slots without gaps, so that a store that was once large can shrink.
func (c *threadSafeMap) compactLocked() {
	chunks, refs, moved := c.chunks, c.refs, make(map[int]int, len(c.refs)-len(c.free))
	free := make([]bool, len(refs))
	for _, id := range c.free {
		free[id] = true
	}
	c.resetLocked(len(refs) - len(c.free))
	for id := range refs {
		if free[id] {
			continue
		}
		s := chunks[id>>chunkBits].slots[id&chunkMask]
		to := c.slotFor(s.key, hashKey(s.key))
		c.refs[to] = refs[id]
		if s.hasObject() {
			c.ownedSlot(to).obj = s.obj
			c.objects++
		}
		moved[id] = to
	}
	for _, x := range c.indices {
		//maporder:free each set is moved by itself
		for _, set := range x.values {
			old := *set
			*set = idSet{}
			old.each(func(id int) { set.add(moved[id]) })
		}
	}
}

// resetLocked drops all slots and makes room for n. It does not change the indices.
func (c *threadSafeMap) resetLocked(n int) {
	c.current.Store(nil)
	c.table = slotTable{entries: make([]uint64, tableSize(n))}
	c.chunks = make([]*chunk, 0, (n+chunkMask)>>chunkBits)
	c.refs, c.lastReported = make([]uint32, 0, n), nil
	c.free, c.objects = nil, 0
}

// eachLocked calls fn for every slot with an object.
func (c *threadSafeMap) eachLocked(fn func(id int, s *slot)) {
	for id := range c.refs {
		if s := c.slotAt(id); s.hasObject() {
			fn(id, s)
		}
	}
}

// visibleRV returns the store's resourceVersion as readers see it.
func (c *threadSafeMap) visibleRV() string {
	if c.hideRV {
		return ""
	}
	return c.rv
}

// writeLocked stores obj, updates the indices and reports to the Observer. op is the type of the delta that caused the write, if any. If moveRV is set,
// the store's resourceVersion becomes rv, but only after the indices, because an index function may panic. version is obj's resourceVersion for the
// Observer, or "" if it was not looked up.
func (c *threadSafeMap) writeLocked(key string, obj any, op event.Op, rv string, moveRV bool, version string) (old any, existed bool) {
	id, old, existed := c.putLocked(key, obj)
	var indexed []event.IndexValues
	whole := false
	if c.observer != nil {
		c.values = c.values[:0]
		// Deferred, because the object is stored even if an index function panics.
		defer func() {
			if !whole {
				indexed = c.indexValues(obj)
			}
			if version == "" {
				version = rvOf(obj)
			}
			e := event.Stored{Kind: event.KindStoreAdded, Op: op, Key: key, RV: version, Obj: obj, Old: old, Indexed: indexed, StoreRV: c.visibleRV()}
			if existed {
				e.Kind = event.KindStoreUpdated
			}
			c.writeEvent.SetStored(e)
			c.observer.Observe(&c.writeEvent)
		}()
	}
	for _, x := range c.indices {
		values := c.reindex(x, id, old, obj, key)
		if c.observer != nil {
			c.values = append(c.values, values)
		}
	}
	if c.observer != nil {
		indexed = c.valuesToReport(id)
	}
	whole = true
	if moveRV {
		c.setRVLocked(rv)
	}
	return old, existed
}

// valuesToReport returns the value list to report for a slot whose values are c.values.
func (c *threadSafeMap) valuesToReport(id int) []event.IndexValues {
	if id >= len(c.lastReported) {
		c.lastReported = append(c.lastReported, make([][]event.IndexValues, max(id+1, len(c.refs))-len(c.lastReported))...)
	}
	last := c.lastReported[id]
	same := last != nil && len(last) == len(c.values)
	for i := 0; same && i < len(last); i++ {
		same = slices.Equal(last[i].Values, c.values[i])
	}
	if !same {
		last = make([]event.IndexValues, len(c.values))
		for i, values := range c.values {
			last[i] = event.IndexValues{Index: c.indices[i].name, Values: values}
		}
		c.lastReported[id] = last
	}
	clear(c.values)
	return last
}

// removeLocked is writeLocked for a delete. obj is the delete's object; it may be nil.
func (c *threadSafeMap) removeLocked(key string, obj any, rv string, moveRV bool) {
	id := c.findObject(key)
	if id < 0 {
		if moveRV {
			c.bookmarkLocked(rv)
		}
		return
	}
	old := c.slotAt(id).obj
	for _, x := range c.indices {
		c.reindex(x, id, old, nil, key)
	}
	c.takeLocked(id)
	if moveRV {
		c.setRVLocked(rv)
	}
	if c.observer != nil {
		deleted, _ := (&queueItem{obj: obj}).reportedObject()
		if deleted == nil {
			deleted = old
		}
		send(c.observer, event.StoreDeleted{Key: key, RV: rvOf(deleted), Obj: deleted, Old: old, StoreRV: c.visibleRV()}.Event())
	}
}

func (c *threadSafeMap) bookmarkLocked(rv string) {
	moved := c.rv != rv
	c.setRVLocked(rv)
	if c.observer != nil && moved && !c.hideRV {
		send(c.observer, event.StoreBookmark{StoreRV: rv}.Event())
	}
}

// setRVLocked sets the store's resourceVersion.
func (c *threadSafeMap) setRVLocked(rv string) {
	c.rv = rv
	if c.rvMetric != nil {
		setRVMetric(c.rvMetric, rv)
	}
}

// objectRV returns the resourceVersion that the store gets by writing obj. ok is false if it gets none, as for a tombstone.
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
func (c *threadSafeMap) Update(key string, obj interface{}) { c.set(key, obj, event.OpNone) }

// set is Update by a delta of type op. It returns the object stored before.
func (c *threadSafeMap) set(key string, obj any, op event.Op) (old any, existed bool) {
	rv, ok := objectRV(obj)
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.writeLocked(key, obj, op, rv, ok, rv)
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

// Transaction implements ThreadSafeStoreWithTransaction. The store's resourceVersion becomes that of the last object.
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
			c.writeLocked(txn.Key, txn.Object, event.OpNone, rv, moveRV, "")
		case TransactionTypeDelete:
			c.removeLocked(txn.Key, txn.Object, rv, moveRV)
		default:
			if moveRV {
				c.bookmarkLocked(rv)
			}
		}
	}
}

// applyResult is the result of applyBatch for one delta.
type applyResult struct {
	old     any
	existed bool
}

// applyBatch writes deltas in one transaction and records what each replaced. It skips deltas whose key could not be computed.
func (c *threadSafeMap) applyBatch(items []queueItem, results []applyResult) {
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
		if it.op == event.OpDeleted {
			c.removeLocked(it.key, it.obj, rv, moveRV)
			continue
		}
		results[i].old, results[i].existed = c.writeLocked(it.key, it.obj, it.op, rv, moveRV, it.rv)
	}
}

// Get implements ThreadSafeStore.
func (c *threadSafeMap) Get(key string) (item interface{}, exists bool) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	id := c.findObject(key)
	if id < 0 {
		return nil, false
	}
	return c.slotAt(id).obj, true
}

// patience is how often a List yields to writers before it waits for the lock.
const patience = 100

// currentView returns a view of the current contents. All Lists between two writes share one view, and need no lock.
//
// A reader that waits for the lock would get it at the next Unlock. The next writer would then have to wait until that reader was scheduled and had
// finished its copy: that is how client-go's writers starve. So a reader tries the lock and yields, and waits for the lock only after many tries.
func (c *threadSafeMap) currentView() *view {
	var v *view
	for tries := 0; ; tries++ {
		if taken := c.current.Load(); taken != nil {
			return taken
		}
		if v == nil {
			// Allocate before the lock is held: an allocation may have to help the garbage collector.
			v = &view{chunks: make([]*chunk, 0, c.viewSize.Load()+1)}
		}
		if tries == patience {
			c.lock.RLock()
			break
		}
		if c.lock.TryRLock() {
			break
		}
		runtime.Gosched()
	}
	if taken := c.current.Load(); taken != nil {
		v = taken
	} else {
		c.gen.Add(1)
		v.chunks, v.slots, v.objects = append(v.chunks, c.chunks...), len(c.refs), c.objects
		c.viewSize.Store(int64(len(c.chunks)))
		c.current.Store(v)
	}
	c.lock.RUnlock()
	// A writer that came meanwhile is ready to run but has no processor: let it run before the copying begins.
	if c.lock.TryRLock() {
		c.lock.RUnlock()
	} else {
		runtime.Gosched()
	}
	return v
}

// List implements ThreadSafeStore.
func (c *threadSafeMap) List() []interface{} {
	v := c.currentView()
	list := make([]interface{}, 0, v.objects)
	v.each(func(s *slot) { list = append(list, s.obj) })
	return list
}

// ListKeys implements ThreadSafeStore.
func (c *threadSafeMap) ListKeys() []string {
	v := c.currentView()
	list := make([]string, 0, v.objects)
	v.each(func(s *slot) { list = append(list, s.key) })
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

// replaceList replaces the contents by the objects. Of two with the same key, the later one stays, in the place of the earlier.
func (c *threadSafeMap) replaceList(keys []string, objs []any, resourceVersion string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.replaceLocked(keys, objs, resourceVersion)
}

func (c *threadSafeMap) replaceLocked(keys []string, objs []any, resourceVersion string) {
	c.resetLocked(len(keys))
	for i, key := range keys {
		c.putLocked(key, objs[i])
	}
	c.setRVLocked(resourceVersion)
	if c.observer != nil {
		// Deferred, because the objects are stored even if an index function panics.
		defer func() {
			send(c.observer, event.StoreReplaced{Count: c.objects, Items: c.itemsLocked(), StoreRV: c.visibleRV()}.Event())
		}()
	}
	for _, x := range c.indices {
		x.values = make(map[string]*idSet, len(x.values))
	}
	c.eachLocked(func(id int, s *slot) {
		for _, x := range c.indices {
			c.reindex(x, id, nil, s.obj, s.key)
		}
	})
}

// itemsLocked returns the stored objects with their index values, for an Observer.
func (c *threadSafeMap) itemsLocked() []event.Item {
	items := make([]event.Item, 0, c.objects)
	c.eachLocked(func(_ int, s *slot) {
		items = append(items, event.Item{Key: s.key, RV: rvOf(s.obj), Obj: s.obj, Indexed: c.indexValues(s.obj)})
	})
	return items
}

// replaceAll is replaceList that also returns what it replaced: olds[i] is the object stored under keys[i] before, and removed are the slots whose key is
// not in keys. If the store was empty, both are nil.
func (c *threadSafeMap) replaceAll(keys []string, objs []any, resourceVersion string) (olds []any, removed []slot) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.objects > 0 {
		olds = make([]any, len(keys))
		kept := make([]bool, len(c.refs))
		for i, key := range keys {
			if id := c.findObject(key); id >= 0 {
				olds[i] = c.slotAt(id).obj
				kept[id] = true
			}
		}
		c.eachLocked(func(id int, s *slot) {
			if !kept[id] {
				removed = append(removed, *s)
			}
		})
	}
	c.replaceLocked(keys, objs, resourceVersion)
	return olds, removed
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

// gather returns the objects of the slots in set.
func (c *threadSafeMap) gather(set *idSet) []interface{} {
	list := make([]interface{}, 0, set.len())
	set.each(func(id int) {
		obj := c.slotAt(id).obj
		if obj == noObject {
			obj = nil // the key was left behind by an object that was changed in place
		}
		list = append(list, obj)
	})
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
	union := &idSet{}
	for _, v := range values {
		x.values[v].each(func(id int) { union.add(id) })
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
	set := x.values[indexedValue]
	keys := make([]string, 0, set.len())
	set.each(func(id int) { keys = append(keys, c.slotAt(id).key) })
	slices.Sort(keys)
	return keys, nil
}

// ListIndexFuncValues implements ThreadSafeStore. For a name that does not exist it returns no values.
func (c *threadSafeMap) ListIndexFuncValues(indexName string) []string {
	c.lock.RLock()
	defer c.lock.RUnlock()
	x, err := c.find(indexName)
	if err != nil {
		return []string{}
	}
	names := make([]string, 0, len(x.values))
	//maporder:free sorted below
	for v := range x.values {
		names = append(names, v)
	}
	slices.Sort(names) // client-go's order is random
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
			send(c.observer, event.IndexersAdded{Items: c.itemsLocked(), Names: strings.Join(names, ",")}.Event())
		}()
	}
	c.eachLocked(func(id int, s *slot) {
		for _, x := range c.indices[before:] {
			c.reindex(x, id, nil, s.obj, s.key)
		}
	})
	return nil
}

// Resync implements ThreadSafeStore.
func (c *threadSafeMap) Resync() error { return nil }

// len returns how many objects are stored.
func (c *threadSafeMap) len() int {
	c.lock.RLock()
	defer c.lock.RUnlock()
	return c.objects
}
