package restwatch

import (
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// framesAhead is how many frames can wait between the goroutine that reads them and the one that delivers their events. client-go's decoder has three
// queues in a row: 100 raw frames, 9 that are being decoded, and 100 events. Between them two more are in the hands of goroutines.
const framesAhead = 100 + 1 + 9 + 1 + 100

// ahead reads the frames of a WatchList for the whole life of its stream, before anybody asks for their events. An error of the stream comes after the events
// of the frames before it.
//
// Mirrors client-go rest/watch.ConcurrentWatchEventDecoder (v0.38.0-beta.0) with one queue and one goroutine: how many frames it takes, and their order, are
// the same. client-go decodes ten objects at once.
type ahead struct {
	events chan readAhead
	done   <-chan struct{} // closed when the stream is stopped
	ended  chan struct{}   // closed when the goroutine has ended

	lock    sync.Mutex
	waiting int
	// report is called with the lock held, whenever the number of frames changes.
	report func(waiting int)
}

type readAhead struct {
	event watch.Event
	err   error
}

func newAhead(done <-chan struct{}, report func(waiting int)) *ahead {
	return &ahead{events: make(chan readAhead, framesAhead), done: done, ended: make(chan struct{}), report: report}
}

// fill reads until the stream ends or is stopped.
func (a *ahead) fill(read func() (watch.Event, error)) {
	defer close(a.ended)
	for {
		event, err := read()
		if err == nil {
			a.add(1)
		}
		select {
		case a.events <- readAhead{event, err}:
		case <-a.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// drop waits for the goroutine of a stream that was stopped, and drops what waits.
func (a *ahead) drop() {
	<-a.ended
	a.lock.Lock()
	n := a.waiting
	a.lock.Unlock()
	if n > 0 {
		a.add(-n)
	}
}

func (a *ahead) add(n int) {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.waiting += n
	a.report(a.waiting)
}
