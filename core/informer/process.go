package informer

import (
	"errors"
	"fmt"
	"sync"

	"informerscope/core/words/event"
)

// sink receives every change of the store, after the change.
type sink interface {
	onAdd(key string, obj any, isInInitialList bool)
	onUpdate(key string, old, obj any)
	onDelete(key string, obj any)
	// flush is called after each change of the store, or after the last of a batch or list. A sink may delay its notifications until then.
	flush()
}

// handlerSink calls a handler directly, as an informer that is not shared does.
type handlerSink struct{ handler ResourceEventHandler }

func (h handlerSink) onAdd(_ string, obj any, isInInitialList bool) {
	h.handler.OnAdd(obj, isInInitialList)
}
func (h handlerSink) onUpdate(_ string, old, obj any) { h.handler.OnUpdate(old, obj) }
func (h handlerSink) onDelete(_ string, obj any)      { h.handler.OnDelete(obj) }
func (h handlerSink) flush()                          {}

// pipeline applies popped deltas to a store and notifies a sink. It belongs to one process loop.
type pipeline struct {
	store *cache
	sink  sink
	// guard is held while deltas are processed.
	guard sync.Locker

	results []applyResult // scratch
}

// process is the keyedProcessFunc.
func (p *pipeline) process(items []queueItem, single, isInInitialList bool) error {
	p.guard.Lock()
	defer p.guard.Unlock()
	// Deferred, so that what was processed before an index function panics is notified, too.
	defer p.sink.flush()
	if !single {
		return p.processBatch(items, isInInitialList)
	}
	for i := range items {
		if err := p.processOne(&items[i], isInInitialList); err != nil {
			return err
		}
		p.sink.flush()
	}
	return nil
}

// processOne processes a single delta. Mirrors client-go tools/cache.processDeltas (v0.37.2).
func (p *pipeline) processOne(q *queueItem, isInInitialList bool) error {
	switch q.op {
	case event.OpReplacedAll:
		info, ok := q.obj.(ReplacedAllInfo)
		if !ok {
			return fmt.Errorf("ReplacedAll did not contain ReplacedAllInfo: %T", q.obj)
		}
		return p.processReplacedAll(info, isInInitialList)
	case event.OpSyncAll:
		for _, item := range p.store.snapshot() {
			p.sink.onUpdate(item.key, item.obj, item.obj)
		}
		return nil
	case event.OpBookmark:
		info, ok := q.obj.(BookmarkInfo)
		if !ok {
			return fmt.Errorf("bookmark delta did not contain BookmarkInfo: %T", q.obj)
		}
		p.store.Bookmark(info.ResourceVersion)
		return nil
	}
	if q.keyErr != nil {
		return KeyError{q.obj, q.keyErr}
	}
	if q.op == event.OpDeleted {
		p.store.remove(q.key, q.obj)
		p.sink.onDelete(q.key, q.obj)
		return nil
	}
	if old, existed := p.store.set(q.key, q.obj, q.op); existed {
		p.sink.onUpdate(q.key, old, q.obj)
	} else {
		p.sink.onAdd(q.key, q.obj, isInInitialList)
	}
	return nil
}

// processBatch processes a batch: one transaction, then the notifications, one of each delta. If a key repeats, a notification has the object of the delta
// before as the old one, and the store may be ahead of it.
// Mirrors client-go tools/cache.processDeltasInBatch (v0.37.2 and v0.38.0-beta.0).
func (p *pipeline) processBatch(items []queueItem, isInInitialList bool) error {
	if cap(p.results) < len(items) {
		p.results = make([]applyResult, len(items))
	}
	results := p.results[:len(items)]
	defer clear(results)
	p.store.applyBatch(items, results)
	var keyErrs []error
	for i := range items {
		q := &items[i]
		switch {
		case q.keyErr != nil:
			keyErrs = append(keyErrs, KeyError{q.obj, q.keyErr})
		case q.op == event.OpDeleted:
			p.sink.onDelete(q.key, q.obj)
		case results[i].old != nil:
			p.sink.onUpdate(q.key, results[i].old, q.obj)
		default:
			p.sink.onAdd(q.key, q.obj, isInInitialList)
		}
	}
	if keyErrs == nil || p.store.behaviour.RepeatsKeys {
		return errors.Join(keyErrs...)
	}
	failed := &TransactionError{TotalTransactions: len(items), Errors: keyErrs}
	for i := range items {
		if items[i].keyErr == nil {
			failed.SuccessfulIndices = append(failed.SuccessfulIndices, i)
		}
	}
	return fmt.Errorf("not all items in the batch successfully processed: %w", failed)
}

// processReplacedAll replaces the store's contents, and then notifies: first of objects that were removed, then of the list in its order. A key that is twice
// in the list and was not in the store is added twice. Mirrors client-go tools/cache.processReplacedAllInfo (v0.37.2).
func (p *pipeline) processReplacedAll(info ReplacedAllInfo, isInInitialList bool) error {
	keys := make([]string, len(info.Objects))
	for i, obj := range info.Objects {
		key, err := p.store.keyFunc(obj)
		if err != nil {
			return KeyError{obj, err}
		}
		keys[i] = key
	}
	before := p.store.replace(keys, info.Objects, info.ResourceVersion)
	for _, item := range inOrder(before) {
		if _, exists, _ := p.store.GetByKey(item.key); !exists {
			p.sink.onDelete(item.key, DeletedFinalStateUnknown{Key: item.key, Obj: item.obj})
		}
	}
	for i, obj := range info.Objects {
		if old := before[keys[i]]; old != nil && old.obj != nil {
			p.sink.onUpdate(keys[i], old.obj, obj)
		} else {
			p.sink.onAdd(keys[i], obj, isInInitialList)
		}
	}
	return nil
}
