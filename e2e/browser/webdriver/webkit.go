package webdriver

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/gate"
	"informerscope/e2e/internal/proc"
)

// webkit drives the page of a WebKitGTK: one HTTP request a command.
type webkit struct {
	b    *Browser
	base string // the URL of the driver, and then of its session
}

// FindWebKit returns the paths of WebKitWebDriver, MiniBrowser and Xvfb. INFORMERSCOPE_WEBKIT_DRIVER and INFORMERSCOPE_WEBKIT_BROWSER name the first
// two, else they are where distributions install them.
func FindWebKit() (driver, miniBrowser, xvfb string, err error) {
	if driver, err = browser.FindProgram("WebKitWebDriver", "INFORMERSCOPE_WEBKIT_DRIVER", "install-browsers.sh", "WebKitWebDriver"); err != nil {
		return "", "", "", err
	}
	// MiniBrowser is not on PATH where distributions install it; e2e/install-browsers.sh looks there too.
	var names []string
	for _, dir := range []string{"/usr/lib/*", "/usr/lib*", "/usr/libexec"} {
		found, _ := filepath.Glob(dir + "/webkit2gtk-4.1/MiniBrowser")
		slices.Reverse(found)
		names = append(names, found...)
	}
	if miniBrowser, err = browser.FindProgram("MiniBrowser", "INFORMERSCOPE_WEBKIT_BROWSER", "install-browsers.sh", append(names, "MiniBrowser")...); err != nil {
		return "", "", "", err
	}
	if xvfb, err = exec.LookPath("Xvfb"); err != nil {
		return "", "", "", fmt.Errorf("no Xvfb, the virtual display, found: run e2e/%s (%w)", "install-browsers.sh", err)
	}
	return driver, miniBrowser, xvfb, nil
}

// StartWebKit starts a WebKitGTK that the caller must Close, with a viewport of width by height CSS pixels. logDir keeps what it writes. ctx bounds the
// start only.
func StartWebKit(ctx context.Context, logDir string, width, height int) (*Browser, error) {
	driver, miniBrowser, xvfb, err := FindWebKit()
	if err != nil {
		return nil, err
	}
	b := &Browser{name: "WebKitGTK", logDir: logDir}
	return b.start(ctx, b.gateOptions(), func(ctx context.Context) error {
		w := &webkit{b: b}
		// The X server chooses a free display and prints it, so that two that start at once take different ones.
		x, err := b.run("xvfb", xvfb, 5*time.Second, nil, "-displayfd", "1", "-screen", "0", "2048x1536x24", "-nolisten", "tcp", "-noreset")
		if err != nil {
			return err
		}
		display, err := awaitOutput(ctx, x, `(?m)^(\d+)\n`)
		if err != nil {
			return err
		}
		if err := w.startDriver(ctx, driver, ":"+display); err != nil {
			return err
		}
		b.protocol = w
		var s session
		err = w.call(ctx, "/session", object{"capabilities": object{"alwaysMatch": object{
			// The contexts of the calls bound the waits.
			"timeouts": object{"script": time.Hour.Milliseconds(), "pageLoad": time.Hour.Milliseconds()},
			// Without exceptions: loopback goes through the gate as well.
			"proxy":                    object{"proxyType": "manual", "httpProxy": b.gate.Address(), "sslProxy": b.gate.Address()},
			"webkitgtk:browserOptions": object{"binary": miniBrowser, "args": []string{"--automation"}},
		}}}, &s)
		if err != nil {
			return err
		}
		w.base += "/session/" + s.SessionID
		b.version = s.Capabilities.BrowserVersion
		return w.resize(ctx, width, height)
	})
}

// startDriver starts the driver on a free port, and tries another one if another program takes it first.
func (w *webkit) startDriver(ctx context.Context, path, display string) error {
	for attempt := 0; ; attempt++ {
		port, err := proc.FreePort()
		if err != nil {
			return err
		}
		w.base = "http://127.0.0.1:" + strconv.Itoa(port)
		w.b.program, err = w.b.run("webkit", path, 0, []string{
			"DISPLAY=" + display, "GDK_BACKEND=x11", "LIBGL_ALWAYS_SOFTWARE=1", "NO_AT_BRIDGE=1", "GSETTINGS_BACKEND=memory", "LANG=C.UTF-8",
		}, "--host=127.0.0.1", "--port="+strconv.Itoa(port))
		if err != nil {
			return err
		}
		err = w.b.program.Wait(ctx, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			return w.call(ctx, "/status", nil, nil)
		})
		if err == nil || attempt == 4 || ctx.Err() != nil {
			return err
		}
		w.b.program.StopGroup(0)
	}
}

