// Command benchpage measures the page under load, in a headless Chromium. It measures how long the page's own thread works for a frame, whether
// frames queue up, how long the past alone is drawn, and how its memory changes. It checks that 100,000 objects still open and answer. The result is a
// table with the budgets. A missed budget is shown, and does not fail the run; a failed measurement does.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/download"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// The budget, on two cores.
const (
	frameBudget = 8 * time.Millisecond
	cpuBudget   = 4 * time.Millisecond
	taskBudget  = 50 * time.Millisecond
	driftBudget = 0.05
)

const (
	// tracing is how long the page is traced at a time.
	tracing = 5 * time.Second
	// maxIdleFrame is the most that an animation frame without drawing takes.
	maxIdleFrame = 250 * time.Microsecond
)

// parts are what is measured, in this order.
var parts = []string{"weight", "start", "rest", "load", "past", "opening"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "benchpage:", err)
		os.Exit(1)
	}
}

func run() error {
	minutes := flag.Float64("minutes", 0.6, "how long the page is under load; 10 to see its memory")
	objects := flag.Int("objects", 10_000, "size of the simulated cluster")
	rate := flag.Int("rate", 1000, "events a second")
	many := flag.Int("many", 100_000, "the size that must still open and answer; 0 leaves it out")
	size := flag.String("size", "1280x720", "`width`x`height` of the page under load, in pixels")
	only := flag.String("only", "", "the `parts` to measure, with commas between: "+strings.Join(parts, ", ")+"; all if empty")
	flag.Parse()
	if *minutes < 0.2 {
		return errors.New("-minutes must be at least 0.2")
	}
	selection := parts
	if *only != "" {
		selection = strings.Split(*only, ",")
	}
	for _, part := range selection {
		if !slices.Contains(parts, part) {
			return fmt.Errorf("-only %s: want some of %s", part, strings.Join(parts, ", "))
		}
	}
	var width, height int64
	if n, _ := fmt.Sscanf(*size, "%dx%d", &width, &height); n != 2 || width < 320 || height < 240 {
		return fmt.Errorf("-size %s: want two numbers as 3840x2160, at least 320x240", *size)
	}
	ctx, stop := proc.Limit(time.Duration(*minutes*float64(time.Minute)) + 12*time.Minute)
	defer stop()
	link, err := startSlowLink()
	if err != nil {
		return err
	}
	defer link.Close()
	url, closeServer, err := serve(ctx, "--allowed-hosts="+link.Addr().String())
	if err != nil {
		return err
	}
	defer closeServer()
	b, err := browser.Start(ctx, browser.Options{})
	if err != nil {
		return err
	}
	defer b.Close()
	fmt.Printf("the page with %d objects and %d events a second, headless Chromium, %d processors%s\n\n", *objects, *rate, runtime.NumCPU(), busy())
	t := table{out: os.Stdout}
	t.head()
	simulated := func(url string, objects, rate int) string {
		return fmt.Sprintf("%s&source=sim&seed=7&objects=%d&rate=%d", url, objects, rate)
	}
	for _, part := range selection {
		switch part {
		case "weight":
			err = weigh(&t)
		case "start":
			err = link.measureStarts(ctx, url+"&source=sim&seed=7&objects=60", &t)
		case "rest":
			err = measureRest(ctx, b, url, &t)
		case "load":
			err = load(ctx, b, simulated(url, *objects, *rate), time.Duration(*minutes*float64(time.Minute)), width, height, &t)
		case "past":
			// It reaches into modules of the page, which the bundle does not name.
			modules, closeModules, serveErr := serve(ctx, "--modules")
			if serveErr != nil {
				return serveErr
			}
			err = measurePast(ctx, b, simulated(modules, *objects, pastRates[0]), &t)
			closeModules()
		case "opening":
			for _, n := range []int{*objects, *many} {
				if n > 0 && err == nil {
					err = measureOpening(ctx, b, simulated(url, n, 100), n, &t)
				}
			}
		}
		if err != nil {
			return err
		}
	}
	t.foot()
	return nil
}

