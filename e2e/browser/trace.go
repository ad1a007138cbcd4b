package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// Frame is what the page's own thread did from one animation frame to the next.
type Frame struct {
	// Script is the time in JavaScript and its garbage collector. Layout is that of style, layout and pre-paint, and Paint the rest of the thread's
	// work for the picture. Nested time counts once, for the innermost event.
	Script, Layout, Paint time.Duration
	// ScriptCPU and LayoutCPU leave out the time in which the thread was ready to run and another one had the processor.
	ScriptCPU, LayoutCPU time.Duration
	// Mark is the time between the page's console.timeStamp("begin") and console.timeStamp("end"), MarkCPU its part on the processor.
	Mark, MarkCPU time.Duration
	// At is when the frame began, from the begin of the tracing.
	At time.Duration
}

// Task is one turn of the page's own thread.
type Task struct{ At, Wall, CPU time.Duration }

// traceEvent is one of Chromium's trace events; times are in microseconds.
type traceEvent struct {
	Name string  `json:"name"`
	Ph   string  `json:"ph"`
	Pid  int     `json:"pid"`
	Tid  int     `json:"tid"`
	Ts   float64 `json:"ts"`
	Dur  float64 `json:"dur"`
	Tdur float64 `json:"tdur"`
	Tts  float64 `json:"tts"`
	Args struct {
		Data struct{ Message string } `json:"data"`
	} `json:"args"`
}

func (e traceEvent) isMark() bool {
	return e.Name == "TimeStamp" && (e.Args.Data.Message == "begin" || e.Args.Data.Message == "end")
}

// The kinds of time, by the names of trace events.
var traceKinds = map[string]int{
	"FireAnimationFrame": script, "FunctionCall": script, "EvaluateScript": script, "TimerFire": script, "EventDispatch": script, "HandlePostMessage": script,
	"RunMicrotasks": script, "MinorGC": script, "MajorGC": script, "V8.GC_MARK_COMPACTOR": script, "BlinkGC.AtomicPhase": script,
	"UpdateLayoutTree": layoutWork, "Layout": layoutWork, "PrePaint": layoutWork, "UpdateLayer": layoutWork,
	"IntersectionObserverController::computeIntersections": layoutWork,
	"Paint": paintWork, "Layerize": paintWork, "Commit": paintWork, "CompositeLayers": paintWork, "HitTest": paintWork,
}

const (
	script = iota
	layoutWork
	paintWork
	kinds
)

