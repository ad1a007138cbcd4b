//go:build js && wasm

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/hack-pad/safejs"

	"informerscope/core/lab"
	"informerscope/core/trace"
	"informerscope/core/view"
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
	rec   *trace.Recorder
	lab   *lab.Lab
	view  *view.View
	quiet *quiet
	tick  safejs.Value // pokes

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
		if w.lab.Replaying() {
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
		frame := w.view.Frame()
		for frame == nil {
			if err := w.pause(wait); err != nil {
				return err
			}
			begun = time.Now()
			frame = w.view.Frame()
		}
		now := time.Now()
		rested = now.Add(min(frameRest*now.Sub(begun), mostRest))
		w.quiet.collect(now) // nothing but this runs while the page has its turn
		if err := postFrame(frame); err != nil {
			return fmt.Errorf("send a frame: %w", err)
		}
	}
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
			fmt.Fprintln(os.Stderr, "informerscope: answer the page:", err)
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
	if name == "load" { // its argument may be bytes, which JSON cannot carry
		return w.load(argsValue)
	}
	text, err := fromJS(argsValue)
	if err != nil {
		return nil, err
	}
	var args []json.RawMessage
	if err := json.Unmarshal(text, &args); err != nil && !bytes.Equal(text, []byte("null")) {
		return nil, fmt.Errorf("the arguments of %s are no list", name)
	}
	return w.call(name, arguments{name, args})
}

// arguments are those of one call.
type arguments struct {
	call string
	list []json.RawMessage
}

