package webkit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/gate"
	"informerscope/e2e/internal/proc"
	"informerscope/e2e/internal/w3c"
)

// startTimeout bounds a start on a busy machine.
const startTimeout = 2 * time.Minute

// Options of a WebKitGTK.
type Options struct {
	// LogDir keeps what the programs write.
	LogDir string
	// Width and Height of the viewport in CSS pixels.
	Width, Height int
}

// WebKit is a running browser with one page. Its methods are for one goroutine
// at a time.
type WebKit struct {
	display *display
	driver  *proc.Process
	gate    *gate.Gate
	home    string
	wd      webdriver
	version string

	mu       sync.Mutex
	problems []browser.Problem
	console  []string
}

// Start starts a WebKitGTK that the caller must Close. ctx bounds the start only.
func Start(ctx context.Context, opts Options) (*WebKit, error) {
	programs, err := Find()
	if err != nil {
		return nil, err
	}
	w := &WebKit{wd: webdriver{client: &http.Client{Transport: &http.Transport{}}}}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("it did not start within %s", startTimeout))
	defer cancel()
	if err := w.start(ctx, programs, opts); err != nil {
		if w.driver != nil {
			err = fmt.Errorf("%w\n%s", err, w.driver.LogTail(20))
		}
		w.Close()
		return nil, fmt.Errorf("starting %s by %s: %w", programs.Browser, programs.Driver, err)
	}
	return w, nil
}

func (w *WebKit) start(ctx context.Context, programs Programs, opts Options) (err error) {
	if w.gate, err = gate.Start(w.through()); err != nil {
		return err
	}
	if w.home, err = os.MkdirTemp("", "informerscope-webkit-"); err != nil {
		return err
	}
	if w.display, err = startDisplay(ctx, programs.Xvfb, opts.LogDir); err != nil {
		return err
	}
	if err := w.startDriver(ctx, programs.Driver, opts.LogDir); err != nil {
		return err
	}
	var session struct {
		SessionID    string
		Capabilities struct{ BrowserVersion string }
	}
	err = w.wd.call(ctx, http.MethodPost, "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		// Without exceptions: loopback goes through the gate as well.
		"proxy": map[string]any{"proxyType": "manual", "httpProxy": w.gate.Address(), "sslProxy": w.gate.Address()},
		"webkitgtk:browserOptions": map[string]any{
			"binary": programs.Browser, "args": []string{"--automation"},
		},
	}}}, &session)
	if err != nil {
		return err
	}
	w.wd.session, w.version = session.SessionID, session.Capabilities.BrowserVersion
	// The contexts of the calls bound the waits.
	limits := map[string]any{"script": time.Hour.Milliseconds(), "pageLoad": time.Hour.Milliseconds()}
	if err := w.wd.call(ctx, http.MethodPost, "/timeouts", limits, nil); err != nil {
		return err
	}
	return w.resize(ctx, opts.Width, opts.Height)
}

// startDriver starts the driver on a free port, and tries another one if another program takes it first.
func (w *WebKit) startDriver(ctx context.Context, path, logDir string) error {
	// Logs are appended to, so skip an earlier browser's.
	os.Remove(filepath.Join(logDir, "webkit.log"))
	for attempt := 0; ; attempt++ {
		port, err := freePort()
		if err != nil {
			return err
		}
		w.wd.base = "http://127.0.0.1:" + strconv.Itoa(port)
		w.driver, err = proc.StartEnv("webkit", logDir, path, []string{
			"DISPLAY=" + w.display.name, "GDK_BACKEND=x11", "LIBGL_ALWAYS_SOFTWARE=1",
			// A home of its own: the user's is neither read nor written.
			"HOME=" + w.home, "XDG_CACHE_HOME=" + w.home, "XDG_CONFIG_HOME=" + w.home, "XDG_DATA_HOME=" + w.home, "XDG_RUNTIME_DIR=" + w.home,
			"DBUS_SESSION_BUS_ADDRESS=disabled:", "NO_AT_BRIDGE=1", "GSETTINGS_BACKEND=memory", "LANG=C.UTF-8",
		}, nil, "--host=127.0.0.1", "--port="+strconv.Itoa(port))
		if err != nil {
			return err
		}
		err = w.driver.Wait(ctx, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			return w.wd.call(ctx, http.MethodGet, "/status", nil, nil)
		})
		if err == nil || attempt == 4 || ctx.Err() != nil {
			return err
		}
		w.driver.StopGroup(0)
	}
}

