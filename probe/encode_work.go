package probe

import "example.org/informerscope/probe/internal/joints"

var workKinds = map[kind]string{evWorkAdded: "WorkAdded", evWorkDeduplicated: "WorkDeduplicated", evWorkMarkedDirty: "WorkMarkedDirty",
	evWorkTaken: "WorkTaken", evWorkDone: "WorkDone", evWorkWaiting: "WorkWaiting", evWorkWaitingSooner: "WorkWaitingSooner",
	evWorkWaitingUnchanged: "WorkWaitingUnchanged", evWorkDue: "WorkDue", evWorkRateLimited: "WorkRateLimited", evWorkForgotten: "WorkForgotten",
	evWorkShuttingDown: "WorkShuttingDown", evWorkPaused: "WorkPaused", evWorkResumed: "WorkResumed", evReconciled: "Reconciled",
	evListerRead: "ListerRead", evListerList: "ListerList", evWrite: "ClusterWrite", evWritten: "ClusterWritten"}

// isWork reports whether an event belongs to the work queue, which has a baseline of its own.
func (e *event) isWork() bool { return e.kind >= evWorkAdded && e.kind <= evReconciled }

// isEntry reports whether an event is that of a key that was added or delayed.
func (e *event) isEntry() bool {
	switch e.kind {
	case evWorkAdded, evWorkDeduplicated, evWorkMarkedDirty, evWorkWaiting, evWorkWaitingSooner, evWorkWaitingUnchanged:
		return true
	}
	return false
}

// laneNumber returns the number of an informer's lane in the trace, from 1: 0 for no informer, -1 for one that the trace does not have. id counts from 1.
func (v *viewer) laneNumber(id uint32) int {
	if id == 0 {
		return 0
	}
	if lv := v.lane(uint8(id - 1)); lv != nil {
		return int(lv.i) + 1
	}
	return -1
}

// writeWork writes an event of the work queue, or what a reconcile read or wrote.
func (lv *laneView) writeWork(moment int64, e *event) {
	x := line{At: moment, Kind: workKinds[e.kind], Key: e.key, N: int(e.n), Dur: int64(e.dur), Listener: e.listener, Flag: e.flag}
	switch {
	case x.Kind == "" || !lv.hasQueue: // a reader of the trace would assume that there is a work queue
		return
	case e.isEntry():
		if x.Op = opNames[e.op]; e.op == opNone {
			break
		}
		x.RV, x.Text = e.rv, e.text
		x.StoreRV, _ = e.more.(string)
		if x.M = lv.v.laneNumber(e.req); x.M < 0 {
			x.M, x.Listener = 0, 0
		}
	case e.kind == evWorkTaken:
		x.M = int(int32(e.req))
	case e.kind == evReconciled:
		if x.Flag = false; e.flag {
			x.Err = &lineError{Message: "the key was added to the rate limiter, to be retried after its delay"}
			if why, ok := e.more.(*lineError); ok {
				x.Err = why
			}
		}
	case e.kind == evListerRead:
		x.RV, x.StoreRV = e.rv, e.text
		x.M = lv.readLane(e)
	case e.kind == evListerList:
		x.Text = e.text
		x.M = lv.readLane(e)
	case e.kind == evWrite || e.kind == evWritten:
		lv.writeWrite(&x, e)
	case e.kind == evWorkShuttingDown || e.kind == evWorkPaused || e.kind == evWorkResumed:
		x.Key = ""
	}
	lv.put(&x)
}

// readLane returns the lane of the informer that was read, 0 for this one.
func (lv *laneView) readLane(e *event) int {
	if e.req == uint32(lv.l.id)+1 {
		return 0
	}
	return lv.v.laneNumber(e.req)
}

// writeWrite adds a write of a reconcile to its line.
func (lv *laneView) writeWrite(x *line, e *event) {
	w := e.more.(*written)
	x.Text, x.M, x.Err = w.verb, max(0, lv.v.laneNumber(e.req)), w.failure
	item := lineItem{Key: w.key, Indexed: []indexEntry{{"resource", []string{w.resource}}}}
	if w.subresource != "" {
		item.Indexed = append(item.Indexed, indexEntry{"subresource", []string{w.subresource}})
	}
	if w.uid != "" {
		item.Indexed = append(item.Indexed, indexEntry{"uid", []string{w.uid}})
	}
	if e.kind == evWritten {
		x.RV, item.RV = e.rv, e.rv
	}
	x.Items = []lineItem{item}
}

func whyNoGoroutines() string {
	if !joints.Available {
		return joints.LeftOut
	}
	return "the probe does not know goroutines on this processor"
}

// workFidelities adds how the work queue is known. The caller holds l.mu.
func (l *lane) workFidelities(f map[string]fidelity) {
	w := l.workqueue()
	switch {
	case w == nil:
		return
	case l.layersOff["workqueue"] != "":
		f["workqueue"] = fidelity{"unseen", l.layersOff["workqueue"]}
		return
	case w.isForeign():
		f["workqueue"] = fidelity{"derived", "the probe sees what enters and leaves a priority queue; its keys are in order of arrival, not of priority"}
	case !joints.KnowsGoroutines:
		f["workqueue"] = fidelity{"derived", "its keys are exact, but not which handler's call or worker added a key: " + whyNoGoroutines()}
	default:
		f["workqueue"] = fidelity{How: "exact"}
	}
	f["workqueue.workers"] = fidelity{"derived", "a queue does not know its workers: the probe gives the one that takes a key the lowest free number"}
	f["workqueue.failures"] = fidelity{"derived", "the error of a reconcile, from Probe.Reconcile; without it, a key that a worker adds to the rate limiter"}
	f["workqueue.lastRead"] = fidelity{"derived", "reads of single objects by listers that were made after Probe.Informer or Probe.Factory; others are not seen"}
	if why := l.layersOff["queued"]; why != "" {
		f["workqueue.lastRead"] = fidelity{"derived", "the version that was read, but not how many newer ones were in the queue: " + why}
	}
	switch why := l.layersOff["reads"]; {
	case why != "":
		f["workqueue.lastRead"] = fidelity{"unseen", why}
	case !l.isRead.Load():
		f["workqueue.lastRead"] = fidelity{"unseen", "no read was seen: listers that were made before Probe.Informer or Probe.Factory are not seen"}
	}
	f["workqueue.writes"] = fidelity{"unseen", "no client was made with Probe.WrapConfig"}
	switch why := l.layersOff["writes"]; {
	case why != "":
		f["workqueue.writes"] = fidelity{"unseen", why}
	case !l.p.isWired.Load():
	case !joints.KnowsGoroutines:
		f["workqueue.writes"] = fidelity{"derived", "only writes with the context of Probe.Reconcile: " + whyNoGoroutines()}
	default:
		f["workqueue.writes"] = fidelity{"derived", "writes on the goroutine of a worker, or with the context that Probe.Reconcile returned; others are not seen"}
	}
}