// resize gives the page a viewport of width by height CSS pixels: it enlarges the window by the size of its other parts.
func (w *webkit) resize(ctx context.Context, width, height int) error {
	want := [2]int{width, height}
	window := want
	for range 10 {
		rect := object{"x": 0, "y": 0, "width": window[0], "height": window[1]}
		if err := w.call(ctx, "/window/rect", rect, nil); err != nil {
			return err
		}
		var got [2]int
		if err := w.read(ctx, `new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))
			.then(() => [innerWidth, innerHeight])`, &got); err != nil {
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

// read decodes what an expression of the page evaluates to into value.
func (w *webkit) read(ctx context.Context, expression string, value any) error {
	text, err := w.b.Eval(ctx, expression)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}

// call posts a command, or gets one without params, and decodes its result into result unless that is nil.
func (w *webkit) call(ctx context.Context, command string, params object, result any) error {
	method, body := http.MethodGet, []byte(nil)
	if params != nil {
		method = http.MethodPost
		var err error
		if body, err = json.Marshal(params); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, w.base+command, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", command, cmp.Or(context.Cause(ctx), err))
	}
	defer resp.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %s: %w", command, resp.Status, err)
	}
	if resp.StatusCode != http.StatusOK {
		var trouble struct{ Error, Message string }
		_ = json.Unmarshal(answer.Value, &trouble)
		return fmt.Errorf("%s: %s: %s", command, trouble.Error, trouble.Message)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, result)
}

func (w *webkit) navigate(ctx context.Context, url string) error {
	return w.call(ctx, "/url", object{"url": url}, nil)
}

func (w *webkit) evaluate(ctx context.Context, promise string) (text string, err error) {
	err = w.call(ctx, "/execute/sync", object{"script": "return " + promise, "args": []any{}}, &text)
	return text, err
}

func (w *webkit) perform(ctx context.Context, actions []any) error {
	return w.call(ctx, "/actions", object{"actions": actions}, nil)
}

// Screenshot implements [protocol].
func (w *webkit) Screenshot(ctx context.Context) (png []byte, err error) {
	err = w.call(ctx, "/screenshot", nil, &png)
	return png, err
}

// collect asks the document for what its probe has recorded.
func (w *webkit) collect(ctx context.Context) error {
	var kept []browser.Problem
	if err := w.read(ctx, "globalThis.__problems?.() ?? []", &kept); err != nil {
		return err
	}
	for _, k := range kept {
		if level, ok := strings.CutPrefix(k.Kind, "console "); ok {
			w.b.AddLine(level, k.Where, k.Text)
		} else {
			w.b.AddProblem(k.Kind, k.Where, k.Text)
		}
	}
	return nil
}

//go:embed probe.js
var probe string

// probePath is the path of the script that a document loads first.
const probePath = "/.informerscope-e2e-probe.js"

// gateOptions are the gate's options that add the probe to documents and workers, and record errors of servers.
func (b *Browser) gateOptions() gate.Options {
	return gate.Options{
		Answer: func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != probePath {
				return false
			}
			rw.Header().Set("Content-Type", "text/javascript")
			rw.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
			_, _ = io.WriteString(rw, probe)
			return true
		},
		Ask: func(r *http.Request) {
			if getsProbe(r) {
				r.Header.Del("Accept-Encoding")
				r.Header.Del("If-None-Match")
				r.Header.Del("If-Modified-Since")
			}
		},
		Change: func(resp *http.Response) error {
			if resp.StatusCode >= 400 {
				b.AddProblem("request", "page", fmt.Sprint(resp.Request.URL, " ", resp.StatusCode))
			}
			if !getsProbe(resp.Request) || resp.StatusCode != http.StatusOK {
				return nil
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				return err
			}
			resp.Body.Close()
			at, added := 0, probe
			if resp.Request.Header.Get("Sec-Fetch-Dest") == "document" {
				// After the doctype, which must come first, and before the page's own scripts.
				at, added = bytes.IndexByte(body, '>')+1, `<script src="`+probePath+`"></script>`
			}
			resp.Body = io.NopCloser(bytes.NewReader(slices.Concat(body[:at], []byte(added), body[at:])))
			resp.Header.Del("Content-Length")
			resp.Header.Set("Cache-Control", "no-store")
			return nil
		},
	}
}

// getsProbe reports whether the answer to a request gets the probe.
func getsProbe(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return dest == "worker" || dest == "document" && strings.Contains(r.Header.Get("Accept"), "text/html")
}