// resize gives the page a viewport of width by height CSS pixels: it enlarges the window by the size of its other parts.
func (w *WebKit) resize(ctx context.Context, width, height int) error {
	want := [2]int{width, height}
	window := want
	for range 10 {
		rect := map[string]any{"x": 0, "y": 0, "width": window[0], "height": window[1]}
		if err := w.wd.call(ctx, http.MethodPost, "/window/rect", rect, nil); err != nil {
			return err
		}
		text, err := w.Eval(ctx, `new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))
			.then(() => [innerWidth, innerHeight])`)
		if err != nil {
			return err
		}
		var got [2]int
		if err := json.Unmarshal(text, &got); err != nil {
			return err
		}
		if got == want {
			return nil
		}
		for i := range window {
			window[i] += want[i] - got[i]
		}
	}
	return fmt.Errorf("its viewport cannot be made %dx%d", width, height)
}

// Version is the browser's name and version.
func (w *WebKit) Version() string { return "WebKitGTK " + w.version }

// crash is what WebKit writes when its graphics library ends the process of the page.
var crash = regexp.MustCompile(`Source/ThirdParty/skia/\S+: fatal error: .*`)

// Crashed returns the output with which the graphics library ended the process of the page, or "". In WebKitGTK 2.50.6 it sometimes refuses one of
// its own shaders ("integer is too large: 255").
func (w *WebKit) Crashed() string { return crash.FindString(w.driver.LogTail(50)) }

// Close ends the browser with all its processes and its display. It is safe to
// call again.
func (w *WebKit) Close() {
	if w.driver != nil {
		// The driver's group has the browser and all its processes; they have nothing to save.
		w.driver.StopGroup(0)
	}
	w.wd.client.CloseIdleConnections()
	if w.display != nil {
		w.display.close()
	}
	if w.gate != nil {
		w.gate.Close()
	}
	if w.home != "" {
		os.RemoveAll(w.home)
	}
}

// Open opens url as a new document, even if only its fragment differs, and waits until it has loaded.
func (w *WebKit) Open(ctx context.Context, url string) error {
	// Collect the old document's problems before it is gone.
	if err := w.collect(ctx); err != nil {
		return err
	}
	for _, to := range []string{"about:blank", url} {
		if err := w.wd.call(ctx, http.MethodPost, "/url", map[string]any{"url": to}, nil); err != nil {
			return fmt.Errorf("opening %s: %w", to, err)
		}
	}
	return nil
}

// Eval evaluates a JavaScript expression in the page, awaits it when it is a
// promise, and returns its JSON; undefined is null.
func (w *WebKit) Eval(ctx context.Context, expression string) (json.RawMessage, error) {
	var answer struct {
		Value string
		Error string
	}
	err := w.wd.call(ctx, http.MethodPost, "/execute/async", map[string]any{
		"script": `const done = arguments[arguments.length - 1];
			(async () => JSON.stringify(await (` + expression + `)) ?? "null")()
				.then((value) => done({value}), (error) => done({error: String(error) || "thrown"}));`,
		"args": []any{},
	}, &answer)
	if err != nil {
		return nil, err
	}
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return json.RawMessage(answer.Value), nil
}

// Press presses a key, given as KeyboardEvent.key names it.
func (w *WebKit) Press(ctx context.Context, key string) error {
	actions, err := w3c.Press(key)
	if err != nil {
		return err
	}
	return w.wd.call(ctx, http.MethodPost, "/actions", map[string]any{"actions": actions}, nil)
}

// Screenshot is a picture of the viewport, as PNG.
func (w *WebKit) Screenshot(ctx context.Context) ([]byte, error) {
	var data string
	if err := w.wd.call(ctx, http.MethodGet, "/screenshot", nil, &data); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(data)
}

// Problems returns what went wrong since the last call, oldest first.
func (w *WebKit) Problems(ctx context.Context) ([]browser.Problem, error) {
	if err := w.collect(ctx); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	problems := w.problems
	w.problems = nil
	for _, host := range w.gate.Refused() {
		problems = append(problems, browser.Problem{Kind: "outside", Where: "browser", Text: host})
	}
	return problems, nil
}

// Console returns what the page printed, the last 200 lines.
func (w *WebKit) Console() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.console)
}

// collect asks the document for what its probe has recorded.
func (w *WebKit) collect(ctx context.Context) error {
	text, err := w.Eval(ctx, "globalThis.__problems?.() ?? []")
	if err != nil {
		return err
	}
	var kept []browser.Problem
	if err := json.Unmarshal(text, &kept); err != nil {
		return err
	}
	for _, k := range kept {
		if level, ok := strings.CutPrefix(k.Kind, "console "); ok {
			w.mu.Lock()
			if w.console = append(w.console, level+" "+k.Text); len(w.console) > 200 {
				w.console = w.console[1:]
			}
			w.mu.Unlock()
			if level != "error" && !browser.GoDying(k.Text) {
				continue
			}
			k.Kind = "console"
		}
		w.add(k)
	}
	return nil
}

func (w *WebKit) add(p browser.Problem) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, p)
}

// freePort asks the system for a free loopback port.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
