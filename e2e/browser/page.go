package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Page is one tab. Its methods are for one goroutine at a time, except those of its Journal.
type Page struct {
	Journal
	b      *Browser
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	closed  bool // no more goroutines are added to wg
	urls    map[network.RequestID]string
	workers []context.Context // of the attached workers, oldest first
}

// Open opens url in a new tab with a viewport of width by height CSS pixels.
// The caller must Close the page, or the browser.
func (b *Browser) Open(ctx context.Context, url string, width, height int64) (*Page, error) {
	p := &Page{b: b, urls: map[network.RequestID]string{}}
	p.ctx, p.cancel = chromedp.NewContext(b.ctx)
	err := p.withBrowser(ctx, p.ctx, func(context.Context) error {
		// The life of a tab depends on the context of its first action, which must not be the caller's.
		return chromedp.Listen(p.ctx, p.record("page"))
	})
	if err == nil {
		err = p.do(ctx, chromedp.EmulateViewport(width, height))
	}
	if err == nil {
		err = p.do(ctx, chromedp.Navigate(url))
	}
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("opening %s: %w", url, err)
	}
	return p, nil
}

// detailed makes the stage open with all details, which most tests read.
const detailed = `try { localStorage.setItem('informerscope.calm', 'false'); } catch {}`

// seldom gives the page at most six animation frames a second, as a slow computer does. Without a graphics processor the frames are most of what a page
// costs, so tests of the page beside one another would else wait for each other's pictures.
const seldom = `{
	const ask = window.requestAnimationFrame.bind(window);
	let due = new Map(), last = 0, n = 0, isAsked = false;
	const run = (now) => {
		const all = due;
		[due, last, isAsked] = [new Map(), performance.now(), false];
		for (const f of all.values()) try { f(now); } catch (err) { reportError(err); }
	};
	window.requestAnimationFrame = (f) => {
		due.set(++n, f);
		if (!isAsked) setTimeout(() => ask(run), last + 160 - performance.now());
		isAsked = true;
		return n;
	};
	window.cancelAnimationFrame = (id) => due.delete(id);
}`

// OpenForTest is [Browser.Open] for a test, with all details on the stage and few frames a second. The page is closed by t.Cleanup. When the test has
// failed, a last screenshot is kept and the page's problems and console are printed.
func (b *Browser) OpenForTest(t testing.TB, url string, width, height int64) *Page {
	t.Helper()
	p, err := b.Open(t.Context(), "about:blank", width, height)
	if err != nil {
		t.Fatal(err)
	}
	if err = p.OnNewDocument(t.Context(), detailed+seldom); err == nil && url != "about:blank" {
		err = p.Navigate(t.Context(), url)
	}
	if err != nil {
		p.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			if path, err := p.Screenshot(ctx, "failed"); err == nil {
				t.Logf("last seen: %s", path)
			}
			for _, problem := range p.Problems() {
				t.Logf("problem: %s", problem)
			}
			for _, line := range p.Console() {
				t.Logf("console: %s", line)
			}
		}
		p.Close()
	})
	return p
}

// Close closes the tab. It is safe to call again.
func (p *Page) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	p.wg.Wait()
}

// withBrowser runs do with a context that carries base's browser and ends with ctx.
func (p *Page) withBrowser(ctx, base context.Context, do func(context.Context) error) error {
	run, cancel := context.WithCancelCause(base)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	defer stop()
	err := do(run)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return err
}

func (p *Page) do(ctx context.Context, steps ...chromedp.Action[chromedp.Void]) error {
	return p.withBrowser(ctx, p.ctx, func(run context.Context) error { return chromedp.Do(run, steps...) })
}

// Navigate opens url in the tab and waits until it has loaded. A change of the
// fragment alone does not load the page again; see Reload.
func (p *Page) Navigate(ctx context.Context, url string) error {
	return p.do(ctx, chromedp.Navigate(url))
}

