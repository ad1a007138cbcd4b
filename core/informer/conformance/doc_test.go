package conformance

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"informerscope/core/informer/conformance/play"
)

// titles say in a few words what each item is about.
var titles = [play.Items + 1]string{
	1: "the first request is a WatchList", 2: "when WatchList is not tried", 3: "timeoutSeconds of a watch", 4: "the first LIST",
	5: "a relist's version and page size",
	6: "pages after the first", 7: "a continue token that expired", 8: "when paging sticks", 9: "a LIST refused as expired, gone or too large",
	10: "the WATCH after a LIST",
	11: "the WatchList stream goes on", 12: "the mark that ends initial events", 13: "initial events collapse", 14: "a WatchList refused as expired or too large",
	15: "a WatchList refused as overloaded", 16: "any other WatchList error", 17: "a WatchList closed without its mark", 18: "a mark that does not come",
	19: "a WATCH refused as overloaded",
	20: "any other error opening a WATCH", 21: "an error frame 410", 22: "an error frame 429", 23: "an error frame InternalError", 24: "a clean close",
	25: "frames that are dropped",
	26: "the version when the store fails", 27: "a WATCH from nowhere", 28: "the backoff's steps", 29: "the backoff's reset",
	30: "whose clock the relist waits by",
	31: "when the resync timer starts", 32: "resyncs nobody wants", 33: "SyncAll", 34: "Sync", 35: "a handler's resync period", 36: "updates that change nothing",
	37: "listeners sync at first",
	38: "RealFIFO keeps the order", 39: "the deletion of the unknown", 40: "DeltaFIFO groups by key", 41: "DeltaFIFO merges deletions", 42: "RealFIFO's Replace",
	43: "DeltaFIFO's Replace",
	44: "ReplacedAll", 45: "processing ReplacedAll", 46: "duplicate keys in a list", 47: "errors of processing", 48: "Bookmark deltas", 49: "illegal options",
	50: "the lock while processing",
	51: "where a batch ends", 52: "a batch of one", 53: "a batch is one transaction", 54: "a closed queue", 55: "an event before the first Replace",
	56: "the initial population",
	57: "isInInitialList", 58: "when the queue's lamp goes on", 59: "the informer's lamp", 60: "a registration's lamp", 61: "a handler removed early",
	62: "a handler added late",
	63: "order, and independence", 64: "a slow handler's backlog", 65: "removing a handler", 66: "shutting a handler down", 67: "registrations of others",
	68: "what start and stop forbid",
	69: "a second Run", 70: "a handler that panics", 71: "what ends first", 72: "a filtering handler", 73: "recreated unseen", 74: "when the transform runs",
	75: "transformed twice",
	76: "a transform that fails", 77: "keys", 78: "index functions and sets", 79: "adding indexers", 80: "the store's version", 81: "the reflector leads",
	82: "a Transaction in part",
	83: "names and metrics", 84: "the factory",
}

// differences are where we are not client-go's equal, on purpose.
var differences = []struct{ what, why string }{
	{"The objects of a resync, of a WatchList and of a late handler's replay come in the order of the stream or of the store; in client-go the order is a Go " +
		"map's, different each time.",
		"A story must repeat. Every order of ours is one client-go could have had. The comparison sorts such runs by key, and only those (`canonical` in " +
			"`play/play.go`)."},
	{"If Replace fails after a WatchList's end mark, we stop the stream; client-go leaves it open with nobody to read it.",
		"A leak helps nobody. No request, callback or state differs."},
	{"What a removed listener still delivers of its backlog is nothing; in client-go it is left to a select between two ready cases.",
		"Nothing is one of client-go's outcomes. The comparison of a listener ends where it is removed, and where the informer is stopped."},
	{"Whether a LIST is still sent after the context is done is a race of two goroutines in client-go.", "The requests of a stopped informer are not compared."},
	{"AddIndexers on a store that was made with nil Indexers works; client-go panics on a write to a nil map.", "A panic is no behaviour to rely on."},
	{"A Store or Indexer that is made by itself always has its version; client-go's follows the AtomicFIFO gate, which is the process's.",
		"Our eras belong to an informer. Inside one, the version is hidden where client-go hides it."},
	{"The API is v0.37.2's in every era: RunWithContext, HasSyncedChecker, ShutDownEventHandler, PopBatch and typed handlers are there in era 1.31 too.",
		"An era is how a release behaves, not what a program could call. What a release has no call for is not compared with it; rows that only v0.37.2 judges " +
			"say so."},
	{"`NewListWatchFromClient` and what else needs `*rest.Request` is not there; `core/factory` is keyed by resource, not by Go type.",
		"No rest package in the page; all objects there have one Go type. The judge of the factory is client-go's dynamic one."},
}

