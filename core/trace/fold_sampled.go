package trace

import "encoding/json"

// Sampled is what was seen inside another program's informer at one moment. What is left out was not looked at.
type Sampled struct {
	ResourceVersion string            `json:"resourceVersion,omitempty"` // the Reflector's
	Queue           *SampledQueue     `json:"queue,omitempty"`           // where nobody tells what enters and leaves it
	Listeners       []SampledListener `json:"listeners,omitempty"`
}

// SampledQueue is the queue of a Sampled.
type SampledQueue struct {
	Depth int `json:"depth"`
}

// SampledListener is a listener of a Sampled.
type SampledListener struct {
	ID       int32 `json:"id"`
	Ring     int   `json:"ring"`
	Capacity int   `json:"capacity"`
}

// sampled takes over what was seen. That a ring grew is known from the first sample in which it is larger.
func (l *lane) sampled(e *Event) {
	var s Sampled
	if json.Unmarshal([]byte(e.Text), &s) != nil {
		return
	}
	if s.ResourceVersion != "" {
		l.refl.ResourceVersion = s.ResourceVersion
	}
	if s.Queue != nil {
		l.queue.sampled, l.queue.depth = true, max(s.Queue.Depth, 0)
		l.queue.maxDepth = max(l.queue.maxDepth, l.queue.depth)
		l.recent.Depths.note(e.At, l.queue.depth)
	}
	for _, x := range s.Listeners {
		li := l.listener(x.ID)
		if li == nil {
			continue
		}
		li.setRing(x.Ring)
		li.waiting = false
		l.grow(li, x.Capacity, e)
		l.challenge(li, e)
	}
}

// Fidelity says how a member of a lane's State is known, by its path; the zero value where nothing is said.
func (f *Fold) Fidelity(lane int, path string) Fidelity {
	if lane < 0 || lane >= len(f.lanes) {
		return Fidelity{}
	}
	return f.lanes[lane].fidelity[path]
}
