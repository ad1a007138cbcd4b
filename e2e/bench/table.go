package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"informerscope/e2e/bench/feed"
	"informerscope/e2e/bench/harness"
)

// printSpeed prints a line for each pair.
func printSpeed(w io.Writer, results map[string]map[feed.Mode][]harness.Result) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "what\tbytes\tinformerscope\tclient-go\tratio\ttarget\t")
	syncMillis := func(r harness.Result) float64 { return r.SyncMillis }
	updateMillis := func(r harness.Result) float64 { return r.UpdateMillis }
	for _, mode := range []feed.Mode{feed.List, feed.WatchList} {
		ours, theirs := results["ours"][mode], results["clientgo"][mode]
		a, b := medianOf(ours, syncMillis), medianOf(theirs, syncMillis)
		name := map[feed.Mode]string{feed.List: "LIST", feed.WatchList: "WatchList"}[mode]
		fmt.Fprintf(t, "%s of %d pods until synced\t%s\t%.0f ms\t%.0f ms\t%s\t%s\t\n", name, ours[0].Pods,
			megabytes(ours[0].SyncBytes), a, b, times(b/a), verdict(b/a, syncTarget))
	}
	for _, mode := range []feed.Mode{feed.List, feed.WatchList} {
		ours, theirs := results["ours"][mode], results["clientgo"][mode]
		a, b := medianOf(ours, updateMillis), medianOf(theirs, updateMillis)
		n := float64(ours[0].Updates) * 1000
		after := map[feed.Mode]string{feed.List: "WATCH", feed.WatchList: "WATCH after WatchList"}[mode]
		fmt.Fprintf(t, "%s, %d updates, events/s\t%s\t%.0f\t%.0f\t%s\t%s\t\n", after, ours[0].Updates,
			megabytes(ours[0].UpdateBytes), n/a, n/b, times(b/a), verdict(b/a, eventsTarget))
	}
	t.Flush()
	fmt.Fprintln(w)
}

func times(ratio float64) string { return fmt.Sprintf("%.1fx", ratio) }

func verdict(ratio, target float64) string {
	if ratio >= target {
		return fmt.Sprintf(">= %gx: yes", target)
	}
	return fmt.Sprintf(">= %gx: no", target)
}

func megabytes[N int | int64](n N) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }
