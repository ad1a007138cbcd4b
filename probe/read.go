package probe

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// GetIndexer returns the informer's own indexer, wrapped: reads of single objects are logged, also those of a lister on it.
func (w *watchedInformer[O]) GetIndexer() cache.Indexer {
	return &watchedIndexer{w.SharedIndexInformer.GetIndexer(), w.l}
}

// GetStore returns the same as GetIndexer.
func (w *watchedInformer[O]) GetStore() cache.Store { return w.GetIndexer() }

type watchedIndexer struct {
	cache.Indexer
	l *lane
}

func (x *watchedIndexer) GetByKey(key string) (item interface{}, exists bool, err error) {
	item, exists, err = x.Indexer.GetByKey(key)
	if x.l.p.attached.Load() && err == nil {
		x.l.emitRead(key, item)
	}
	return item, exists, err
}

func (x *watchedIndexer) Get(obj interface{}) (item interface{}, exists bool, err error) {
	item, exists, err = x.Indexer.Get(obj)
	if x.l.p.attached.Load() && err == nil {
		x.l.emitRead("", item)
	}
	return item, exists, err
}

func (x *watchedIndexer) List() []interface{} {
	items := x.Indexer.List()
	x.l.emitList("", nil, len(items))
	return items
}

func (x *watchedIndexer) Index(index string, obj interface{}) ([]interface{}, error) {
	items, err := x.Indexer.Index(index, obj)
	x.l.emitList(index, obj, len(items))
	return items, err
}

func (x *watchedIndexer) ByIndex(index, value string) ([]interface{}, error) {
	items, err := x.Indexer.ByIndex(index, value)
	x.l.emitList(index, value, len(items))
	return items, err
}

// emitList logs the read of several objects by a reconcile. value is that of the index, or an object that has it; only a namespace is logged.
func (l *lane) emitList(index string, value interface{}, n int) {
	if !l.p.attached.Load() || index == indexName || l.unread.isOff() {
		return
	}
	defer l.containReads()
	r := l.p.present()
	if r == nil {
		return
	}
	if index == cache.NamespaceIndex {
		ns, ok := value.(string)
		if m, isObject := value.(metav1.Object); !ok && isObject {
			ns, ok = m.GetNamespace(), true
		}
		if ok {
			index += "=" + cut(ns)
		}
	}
	l.p.emit(event{kind: evListerList, lane: r.lane, listener: r.worker, req: uint32(l.id) + 1, n: int32(n), text: index})
}

// containReads recovers from a panic in a hook of reads, and switches them off.
func (l *lane) containReads() {
	if r := recover(); r != nil {
		l.unread.disable()
		l.disable("reads", "the probe's own hook failed and was switched off")
	}
}

// isCompared reports whether reads are compared with what is in the queue.
func (l *lane) isCompared() bool { return l.work.Load() != nil || l.isRead.Load() }

// emitRead logs the read of an object, and how many newer versions of it have reached the queue but not the store.
func (l *lane) emitRead(key string, item interface{}) {
	if l.unread.isOff() {
		return
	}
	defer l.containReads()
	r := l.p.present()
	if r == nil && l.work.Load() == nil {
		return
	}
	rv := ""
	if item != nil {
		k, v := ident(item)
		if rv = v; key == "" {
			key = k
		}
	}
	if key == "" {
		return
	}
	l.isRead.Store(true) // of a recording that began before, the reader finds out by the read
	latest, behind := l.unread.latest(key, rv)
	e := event{kind: evListerRead, lane: l.id, key: key, rv: rv, text: latest, n: behind}
	if r != nil {
		e.lane, e.listener, e.req = r.lane, r.worker, uint32(l.id)+1
	}
	l.p.emit(e)
}

// maxUnread bounds the keys whose queued versions are counted.
const maxUnread = 1 << 14

// unreadKeys counts, while a viewer is attached, the versions of each key that have entered the queue but not the store. So much is a reader of the store
// behind.
type unreadKeys struct {
	mu   sync.Mutex
	keys map[string]unreadKey
	off  bool
}

type unreadKey struct {
	n  int32
	rv string
}

func (u *unreadKeys) addQueued(key, rv string, o op) {
	if o == opReplacedAll { // one pop takes the whole list
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.keys == nil || len(u.keys) >= maxUnread {
		u.keys = map[string]unreadKey{}
	}
	u.keys[key] = unreadKey{u.keys[key].n + 1, rv}
}

func (u *unreadKeys) removeStored(key, rv string, all bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	x, ok := u.keys[key]
	if !ok {
		return
	}
	if x.n--; x.n <= 0 || x.rv == rv || all {
		delete(u.keys, key)
	} else {
		u.keys[key] = x
	}
}

func (u *unreadKeys) latest(key, rv string) (latest string, behind int32) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if x, ok := u.keys[key]; ok && x.rv != rv {
		return x.rv, x.n
	}
	return rv, 0
}

// reset forgets all keys for a new attach: what happened before is unknown.
func (u *unreadKeys) reset() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.keys = nil
}

func (u *unreadKeys) isOff() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.off
}

func (u *unreadKeys) disable() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.off = true
}
