//go:build js && wasm

package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/hack-pad/safejs"
	"k8s.io/utils/clock"

	"informerscope/core/log/tracefile"
	"informerscope/core/page/audience"
)

// speak sets up the page's Speaker.
func (w *worker) speak() {
	w.console.Speaker = audience.NewSpeaker(audience.SpeakerOptions{
		Recorder: w.rec, Dial: w.console.Link.Dial, Where: w.console.View.Describe, Clock: clock.RealClock{}, Sleep: browserSleep,
		Header: func() tracefile.Header {
			return tracefile.Header{Selection: w.console.Lab.Selection(), ClientGo: tracefile.ClientGo}
		},
		Tell: func() { _ = postJSON("onAir", w.console.Speaker.OnAir()) },
	})
}

// follow sets up the page's Following on a speaker's segments below the URL base, and runs it.
func (w *worker) follow(base string) {
	w.console.Following = audience.NewFollowing(audience.FollowingOptions{
		Recorder: w.rec, View: w.console.View, Clock: clock.RealClock{},
		Fetch: func(ctx context.Context, path string) (int, []byte, error) { return browserFetch(ctx, base+path) },
		Tell:  func() { _ = postJSON("hearing", w.console.Following.Hearing()) },
	})
	go func() { _ = w.console.Following.Run(context.Background()) }() // while the worker lives
}

// audienceBase returns the URL below which an audience's segments are.
func audienceBase(page, token string) string {
	u, err := url.Parse(page)
	if err != nil {
		return ""
	}
	return u.ResolveReference(&url.URL{Path: "./audience/" + token + "/"}).String()
}

// postJSON sends a message of one member, which the page receives as an object.
func postJSON(name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	parsed, err := toJS(text)
	if err != nil {
		return err
	}
	return post(name, parsed)
}

// browserSleep waits with the browser's timer: a timer of Go could fire while a simulated experiment works, and change the order of its goroutines.
func browserSleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	rang := make(chan struct{}, 1)
	ring, err := safejs.FuncOf(func(safejs.Value, []safejs.Value) any {
		notify(rang)
		return nil
	})
	if err != nil {
		return err
	}
	defer ring.Release()
	id, err := globalScope().Call("setTimeout", ring.Value(), d.Milliseconds())
	if err != nil {
		return err
	}
	select {
	case <-rang:
		return nil
	case <-ctx.Done():
		_, _ = globalScope().Call("clearTimeout", id)
		return ctx.Err()
	}
}

// browserFetch fetches a URL of this page's own server with the browser's fetch: through its cache, and without credentials.
func browserFetch(ctx context.Context, target string) (status int, body []byte, err error) {
	ctor, err := globalScope().Get("AbortController")
	if err != nil {
		return 0, nil, err
	}
	abort, err := ctor.New()
	if err != nil {
		return 0, nil, err
	}
	signal, err := abort.Get("signal")
	if err != nil {
		return 0, nil, err
	}
	promise, err := globalScope().Call("fetch", target, map[string]any{"credentials": "omit", "signal": signal})
	if err != nil {
		return 0, nil, err
	}
	resp, err := awaitPromise(ctx, promise, abort)
	if err != nil {
		return 0, nil, err
	}
	number, err := resp.Get("status")
	if err != nil {
		return 0, nil, err
	}
	if status, err = number.Int(); err != nil {
		return 0, nil, err
	}
	if promise, err = resp.Call("arrayBuffer"); err != nil {
		return 0, nil, err
	}
	buffer, err := awaitPromise(ctx, promise, abort)
	if err != nil {
		return 0, nil, err
	}
	body, err = bytesOf(buffer)
	return status, body, err
}

// awaitPromise waits for a promise, or until ctx ends.
func awaitPromise(ctx context.Context, promise, abort safejs.Value) (safejs.Value, error) {
	type outcome struct {
		value safejs.Value
		err   error
	}
	came := make(chan outcome, 2)
	give := func(read func(safejs.Value) outcome) (safejs.Func, error) {
		return safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
			var v safejs.Value
			if len(args) > 0 {
				v = args[0]
			}
			came <- read(v)
			return nil
		})
	}
	kept, err := give(func(v safejs.Value) outcome { return outcome{value: v} })
	if err != nil {
		return safejs.Value{}, err
	}
	defer kept.Release()
	broken, err := give(func(v safejs.Value) outcome {
		words := "the browser did not get an answer"
		if m, err := v.Get("message"); err == nil {
			if text, err := m.String(); err == nil && text != "" {
				words = text
			}
		}
		return outcome{err: errors.New(words)}
	})
	if err != nil {
		return safejs.Value{}, err
	}
	defer broken.Release()
	if _, err := promise.Call("then", kept.Value(), broken.Value()); err != nil {
		return safejs.Value{}, err
	}
	select {
	case o := <-came:
		return o.value, o.err
	case <-ctx.Done():
		_, _ = abort.Call("abort")
		<-came // so that its functions are not called after their release
		return safejs.Value{}, ctx.Err()
	}
}
