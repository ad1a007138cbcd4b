package probe

var workKinds = map[kind]string{evWorkAdded: "WorkAdded", evWorkDeduplicated: "WorkDeduplicated", evWorkMarkedDirty: "WorkMarkedDirty",
	evWorkTaken: "WorkTaken", evWorkDone: "WorkDone", evWorkWaiting: "WorkWaiting", evWorkWaitingSooner: "WorkWaitingSooner",
	evWorkWaitingUnchanged: "WorkWaitingUnchanged", evWorkDue: "WorkDue", evWorkRateLimited: "WorkRateLimited", evWorkForgotten: "WorkForgotten",
	evWorkShuttingDown: "WorkShuttingDown", evReconciled: "Reconciled", evListerRead: "ListerRead"}

// isWork reports whether an event belongs to the work queue, which has a baseline of its own.
func (e *event) isWork() bool { return e.kind >= evWorkAdded && e.kind <= evReconciled }

// writeWork writes an event of the work queue, or a read of the store.
func (lv *laneView) writeWork(at int64, e *event) {
	x := line{At: at, Kind: workKinds[e.kind], Key: e.key, N: int(e.n), Dur: int64(e.dur), Listener: e.listener, Flag: e.flag}
	switch {
	case x.Kind == "" || !lv.hasQueue: // a reader of the trace would assume that there is a work queue
		return
	case e.kind == evReconciled:
		if x.Flag = false; e.flag {
			x.Err = &lineError{Message: "the key was added to the rate limiter, to be retried after its delay"}
		}
	case e.kind == evListerRead:
		x.RV, x.StoreRV = e.rv, e.text
	case e.kind == evWorkShuttingDown:
		x.Key = ""
	}
	lv.put(x)
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
	default:
		f["workqueue"] = fidelity{How: "exact"}
	}
	f["workqueue.workers"] = fidelity{"derived", "a queue does not know its workers: the probe gives the one that takes a key the lowest free number"}
	f["workqueue.failures"] = fidelity{"derived", "a key that is added to the rate limiter while a worker has it counts as failed"}
	f["workqueue.lastRead"] = fidelity{"derived", "reads of single objects by listers that were made after Probe.Informer or Probe.Factory; others are not seen"}
	switch why := l.layersOff["reads"]; {
	case why != "":
		f["workqueue.lastRead"] = fidelity{"unseen", why}
	case !l.isRead.Load():
		f["workqueue.lastRead"] = fidelity{"unseen", "no read was seen: listers that were made before Probe.Informer or Probe.Factory are not seen"}
	}
	f["workqueue.writes"] = fidelity{"unseen", "the probe does not see the controller's writes"}
}
