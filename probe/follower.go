package probe

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe/internal/joints"
)

// follower is how the store is seen in a program without joints: a handler that the probe adds while a viewer is attached. client-go calls it after the store
// has changed, and not for an update that brings the same version.
type follower struct {
	l      *lane
	isOver atomic.Bool
	broken atomic.Bool
}

func (f *follower) OnAdd(obj interface{}, _ bool) { f.log(evStoreAdded, obj) }
func (f *follower) OnUpdate(_, obj interface{})   { f.log(evStoreUpdated, obj) }
func (f *follower) OnDelete(obj interface{})      { f.log(evStoreDeleted, obj) }
func (f *follower) log(k kind, obj interface{}) {
	if f.isOver.Load() || f.broken.Load() {
		return
	}
	defer f.l.contain("store", &f.broken)
	f.l.logStored(k, obj)
}

// following is the follower of an informer now.
type following struct {
	mu      sync.Mutex
	now     *follower // nil for none
	handler cache.ResourceEventHandlerRegistration
}

// patience is how long a viewer waits until followers have the objects that were there before.
const patience = time.Second

// followStores makes each informer have a follower. It returns when these have the objects that were there before, which a baseline has too.
func (p *Probe) followStores() {
	if joints.Available {
		return
	}
	limit := time.Now().Add(patience)
	all := p.informers()
	for _, l := range all {
		l.follow()
	}
	for _, l := range all {
		for l.isCatchingUp() && time.Now().Before(limit) {
			time.Sleep(time.Millisecond)
		}
	}
}

func (l *lane) follow() {
	l.following.mu.Lock()
	defer l.following.mu.Unlock()
	if l.following.now != nil || !l.p.attached.Load() {
		return
	}
	f := &follower{l: l}
	handler, err := l.inf.AddEventHandlerWithResyncPeriod(f, 0)
	if err != nil {
		return // it has stopped, so that its store does not change
	}
	l.following.now, l.following.handler = f, handler
}

func (l *lane) isCatchingUp() bool {
	l.following.mu.Lock()
	defer l.following.mu.Unlock()
	return l.following.now != nil && l.inf.HasSynced() && !l.inf.IsStopped() && !l.following.handler.HasSynced()
}

func (l *lane) unfollow() {
	l.following.mu.Lock()
	defer l.following.mu.Unlock()
	if f := l.following.now; f != nil {
		f.isOver.Store(true)
		_ = l.inf.RemoveEventHandler(l.following.handler) // without it, it does nothing
		l.following.now, l.following.handler = nil, nil
	}
}
