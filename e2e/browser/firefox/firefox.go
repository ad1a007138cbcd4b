package firefox

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/gate"
	"informerscope/e2e/internal/proc"
	"informerscope/e2e/internal/w3c"
)

// startTimeout bounds a start: a new profile takes long on a busy machine.
const startTimeout = 2 * time.Minute

// Options of a Firefox.
type Options struct {
	// LogDir keeps what the browser writes.
	LogDir string
	// Width and Height of the viewport in CSS pixels.
	Width, Height int
}

// Firefox is a running browser with one page. Its methods are for one
// goroutine at a time.
type Firefox struct {
	program *proc.Process
	gate    *gate.Gate
	home    string
	bidi    *bidi
	tab     string // the page's browsing context
	version string

	mu       sync.Mutex
	problems []browser.Problem
	console  []string
}

// Start starts a Firefox that the caller must Close. ctx bounds the start only.
func Start(ctx context.Context, opts Options) (*Firefox, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	f := &Firefox{}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("it did not start within %s", startTimeout))
	defer cancel()
	if err := f.start(ctx, path, opts); err != nil {
		if f.program != nil {
			err = fmt.Errorf("%w\n%s", err, f.program.LogTail(20))
		}
		f.Close()
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	return f, nil
}

// listening matches the line with the address for WebDriver BiDi.
var listening = regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)

func (f *Firefox) start(ctx context.Context, path string, opts Options) (err error) {
	if f.gate, err = gate.Start(gate.Options{}); err != nil {
		return err
	}
	if f.home, err = os.MkdirTemp("", "informerscope-firefox-"); err != nil {
		return err
	}
	dir := filepath.Join(f.home, "profile")
	if err := errors.Join(os.Mkdir(dir, 0o700), profile(dir, f.gate.Address())); err != nil {
		return err
	}
	// Logs are appended to, so skip an earlier browser's.
	os.Remove(filepath.Join(opts.LogDir, "firefox.log"))
	f.program, err = proc.StartEnv("firefox", opts.LogDir, path, []string{
		// A home of its own: the user's is neither read nor written, and root may use it.
		"HOME=" + f.home, "XDG_CACHE_HOME=" + f.home, "XDG_CONFIG_HOME=" + f.home, "XDG_RUNTIME_DIR=" + f.home,
		// The first variable allows a profile to name another settings server; the second is Firefox's own switch against other machines.
		"MOZ_REMOTE_SETTINGS_DEVTOOLS=1", "MOZ_DISABLE_NONLOCAL_CONNECTIONS=1",
		"MOZ_CRASHREPORTER_DISABLE=1", "MOZ_DISABLE_AUTO_SAFE_MODE=1", "MOZ_HEADLESS=1", "DBUS_SESSION_BUS_ADDRESS=disabled:",
	}, nil, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", dir, "about:blank")
	if err != nil {
		return err
	}
	var address string
	if err := f.program.Wait(ctx, func(context.Context) error {
		text, err := os.ReadFile(f.program.Log())
		if err != nil {
			return err
		}
		m := listening.FindSubmatch(text)
		if m == nil {
			return errors.New("it does not listen yet")
		}
		address = string(m[1])
		return nil
	}); err != nil {
		return err
	}
	if f.bidi, err = dial(ctx, address+"/session", f.event); err != nil {
		return err
	}
	var session struct {
		Capabilities struct{ BrowserVersion string }
	}
	if err := f.bidi.call(ctx, "session.new", map[string]any{"capabilities": map[string]any{}}, &session); err != nil {
		return err
	}
	f.version = session.Capabilities.BrowserVersion
	events := []string{"log.entryAdded", "network.fetchError", "network.responseCompleted"}
	if err := f.bidi.call(ctx, "session.subscribe", map[string]any{"events": events}, nil); err != nil {
		return err
	}
	var tree struct {
		Contexts []struct{ Context string }
	}
	if err := f.bidi.call(ctx, "browsingContext.getTree", map[string]any{}, &tree); err != nil {
		return err
	}
	if len(tree.Contexts) == 0 {
		return errors.New("it has no page")
	}
	f.tab = tree.Contexts[0].Context
	return f.bidi.call(ctx, "browsingContext.setViewport", map[string]any{
		"context": f.tab, "viewport": map[string]any{"width": opts.Width, "height": opts.Height}, "devicePixelRatio": 1,
	}, nil)
}

// Version is the browser's name and version.
func (f *Firefox) Version() string { return "Firefox " + f.version }

// Close ends the browser with all its processes and removes its profile. It is
// safe to call again.
func (f *Firefox) Close() {
	if f.program != nil {
		// It has nothing to save.
		f.program.StopGroup(0)
	}
	if f.bidi != nil {
		f.bidi.close()
	}
	if f.gate != nil {
		f.gate.Close()
	}
	if f.home != "" {
		os.RemoveAll(f.home)
	}
}

// Open opens url as a new document, even if only its fragment differs, and waits until it has loaded.
func (f *Firefox) Open(ctx context.Context, url string) error {
	for _, to := range []string{"about:blank", url} {
		params := map[string]any{"context": f.tab, "url": to, "wait": "complete"}
		if err := f.bidi.call(ctx, "browsingContext.navigate", params, nil); err != nil {
			return fmt.Errorf("opening %s: %w", to, err)
		}
	}
	return nil
}

// Eval evaluates a JavaScript expression in the page, awaits it when it is a
// promise, and returns its JSON; undefined is null.
func (f *Firefox) Eval(ctx context.Context, expression string) (json.RawMessage, error) {
	var answer struct {
		Type             string
		Result           struct{ Type, Value string }
		ExceptionDetails struct{ Text string }
	}
	err := f.bidi.call(ctx, "script.evaluate", map[string]any{
		"expression":   "(async () => JSON.stringify(await (" + expression + ")) ?? 'null')()",
		"target":       map[string]any{"context": f.tab},
		"awaitPromise": true,
		// Some scripts of tests do what needs a person's gesture.
		"userActivation": true,
	}, &answer)
	if err != nil {
		return nil, err
	}
	if answer.Type != "success" {
		return nil, errors.New(answer.ExceptionDetails.Text)
	}
	return json.RawMessage(answer.Result.Value), nil
}

// Press presses a key, given as KeyboardEvent.key names it.
func (f *Firefox) Press(ctx context.Context, key string) error {
	actions, err := w3c.Press(key)
	if err != nil {
		return err
	}
	return f.bidi.call(ctx, "input.performActions", map[string]any{"context": f.tab, "actions": actions}, nil)
}

// Screenshot is a picture of the viewport, as PNG.
func (f *Firefox) Screenshot(ctx context.Context) ([]byte, error) {
	var answer struct{ Data string }
	if err := f.bidi.call(ctx, "browsingContext.captureScreenshot", map[string]any{"context": f.tab}, &answer); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(answer.Data)
}

// Problems returns what went wrong since the last call, oldest first.
func (f *Firefox) Problems(context.Context) ([]browser.Problem, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	problems := f.problems
	f.problems = nil
	for _, host := range f.gate.Refused() {
		problems = append(problems, browser.Problem{Kind: "outside", Where: "browser", Text: host})
	}
	return problems, nil
}

// Console returns what the page printed, the last 200 lines.
func (f *Firefox) Console() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.console)
}

