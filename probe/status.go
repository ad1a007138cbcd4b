package probe

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"example.org/informerscope/probe/internal/joints"
)

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

	problems []error
}

// Err returns an error for each part of the options that the probe does not see. It is nil if the probe sees all. A name that no informer has comes with the
// names that exist; a layer that is off comes with the reason. Work queues and names of objects are matched with the informers that there are when Status is
// called.
func (s Status) Err() error {
	all := s.problems
	if s.LeftOut > 0 {
		all = append(all[:len(all):len(all)], errTooMany(s.LeftOut))
	}
	for _, x := range s.Informers {
		all = append(all[:len(all):len(all)], x.Err())
	}
	return errors.Join(all...)
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

// Err returns the layers that are off, but for those that the tag informerscope_public leaves out; nil if there is none.
func (s InformerStatus) Err() error {
	var all []error
	for layer, why := range s.LayersOff {
		if why == joints.LeftOut {
			continue
		}
		all = append(all, fmt.Errorf("%s: %s is not seen: %s", s.Name, layer, why))
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Error() < all[j].Error() })
	return errors.Join(all...)
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
		s.Informers = append(s.Informers, l.status())
	}
	s.problems = p.unmatchedErrors(false)
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

func (l *lane) status() InformerStatus {
	x := InformerStatus{Name: l.target().name(), Synced: l.inf.HasSynced(), Objects: len(l.inf.GetStore().ListKeys()), LayersOff: l.offLayers()}
	if w := l.workqueue(); w != nil {
		x.Queue, _ = w.names()
	}
	return x
}

// unmatchedErrors returns an error for each name, in Options.Objects or of a work queue, that no informer has. The error lists the names that there are.
// With given set it leaves out the queues' own names, which no option gave.
func (p *Probe) unmatchedErrors(given bool) (all []error) {
	choice := "there are no informers"
	if lanes := p.informers(); len(lanes) > 0 {
		choice = "the informers are " + strings.Join(namesOf(lanes), ", ")
	}
	for _, name := range p.unmatchedObjects() {
		all = append(all, fmt.Errorf("Options.Objects names %q, which no informer is called; %s", name, choice))
	}
	p.lanesMu.Lock()
	defer p.lanesMu.Unlock()
	for _, w := range p.queues {
		queue, informer := w.names()
		if w.owner() != nil || given && informer == (target{}) {
			continue
		}
		title, i := informer.name(), 0
		if title == "" {
			title = queue
		}
		for i < len(p.lanes) && !p.lanes[i].isNamed(queue, informer) {
			i++
		}
		if i < len(p.lanes) {
			all = append(all, fmt.Errorf("the work queue %q is not shown: %s has another one", queue, p.lanes[i].name))
		} else {
			all = append(all, fmt.Errorf("the work queue %q has no informer: none is called %q; %s; name one in QueueOptions.Informer", queue, title, choice))
		}
	}
	return all
}

// namesOf returns the informers' names in alphabetical order.
func namesOf(lanes []*lane) (names []string) {
	for _, l := range lanes {
		names = append(names, l.target().name())
	}
	sort.Strings(names)
	return names
}