// read decodes argument i into out; one that was left out leaves out as it is.
func (a arguments) read(i int, out any) error {
	if i >= len(a.list) || bytes.Equal(a.list[i], []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(a.list[i], out); err != nil {
		return fmt.Errorf("argument %d of %s: %w", i+1, a.call, err)
	}
	return nil
}

// load reads a recording given as text or as an ArrayBuffer.
func (w *worker) load(args safejs.Value) (any, error) {
	first, err := args.Index(0)
	if err != nil {
		return nil, err
	}
	var text []byte
	if first.Type() == safejs.TypeString {
		s, err := first.String()
		if err != nil {
			return nil, err
		}
		text = []byte(s)
	} else if text, err = bytesOf(first); err != nil {
		return nil, err
	}
	w.quiet.collectWhenQuiet(false)
	n, warning, err := w.lab.Load(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	w.view.Reset()
	return map[string]any{"events": n, "warning": warning}, nil
}

// call does what the page asks for. The calls are in docs/protocol.md.
func (w *worker) call(name string, a arguments) (any, error) {
	ctx := context.Background()
	switch name {
	case "select", "sources", "resources", "namespaces": // a live cluster may not answer
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
	}
	switch name {
	case "state":
		return w.view.State(), nil
	case "select":
		var change lab.Change
		if err := a.read(0, &change); err != nil {
			return nil, err
		}
		w.quiet.collectWhenQuiet(change.Source == nil || *change.Source != "live")
		sel, err := w.lab.Select(ctx, change)
		w.quiet.collectWhenQuiet(sel.Source == "sim")
		if err != nil {
			return nil, err
		}
		w.view.Reset()
		return sel, nil
	case "story":
		var seq uint64
		if err := a.read(0, &seq); err != nil {
			return nil, err
		}
		return w.lab.Story(seq)
	case "checkStory":
		var do string
		if err := a.read(0, &do); err != nil {
			return nil, err
		}
		return true, lab.CheckStory(do)
	case "arrive":
		return w.lab.Arrive(ctx), nil
	case "fault":
		var fault string
		var args lab.FaultArgs
		if err := a.read(0, &fault); err != nil {
			return nil, err
		}
		if err := a.read(1, &args); err != nil {
			return nil, err
		}
		on, err := w.lab.Fault(fault, args)
		return map[string]any{"name": fault, "on": on}, err
	case "hold":
		var stage string
		var listener int32
		if err := a.read(0, &stage); err != nil {
			return nil, err
		}
		if err := a.read(1, &listener); err != nil {
			return nil, err
		}
		return true, w.lab.Hold(stage, listener)
	case "release":
		var stage string
		var n int
		var listener int32
		if err := a.read(0, &stage); err != nil {
			return nil, err
		}
		if err := a.read(1, &n); err != nil {
			return nil, err
		}
		if err := a.read(2, &listener); err != nil {
			return nil, err
		}
		return true, w.lab.Release(stage, n, listener)
	case "play":
		var speed float64
		if err := a.read(0, &speed); err != nil {
			return nil, err
		}
		w.lab.Go()
		err := w.view.Play(speed)
		return w.view.Describe(), err
	case "pause":
		w.view.Pause()
		return w.view.Describe(), nil
	case "live":
		w.lab.Go()
		w.view.Live()
		return w.view.Describe(), nil
	case "step":
		n := 1
		if err := a.read(0, &n); err != nil {
			return nil, err
		}
		if n > 0 && w.view.Describe().Behind < uint64(n) {
			w.lab.Go()
		}
		w.view.Step(n)
		return w.view.Describe(), nil
	case "seek":
		var seq int64
		if err := a.read(0, &seq); err != nil {
			return nil, err
		}
		w.view.Seek(uint64(max(0, seq))) // before the beginning is the beginning
		return w.view.Describe(), nil
	case "seekTime":
		var millis float64
		if err := a.read(0, &millis); err != nil {
			return nil, err
		}
		w.view.SeekTime(time.Duration(max(millis, 0) * float64(time.Millisecond)))
		return w.view.Describe(), nil
	case "mark":
		direction := 1
		if err := a.read(0, &direction); err != nil {
			return nil, err
		}
		err := w.view.Mark(direction)
		return w.view.Describe(), err
	case "record":
		var out bytes.Buffer
		name, err := w.lab.Record(&out)
		if err != nil {
			return nil, err
		}
		return map[string]any{"name": name, "text": out.String()}, nil
	case "export":
		var out bytes.Buffer
		name, err := w.lab.Export(&out)
		if err != nil {
			return nil, err
		}
		return map[string]any{"name": name, "text": out.String()}, nil
	case "addIndex":
		var name, expression string
		if err := a.read(0, &name); err != nil {
			return nil, err
		}
		if err := a.read(1, &expression); err != nil {
			return nil, err
		}
		return name, w.lab.AddIndex(name, expression)
	case "panic":
		var id int32
		if err := a.read(0, &id); err != nil {
			return nil, err
		}
		return true, w.lab.Panic(id)
	case "writes":
		var on *bool
		if err := a.read(0, &on); err != nil {
			return nil, err
		}
		return w.lab.Writes(on)
	case "sources":
		return w.lab.Sources(ctx), nil
	case "resources":
		found, err := w.lab.Resources(ctx)
		if len(found) > 0 { // a group that is down does not hide the others
			err = nil
		}
		return found, err
	case "namespaces":
		return w.lab.Namespaces(ctx)
	case "object":
		var key string
		var lane int
		if err := a.read(0, &key); err != nil {
			return nil, err
		}
		if err := a.read(1, &lane); err != nil {
			return nil, err
		}
		return w.view.Object(lane, key)
	case "follow":
		var key string
		if err := a.read(0, &key); err != nil {
			return nil, err
		}
		w.view.Follow(key)
		return key, nil
	case "index":
		var index string
		var value *string
		var lane int
		if err := a.read(0, &index); err != nil {
			return nil, err
		}
		if err := a.read(1, &value); err != nil {
			return nil, err
		}
		if err := a.read(2, &lane); err != nil {
			return nil, err
		}
		return w.view.Index(lane, index, value)
	case "groupBy":
		var index string
		if err := a.read(0, &index); err != nil {
			return nil, err
		}
		w.view.GroupBy(index)
		return index, nil
	case "cluster":
		var verb string
		var args lab.ClusterArgs
		if err := a.read(0, &verb); err != nil {
			return nil, err
		}
		if err := a.read(1, &args); err != nil {
			return nil, err
		}
		return w.lab.Cluster(verb, args)
	case "addListener":
		var spec lab.ListenerSpec
		if err := a.read(0, &spec); err != nil {
			return nil, err
		}
		return w.lab.AddListener(spec)
	case "removeListener":
		var id int32
		if err := a.read(0, &id); err != nil {
			return nil, err
		}
		return true, w.lab.RemoveListener(id)
	case "pace":
		var id int32
		var millis float64
		if err := a.read(0, &id); err != nil {
			return nil, err
		}
		if err := a.read(1, &millis); err != nil {
			return nil, err
		}
		return true, w.lab.Pace(id, millis)
	}
	return nil, fmt.Errorf("there is no call %q", name)
}
