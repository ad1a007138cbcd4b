package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/browser/webdriver"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// engine is a running browser of any make, with one page of 1280 by 720. It has only what a test needs to use the page as a person does and to
// receive its problems.
type engine interface {
	// Version is the browser's name and version.
	Version() string
	// Open opens url as a new document, even if only its fragment differs.
	Open(ctx context.Context, url string) error
	// Eval evaluates a JavaScript expression in the page, awaits it when it is a promise, and returns its JSON.
	Eval(ctx context.Context, expression string) (json.RawMessage, error)
	// Press presses a key, given as KeyboardEvent.key names it.
	Press(ctx context.Context, key string) error
	// Screenshot is a picture of the viewport, as PNG.
	Screenshot(ctx context.Context) ([]byte, error)
	// Problems returns the problems of the page and its workers since the last call.
	Problems(ctx context.Context) ([]browser.Problem, error)
	// Console returns what the page printed last.
	Console() []string
	// Close ends all processes of the browser.
	Close()
}

const engineWidth, engineHeight = 1280, 720

// engines are the browsers that the scenarios run on, Chromium first: the others are compared with it.
var engines = []struct {
	name  string
	find  func() error
	start func(ctx context.Context, logDir string) (engine, error)
}{
	{"chromium", func() error { _, err := browser.Find(); return err }, startChromium},
	{"firefox", func() error { _, err := webdriver.FindFirefox(); return err }, func(ctx context.Context, logDir string) (engine, error) {
		return webdriver.StartFirefox(ctx, logDir, engineWidth, engineHeight)
	}},
	{"webkit", func() error { _, _, _, err := webdriver.FindWebKit(); return err }, func(ctx context.Context, logDir string) (engine, error) {
		return webdriver.StartWebKit(ctx, logDir, engineWidth, engineHeight)
	}},
}

// eachEngine runs do on each browser that is available. A missing one is skipped with the reason, unless it is required: see mustHave.
func eachEngine(t *testing.T, do func(t *testing.T, v *visitor)) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			if err := e.find(); err != nil {
				if mustHave(e.name) {
					t.Fatal(err)
				}
				t.Skipf("left out: %v", err)
			}
			dir, err := layout.Artifacts(t.Name())
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			v := &visitor{name: e.name, dir: dir}
			if v.engine, err = e.start(harness.Timeout(t, 3*time.Minute), dir); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { v.engine.Close() })
			v.restart = func(t *testing.T) {
				v.engine.Close()
				if v.engine, err = e.start(harness.Timeout(t, 3*time.Minute), dir); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%s, started in %s", v.engine.Version(), time.Since(begin).Round(10*time.Millisecond))
			do(t, v)
			for _, line := range v.engine.Console() {
				t.Logf("console: %s", line)
			}
		})
	}
}

// mustHave reports whether a browser's absence is a failure. Chromium's always is. The others' is where e2e/install-browsers.sh can install them and
// no person reads what was skipped.
func mustHave(name string) bool {
	_, err := exec.LookPath("apt-get")
	return name == "chromium" || os.Getenv("CI") == "true" && os.Geteuid() == 0 && err == nil
}

// visitor is a test's use of a browser.
type visitor struct {
	t      *testing.T
	engine engine
	name   string
	dir    string
	url    string // of the server

	// restart starts the browser again.
	restart func(t *testing.T)
	// crashed, if set, is called when the browser's own process has ended; the test is then skipped.
	crashed *bool
}

// attempts is how often a scenario is started again because the browser, not the page, has failed.
const attempts = 3

// play plays a scenario as a subtest. If the browser's own process ends, play restarts the browser and the scenario.
func (v *visitor) play(t *testing.T, name string, scenario func(v *visitor)) {
	for left := attempts; left > 0; left-- {
		crashed := false
		t.Run(name, func(t *testing.T) {
			v := v.forTest(t)
			if left > 1 {
				v.crashed = &crashed
			}
			scenario(v)
			v.clean()
		})
		if !crashed {
			return
		}
		v.restart(t)
	}
}

// fatal ends the test, as failed unless the browser itself has failed.
func (v *visitor) fatal(err error) {
	v.t.Helper()
	if b, ok := v.engine.(interface{ Crashed() string }); ok && v.crashed != nil {
		if words := b.Crashed(); words != "" {
			*v.crashed = true
			v.t.Skipf("begun again, as the browser's own process ended: %s", words)
		}
	}
	v.t.Fatal(err)
}

// forTest returns v for the test t.
func (v *visitor) forTest(t *testing.T) *visitor {
	c := *v
	c.t = t
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if png, err := c.engine.Screenshot(ctx); err == nil {
			path := filepath.Join(c.dir, "failed-"+filepath.Base(t.Name())+".png")
			_ = os.WriteFile(path, png, 0o644)
			t.Logf("last seen: %s", path)
		}
		for _, line := range c.engine.Console() {
			t.Logf("console: %s", line)
		}
	})
	return &c
}

// open opens the page with fragment behind the server's address, with the tools of testdata/stage.js in it.
func (v *visitor) open(fragment string) {
	v.t.Helper()
	if err := v.engine.Open(harness.Timeout(v.t, 2*time.Minute), v.url+fragment); err != nil {
		v.fatal(err)
	}
	if _, err := v.engine.Eval(harness.Timeout(v.t, time.Minute), "(() => {"+harness.StageTools(v.t)+"\n})()"); err != nil {
		v.fatal(err)
	}
}

