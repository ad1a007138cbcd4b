package webdriver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/gate"
	"informerscope/e2e/internal/proc"
)

// startTimeout bounds a start: a new profile takes long on a busy machine.
const startTimeout = 2 * time.Minute

// object is a JSON object.
type object = map[string]any

// session is the answer to the command that begins one.
type session struct {
	SessionID    string
	Capabilities struct{ BrowserVersion string }
}

// protocol drives the page of a running browser.
type protocol interface {
	// navigate opens url and waits until it has loaded.
	navigate(ctx context.Context, url string) error
	// evaluate returns the string that promise, a JavaScript expression, resolves to.
	evaluate(ctx context.Context, promise string) (string, error)
	// perform does what actions say: WebDriver and WebDriver BiDi write them alike.
	perform(ctx context.Context, actions []any) error
	// Screenshot is a picture of the viewport, as PNG.
	Screenshot(ctx context.Context) ([]byte, error)
	// collect records the problems that the page itself has kept.
	collect(ctx context.Context) error
}

// Browser is a running browser with one page. Its methods are for one goroutine at a time.
type Browser struct {
	name, version string
	logDir        string
	home          string // a temporary directory
	gate          *gate.Gate
	program       *proc.Process // the browser, or the driver that starts it
	protocol
	browser.Journal
	ends []func() // end what has been started, in reverse order
}

// start gives b a gate and a home, then calls launch. It returns b, or closes it on an error. ctx bounds the start only.
func (b *Browser) start(ctx context.Context, through gate.Options, launch func(ctx context.Context) error) (_ *Browser, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("it did not start within %s", startTimeout))
	defer cancel()
	if b.gate, err = gate.Start(through); err != nil {
		return nil, err
	}
	b.ends = append(b.ends, b.gate.Close)
	if b.home, err = os.MkdirTemp("", "informerscope-browser-"); err == nil {
		b.ends = append(b.ends, func() { os.RemoveAll(b.home) })
		err = launch(ctx)
	}
	if err == nil {
		return b, nil
	}
	if b.program != nil {
		err = fmt.Errorf("%w\n%s", err, b.program.LogTail(20))
	}
	b.Close()
	return nil, fmt.Errorf("starting %s: %w", b.name, err)
}

// run starts a program with a log of its own. Close gives it grace to end by itself.
func (b *Browser) run(name, path string, grace time.Duration, env []string, args ...string) (*proc.Process, error) {
	// Logs are appended to, so skip an earlier browser's.
	os.Remove(filepath.Join(b.logDir, name+".log"))
	p, err := proc.StartEnv(name, b.logDir, path, append(env,
		// The user's home is neither read nor written, and root may use this one.
		"HOME="+b.home, "XDG_CACHE_HOME="+b.home, "XDG_CONFIG_HOME="+b.home, "XDG_DATA_HOME="+b.home, "XDG_RUNTIME_DIR="+b.home,
		"DBUS_SESSION_BUS_ADDRESS=disabled:",
	), nil, args...)
	if err == nil {
		b.ends = append(b.ends, func() { p.StopGroup(grace) })
	}
	return p, err
}

// awaitOutput waits until a program has written what pattern, a regular expression, matches, and returns the pattern's group.
func awaitOutput(ctx context.Context, p *proc.Process, pattern string) (group string, err error) {
	matcher := regexp.MustCompile(pattern)
	err = p.Wait(ctx, func(context.Context) error {
		text, err := os.ReadFile(p.Log())
		if m := matcher.FindSubmatch(text); m != nil {
			group = string(m[1])
		} else if err == nil {
			err = fmt.Errorf("it has not written %s", pattern)
		}
		return err
	})
	return group, err
}

// Version is the browser's name and version.
func (b *Browser) Version() string { return b.name + " " + b.version }

// crash is what WebKit writes when its graphics library ends the process of the page.
var crash = regexp.MustCompile(`Source/ThirdParty/skia/\S+: fatal error: .*`)

// Crashed returns the output with which WebKit's graphics library ended the process of the page, or "". In WebKitGTK 2.50.6 it sometimes refuses one
// of its own shaders ("integer is too large: 255").
func (b *Browser) Crashed() string { return crash.FindString(b.program.LogTail(50)) }

// Close ends the browser with all its processes and removes its home. It is safe to call again.
func (b *Browser) Close() {
	for _, end := range slices.Backward(b.ends) {
		end()
	}
	b.ends = nil
}

// Open opens url as a new document, even if only its fragment differs, and waits until it has loaded.
func (b *Browser) Open(ctx context.Context, url string) error {
	// Collect the old document's problems before it is gone.
	if err := b.collect(ctx); err != nil {
		return err
	}
	for _, to := range []string{"about:blank", url} {
		if err := b.navigate(ctx, to); err != nil {
			return fmt.Errorf("opening %s: %w", to, err)
		}
	}
	return nil
}

// Eval evaluates a JavaScript expression in the page, awaits it when it is a promise, and returns its JSON; undefined is null.
func (b *Browser) Eval(ctx context.Context, expression string) (json.RawMessage, error) {
	text, err := b.evaluate(ctx, "(async () => JSON.stringify(await ("+expression+")) ?? 'null')()")
	return json.RawMessage(text), err
}

// keys are the code points by which both protocols name keys that are no characters, under the names of KeyboardEvent.key.
var keys = map[string]string{"Escape": "\uE00C", "PageUp": "\uE00E", "PageDown": "\uE00F"}

// Press presses and releases a key: one of keys, or a character.
func (b *Browser) Press(ctx context.Context, key string) error {
	value := cmp.Or(keys[key], key)
	return b.perform(ctx, []any{object{"type": "key", "id": "keyboard", "actions": []any{
		object{"type": "keyDown", "value": value}, object{"type": "keyUp", "value": value},
	}}})
}

// Problems returns what went wrong since the last call, oldest first.
func (b *Browser) Problems(ctx context.Context) ([]browser.Problem, error) {
	if err := b.collect(ctx); err != nil {
		return nil, err
	}
	for _, host := range b.gate.Refused() {
		b.AddProblem("outside", "browser", host)
	}
	return b.ForgetProblems(), nil
}
