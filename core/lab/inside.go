package lab

import (
	"errors"

	"informerscope/core/informer"
)

// Inside returns what is inside the informer of a lane at one moment. It is for tests that compare it with the log; a view must use only the log. during is
// called at that very moment: see informer.Snapshotter.
func (l *Lab) Inside(lane int, during func()) (informer.Snapshot, error) {
	l.mu.Lock()
	x := l.exp
	l.mu.Unlock()
	if x == nil || lane < 0 || lane >= len(x.lanes) {
		return informer.Snapshot{}, errors.New("there is no such lane")
	}
	l.mu.Lock()
	inf := x.lanes[lane].informer
	l.mu.Unlock()
	return inf.(informer.Snapshotter).SnapshotAt(during), nil
}
