//go:build js && wasm

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hack-pad/safejs"

	"informerscope/core/log/trace"
	"informerscope/core/page/command"
	"informerscope/core/words/arg"
)

const (
	// tickMillis is how often a view is checked while the page waits for a frame, and listenMillis at least how often one that follows a broadcast.
	tickMillis   = 15
	listenMillis = 60
	// hurryMillis is how often the page gets a frame while a story is replayed as fast as possible.
	hurryMillis = 250
	// After a frame, the rest of the worker gets restFactor times the time that the frame took, up to maxRest, which a viewer does not notice. If frames
	// are slow, much happens between two of them anyway, more than eyes can follow.
	restFactor = 10
	maxRest    = 100 * time.Millisecond
	// A page that has asked for no frame for unseenMillis is hidden. Virtual time then moves in leaps: the worker wakes once a second and not for each timer.
	unseenMillis = 2000
	unseenLeap   = time.Second
)

// worker answers the page's calls.
type worker struct {
	rec     *trace.Recorder
	console *command.Console
	quiet   *quiet
	tick    safejs.Value // a function that signals viewChanges

	frameRequests chan struct{} // the page is ready for a frame
	viewChanges   chan struct{} // a call may have changed the view
}

// frames sends a frame each time the page wants one, once it has something new.
func (w *worker) frames(ctx context.Context) error {
	var rested time.Time // when the next frame may be made
	for {
		if err := w.awaitRequest(ctx); err != nil {
			return err
		}
		// Use the browser's timer: a timer of Go could fire while the experiment works, and change the order of its goroutines.
		wait := tickMillis
		if w.console.Lab.Driver().Playing() {
			wait = hurryMillis
			if err := w.pause(wait); err != nil {
				return err
			}
		}
		if d := time.Until(rested).Milliseconds(); d > 0 {
			if err := w.pause(int(d)); err != nil {
				return err
			}
		}
		begun := time.Now()
		frame := w.frame()
		for frame == nil {
			patience := int(w.console.View.Patience().Milliseconds())
			if w.console.Following != nil {
				patience = min(patience, listenMillis)
			}
			if err := w.pause(max(wait, patience)); err != nil {
				return err
			}
			begun = time.Now()
			frame = w.frame()
		}
		now := time.Now()
		rested = now.Add(min(restFactor*now.Sub(begun), maxRest))
		w.quiet.collect(now) // nothing else runs while the page has its turn
		if err := postFrame(frame); err != nil {
			return fmt.Errorf("send a frame: %w", err)
		}
	}
}

// awaitRequest returns when the page wants a frame. A page that shows does so within a moment. While it is hidden time leaps, unless a call wants to know how
// things stand, or an audience follows.
func (w *worker) awaitRequest(ctx context.Context) error {
	driver := w.console.Lab.Driver()
	defer driver.Leap(0)
	for {
		id, err := globalScope().Call("setTimeout", w.tick, unseenMillis)
		if err != nil {
			return err
		}
		begun := time.Now()
		select {
		case <-w.frameRequests:
			_, err := globalScope().Call("clearTimeout", id)
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-w.viewChanges:
		}
		if _, err := globalScope().Call("clearTimeout", id); err != nil {
			return err
		}
		if time.Since(begun) < unseenMillis*time.Millisecond || w.isOnAir() {
			continue
		}
		driver.Leap(unseenLeap)
		select {
		case <-w.frameRequests:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-w.viewChanges:
			driver.Leap(0)
		}
	}
}

func (w *worker) isOnAir() bool {
	return w.console.Speaker != nil && w.console.Speaker.OnAir().Phase != ""
}

// frame returns the next frame, nil if there is nothing new.
func (w *worker) frame() []byte {
	if w.console.Following != nil {
		w.console.Following.Tick()
	}
	return w.console.View.Frame()
}

// pause waits for millis milliseconds, or until a call has returned.
func (w *worker) pause(millis int) error {
	id, err := globalScope().Call("setTimeout", w.tick, millis)
	if err != nil {
		return err
	}
	<-w.viewChanges
	_, err = globalScope().Call("clearTimeout", id)
	return err
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// receive handles a message of the page. It runs on the browser's event loop, so goroutines answer calls.
func (w *worker) receive(event safejs.Value) {
	data, err := event.Get("data")
	if err != nil {
		return
	}
	if want, err := data.Get("want"); err == nil && !want.IsUndefined() {
		notify(w.frameRequests)
		return
	}
	idValue, err := data.Get("id")
	if err != nil || idValue.IsUndefined() {
		return
	}
	id, err := idValue.Int()
	if err != nil {
		return
	}
	go func() {
		result, err := w.read(data)
		if err := answer(id, result, err); err != nil {
			// The browser cannot receive what is nested too deep; report that instead.
			err = answer(id, nil, fmt.Errorf("the result cannot be sent: %w", err))
			if err != nil {
				fmt.Fprintln(os.Stderr, "informerscope: answer the page:", err)
			}
		}
		notify(w.viewChanges)
	}()
}

// read decodes a call, carries it out, and returns its result.
func (w *worker) read(data safejs.Value) (any, error) {
	nameValue, err := data.Get("call")
	if err != nil {
		return nil, err
	}
	name, err := nameValue.String()
	if err != nil {
		return nil, err
	}
	argsValue, err := data.Get("args")
	if err != nil {
		return nil, err
	}
	args, err := readArguments(argsValue)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return w.console.Do(context.Background(), name, args)
}

// readArguments decodes the arguments of a call: JSON, or the bytes of an ArrayBuffer, which JSON cannot carry.
func readArguments(list safejs.Value) ([]arg.Value, error) {
	if list.IsUndefined() || list.IsNull() {
		return nil, nil
	}
	n, err := list.Length()
	if err != nil {
		return nil, errors.New("the arguments are not a list")
	}
	buffer, err := globalScope().Get("ArrayBuffer")
	if err != nil {
		return nil, err
	}
	args := make([]arg.Value, n)
	for i := range args {
		value, err := list.Index(i)
		if err != nil {
			return nil, err
		}
		isBuffer, err := value.InstanceOf(buffer)
		if err != nil {
			return nil, err
		}
		if isBuffer {
			args[i].Bytes, err = bytesOf(value)
		} else {
			args[i].JSON, err = fromJS(value)
		}
		if err != nil {
			return nil, fmt.Errorf("argument %d cannot be read: %w", i+1, err)
		}
	}
	return args, nil
}
