package lab

import (
	"errors"
	"fmt"

	"informerscope/core/lab/action"
)

// Informer identifies an informer of the experiment for actions. For one resource in several releases, an action applies to all of them, so that they can be
// compared. An unshared informer is alone.
type Informer struct {
	lab  *Lab
	lane int
}

// Informer returns the informer of a lane. Its methods return an error if there is none.
func (l *Lab) Informer(lane int) Informer {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.twin != nil && lane == 1 {
		lane = 0 // what is done to one lane of a fork is done to both
	}
	return Informer{l, lane}
}

// running does something to the informer if it runs, and keeps it as a step.
func (i Informer) running(s action.Step, do func(x *experiment) error) error {
	return i.lab.act(func() (action.Step, error) {
		if i.lab.exp == nil {
			return s, errors.New("nothing is running")
		}
		if err := i.lab.exp.checkLane(i.lane); err != nil {
			return s, err
		}
		return s, do(i.lab.exp)
	})
}

// checkLane returns an error if there is no informer in a lane.
func (x *experiment) checkLane(lane int) error {
	if lane < 0 || lane >= len(x.lanes) {
		return fmt.Errorf("there is no informer %d; there are %d, counted from 0", lane, len(x.lanes))
	}
	return nil
}

// running returns the lanes of an informer; an error if it has stopped.
func (x *experiment) running(at int) ([]*lane, error) {
	if err := x.checkLane(at); err != nil {
		return nil, err
	}
	all := x.laneGroup(at)
	if all[0].informer.IsStopped() {
		return nil, fmt.Errorf("the informer of %s has stopped, and a stopped informer cannot start again", x.laneName(at))
	}
	return all, nil
}

// laneName returns a lane's name in messages.
func (x *experiment) laneName(lane int) string {
	if x.checkLane(lane) != nil {
		return fmt.Sprintf("informer %d", lane)
	}
	target := x.lanes[lane].target
	if target.Unshared {
		return target.Name() + " (not shared)"
	}
	return target.Name()
}
