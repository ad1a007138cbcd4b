package probe

import (
	"sync"

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

// emitRead logs the read of an object, and how many newer versions of it have reached the queue but not the store.
func (l *lane) emitRead(key string, item interface{}) {
	if l.work.Load() == nil || l.unread.isOff() {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			l.unread.disable()
			l.disable("reads", "the probe's own hook failed and was switched off")
		}
	}()
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
	if !l.isRead.Swap(true) {
		l.p.emit(event{kind: evBaselineStale})
	}
	latest, behind := l.unread.latest(key, rv)
	l.p.emit(event{kind: evListerRead, lane: l.id, key: key, rv: rv, text: latest, n: behind})
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
