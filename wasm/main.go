//go:build js && wasm

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	"github.com/hack-pad/safejs"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/log/trace"
	"informerscope/core/page/command"
	"informerscope/core/page/story"
	"informerscope/core/page/story/storyfile"
	"informerscope/core/page/view"
	"informerscope/core/wire/relayclient"
	"informerscope/stories"
)

// config is the page's configuration of the worker.
type config struct {
	Token string `json:"token"`
	Relay string `json:"relay"` // the relay's WebSocket URL, empty without a relay
	// Audience is the token of a speaker's audience, if this page follows a speaker. Page is the page's URL.
	Audience string `json:"audience"`
	Page     string `json:"page"`
}

// maxLog roughly bounds the bytes of a page's log; old versions of objects take memory that only the log needs.
const maxLog = 64 << 20

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "informerscope:", err)
		os.Exit(1)
	}
}

// goRelease returns the release of Go that built this, such as "1.26". Its scheduler and its net/http decide the order of events that may happen in either
// order, so a link is exact only on a page that the same release built.
func goRelease() string {
	parts := strings.SplitN(strings.TrimPrefix(runtime.Version(), "go"), ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// run serves the page while the worker lives.
func run() error {
	// The panels show what the informer's own log lines report; a browser's console is for defects.
	klog.SetLogger(logr.Discard())
	// A handler's panic is something to demonstrate, and must not end the page.
	utilruntime.ReallyCrash = false
	// The default error handlers sleep, in real time, if errors come in quick succession.
	utilruntime.ErrorHandlers = nil

	var cfg config
	raw, err := globalScope().Get("informerscopeConfig")
	if err != nil {
		return err
	}
	text, err := fromJS(raw)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &cfg); err != nil {
		return fmt.Errorf("the page's configuration cannot be read: %w", err)
	}

	rec := trace.NewRecorder(trace.RecorderOptions{Clock: clock.RealClock{}, MaxBytes: maxLog})
	quiet, err := newQuiet()
	if err != nil {
		return err
	}
	turns, err := newQueue()
	if err != nil {
		return err
	}
	quiet.collectWhenQuiet(true)
	opts := lab.Options{Recorder: rec, Idle: quiet.wait, Progress: progress(), Yield: turns.wait, Audience: cfg.Audience != ""}
	if opts.Audience {
		opts.Idle = nil // nothing runs here
		quiet.collectWhenQuiet(false)
	}
	var link *relayclient.Link
	if cfg.Relay != "" && !opts.Audience {
		link = relayclient.NewLink(cfg.Token, clock.RealClock{}, func(ctx context.Context, token string) (net.Conn, error) {
			return dialWebSocket(ctx, cfg.Relay, "informerscope.v1", "token."+token)
		})
		opts.Dial = link.Dial
	}
	w := &worker{
		rec: rec,
		console: &command.Console{
			Lab: lab.New(opts), View: view.New(rec, clock.RealClock{}), Link: link, Simulated: quiet.collectWhenQuiet, Idle: quiet.wait,
		},
		quiet:         quiet,
		frameRequests: make(chan struct{}, 1),
		viewChanges:   make(chan struct{}, 1),
	}
	library := sync.OnceValue(func() []*story.Story {
		all, err := story.Load(stories.Packed)
		if err != nil {
			panic(err) // a test has read them
		}
		return all
	})
	w.console.Stories = storyfile.Teller{Player: story.NewPlayer(w.console, rec, library)}
	tick, err := safejs.FuncOf(func(safejs.Value, []safejs.Value) any {
		notify(w.viewChanges)
		return nil
	})
	if err != nil {
		return err
	}
	w.tick = tick.Value()
	w.console.View.Measure(memory)
	switch {
	case opts.Audience:
		w.follow(audienceBase(cfg.Page, cfg.Audience))
	case link != nil:
		w.speak()
	}
	onMessage, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		if len(args) > 0 {
			w.receive(args[0])
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := globalScope().Set("onmessage", onMessage.Value()); err != nil {
		return err
	}
	if _, err := globalScope().Call("postMessage", map[string]any{"ready": true, "exact": steady, "go": goRelease()}); err != nil {
		return err
	}
	return w.frames(context.Background())
}
