package fold

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"informerscope/core/words/event"
	"informerscope/core/words/persistent"
)

// workq is the controller's work queue and its workers.
type workq struct {
	fifo       persistent.KeyQueue[struct{}]
	processing persistent.Map[assignment]
	dirty      persistent.Map[struct{}] // added again while being processed
	waiting    persistent.Map[due]
	fails      persistent.Map[int]
	whys       persistent.Map[string] // the error of the last reconcile, of keys that no worker has taken since
	workers    []Worker               // by id
	reconciles int
	failures   int
	lastRead   *Read // never changed once set
	writing    bool
	writes     int
	conflicts  int
	writeFails int
	creates    int
	takeCount  int
	lastWrite  *Write // never changed once set
	shutting   bool
	paused     bool
}

type assignment struct {
	worker int32
	at     time.Duration
}

type due struct{ due, set time.Duration }

func (w *workq) clone() *workq {
	if w == nil {
		return nil
	}
	c := *w
	c.fifo = w.fifo.Clone()
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

func (w *workq) apply(epoch uint64, e *event.Entry) {
	switch e.Kind {
	case event.KindWorkAdded:
		w.fifo.Set(epoch, e.Key(), struct{}{})
	case event.KindWorkMarkedDirty:
		w.dirty.Set(epoch, e.Key(), struct{}{})
	case event.KindWorkTaken:
		work := e.Work()
		w.fifo.Take(epoch, work.Key)
		w.whys.Delete(epoch, work.Key)
		w.processing.Set(epoch, work.Key, assignment{work.Worker, e.At})
		if x := w.worker(work.Worker); x != nil {
			x.Key, x.SinceMillis = work.Key, Millis(e.At)
		}
	case event.KindWorkDone:
		work := e.Work()
		by := work.Worker
		if t, ok := w.processing.Get(work.Key); ok {
			by = t.worker
			w.processing.Delete(epoch, work.Key)
		}
		w.dirty.Delete(epoch, work.Key)
		if work.Flag {
			w.fifo.Set(epoch, work.Key, struct{}{})
		}
		if x := w.worker(by); x != nil && x.Key == work.Key {
			x.Key, x.SinceMillis = "", Millis(e.At)
		}
	case event.KindWorkWaiting, event.KindWorkWaitingSooner:
		work := e.Work()
		w.waiting.Set(epoch, work.Key, due{e.At + work.Dur, e.At})
	case event.KindWorkDue:
		w.waiting.Delete(epoch, e.Key())
	case event.KindWorkRateLimited:
		if work := e.Work(); work.N > 0 {
			w.fails.Set(epoch, work.Key, work.N)
		}
	case event.KindWorkForgotten:
		w.fails.Delete(epoch, e.Key())
		w.whys.Delete(epoch, e.Key())
	case event.KindWorkShuttingDown:
		w.shutting = true
	case event.KindWorkPaused, event.KindWorkResumed:
		w.paused = e.Kind == event.KindWorkPaused
	case event.KindReconciled:
		w.reconciles++
		if err := e.Err(); err != nil {
			w.failures++
			w.whys.Set(epoch, e.Key(), Shorten(err.Error()))
		}
	case event.KindListerRead:
		read := e.ListerRead()
		if read.Lane != 0 && read.Lane-1 != int(e.Lane) {
			return // of another informer: LastRead is compared with this lane's store
		}
		w.lastRead = &Read{Key: read.Key, RV: read.RV, Latest: read.Latest, Behind: read.Behind, Mutated: read.Mutated,
			AtMillis: Millis(e.At)}
	case event.KindClusterWrite:
		write := e.ClusterWrite()
		w.lastWrite = &Write{Key: write.Key, Object: otherObject(write.Key, write.Objects), Verb: write.Verb, Worker: write.Worker, RV: write.RV, Open: true,
			AtMillis: Millis(e.At)}
	case event.KindClusterWritten:
		written := e.ClusterWritten()
		x := &Write{Key: written.Key, Object: otherObject(written.Key, written.Objects), Verb: written.Verb, Worker: written.Worker, RV: written.Sent,
			NewRV: written.RV, AtMillis: Millis(e.At)}
		if written.Err != nil {
			x.Code, x.Error = event.StatusCode(written.Err), written.Err.Error()
		}
		creates := written.Verb == http.MethodPost && event.IndexValue(written.Objects, "subresource") == ""
		switch {
		case written.Err == nil && creates:
			w.creates++
		case written.Err == nil:
			w.writes++
		case x.Code == http.StatusConflict && creates:
			w.takeCount++
		case x.Code == http.StatusConflict:
			w.conflicts++
		default:
			w.writeFails++
		}
		w.lastWrite = x
	case event.KindWrites:
		writes := e.Writes()
		w.writing = writes.On
		for id := range min(writes.Workers, maxWorkers) { // workers that have had no key yet count too
			w.worker(int32(id + 1))
		}
	}
}

// otherObject returns the key of the object that a write names, "" for none or for the key itself.
func otherObject(key string, objects []event.Item) string {
	if len(objects) == 0 || objects[0].Key == key {
		return ""
	}
	return objects[0].Key
}