// watch counts in the page what only the page sees, from before its first
// script: tasks over 50 ms, and frames of the worker that came while one waited
// to be painted.
const watch = `(() => {
	const seen = globalThis.__seen = {long: [], frames: 0, queued: 0, waiting: 0, wants: 0};
	new PerformanceObserver((list) => { for (const e of list.getEntries()) seen.long.push([e.startTime, e.duration]); }).observe({type: "longtask", buffered: true});
	const Old = globalThis.Worker;
	globalThis.Worker = class extends Old {
		constructor(...args) {
			super(...args);
			this.addEventListener("message", (e) => {
				if (!e.data?.frame) return;
				seen.frames++;
				if (seen.waiting++ > 0) seen.queued++;
			});
		}
		postMessage(m, ...rest) {
			if (m?.want) { seen.wants++; seen.waiting = 0; }
			super.postMessage(m, ...rest);
		}
	};
})()`

type seen struct {
	Long   [][2]float64
	Frames int
	Queued int
	Now    float64
}

func look(ctx context.Context, p *browser.Page) (s seen, err error) {
	return browser.Eval[seen](ctx, p, "({long: __seen.long, frames: __seen.frames, queued: __seen.queued, now: performance.now()})")
}

// open opens the page and waits for its informer.
func open(ctx context.Context, b *browser.Browser, url string, ready string) (p *browser.Page, took time.Duration, err error) {
	if p, err = b.Open(ctx, "about:blank", 1280, 720); err != nil {
		return nil, 0, err
	}
	if err = p.OnNewDocument(ctx, watch); err == nil {
		begin := time.Now()
		if err = p.Navigate(ctx, url); err == nil {
			err = waitState(ctx, p, ready)
			took = time.Since(begin)
		}
	}
	if err != nil {
		err = fmt.Errorf("%w\n%v", err, p.Problems())
		p.Close()
		return nil, 0, err
	}
	return p, took, nil
}