// evalIn evaluates an expression in the page of v.
func evalIn[T any](v *visitor, expression string, args ...any) T {
	v.t.Helper()
	if len(args) > 0 {
		expression = fmt.Sprintf(expression, args...)
	}
	value, err := evaluate[T](harness.Timeout(v.t, 2*time.Minute), v, expression)
	if err != nil {
		v.fatal(err)
	}
	return value
}

func evaluate[T any](ctx context.Context, v *visitor, expression string) (value T, err error) {
	text, err := v.engine.Eval(ctx, expression)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		err = fmt.Errorf("evaluating %.300s: %w", strings.Join(strings.Fields(expression), " "), err)
	}
	return value, err
}

// call calls a function of globalThis.informerscope.
func (v *visitor) call(expression string, args ...any) {
	v.t.Helper()
	evalIn[bool](v, `(async () => { await informerscope.ready; await informerscope.`+expression+`; return true; })()`, args...)
}

// pause stops the view, and shows its moment whole: see [harness.Pause].
func (v *visitor) pause() {
	v.t.Helper()
	v.call(harness.PauseCall)
	v.until(30*time.Second, harness.PausedWhole, "JSON.stringify(informerscope.drawn().map((x) => x.painted))")
}

// await waits until predicate, an expression of s, holds for informerscope.state().
func (v *visitor) await(d time.Duration, predicate string, args ...any) (s browser.State) {
	v.t.Helper()
	ctx := harness.Timeout(v.t, d)
	text, err := evaluate[string](ctx, v, browser.WaitStateScript(ctx, fmt.Sprintf(predicate, args...)))
	if err == nil {
		err = json.Unmarshal([]byte(text), &s)
	}
	if err != nil {
		v.fatal(err)
	}
	return s
}

// until waits until an expression of the page is true; if it does not become true, the error has the value of probe.
func (v *visitor) until(d time.Duration, expression, probe string) {
	v.t.Helper()
	ctx := harness.Timeout(v.t, d)
	trouble, err := evaluate[string](ctx, v, browser.WaitScript(ctx, expression, probe))
	if err == nil && trouble != "" {
		err = errors.New(trouble)
	}
	if err != nil {
		v.fatal(fmt.Errorf("waiting for %s: %w", expression, err))
	}
}

// press presses keys one after the other.
func (v *visitor) press(keys ...string) {
	v.t.Helper()
	for _, key := range keys {
		if err := v.engine.Press(harness.Timeout(v.t, 30*time.Second), key); err != nil {
			v.fatal(err)
		}
	}
}

// settle waits until the page has painted the state of its worker.
func (v *visitor) settle() {
	v.t.Helper()
	evalIn[bool](v, "stage.settled()")
}

// shot keeps a picture of the page.
func (v *visitor) shot(name string) {
	v.t.Helper()
	png, err := v.engine.Screenshot(harness.Timeout(v.t, time.Minute))
	if err == nil {
		err = os.WriteFile(filepath.Join(v.dir, name+".png"), png, 0o644)
	}
	if err != nil {
		v.t.Error(err)
	}
}

// looksWell checks the layout: nothing is cut, overlaps something else, or is too faint to read.
func (v *visitor) looksWell() {
	v.t.Helper()
	if found := evalIn[[]string](v, "stage.faults()"); len(found) > 0 {
		v.t.Errorf("%d things are wrong with the picture:\n  %s", len(found), harness.Abridge(found, 20))
	}
}

// clean checks that the page and its workers have no problems.
func (v *visitor) clean() {
	v.t.Helper()
	problems, err := v.engine.Problems(harness.Timeout(v.t, time.Minute))
	if err != nil {
		v.fatal(err)
	}
	for _, p := range problems {
		v.t.Errorf("the page has a problem: %s", p)
	}
}

// chromium is a browser of package browser as an [engine].
type chromium struct {
	b       *browser.Browser
	p       *browser.Page
	version string
}

func startChromium(ctx context.Context, logDir string) (engine, error) {
	b, err := browser.Start(context.WithoutCancel(ctx), browser.Options{ArtifactDir: logDir})
	if err != nil {
		return nil, err
	}
	p, err := b.Open(ctx, "about:blank", engineWidth, engineHeight)
	if err != nil {
		b.Close()
		return nil, err
	}
	c := &chromium{b: b, p: p}
	if c.version, err = browser.Eval[string](ctx, p, `navigator.userAgent.replace(/^.*(Chrome\/\S+).*$/, "$1")`); err != nil {
		b.Close()
		return nil, err
	}
	return c, nil
}

func (c *chromium) Version() string { return c.version }

func (c *chromium) Open(ctx context.Context, url string) error {
	return errors.Join(c.p.Navigate(ctx, "about:blank"), c.p.Navigate(ctx, url))
}

func (c *chromium) Eval(ctx context.Context, expression string) (json.RawMessage, error) {
	text, err := browser.Eval[string](ctx, c.p, "(async () => JSON.stringify(await ("+expression+")) ?? 'null')()")
	return json.RawMessage(text), err
}

func (c *chromium) Press(ctx context.Context, key string) error { return c.p.Keys(ctx, key) }

func (c *chromium) Screenshot(ctx context.Context) ([]byte, error) {
	path, err := c.p.Screenshot(ctx, "last")
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	return os.ReadFile(path)
}

func (c *chromium) Problems(context.Context) ([]browser.Problem, error) {
	return c.p.ForgetProblems(), nil
}

func (c *chromium) Console() []string { return c.p.Console() }

func (c *chromium) Close() { c.b.Close() }