// event records problems and console of the page and its workers.
func (f *Firefox) event(method string, params json.RawMessage) {
	var e struct {
		// Of log.entryAdded.
		Type, Method, Level, Text string
		StackTrace                struct{ CallFrames []struct{ URL string } }
		// Of the network's events.
		Request   struct{ URL string }
		Response  struct{ Status int }
		ErrorText string
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch method {
	case "log.entryAdded":
		where := "page"
		if frames := e.StackTrace.CallFrames; len(frames) > 0 {
			where = frames[0].URL
		}
		if e.Type == "console" {
			if f.console = append(f.console, e.Method+" "+e.Text); len(f.console) > 200 {
				f.console = f.console[1:]
			}
			if e.Level == "error" || browser.GoDying(e.Text) {
				f.add("console", where, e.Text)
			}
		} else if e.Level == "error" {
			f.add("exception", where, e.Text)
		}
	case "network.fetchError":
		// A request of a document that the page has left is no problem.
		if e.ErrorText != "NS_BINDING_ABORTED" {
			f.add("request", "page", e.Request.URL+" "+e.ErrorText)
		}
	case "network.responseCompleted":
		if e.Response.Status >= 400 {
			f.add("request", "page", fmt.Sprint(e.Request.URL, " ", e.Response.Status))
		}
	}
}

// add keeps a problem; mu is held.
func (f *Firefox) add(kind, where, text string) {
	f.problems = append(f.problems, browser.Problem{Kind: kind, Where: where, Text: text})
}