// Trace traces the page's own thread for d, and returns its frames and all its turns. Tracing itself takes a little time in the browser, so the times
// are slightly too long.
func (p *Page) Trace(ctx context.Context, d time.Duration) (frames []Frame, tasks []Task, err error) {
	var events []traceEvent
	done := make(chan struct{})
	err = p.withBrowser(ctx, p.ctx, func(run context.Context) error {
		listen, cancel := context.WithCancel(run)
		defer cancel()
		var bad error
		if err := chromedp.ListenBrowser(listen, func(ev any) {
			switch ev := ev.(type) {
			case *tracing.EventDataCollected:
				for _, raw := range ev.Value {
					var e traceEvent
					if err := json.Unmarshal(raw, &e); err != nil {
						bad = fmt.Errorf("a trace event cannot be read: %w", err)
						continue
					}
					events = append(events, e)
				}
			case *tracing.EventTracingComplete:
				close(done)
			}
		}); err != nil {
			return err
		}
		_, err := chromedp.CallBrowser(run, tracing.Start, tracing.StartParams{
			TransferMode: tracing.StartTransferModeReportEvents,
			TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"devtools.timeline", "disabled-by-default-devtools.timeline", "v8", "blink_gc"},
				ExcludedCategories: []string{"*"}},
		})
		if err != nil {
			return fmt.Errorf("starting to trace: %w", err)
		}
		if err := chromedp.Do(run, chromedp.Sleep(d)); err != nil {
			return err
		}
		if _, err := chromedp.CallBrowser(run, tracing.End, cdp.Empty{}); err != nil {
			return fmt.Errorf("ending the trace: %w", err)
		}
		select {
		case <-done:
			return bad
		case <-run.Done():
			return context.Cause(run)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return frame(events)
}

// frame sorts the trace of the busiest page's thread into its frames.
func frame(events []traceEvent) ([]Frame, []Task, error) {
	type thread struct{ pid, tid int }
	fired := map[thread]int{}
	for _, e := range events {
		if e.Name == "FireAnimationFrame" {
			fired[thread{e.Pid, e.Tid}]++
		}
	}
	var main thread
	for th, n := range fired {
		if n > fired[main] {
			main = th
		}
	}
	if fired[main] == 0 {
		return nil, nil, errors.New("the trace holds no animation frame: the page drew nothing")
	}
	events = slices.DeleteFunc(events, func(e traceEvent) bool {
		_, known := traceKinds[e.Name]
		return e.Pid != main.pid || e.Tid != main.tid || !e.isMark() && (e.Ph != "X" || !known && !strings.HasSuffix(e.Name, "RunTask"))
	})
	slices.SortStableFunc(events, func(a, b traceEvent) int {
		if a.Ts != b.Ts {
			return int(a.Ts-b.Ts) | 1
		}
		return int(b.Dur - a.Dur)
	})
	if len(events) == 0 {
		return nil, nil, errors.New("the trace holds no work of the page's thread")
	}
	begin := events[0].Ts
	var frames []Frame
	var tasks []Task
	// open are the events around the present one; each gives up the time of the events inside it.
	var open []traceEvent
	var sum, cpu [kinds]float64
	since := begin
	var mark traceEvent
	var between, betweenCPU float64
	count := func(kind int, dur, tdur float64) {
		if kind >= 0 {
			sum[kind] += dur
			cpu[kind] += tdur
		}
	}
	kindOf := func(e traceEvent) int {
		if k, ok := traceKinds[e.Name]; ok {
			return k
		}
		return -1
	}
	end := func() {
		frames = append(frames, Frame{
			At: micros(since - begin), Script: micros(sum[script]), Layout: micros(sum[layoutWork]), Paint: micros(sum[paintWork]), ScriptCPU: micros(cpu[script]),
			LayoutCPU: micros(cpu[layoutWork]), Mark: micros(between), MarkCPU: micros(betweenCPU),
		})
	}
	for _, e := range events {
		if e.isMark() {
			if e.Args.Data.Message == "end" && mark.Ts > 0 {
				between, betweenCPU = between+e.Ts-mark.Ts, betweenCPU+e.Tts-mark.Tts
			}
			mark = e
			continue
		}
		for len(open) > 0 && open[len(open)-1].Ts+open[len(open)-1].Dur <= e.Ts {
			open = open[:len(open)-1]
		}
		if e.Name == "FireAnimationFrame" {
			if since != begin {
				end()
			}
			sum, cpu, since = [kinds]float64{}, [kinds]float64{}, e.Ts
			between, betweenCPU = 0, 0
		}
		if strings.HasSuffix(e.Name, "RunTask") {
			if len(open) == 0 {
				tasks = append(tasks, Task{At: micros(e.Ts - begin), Wall: micros(e.Dur), CPU: micros(e.Tdur)})
			}
			open = append(open, e)
			continue
		}
		if len(open) > 0 {
			// The parent's own time is shorter by this child.
			count(kindOf(open[len(open)-1]), -e.Dur, -e.Tdur)
		}
		count(kindOf(e), e.Dur, e.Tdur)
		open = append(open, e)
	}
	return frames, tasks, nil
}

func micros(n float64) time.Duration { return time.Duration(n * float64(time.Microsecond)) }

// Memory is how much memory the page uses, in bytes.
type Memory struct {
	// Heap is the JavaScript heap of the page's own thread that is in use.
	Heap float64
	// Resident is the resident memory of the page's process, with its worker and WebAssembly. It is that of the largest page, so use one page at a
	// time; 0 on systems without /proc.
	Resident float64
	// Processor is the processor time of the same process since it began.
	Processor time.Duration
}

// Memory measures the page as it is, before a garbage collection.
func (p *Page) Memory(ctx context.Context) (m Memory, err error) {
	err = p.withBrowser(ctx, p.ctx, func(run context.Context) error {
		heap, err := chromedp.Call(run, runtime.GetHeapUsage, cdp.Empty{})
		if err != nil {
			return err
		}
		m.Heap = heap.UsedSize
		info, err := chromedp.CallBrowser(run, systeminfo.GetProcessInfo, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, proc := range info.ProcessInfo {
			if now := residentSet(proc.ID); proc.Type == "renderer" && now >= m.Resident {
				m.Resident, m.Processor = now, time.Duration(proc.CPUTime*float64(time.Second))
			}
		}
		return nil
	})
	return m, err
}

// Threads is the processor time of the browser's pages since they began, by what it was for. Drawing is that of all threads that make pictures, and of the
// process that puts them on the screen.
type Threads struct{ Page, Worker, Drawing time.Duration }

// Threads measures the processor time of all pages of the browser, on systems with /proc.
func (p *Page) Threads(ctx context.Context) (t Threads, err error) {
	err = p.withBrowser(ctx, p.ctx, func(run context.Context) error {
		info, err := chromedp.CallBrowser(run, systeminfo.GetProcessInfo, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, proc := range info.ProcessInfo {
			if proc.Type != "renderer" && proc.Type != "GPU" {
				continue
			}
			threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", proc.ID))
			if err != nil || len(threads) == 0 {
				return errors.Join(errors.New("the threads of a page cannot be read: this needs /proc"), err)
			}
			for _, stat := range threads {
				text, err := os.ReadFile(stat)
				if err != nil {
					continue // the thread has ended
				}
				name, used := threadOf(string(text))
				switch isMain := filepath.Base(filepath.Dir(stat)) == strconv.FormatInt(proc.ID, 10); {
				case proc.Type == "renderer" && isMain:
					t.Page += used
				case strings.HasPrefix(name, "DedicatedWorker"):
					t.Worker += used
				default:
					t.Drawing += used
				}
			}
		}
		return nil
	})
	return t, err
}

// threadOf reads the name and the processor time of a thread from its line in /proc, whose times are in hundredths of a second.
func threadOf(stat string) (name string, used time.Duration) {
	first, rest, _ := strings.Cut(stat, ") ")
	_, name, _ = strings.Cut(first, "(")
	const user, system = 11, 12
	fields := strings.Fields(rest)
	if len(fields) <= system {
		return name, 0
	}
	for _, field := range fields[user : system+1] {
		n, _ := strconv.ParseInt(field, 10, 64)
		used += time.Duration(n) * 10 * time.Millisecond
	}
	return name, used
}

// residentSet is the resident set of a process, on systems with /proc.
func residentSet(pid int64) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				return 0
			}
			return kb * 1024
		}
	}
	return 0
}

// Kept is what a page keeps in memory after a garbage collection.
type Kept struct {
	Nodes, Listeners int64
	// Heap is the JavaScript heap of the page's own thread that is in use, in bytes.
	Heap float64
}

// CountKept counts what the page holds on to.
func (p *Page) CountKept(ctx context.Context) (k Kept, err error) {
	err = p.withBrowser(ctx, p.ctx, func(run context.Context) error {
		if _, err := chromedp.Call(run, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
			return err
		}
		counters, err := chromedp.Call(run, memory.GetDOMCounters, cdp.Empty{})
		if err != nil {
			return err
		}
		heap, err := chromedp.Call(run, runtime.GetHeapUsage, cdp.Empty{})
		if err != nil {
			return err
		}
		k = Kept{counters.Nodes, counters.JsEventListeners, heap.UsedSize}
		return nil
	})
	return k, err
}
