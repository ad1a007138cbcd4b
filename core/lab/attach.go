package lab

import (
	"context"
	"errors"

	"informerscope/core/wire/attached"
	"informerscope/core/words/event"
)

// Attached asks the relay which informers the attached process has.
func (l *Lab) Attached(ctx context.Context) attached.Process {
	if l.o.Audience {
		return attached.Ask(ctx, nil)
	}
	return attached.Ask(ctx, l.o.Dial)
}

// Attach ends the experiment and shows informers of the attached process instead: the named ones, separated by commas, or all. The log continues until
// something else is selected. If the process goes away, the log records that, and the lab reconnects with a backoff. If the process cannot be reached now,
// Attach returns an error, and nothing changes.
func (l *Lab) Attach(ctx context.Context, informers string) (event.Selection, error) {
	switch {
	case l.o.Audience:
		return l.Selection(), ErrAudience
	case l.o.Dial == nil:
		return l.Selection(), errors.New("there is no server behind this page, so no process can be attached; " +
			"start informerscope's server with --attach and open the address it prints")
	}
	a, err := attached.Open(ctx, attached.Options{Recorder: l.rec, Clock: l.o.Clock, Yield: l.o.Yield, Dial: l.o.Dial}, informers)
	if err != nil {
		return l.Selection(), err
	}
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.halt()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		a.Stop()
		return l.selection, errClosed
	}
	l.supersedeLocked()
	l.stopSource()
	l.attached = a
	l.selection = a.Selection()
	l.rec.Reset()
	a.Follow()
	return l.selection, nil
}
