package lab

import (
	"errors"
	"fmt"

	"informerscope/core/action"
)

// Informer identifies an informer of the experiment for actions. For one resource in several releases, an action applies to all of them, so that they can be
// compared. An unshared informer is alone.
type Informer struct {
	lab  *Lab
	lane int
}

// Informer returns the informer of a lane. Its methods return an error if there is none.
func (l *Lab) Informer(lane int) Informer { return Informer{l, lane} }

// running does something to the informer if it runs, and keeps it as a step.
func (i Informer) running(s action.Step, do func(x *experiment) error) error {
	return i.lab.act(func() (action.Step, error) {
		if i.lab.exp == nil {
			return s, errors.New("nothing is running")
		}
		if err := i.lab.exp.has(i.lane); err != nil {
			return s, err
		}
		return s, do(i.lab.exp)
	})
}

// has returns an error if there is no informer in a lane.
func (x *experiment) has(lane int) error {
	if lane < 0 || lane >= len(x.lanes) {
		return fmt.Errorf("there is no informer %d; there are %d, counted from 0", lane, len(x.lanes))
	}
	return nil
}

// running returns the lanes of an informer; an error if it has stopped.
func (x *experiment) running(at int) ([]*lane, error) {
	if err := x.has(at); err != nil {
		return nil, err
	}
	all := x.together(at)
	if all[0].informer.IsStopped() {
		return nil, fmt.Errorf("the informer of %s has stopped, and a stopped informer cannot start again", x.called(at))
	}
	return all, nil
}

// called returns a lane's name in messages.
func (x *experiment) called(lane int) string {
	if x.has(lane) != nil {
		return fmt.Sprintf("informer %d", lane)
	}
	of := x.lanes[lane].of
	if of.Unshared {
		return of.Name() + " (not shared)"
	}
	return of.Name()
}

// Hold is Informer.Hold for the first informer.
func (l *Lab) Hold(stage string, listener int32) error { return l.Informer(0).Hold(stage, listener) }

// Release is Informer.Release for the first informer.
func (l *Lab) Release(stage string, n int, listener int32) error {
	return l.Informer(0).Release(stage, n, listener)
}

// AddListener is Informer.AddListener for the first informer.
func (l *Lab) AddListener(spec ListenerSpec) (int32, error) { return l.Informer(0).AddListener(spec) }

// RemoveListener is Informer.RemoveListener for the first informer.
func (l *Lab) RemoveListener(id int32) error { return l.Informer(0).RemoveListener(id) }

// Pace is Informer.Pace for the first informer.
func (l *Lab) Pace(id int32, millis float64) error { return l.Informer(0).Pace(id, millis) }

// Panic is Informer.Panic for the first informer.
func (l *Lab) Panic(id int32) error { return l.Informer(0).Panic(id) }

// AddIndex is Informer.AddIndex for the first informer.
func (l *Lab) AddIndex(name, expression string) error {
	return l.Informer(0).AddIndex(name, expression)
}

// Fault is Informer.Fault for the first informer.
func (l *Lab) Fault(name string, args FaultArgs) (bool, error) {
	return l.Informer(0).Fault(name, args)
}