// OnNewDocument runs script in every document that the tab loads from now on, before the document's own scripts.
func (p *Page) OnNewDocument(ctx context.Context, script string) error {
	return p.withBrowser(ctx, p.ctx, func(run context.Context) error {
		_, err := chromedp.Call(run, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	})
}

// Reload loads the page again.
func (p *Page) Reload(ctx context.Context) error { return p.do(ctx, chromedp.Reload()) }

// Resize gives the page a viewport of width by height CSS pixels.
func (p *Page) Resize(ctx context.Context, width, height int64) error {
	return p.do(ctx, chromedp.EmulateViewport(width, height))
}

// Scale is [Page.Resize] on a screen with scale pixels for each CSS pixel.
func (p *Page) Scale(ctx context.Context, width, height int64, scale float64) error {
	return p.do(ctx, chromedp.EmulateViewport(width, height, chromedp.EmulateScale(scale)))
}

// Press sends keys to the page as a keyboard would.
func (p *Page) Press(ctx context.Context, keys string) error {
	return p.do(ctx, chromedp.KeyEvent(keys))
}

// Screenshot saves a picture of the viewport as name.png in the artifacts, and returns its path.
func (p *Page) Screenshot(ctx context.Context, name string) (string, error) {
	data, err := p.Picture(ctx)
	if err != nil {
		return "", fmt.Errorf("taking the screenshot %s: %w", name, err)
	}
	return p.b.write(name+".png", data)
}

// Print returns the page as a PDF on paper of a width and a height in inches, with the page's own margins.
func (p *Page) Print(ctx context.Context, width, height float64) ([]byte, error) {
	var printed page.PrintToPDFResult
	err := p.withBrowser(ctx, p.ctx, func(run context.Context) (err error) {
		yes := true
		printed, err = chromedp.Call(run, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: width, PaperHeight: height, PrintBackground: &yes})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("printing: %w", err)
	}
	return printed.Data, nil
}

// pictureWithin is how long one try at a picture may take. Chromium now and then never answers such a request, and answers the next one.
const (
	pictureWithin = 30 * time.Second
	pictureTries  = 3
)

// Picture is a picture of the viewport, as a PNG that is made quickly and is not small.
func (p *Page) Picture(ctx context.Context) ([]byte, error) {
	var failed error
	for range pictureTries {
		data, err := p.picture(ctx)
		if err == nil || ctx.Err() != nil {
			return data, err
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

func (p *Page) picture(ctx context.Context) (data []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, pictureWithin)
	defer cancel()
	err = p.withBrowser(ctx, p.ctx, func(run context.Context) error {
		quick := true
		taken, err := chromedp.Call(run, page.CaptureScreenshot, page.CaptureScreenshotParams{OptimizeForSpeed: &quick})
		data = taken.Data
		return err
	})
	return data, err
}

// Eval evaluates a JavaScript expression in the page, awaits it when it is a
// promise, and decodes its JSON into T.
func Eval[T any](ctx context.Context, p *Page, expression string) (T, error) {
	var value T
	err := p.withBrowser(ctx, p.ctx, func(run context.Context) (err error) {
		value, err = chromedp.Run(run, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
		return err
	})
	if err != nil {
		return value, fmt.Errorf("evaluating %s: %w", abridge(expression), err)
	}
	return value, nil
}

// EvalInWorker evaluates a JavaScript expression in the newest worker of the page.
func (p *Page) EvalInWorker(ctx context.Context, expression string) error {
	p.mu.Lock()
	workers := p.workers
	p.mu.Unlock()
	if len(workers) == 0 {
		return errors.New("the page has no worker")
	}
	return p.withBrowser(ctx, workers[len(workers)-1], func(run context.Context) error {
		answer, err := chromedp.Call(run, runtime.Evaluate, runtime.EvaluateParams{Expression: expression})
		if err == nil && answer.ExceptionDetails != nil {
			err = errors.New(answer.ExceptionDetails.Text)
		}
		return err
	})
}

// WaitFor evaluates expression in the page once per animation frame until it is true; an error counts as false. If ctx ends first, the error has the
// value of probe, another expression. ctx must have a deadline, or another goroutine must cancel it.
func (p *Page) WaitFor(ctx context.Context, expression, probe string) error {
	trouble, err := Eval[string](ctx, p, WaitScript(ctx, expression, probe))
	// The script ends with its document; if the page is loaded again, it starts again in the next one.
	for loads := 0; err != nil && ctx.Err() == nil && loads < 10 && strings.Contains(err.Error(), "target navigated"); loads++ {
		trouble, err = Eval[string](ctx, p, WaitScript(ctx, expression, probe))
	}
	if err == nil && trouble != "" {
		err = fmt.Errorf("waiting for %s: %s", abridge(expression), trouble)
	}
	return err
}

func abridge(expression string) string {
	s := strings.Join(strings.Fields(expression), " ")
	if len(s) > 160 {
		s = s[:160] + "…"
	}
	return s
}

// ExpectClean fails the test for every problem whose text no pattern of allowed matches.
func (p *Page) ExpectClean(t testing.TB, allowed ...string) {
	t.Helper()
next:
	for _, problem := range p.Problems() {
		for _, pattern := range allowed {
			if regexp.MustCompile(pattern).MatchString(problem.Text) {
				continue next
			}
		}
		t.Errorf("the page has a problem: %s", problem)
	}
}

// attach listens to a worker of the page from another goroutine, because the caller runs inside the browser's reading loop.
func (p *Page) attach(info *target.Info) {
	p.wg.Go(func() {
		ctx, cancel := chromedp.NewContext(p.ctx, chromedp.WithTargetID(info.TargetID))
		defer cancel()
		if err := chromedp.Listen(ctx, p.record("worker "+info.URL)); err != nil {
			// A worker that has ended cannot be listened to.
			return
		}
		// Enabling again makes the browser repeat earlier messages.
		_, _ = chromedp.Call(ctx, runtime.Disable, cdp.Empty{})
		_, _ = chromedp.Call(ctx, runtime.Enable, cdp.Empty{})
		p.mu.Lock()
		p.workers = append(p.workers, ctx)
		p.mu.Unlock()
		<-ctx.Done()
	})
}

// record returns a listener that records the problems and the console of a target.
func (p *Page) record(where string) func(any) {
	return func(ev any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			text := ev.ExceptionDetails.Text
			if ev.ExceptionDetails.Exception != nil {
				text += " " + ev.ExceptionDetails.Exception.Description
			}
			p.AddProblem("exception", where, text)
		case *runtime.EventConsoleAPICalled:
			p.AddLine(string(ev.Type), where, arguments(ev.Args))
		case *cdplog.EventEntryAdded:
			if ev.Entry.Level == cdplog.EntryLevelError {
				p.AddProblem("log", where, strings.TrimSpace(ev.Entry.Text+" "+ev.Entry.URL))
			}
		case *network.EventRequestWillBeSent:
			p.urls[ev.RequestID] = ev.Request.URL
		case *network.EventLoadingFinished:
			delete(p.urls, ev.RequestID)
		case *network.EventLoadingFailed:
			if !ev.Canceled {
				p.AddProblem("request", where, p.urls[ev.RequestID]+" "+ev.ErrorText+" "+string(ev.BlockedReason))
			}
			delete(p.urls, ev.RequestID)
		case *target.EventTargetCreated:
			// The browser reports the workers of other profiles too.
			own := chromedp.FromContext(p.b.ctx).BrowserContextID
			if strings.HasSuffix(ev.TargetInfo.Type, "worker") && !p.closed && (own == "" || ev.TargetInfo.BrowserContextID == own) {
				p.attach(ev.TargetInfo)
			}
		case *inspector.EventTargetCrashed:
			p.AddProblem("crash", where, "the tab crashed")
		}
	}
}

func arguments(args []*runtime.RemoteObject) string {
	var words []string
	for _, a := range args {
		var s string
		if json.Unmarshal([]byte(a.Value), &s) == nil && s != "" {
			words = append(words, s)
		} else if len(a.Value) > 0 {
			words = append(words, string(a.Value))
		} else {
			words = append(words, a.Description)
		}
	}
	return strings.Join(words, " ")
}
