package trace

import (
	"cmp"
	"net/http"
	"slices"
	"time"
)

// workq is the controller's work queue and its workers.
type workq struct {
	fifo       keyQueue[struct{}]
	processing pmap[taken]
	dirty      pmap[struct{}] // added again while being processed
	waiting    pmap[due]
	fails      pmap[int]
	workers    []Worker // by id
	reconciles int
	failures   int
	lastRead   *Read // never changed once set
	writing    bool
	writes     int
	conflicts  int
	writeFails int
	lastWrite  *Write // never changed once set
	shutting   bool
}

type taken struct {
	worker int32
	at     time.Duration
}

type due struct{ due, set time.Duration }

func (w *workq) clone() *workq {
	if w == nil {
		return nil
	}
	c := *w
	c.fifo = w.fifo.clone()
	c.workers = slices.Clone(w.workers)
	return &c
}

func (w *workq) worker(id int32) *Worker {
	i, ok := slices.BinarySearchFunc(w.workers, id, func(x Worker, id int32) int { return cmp.Compare(x.ID, id) })
	if !ok {
		if len(w.workers) >= maxWorkers {
			return nil
		}
		w.workers = slices.Insert(w.workers, i, Worker{ID: id})
	}
	return &w.workers[i]
}

func (w *workq) apply(epoch uint64, e *Event) {
	switch e.Kind {
	case KindWorkAdded:
		w.fifo.set(epoch, e.Key, struct{}{})
	case KindWorkMarkedDirty:
		w.dirty.set(epoch, e.Key, struct{}{})
	case KindWorkTaken:
		w.fifo.take(epoch, e.Key)
		w.processing.set(epoch, e.Key, taken{e.Listener, e.At})
		if x := w.worker(e.Listener); x != nil {
			x.Key, x.SinceMillis = e.Key, millis(e.At)
		}
	case KindWorkDone:
		by := e.Listener
		if t, ok := w.processing.get(e.Key); ok {
			by = t.worker
			w.processing.delete(epoch, e.Key)
		}
		w.dirty.delete(epoch, e.Key)
		if e.Flag {
			w.fifo.set(epoch, e.Key, struct{}{})
		}
		if x := w.worker(by); x != nil && x.Key == e.Key {
			x.Key, x.SinceMillis = "", millis(e.At)
		}
	case KindWorkWaiting, KindWorkWaitingSooner:
		w.waiting.set(epoch, e.Key, due{e.At + e.Dur, e.At})
	case KindWorkDue:
		w.waiting.delete(epoch, e.Key)
	case KindWorkRateLimited:
		if e.N > 0 {
			w.fails.set(epoch, e.Key, e.N)
		}
	case KindWorkForgotten:
		w.fails.delete(epoch, e.Key)
	case KindWorkShuttingDown:
		w.shutting = true
	case KindReconciled:
		w.reconciles++
		if e.Err != nil {
			w.failures++
		}
	case KindListerRead:
		w.lastRead = &Read{Key: e.Key, RV: e.RV, Latest: e.StoreRV, Behind: e.N, Mutated: e.Flag, AtMillis: millis(e.At)}
	case KindClusterWrite:
		w.lastWrite = &Write{Key: e.Key, Verb: e.Text, Worker: e.Listener, RV: e.RV, Open: true, AtMillis: millis(e.At)}
	case KindClusterWritten:
		x := &Write{Key: e.Key, Verb: e.Text, Worker: e.Listener, RV: e.StoreRV, NewRV: e.RV, AtMillis: millis(e.At), TookMicros: micros(e.Dur)}
		if e.Err != nil {
			x.Code, x.Error = StatusCode(e.Err), e.Err.Error()
		}
		switch {
		case e.Err == nil:
			w.writes++
		case x.Code == http.StatusConflict:
			w.conflicts++
		default:
			w.writeFails++
		}
		w.lastWrite = x
	case KindWrites:
		w.writing = e.Flag
		for id := range min(e.N, maxWorkers) { // workers that have had no key yet count too
			w.worker(int32(id + 1))
		}
	}
}
