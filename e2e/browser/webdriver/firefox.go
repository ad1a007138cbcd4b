package webdriver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gorilla/websocket"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/gate"
)

// firefox speaks WebDriver BiDi with a Firefox: commands with their answers, and events between them.
type firefox struct {
	b   *Browser
	ws  *websocket.Conn
	tab string // the page's browsing context

	last    int      // the ID of the last command
	pending sync.Map // the channel for the answer to a command, by the command's ID
	// done closes when the connection has ended; err is then the reason.
	done chan struct{}
	err  error
}

// message is an event, or the answer to a command.
type message struct {
	Type           string // "success", "error", "event"
	ID             int
	Error, Message string
	Params, Result json.RawMessage
}

// settings restrict a Firefox to the page under test. Once it runs, Firefox itself sets what it recommends for remote control; these settings are
// not among those, or must hold before. The verbs stand for the proxy's host and port.
const settings = `
user_pref("app.update.disabledForTesting", true);
user_pref("browser.safebrowsing.update.enabled", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("datareporting.healthreport.uploadEnabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("dom.disable_beforeunload", true);
user_pref("intl.accept_languages", "en-US, en");
user_pref("media.gmp-manager.updateEnabled", false);
user_pref("network.http.speculative-parallel-limit", 0);
user_pref("network.proxy.http", %[1]q);
user_pref("network.proxy.http_port", %[2]s);
user_pref("network.proxy.no_proxies_on", "127.0.0.1, localhost, ::1");
user_pref("network.proxy.ssl", %[1]q);
user_pref("network.proxy.ssl_port", %[2]s);
user_pref("network.proxy.type", 1);
user_pref("network.trr.mode", 5);
user_pref("services.settings.server", "data:,#remote-settings-dummy/v1");
user_pref("startup.homepage_welcome_url", "about:blank");
`

// FindFirefox returns the path of a Firefox: the one INFORMERSCOPE_FIREFOX names, else firefox-esr or firefox on PATH or, on macOS, among the
// applications. It leaves out a snap, which cannot read a profile in the temporary directory.
func FindFirefox() (string, error) {
	names := []string{"firefox-esr", "firefox"}
	if runtime.GOOS == "darwin" {
		names = append(names, "/Applications/Firefox.app/Contents/MacOS/firefox")
	}
	return browser.FindProgram("Firefox other than a snap", "INFORMERSCOPE_FIREFOX", "install-browsers.sh", slices.DeleteFunc(names, isSnap)...)
}

// isSnap reports whether a program is a snap's, or a script that starts one, as Ubuntu's package firefox is.
func isSnap(name string) bool {
	path, _ := exec.LookPath(name)
	path, _ = filepath.EvalSymlinks(path)
	text, _ := os.ReadFile(path)
	return strings.HasPrefix(path, "/snap/") || filepath.Base(path) == "snap" ||
		bytes.HasPrefix(text, []byte("#!")) && bytes.Contains(text, []byte("/snap/"))
}

