package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/internal/proc"
)

// ways are the ways to draw, with the files of each.
var ways = []struct {
	name    string
	own     string   // the panel drawn in this way
	library []string // what it needs besides
}{
	{"hand", "page/hand.js", []string{"../../web/kit/dom.js"}},
	{"lit-html", "page/template.js", []string{"page/node_modules/lit-html/lit-html.js"}},
	{"uhtml", "page/template.js", []string{"page/node_modules/uhtml/dist/prod/dom.js"}},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "benchdraw:", err)
		os.Exit(1)
	}
}

func run() error {
	seconds := flag.Float64("seconds", 10, "how much of an experiment is drawn")
	rounds := flag.Int("rounds", 5, "how often each way draws it")
	objects := flag.Int("objects", 10_000, "size of the simulated cluster")
	rate := flag.Int("rate", 1000, "events a second")
	flag.Parse()
	if *seconds < 3 || *rounds < 1 {
		return errors.New("-seconds must be at least 3 and -rounds at least 1")
	}
	length := time.Duration(*seconds * float64(time.Second))
	ctx, stop := proc.Limit(time.Duration(*rounds)*10*(length+10*time.Second) + 2*time.Minute)
	defer stop()
	if err := install(ctx); err != nil {
		return err
	}
	text, err := recordMoments(ctx, *objects, *rate, length)
	if err != nil {
		return err
	}
	url, closeServer, err := serve(text)
	if err != nil {
		return err
	}
	defer closeServer()
	b, err := browser.Start(ctx, browser.Options{})
	if err != nil {
		return err
	}
	defer b.Close()
	if err := compare(ctx, b, url); err != nil {
		return err
	}
	fmt.Printf("the Queue's panel, %d objects and %d events a second, headless Chromium, %d processors, load %.1f, %d rounds of %d frames\n\n",
		*objects, *rate, runtime.NumCPU(), proc.Load(), *rounds, int(*seconds*framesPerSecond))
	all := map[string]*drawn{}
	for range *rounds {
		for _, way := range ways {
			d, err := measure(ctx, b, url+"/?way="+way.name)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			if all[way.name] == nil {
				all[way.name] = &drawn{}
			}
			all[way.name].add(d)
		}
	}
	return table(all)
}

// drawn is what frames took, in milliseconds.
type drawn struct {
	Busy, Still []float64
	Nodes       int
	medians     []float64 // of the rounds
}

// add takes another round of the same moments. What a moment took is the least of all rounds: whatever else the machine does can only
// make it more.
func (d *drawn) add(o drawn) {
	d.medians = append(d.medians, quantile(o.Busy, 0.5))
	if d.Busy == nil {
		d.Busy, d.Still, d.Nodes = o.Busy, o.Still, o.Nodes
		return
	}
	for i := range d.Busy {
		d.Busy[i] = min(d.Busy[i], o.Busy[i])
	}
	for i := range d.Still {
		d.Still[i] = min(d.Still[i], o.Still[i])
	}
}

func open(ctx context.Context, b *browser.Browser, url string) (*browser.Page, error) {
	p, err := b.Open(ctx, url, 1280, 720)
	if err != nil {
		return nil, err
	}
	if err := p.WaitFor(ctx, "globalThis.ready === true", "document.body.innerHTML.length"); err != nil {
		err = fmt.Errorf("%w\n%v", err, p.Problems())
		p.Close()
		return nil, err
	}
	return p, nil
}

func measure(ctx context.Context, b *browser.Browser, url string) (d drawn, err error) {
	p, err := open(ctx, b, url)
	if err != nil {
		return d, err
	}
	defer p.Close()
	if d, err = browser.Eval[drawn](ctx, p, "measure()"); err == nil && len(p.Problems()) > 0 {
		err = fmt.Errorf("%v", p.Problems())
	}
	return d, err
}

// compare makes sure that all ways draw the same.
func compare(ctx context.Context, b *browser.Browser, url string) error {
	var want []string
	for _, way := range ways {
		p, err := open(ctx, b, url+"/?way="+way.name)
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		is, err := browser.Eval[[]string](ctx, p, "pictures()")
		p.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		if want == nil {
			want = is
		}
		for i := range want {
			is, want := strings.Split(is[i], "\n"), strings.Split(want[i], "\n")
			for j := range max(len(is), len(want)) {
				if j >= len(is) || j >= len(want) || is[j] != want[j] {
					return fmt.Errorf("%s draws the moment %d otherwise than %s:\n%s\nand not\n%s", way.name, 20*i, ways[0].name,
						strings.Join(is[j:], "\n"), strings.Join(want[j:], "\n"))
				}
			}
		}
	}
	return nil
}

func quantile(list []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func table(all map[string]*drawn) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "way\tp50 ms\tp99 ms\tp50 of the rounds\tnothing changed, p50 ms\tnodes\tlines\tbrotli, panel\tbrotli, library")
	for _, way := range ways {
		d := all[way.name]
		lines, own, err := weigh(way.own)
		if err != nil {
			return err
		}
		library := 0
		for _, file := range way.library {
			_, n, err := weigh(file)
			if err != nil {
				return err
			}
			library += n
		}
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.3f to %.3f\t%.3f\t%d\t%d\t%d B\t%d B\n", way.name, quantile(d.Busy, 0.5), quantile(d.Busy, 0.99),
			slices.Min(d.medians), slices.Max(d.medians), quantile(d.Still, 0.5), d.Nodes, lines, own, library)
	}
	return w.Flush()
}