// judges are the releases that judge eras.
func judges(eras []play.Era) string {
	var out []string
	for _, e := range eras {
		out = append(out, releases[e])
	}
	return strings.Join(out, ", ")
}

func document() string {
	var b strings.Builder
	b.WriteString(`# Conformance with client-go

Written by a test from its own table; ` + "`go test ./core/informer/conformance -run TestDocument -update`" + ` writes it anew, and without ` + "`-update`" + ` the test
fails when this page is not what the table says. An era is a release of client-go, with that release's default gates:

| era | client-go | InOrderInformers | InOrderInformersBatchProcess | WatchListClient | InformerResourceVersion | AtomicFIFO, UnlockWhileProcessingFIFO |
|-|-|-|-|-|-|-|
| 1.31 | v0.31.14 | – | – | off | off | – |
| 1.33 | v0.33.13 | on | – | off | off | – |
| 1.35 | v0.35.10 | on | on | on | on | – |
| 1.37 | v0.37.2 | on | on | on | always | on |

*Equal* means: the named test plays one script to client-go and to core/informer and fails unless the requests (verb, every field of ListOptions, order, time to the
nanosecond, as both draw jitter from one seed), every handler's calls (kind, objects down to the copy, isInInitialList, time), the store, its indices and version,
LastSyncResourceVersion, the controller's too, and all lamps are the same. Each era is played against its own release, which the table names as its judge: v0.37.2 as it runs,
in ` + "`make test`" + `; the older ones by what they answered, which ` + "`make releases`" + ` has them answer anew, in modules of their own (` + "`e2e/releases`" + `), each with the apimachinery, klog
and utils it was released with (` + "`testdata/*/modules.txt`" + `), and compares with what is recorded. Their clocks are virtual; nothing is taken from one release for another.

` + fmt.Sprintf("Beside the table, `TestRandomSchedules` compares %d random clusters, operations and faults an era in the same way and prints how many (`make releases` plays more, to all releases as they run), and", play.RecordedSchedules) + `
checks of our side alone that after the last fault the store is the cluster, that the states a listener saw of an object are a subsequence of its history and end with the
last, that tombstones stand only for what was gone, that the fold of the trace is what is inside after every step, and that no goroutine or stream outlives Run.
` + fmt.Sprintf("`TestRandomQueues` (%d an era) and `TestRandomStores` (%d an era) do the same to the queues and the Indexer standing alone. A schedule that fails is shrunk and printed with its seed.", play.RecordedQueues, play.RecordedStores) + `

| item | behaviour | eras | test | judged by | verdict |
|-|-|-|-|-|-|
`)
	for item := 1; item <= play.Items; item++ {
		for i := range play.Rows {
			if r := &play.Rows[i]; r.Item == item {
				fmt.Fprintf(&b, "| %d | %s | %s | `TestItem/%s` | %s | equal |\n", item, titles[item], play.EraNames(r.Eras), r.ID(), judges(r.Eras))
			}
		}
		for i := range newestRows {
			if r := &newestRows[i]; r.item == item {
				fmt.Fprintf(&b, "| %d | %s | %s | `TestItem/%s` | v0.37.2 | equal |\n", item, titles[item], r.eraNames(), r.id())
			}
		}
	}
	b.WriteString("\n## Where we differ on purpose\n\n| what | why |\n|-|-|\n")
	for _, d := range differences {
		fmt.Fprintf(&b, "| %s | %s |\n", d.what, d.why)
	}
	return b.String()
}

// TestDocument: docs/conformance.md is what the table says.
func TestDocument(t *testing.T) {
	const path = "../../../docs/conformance.md"
	want := document()
	if *updateFlag {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: go test ./core/informer/conformance -run TestDocument -update writes it", err)
	}
	if d := play.FirstDifference("docs/conformance.md", strings.Split(string(got), "\n"), strings.Split(want, "\n")); d != "" {
		t.Errorf("%s\ngo test ./core/informer/conformance -run TestDocument -update writes it anew", strings.ReplaceAll(d, "client-go ", "the table "))
	}
	for item := 1; item <= play.Items; item++ {
		if titles[item] == "" {
			t.Errorf("item %d has no title", item)
		}
	}
}
