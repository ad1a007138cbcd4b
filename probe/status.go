package probe

// Status is what a Probe sees now.
type Status struct {
	ClientGo  string           `json:"clientGo"` // its version, as this program was built
	Informers []InformerStatus `json:"informers"`
	// LeftOut is how many informers are not seen, because a Probe sees at most 255.
	LeftOut int `json:"leftOut,omitempty"`
	// UnmatchedQueues are the work queues without an informer: none has that name, or it has another queue.
	UnmatchedQueues []string `json:"queues,omitempty"`
	// UnmatchedObjects are the names in Options.Objects that no informer has.
	UnmatchedObjects []string `json:"objects,omitempty"`
}

// InformerStatus is what a Probe sees of one informer.
type InformerStatus struct {
	Name    string `json:"name"`
	Synced  bool   `json:"synced"`
	Objects int    `json:"objects"` // in its store
	// LayersOff names what is not seen of it, with the reason: a private field of another client-go, a hook that failed.
	LayersOff map[string]string `json:"off,omitempty"`
	Queue     string            `json:"queue,omitempty"` // the name of its work queue
}

// Status returns what the probe sees now. It takes the informers' locks, like any reader of a store. The caller owns the answer.
func (p *Probe) Status() Status {
	s, _ := p.status()
	return s
}

// status returns the status, and the informers in its order.
func (p *Probe) status() (s Status, lanes []*lane) {
	p.assignQueues(true)
	lanes = p.informers()
	s = Status{ClientGo: version(), Informers: []InformerStatus{}, UnmatchedObjects: p.unmatchedObjects()}
	for _, l := range lanes {
		x := InformerStatus{Name: l.name, Synced: l.inf.HasSynced(), Objects: len(l.inf.GetStore().ListKeys()), LayersOff: l.offLayers()}
		if w := l.workqueue(); w != nil {
			x.Queue, _ = w.names()
		}
		s.Informers = append(s.Informers, x)
	}
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	s.LeftOut = p.leftOut
	for _, w := range p.queues {
		if w.owner() == nil {
			name, _ := w.names()
			s.UnmatchedQueues = append(s.UnmatchedQueues, name)
		}
	}
	return s, lanes
}
