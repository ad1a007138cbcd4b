//go:build js && wasm

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hack-pad/safejs"

	"informerscope/core/lab"
	"informerscope/core/trace"
)

const (
	// tickMillis is how often a view that plays is looked at while the page waits for a frame.
	tickMillis = 15
	// hurryMillis is how often the page gets a frame while a story is played as fast as can be.
	hurryMillis = 250
	// A frame is followed by so many times its own time for the rest of the worker, as long as that is not felt: where frames
	// are dear, much happens between two of them anyway, and the page merges what the eye cannot follow.
	frameRest = 10
	mostRest  = 100 * time.Millisecond
)

// worker answers the page.
type worker struct {
	rec     *trace.Recorder
	console *lab.Console
	quiet   *quiet
	tick    safejs.Value // pokes

	want chan struct{} // the page is ready for a frame
	poke chan struct{} // a call may have changed what is seen
}

// frames sends a frame each time the page wants one, once there is something new in it.
func (w *worker) frames(ctx context.Context) error {
	var rested time.Time // when the next frame may be made
	for {
		select {
		case <-w.want:
		case <-ctx.Done():
			return ctx.Err()
		}
		// By the browser's timer: one of Go's own could end while the experiment works, and change the order of its goroutines.
		wait := tickMillis
		if w.console.Lab.Replaying() {
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
			if err := w.pause(wait); err != nil {
				return err
			}
			begun = time.Now()
			frame = w.frame()
		}
		now := time.Now()
		rested = now.Add(min(frameRest*now.Sub(begun), mostRest))
		w.quiet.collect(now) // nothing but this runs while the page has its turn
		if err := postFrame(frame); err != nil {
			return fmt.Errorf("send a frame: %w", err)
		}
	}
}

// frame is what the page must be told, nil when there is nothing new.
func (w *worker) frame() []byte {
	if w.console.Following != nil {
		w.console.Following.Tick()
	}
	return w.console.View.Frame()
}

// pause waits so many milliseconds, or until something was done.
func (w *worker) pause(millis int) error {
	id, err := self().Call("setTimeout", w.tick, millis)
	if err != nil {
		return err
	}
	<-w.poke
	_, err = self().Call("clearTimeout", id)
	return err
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// receive takes a message of the page. It runs on the browser's own event
// loop, so calls are answered by goroutines.
func (w *worker) receive(event safejs.Value) {
	data, err := event.Get("data")
	if err != nil {
		return
	}
	if want, err := data.Get("want"); err == nil && !want.IsUndefined() {
		notify(w.want)
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
			// What is nested too deep for the browser cannot be sent; that it cannot is an answer, too.
			err = answer(id, nil, fmt.Errorf("the result cannot be sent: %w", err))
			if err != nil {
				fmt.Fprintln(os.Stderr, "informerscope: answer the page:", err)
			}
		}
		notify(w.poke)
	}()
}

// read reads a call and answers it.
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

// readArguments reads the arguments of a call: JSON, or the bytes of an ArrayBuffer, which JSON cannot carry.
func readArguments(list safejs.Value) ([]lab.Argument, error) {
	if list.IsUndefined() || list.IsNull() {
		return nil, nil
	}
	n, err := list.Length()
	if err != nil {
		return nil, errors.New("the arguments are no list")
	}
	buffer, err := self().Get("ArrayBuffer")
	if err != nil {
		return nil, err
	}
	args := make([]lab.Argument, n)
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
