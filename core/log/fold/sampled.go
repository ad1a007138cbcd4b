package fold

import (
	"encoding/json"

	"informerscope/core/words/event"
)

// Sampled is a sample of another program's informer. Members that are absent were not sampled.
type Sampled struct {
	ResourceVersion string            `json:"resourceVersion,omitempty"` // the Reflector's
	Queue           *SampledQueue     `json:"queue,omitempty"`           // if no events report what enters and leaves it
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

// applySample applies a sample. A ring counts as grown from the first sample in which it is larger.
func (l *lane) applySample(e *event.Entry) {
	var s Sampled
	if json.Unmarshal([]byte(e.Sampled().Sample), &s) != nil {
		return
	}
	if s.ResourceVersion != "" {
		l.refl.ResourceVersion = s.ResourceVersion
	}
	if s.Queue != nil {
		l.queue.sampled, l.queue.depth = true, max(s.Queue.Depth, 0)
		if l.queue.depth > DeepQueue {
			l.recent.Deep.At = e.At
		}
	}
	for _, x := range s.Listeners {
		li := l.listener(x.ID)
		if li == nil {
			continue
		}
		li.setRing(x.Ring)
		li.waiting = false
		li.grow(x.Capacity)
	}
}

// Fidelity returns how a member of a lane's State, named by its path, is known; the zero value if that is not recorded.
func (f *Fold) Fidelity(lane int, path string) Fidelity {
	if lane < 0 || lane >= len(f.lanes) {
		return Fidelity{}
	}
	return f.lanes[lane].fidelity[path]
}
