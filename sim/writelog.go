package main

import (
	"sync"

	auditapi "k8s.io/apiserver/pkg/apis/audit"

	"informerscope/core/cluster/levers"
	"informerscope/sim/internal/authors"
	"informerscope/sim/internal/controlplane"
)

// keptWrites is how many writes a writeLog keeps for a page that comes, or comes back.
const keptWrites = 1000

// writeLog keeps the newest writes. It is safe for concurrent use.
type writeLog struct {
	sentences authors.Sentences

	mu      sync.Mutex
	writes  []levers.Write // the newest last; their Seq have no gaps
	seq     uint64
	changed chan struct{} // closed at the next write
}

func newWriteLog() *writeLog {
	return &writeLog{sentences: authors.Sentences{Components: []string{controlplane.Levers, controlplane.Kubelet}}, changed: make(chan struct{})}
}

// ProcessEvents implements audit.Sink.
func (l *writeLog) ProcessEvents(events ...*auditapi.Event) bool {
	for _, e := range events {
		if w, ok := l.sentences.Write(e); ok {
			l.add(w)
		}
	}
	return true
}

// add numbers a write and keeps it.
func (l *writeLog) add(w levers.Write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	w.Seq = l.seq
	if l.writes = append(l.writes, w); len(l.writes) == 2*keptWrites {
		l.writes = append(l.writes[:0], l.writes[keptWrites:]...)
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// after returns the writes after a number that are still kept, and what is closed when there are more. A number that is not reached yet is that of an
// earlier launch: all are after it.
func (l *writeLog) after(seq uint64) ([]levers.Write, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if seq > l.seq {
		seq = 0
	}
	newer := min(int(l.seq-seq), len(l.writes))
	return append([]levers.Write(nil), l.writes[len(l.writes)-newer:]...), l.changed
}
