package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// mostRatio is how much more processor than kubectl proxy the relay may take for an event, for an HTTP/2 server that is net/http's own.
const mostRatio = 1.5

// table prints the ways side by side.
type table struct {
	out    io.Writer
	missed int
}

func newTable(out io.Writer) *table {
	t := &table{out: out}
	t.line("viewers", "", viaOurs, viaKubectl, "ours / kubectl's")
	return t
}

func (t *table) line(viewers, what, ours, kubectl, ratio string) {
	fmt.Fprintf(t.out, "%-9s%-34s%16s%16s   %s\n", viewers, what, ours, kubectl, ratio)
}

// viewers prints the lines of one number of viewers; ways that were not measured are left out.
func (t *table) viewers(n int, window time.Duration, seen map[string][]measurement) {
	part := func(m measurement) float64 { return 100 * m.processor.Seconds() / window.Seconds() }
	// Per event, as a loaded machine may not let all of them through in the window.
	each := func(m measurement) float64 { return m.processor.Seconds() * 1e6 / float64(m.Events) }
	memory := func(m measurement) float64 { return float64(m.resident) / 1e6 }
	rate := func(m measurement) float64 { return float64(m.Events) / window.Seconds() / float64(n) }
	p50 := func(m measurement) float64 { return m.P50.Seconds() * 1000 }
	p99 := func(m measurement) float64 { return m.P99.Seconds() * 1000 }
	show := func(name, what, format string, value func(measurement) float64, above, judged bool) {
		var base float64
		if above && len(seen[viaDirect]) > 0 {
			base = median(seen[viaDirect], value)
		}
		cell := func(way string) (float64, string) {
			if len(seen[way]) == 0 {
				return 0, ""
			}
			v := median(seen[way], value) - base
			return v, fmt.Sprintf(format, v)
		}
		ours, oursText := cell(viaOurs)
		kubectl, kubectlText := cell(viaKubectl)
		ratio := ""
		if kubectl > 0 && !above && judged {
			verdict := "met"
			if ours > mostRatio*kubectl {
				verdict = "MISSED"
				t.missed++
			}
			ratio = fmt.Sprintf("%.2f, at most %.1f: %s", ours/kubectl, mostRatio, verdict)
		}
		t.line(name, what, oursText, kubectlText, ratio)
	}
	show(fmt.Sprint(n), "processor, for an event", "%.1f µs", each, false, true)
	show("", "processor, of one core", "%.1f %%", part, false, false)
	show("", "memory (RSS)", "%.1f MB", memory, false, false)
	show("", "latency added, median", "%.2f ms", p50, true, false)
	show("", "latency added, 99th percentile", "%.2f ms", p99, true, false)
	show("", "events a second and viewer", "%.1f", rate, false, false)
}

func (t *table) foot() {
	if t.missed > 0 {
		fmt.Fprintf(t.out, "\n%d of the ratios are missed\n", t.missed)
	}
}

func median(all []measurement, value func(measurement) float64) float64 {
	values := make([]float64, len(all))
	for i, m := range all {
		values[i] = value(m)
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2
	}
	return values[middle]
}