// StartFirefox starts a Firefox that the caller must Close, with a viewport of width by height CSS pixels. logDir keeps what it writes. ctx bounds the
// start only.
func StartFirefox(ctx context.Context, logDir string, width, height int) (*Browser, error) {
	path, err := FindFirefox()
	if err != nil {
		return nil, err
	}
	b := &Browser{name: "Firefox", logDir: logDir}
	return b.start(ctx, gate.Options{}, func(ctx context.Context) error {
		// All connections to other machines go through the gate, which refuses and records what no setting prevents.
		host, port, _ := strings.Cut(b.gate.Address(), ":")
		if err := os.WriteFile(filepath.Join(b.home, "user.js"), fmt.Appendf(nil, settings, host, port), 0o600); err != nil {
			return err
		}
		b.program, err = b.run("firefox", path, 0, []string{
			// The first variable allows a profile to name another settings server; the second is Firefox's own switch against other machines.
			"MOZ_REMOTE_SETTINGS_DEVTOOLS=1", "MOZ_DISABLE_NONLOCAL_CONNECTIONS=1",
			"MOZ_CRASHREPORTER_DISABLE=1", "MOZ_DISABLE_AUTO_SAFE_MODE=1", "MOZ_HEADLESS=1",
		}, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", b.home, "about:blank")
		if err != nil {
			return err
		}
		address, err := awaitOutput(ctx, b.program, `WebDriver BiDi listening on (ws://\S+)`)
		if err != nil {
			return err
		}
		f := &firefox{b: b, done: make(chan struct{})}
		if f.ws, _, err = websocket.DefaultDialer.DialContext(ctx, address+"/session", nil); err != nil {
			return fmt.Errorf("connecting to %s: %w", address, err)
		}
		b.protocol, b.ends = f, append(b.ends, f.close)
		go f.read()
		var s session
		if err := f.call(ctx, "session.new", object{"capabilities": object{}}, &s); err != nil {
			return err
		}
		b.version = s.Capabilities.BrowserVersion
		events := object{"events": []string{"log.entryAdded", "network.fetchError", "network.responseCompleted"}}
		if err := f.call(ctx, "session.subscribe", events, nil); err != nil {
			return err
		}
		var tab struct{ Context string }
		if err := f.call(ctx, "browsingContext.create", object{"type": "tab"}, &tab); err != nil {
			return err
		}
		f.tab = tab.Context
		return f.call(ctx, "browsingContext.setViewport", object{
			"context": f.tab, "viewport": object{"width": width, "height": height}, "devicePixelRatio": 1,
		}, nil)
	})
}

// read dispatches messages until the connection ends.
func (f *firefox) read() {
	defer close(f.done)
	for {
		var m message
		if err := f.ws.ReadJSON(&m); err != nil {
			f.err = fmt.Errorf("the connection to the browser ended: %w", err)
			return
		}
		if m.Type == "event" {
			f.record(m.Params)
		} else if answer, ok := f.pending.LoadAndDelete(m.ID); ok {
			answer.(chan message) <- m
		}
	}
}

// record records what an event says of problems and of the console, in the page and in its workers.
func (f *firefox) record(event json.RawMessage) {
	var e struct {
		// Of log.entryAdded.
		Type, Level, Text string
		StackTrace        struct{ CallFrames []struct{ URL string } }
		// Of the network's events.
		Request   struct{ URL string }
		Response  struct{ Status int }
		ErrorText string
	}
	if json.Unmarshal(event, &e) != nil {
		return
	}
	where := "page"
	if frames := e.StackTrace.CallFrames; len(frames) > 0 {
		where = frames[0].URL
	}
	switch {
	case e.Type == "console":
		f.b.AddLine(e.Level, where, e.Text)
	case e.Level == "error":
		f.b.AddProblem("exception", where, e.Text)
	// A request of a document that the page has left is no problem.
	case e.ErrorText != "" && e.ErrorText != "NS_BINDING_ABORTED":
		f.b.AddProblem("request", where, e.Request.URL+" "+e.ErrorText)
	case e.Response.Status >= 400:
		f.b.AddProblem("request", where, fmt.Sprint(e.Request.URL, " ", e.Response.Status))
	}
}

// call sends a command and decodes its result into result unless that is nil. It is for one goroutine at a time.
func (f *firefox) call(ctx context.Context, command string, params object, result any) error {
	answer := make(chan message, 1)
	f.last++
	id := f.last
	f.pending.Store(id, answer)
	defer f.pending.Delete(id)
	err := f.ws.WriteJSON(object{"id": id, "method": command, "params": params})
	if err == nil {
		select {
		case m := <-answer:
			if m.Type == "error" {
				err = fmt.Errorf("%s: %s", m.Error, m.Message)
			} else if result != nil {
				err = json.Unmarshal(m.Result, result)
			}
		case <-f.done:
			err = f.err
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	return nil
}

// close ends the connection and returns once nothing more arrives.
func (f *firefox) close() {
	f.ws.Close()
	<-f.done
}

func (f *firefox) navigate(ctx context.Context, url string) error {
	return f.call(ctx, "browsingContext.navigate", object{"context": f.tab, "url": url, "wait": "complete"}, nil)
}

func (f *firefox) evaluate(ctx context.Context, promise string) (string, error) {
	var answer struct {
		Type             string
		Result           struct{ Value string }
		ExceptionDetails struct{ Text string }
	}
	// Some scripts of tests do what needs a person's gesture.
	err := f.call(ctx, "script.evaluate", object{
		"expression": promise, "target": object{"context": f.tab}, "awaitPromise": true, "userActivation": true,
	}, &answer)
	if err == nil && answer.Type != "success" {
		err = errors.New(answer.ExceptionDetails.Text)
	}
	return answer.Result.Value, err
}

func (f *firefox) perform(ctx context.Context, actions []any) error {
	return f.call(ctx, "input.performActions", object{"context": f.tab, "actions": actions}, nil)
}

// Screenshot implements [protocol].
func (f *firefox) Screenshot(ctx context.Context) ([]byte, error) {
	var answer struct{ Data []byte }
	err := f.call(ctx, "browsingContext.captureScreenshot", object{"context": f.tab}, &answer)
	return answer.Data, err
}

// collect does nothing: record has them all.
func (f *firefox) collect(context.Context) error { return nil }