// waitState waits until ready, an expression of s, holds for the page's state. It asks five times a second: each answer costs the worker and the page
// time, which a measurement must not pay for every animation frame.
func waitState(ctx context.Context, p *browser.Page, ready string) error {
	script := fmt.Sprintf(`(async () => { const s = await globalThis.informerscope?.state().catch(() => null); return !!s && (%s); })()`, ready)
	for {
		done, err := browser.Eval[bool](ctx, p, script)
		if done || err != nil {
			return err
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// load measures the page of a width and a height for d with events coming.
func load(ctx context.Context, b *browser.Browser, url string, d time.Duration, width, height int64, t *table) error {
	p, _, err := open(ctx, b, url, "s.queue.synced && s.indexer.count > 0 && s.reflector.phase === 'watching'")
	if err != nil {
		return err
	}
	defer p.Close()
	if err := p.Resize(ctx, width, height); err != nil {
		return err
	}
	// The first seconds compile what the rest only runs.
	warm := min(d/3, 3*time.Minute)
	begin := time.Now()
	var samples []sample
	var frames []browser.Frame
	var tasks []browser.Task
	var traced [][2]float64 // when, by the page's clock
	if err := pause(ctx, min(warm, 10*time.Second)); err != nil {
		return err
	}
	start, err := look(ctx, p)
	if err != nil {
		return err
	}
	paint, err := browser.Eval[float64](ctx, p, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
	if err != nil {
		return err
	}
	t.row("first paint, after the page was asked for", fmt.Sprintf("%.0f ms", paint), "")
	behind := 0.0
	var rates []float64
	for time.Since(begin) < d {
		// Tracing costs time, and memory of the traced process. A long run is traced a third of the time in its first minutes, and in its last one.
		// Its memory is read in between.
		gone := time.Since(begin)
		long := d > 4*time.Minute
		if !long || gone < warm || d-gone < time.Minute {
			from, err := look(ctx, p)
			if err != nil {
				return err
			}
			f, ts, err := p.Trace(ctx, tracing)
			if err != nil {
				return err
			}
			to, err := look(ctx, p)
			if err != nil {
				return err
			}
			traced = append(traced, [2]float64{from.Now, to.Now})
			frames, tasks = append(frames, drawnFrames(f)...), append(tasks, ts...)
			if long {
				if err := pause(ctx, 10*time.Second); err != nil {
					return err
				}
			}
		} else if err := pause(ctx, 5*time.Second); err != nil {
			return err
		}
		weigh := gone > warm && (!long || d-gone >= time.Minute)
		if weigh {
			m, err := p.Memory(ctx)
			if err != nil {
				return err
			}
			samples = append(samples, sample{Memory: m})
		}
		v, err := browser.Eval[[]float64](ctx, p,
			"(async () => { const {view, api} = await informerscope.state(); return [view.behindMillis, api.writesPerSecond, view.memory.live, view.memory.total]; })()")
		if err != nil {
			return err
		}
		if weigh {
			samples[len(samples)-1].live, samples[len(samples)-1].wasm = v[2], v[3]
		}
		behind, rates = max(behind, v[0]), append(rates, v[1])
	}
	now, err := look(ctx, p)
	if err != nil {
		return err
	}
	if trouble := p.Problems(); len(trouble) > 0 {
		return fmt.Errorf("the page has problems: %v", trouble)
	}
	if len(frames) == 0 || len(rates) == 0 {
		return errors.New("nothing was measured")
	}
	seconds := (now.Now - start.Now) / 1000
	tracedSeconds := float64(len(traced)) * tracing.Seconds()
	t.row("events a second, as the cluster made them", fmt.Sprintf("%.0f", mean(rates)), "")
	t.row("frames drawn a second, while traced", fmt.Sprintf("%.0f, of which %.0f with news", float64(len(frames))/tracedSeconds,
		float64(now.Frames-start.Frames)/seconds), "")
	p50, p99, worst := spread(frames, func(f browser.Frame) time.Duration { return f.Script + f.Layout })
	t.judge("script and layout of a frame, p99", fmt.Sprintf("%s (median %s, most %s)", ms(p99), ms(p50), ms(worst)), "≤ "+ms(frameBudget), p99 <= frameBudget)
	_, cpu, _ := spread(frames, func(f browser.Frame) time.Duration { return f.ScriptCPU + f.LayoutCPU })
	t.judge("  of which on the processor, p99", ms(cpu), "≤ "+ms(cpuBudget), cpu <= cpuBudget)
	_, lay, _ := spread(frames, func(f browser.Frame) time.Duration { return f.Layout })
	_, pnt, _ := spread(frames, func(f browser.Frame) time.Duration { return f.Paint })
	t.row("  layout alone, paint beside it, p99", ms(lay)+", "+ms(pnt), "")
	var long []string
	beside := 0
	for _, l := range now.Long {
		if l[0] < start.Now {
			continue
		}
		long = append(long, fmt.Sprintf("%.0f ms at %.0f s", l[1], l[0]/1000))
		if slices.ContainsFunc(traced, func(w [2]float64) bool { return l[0] <= w[1] && l[0]+l[1] >= w[0] }) {
			beside++
		}
	}
	most := browser.Task{}
	for _, task := range tasks {
		if task.Wall > most.Wall {
			most = task
		}
	}
	t.judge("tasks over 50 ms, after the start", fmt.Sprintf("%d (%d of them while traced; longest task traced %s, %s on the processor)", len(long), beside,
		ms(most.Wall), ms(most.CPU)), "0", len(long) == 0)
	if len(long) > 0 {
		t.row("  how long, and when after the page opened", strings.Join(long, ", "), "")
	}
	t.row("tasks over 50 ms, while opening", fmt.Sprint(len(now.Long)-len(long)), "")
	t.judge("frames that came while one waited", fmt.Sprint(now.Queued), "0", now.Queued == 0)
	t.judge("furthest behind the live edge", fmt.Sprintf("%.0f ms", behind), "≤ 1000 ms", behind <= 1000)
	if len(samples) == 0 {
		return errors.New("the page's memory was not measured")
	}
	// The log fills its ring in the first minutes, and only then is there something to drift.
	judge := t.judge
	if d < 5*time.Minute {
		judge = func(what, measured, budget string, _ bool) { t.row(what, measured, budget+", -minutes 10 judges") }
	}
	// The heap's floor is what is left when its garbage has just been collected.
	heap, from, to := drift(samples, 0, func(m sample) float64 { return m.Heap })
	judge("JavaScript heap, after warm-up", fmt.Sprintf("%s to %s, %+.1f %%", mb(from), mb(to), heap*100), "≤ +5 %", heap <= driftBudget)
	live, from, to := drift(samples, 0.5, func(m sample) float64 { return m.live })
	t.row("  what the worker's last collection left", fmt.Sprintf("%s to %s, %+.1f %%", mb(from), mb(to), live*100), "")
	wasm, from, to := drift(samples, 0.5, func(m sample) float64 { return m.wasm })
	judge("the worker's WebAssembly memory", fmt.Sprintf("%s to %s, %+.1f %%", mb(from), mb(to), wasm*100), "≤ +5 %", wasm <= driftBudget)
	if samples[0].Resident > 0 {
		rss, from, to := drift(samples, 0.5, func(m sample) float64 { return m.Resident })
		judge("whole process, both included", fmt.Sprintf("%s to %s, %+.1f %%", mb(from), mb(to), rss*100), "≤ +5 %", rss <= driftBudget)
	}
	return nil
}

// weigh measures what does not depend on the machine.
func weigh(t *table) error {
	root, err := layout.Root()
	if err != nil {
		return err
	}
	files, err := download.Files(root)
	if err != nil {
		return err
	}
	packed := int64(0)
	for _, f := range files {
		packed += f.Brotli
	}
	lines, err := download.Lines(root)
	if err != nil {
		return err
	}
	t.judge("download, all files, in brotli", fmt.Sprintf("%.2f MB", float64(packed)/1e6), fmt.Sprintf("≤ %.1f MB", download.Budget/1e6),
		packed <= download.Budget)
	t.row("lines of web/, without stories and words", fmt.Sprint(lines), "")
	return nil
}

// measureOpening measures how the page opens with very many objects and how fast it then answers.
func measureOpening(ctx context.Context, b *browser.Browser, url string, many int, t *table) error {
	p, took, err := open(ctx, b, url, fmt.Sprintf("s.queue.synced && s.indexer.count >= %d", many*9/10))
	if err != nil {
		return err
	}
	defer p.Close()
	m, err := p.Memory(ctx)
	if err != nil {
		return err
	}
	t.row(fmt.Sprintf("%d objects: open and synced after", many), fmt.Sprintf("%s, %s on the processor", ms(took), ms(m.Processor)), "")
	if err := pause(ctx, 3*time.Second); err != nil {
		return err
	}
	start, err := look(ctx, p)
	if err != nil {
		return err
	}
	frames, _, err := p.Trace(ctx, tracing)
	if err != nil {
		return err
	}
	_, p99, _ := spread(drawnFrames(frames), func(f browser.Frame) time.Duration { return f.Script + f.Layout })
	t.row("  script and layout of a frame, p99", ms(p99), "")
	answer, err := browser.Eval[[]float64](ctx, p, `(async () => {
		const took = [];
		const time = async (f) => { const t0 = performance.now(); await f(); took.push(performance.now() - t0); };
		await time(() => informerscope.state());
		await time(() => informerscope.pause());
		await time(() => informerscope.step(-1000));
		await time(() => informerscope.live());
		return took;
	})()`)
	if err != nil {
		return err
	}
	for i, what := range []string{"state()", "pause()", "step(-1000)", "live()"} {
		t.judge("  "+what+" answers after", fmt.Sprintf("%.0f ms", answer[i]), "≤ 1000 ms", answer[i] <= 1000)
	}
	now, err := look(ctx, p)
	if err != nil {
		return err
	}
	t.row("  tasks over 50 ms, after the start", fmt.Sprint(len(now.Long)-len(start.Long)), "")
	if trouble := p.Problems(); len(trouble) > 0 {
		return fmt.Errorf("the page has problems: %v", trouble)
	}
	return nil
}

var openLine = regexp.MustCompile(`^informerscope: open (http://\S+/#token=\S+)$`)

// serve builds the page and the server and starts it on a free port, with more flags.
func serve(ctx context.Context, more ...string) (url string, closeServer func(), err error) {
	root, err := layout.Root()
	if err != nil {
		return "", nil, err
	}
	dir, err := layout.Artifacts("benchpage")
	if err != nil {
		return "", nil, err
	}
	program := filepath.Join(dir, "informerscope")
	for _, args := range [][]string{{"make", "packed"}, {"go", "build", "-o", program, "./server"}} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", nil, fmt.Errorf("%v: %w\n%s", args, err, proc.Tail(out, 40))
		}
	}
	out, in := io.Pipe()
	p, err := proc.Start("server", dir, program, in, append([]string{"--listen=127.0.0.1:0"}, more...)...)
	if err != nil {
		return "", nil, err
	}
	lines := make(chan string, 1)
	go func() {
		scanner := bufio.NewScanner(out)
		if scanner.Scan() {
			lines <- scanner.Text()
		}
		_, _ = io.Copy(io.Discard, out)
	}()
	closeServer = func() { p.Stop(5 * time.Second); in.Close() }
	select {
	case line := <-lines:
		if m := openLine.FindStringSubmatch(line); m != nil {
			return m[1], closeServer, nil
		}
		err = fmt.Errorf("the server's first line is %q", line)
	case <-p.Done:
		err = fmt.Errorf("the server exited:\n%s", p.LogTail(20))
	case <-time.After(30 * time.Second):
		err = errors.New("the server printed no address within 30 s")
	}
	closeServer()
	return "", nil, err
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// drawnFrames leaves out the animation frames in which the page chose to draw nothing: they take next to nothing, and must not make
// the others look cheap.
func drawnFrames(frames []browser.Frame) []browser.Frame {
	return slices.DeleteFunc(frames, func(f browser.Frame) bool { return f.Script < maxIdleFrame && f.Layout < maxIdleFrame })
}

// spread is the median, the 99th percentile and the most of what of gives.
func spread(frames []browser.Frame, value func(browser.Frame) time.Duration) (p50, p99, most time.Duration) {
	all := make([]time.Duration, len(frames))
	for i, f := range frames {
		all[i] = value(f)
	}
	slices.Sort(all)
	n := len(all)
	if n == 0 {
		return 0, 0, 0
	}
	return all[n/2], all[min(n-1, int(math.Ceil(float64(n)*0.99))-1)], all[n-1]
}

// sample is what the page and its worker hold at a moment.
type sample struct {
	browser.Memory
	live, wasm float64
}

// drift is by which part the last third of the samples is more than the first;
// at is which of a third's samples counts, from its least (0) to its most (1).
func drift(samples []sample, at float64, value func(sample) float64) (part, from, to float64) {
	n := max(1, len(samples)/3)
	pick := func(s []sample) float64 {
		v := make([]float64, len(s))
		for i := range s {
			v[i] = value(s[i])
		}
		slices.Sort(v)
		return v[int(at*float64(len(v)-1))]
	}
	from, to = pick(samples[:n]), pick(samples[len(samples)-n:])
	return to/from - 1, from, to
}

// busy describes the load of a machine on which other programs run, "" for an idle one. The frame times by the clock then depend more on them than on
// the page.
func busy() string {
	load := proc.Load()
	if load < 1 {
		return ""
	}
	return fmt.Sprintf("; %.1f programs wanted them before this began, so trust the processor's times and not the clock's", load)
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

func mb(n float64) string { return fmt.Sprintf("%.0f MB", n/1e6) }
