package lab

import (
	"errors"
	"fmt"
)

// Informer is one of those that an experiment runs, as something is done to it. Of one resource in several releases it is each of them, so that
// they can be compared; one that is not shared is itself alone.
type Informer struct {
	lab  *Lab
	lane int
}

// Informer is that of a lane. That there is one shows when something is done to it.
func (l *Lab) Informer(lane int) Informer { return Informer{l, lane} }

// running does something to the informer if it runs, and keeps it as a step.
func (i Informer) running(s step, do func(x *experiment) error) error {
	return i.lab.act(func() (step, error) {
		if i.lab.exp == nil {
			return s, errors.New("nothing is running")
		}
		if err := i.lab.exp.has(i.lane); err != nil {
			return s, err
		}
		return s, do(i.lab.exp)
	})
}

// has says that there is no informer in a lane, if there is none.
func (x *experiment) has(lane int) error {
	if lane < 0 || lane >= len(x.lanes) {
		return fmt.Errorf("there is no informer %d; there are %d, counted from 0", lane, len(x.lanes))
	}
	return nil
}

// running are the lanes of an informer, if it runs: one that has ended takes nothing more.
func (x *experiment) running(at int) ([]*lane, error) {
	if err := x.has(at); err != nil {
		return nil, err
	}
	all := x.together(at)
	if all[0].informer.IsStopped() {
		return nil, fmt.Errorf("the informer of %s has ended, and an informer that has ended does not begin again", x.called(at))
	}
	return all, nil
}

// called is what a lane's informer is called where a person reads of it.
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

// Hold is Informer.Hold of the first informer.
func (l *Lab) Hold(stage string, listener int32) error { return l.Informer(0).Hold(stage, listener) }

// Release is Informer.Release of the first informer.
func (l *Lab) Release(stage string, n int, listener int32) error {
	return l.Informer(0).Release(stage, n, listener)
}

// AddListener is Informer.AddListener of the first informer.
func (l *Lab) AddListener(spec ListenerSpec) (int32, error) { return l.Informer(0).AddListener(spec) }

// RemoveListener is Informer.RemoveListener of the first informer.
func (l *Lab) RemoveListener(id int32) error { return l.Informer(0).RemoveListener(id) }

// Pace is Informer.Pace of the first informer.
func (l *Lab) Pace(id int32, millis float64) error { return l.Informer(0).Pace(id, millis) }

// Panic is Informer.Panic of the first informer.
func (l *Lab) Panic(id int32) error { return l.Informer(0).Panic(id) }

// AddIndex is Informer.AddIndex of the first informer.
func (l *Lab) AddIndex(name, expression string) error {
	return l.Informer(0).AddIndex(name, expression)
}

// Fault is Informer.Fault of the first informer.
func (l *Lab) Fault(name string, args FaultArgs) (bool, error) {
	return l.Informer(0).Fault(name, args)
}
