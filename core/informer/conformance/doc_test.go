package conformance

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"informerscope/core/informer/conformance/play"
)

// titles are short titles of the items.
var titles = [play.Items + 1]string{
	1: "the first request is a WatchList", 2: "when WatchList is not tried", 3: "timeoutSeconds of a watch", 4: "the first LIST",
	5: "a relist's version and page size",
	6: "pages after the first", 7: "an expired continue token", 8: "when paging sticks", 9: "a LIST refused as expired, gone or too large",
	10: "the WATCH after a LIST",
	11: "the WatchList stream goes on as a watch", 12: "the bookmark that ends the initial events", 13: "initial events of one key collapse",
	14: "a WatchList refused as expired or too large",
	15: "a WatchList refused as overloaded", 16: "any other WatchList error", 17: "a WatchList closed without its end bookmark",
	18: "a missing or late end bookmark",
	19: "a WATCH refused as overloaded",
	20: "any other error opening a WATCH", 21: "an ERROR frame 410", 22: "an ERROR frame 429", 23: "an ERROR frame InternalError", 24: "a clean close",
	25: "frames that are dropped",
	26: "the version when the store fails", 27: "a WATCH without a version, or from 0", 28: "the backoff's steps", 29: "the backoff's reset",
	30: "the clock that a relist waits by",
	31: "when the resync timer starts", 32: "a resync that no handler wants", 33: "SyncAll", 34: "Sync", 35: "a handler's resync period",
	36: "updates that change nothing",
	37: "a new listener counts as syncing",
	38: "RealFIFO keeps the order", 39: "deleting an unknown key", 40: "DeltaFIFO groups by key", 41: "DeltaFIFO merges deletions", 42: "RealFIFO's Replace",
	43: "DeltaFIFO's Replace",
	44: "ReplacedAll", 45: "processing ReplacedAll", 46: "duplicate keys in a list", 47: "errors of processing", 48: "Bookmark deltas", 49: "illegal options",
	50: "the queue's lock while processing",
	51: "where a batch ends", 52: "a batch of one", 53: "a batch is one transaction", 54: "a closed queue", 55: "an event before the first Replace",
	56: "the initial population",
	57: "isInInitialList", 58: "the queue's HasSynced", 59: "the informer's HasSynced", 60: "a registration's HasSynced", 61: "a handler removed early",
	62: "a handler added late",
	63: "listeners keep order and do not wait for each other", 64: "a slow handler's backlog", 65: "removing a handler", 66: "shutting a handler down",
	67: "foreign registrations",
	68: "calls after start and after stop",
	69: "a second Run", 70: "a handler that panics", 71: "the order of ending", 72: "a filtering handler", 73: "an object recreated unseen",
	74: "when the transform runs",
	75: "objects transformed twice",
	76: "a transform that fails", 77: "keys", 78: "index functions and sets", 79: "adding indexers", 80: "the store's version",
	81: "the Reflector ahead of the store",
	82: "a Transaction that fails in part",
	83: "the factory", 84: "what the store says during a handler's call", 85: "what indices get of a batch", 86: "a shard", 87: "the error of a resync",
	88: "frames that are taken before their events are read",
}

// differences are the deliberate differences from client-go.
var differences = []struct{ what, why string }{
	{"Objects of a resync, a WatchList or a late handler's replay come in the stream's or the store's order. In client-go a Go map orders them.",
		"One seed must give one log. The comparison sorts only these runs (`canonical` in `core/informer/conformance/play/play.go`)."},
	{"If Replace fails after a WatchList's end bookmark, we stop the stream. client-go leaves it open without a reader.",
		"A leak helps no user."},
	{"A removed listener delivers nothing of its backlog. In client-go a select between two ready cases decides.",
		"Nothing is one of client-go's outcomes. The comparison of a listener ends at its removal."},
	{"After the context is done, a race in client-go decides whether a LIST is still sent.", "Requests of a stopped informer are not compared."},
	{"AddIndexers works on a store made with nil Indexers. client-go panics.", "No program can rely on that panic."},
	{"A Store or Indexer made on its own always has its version. client-go's follows a gate of the process.",
		"Here an informer, not the process, has a release."},
	{"Every release has the API of v0.37.2, such as RunWithContext and ShutDownEventHandler.",
		"Where a release lacks the call, v0.37.2 judges."},
	{"Ours has only the API that a page uses or a test here compares. `core/client/factory` is keyed by resource, not by Go type.",
		"A page exports no API, and all its objects have one Go type. client-go's dynamic factory judges ours."},
}

// group is the tests of an item that have the same releases and the same judge.
type group struct {
	releases string
	tests    []string
}

// groups are the tests of an item, in the order of the table.
func groups(item int) (all []*group) {
	add := func(releases, test string) {
		i := slices.IndexFunc(all, func(g *group) bool { return g.releases == releases })
		if i < 0 {
			i, all = len(all), append(all, &group{releases: releases})
		}
		all[i].tests = append(all[i].tests, "`"+test+"`")
	}
	for i := range play.Rows {
		if r := &play.Rows[i]; r.Item == item {
			add(span(play.ReleaseNames(r.Releases)), r.ID())
		}
	}
	for i := range newestRows {
		if r := &newestRows[i]; r.item == item {
			names := span(r.releaseNames())
			if names == "all" {
				names = "all, by v0.37.2"
			}
			add(names, r.id())
		}
	}
	return all
}

// span shortens the names of releases: "all", "since 1.35", "until 1.33".
func span(names string) string {
	every := play.ReleaseNames(play.Releases)
	first, _, several := strings.Cut(names, ", ")
	switch {
	case names == every:
		return "all"
	case several && strings.HasSuffix(every, names):
		return "since " + first
	case several && strings.HasPrefix(every, names):
		return "until " + names[strings.LastIndex(names, " ")+1:]
	}
	return names
}

func document() string {
	var b strings.Builder
	b.WriteString(`# Conformance with client-go

For engineers who change the informer, or who doubt it: which behaviours of client-go are compared with ours, and by which test.
` + "`go test ./core/informer/conformance -run TestDocument -update`" + ` writes this page.

A release is a version of client-go with its default feature gates:

| release | client-go | InOrderInformers | InOrderInformersBatchProcess | WatchListClient | InformerResourceVersion | AtomicFIFO, UnlockWhileProcessingFIFO |
|-|-|-|-|-|-|-|
| 1.31 | v0.31.14 | – | – | off | off | – |
| 1.33 | v0.33.13 | on | – | off | off | – |
| 1.35 | v0.35.10 | on | on | on | on | – |
| 1.37 | v0.37.2 | on | on | on | always | on |
| 1.38 (beta) | v0.38.0-beta.0 | on | on | on | always | on |

WatchListClientConcurrentDecoding is on in 1.38, where it came.

Each test plays one script to that version and to ` + "`core/informer`" + `, on virtual time, and fails at any difference in:

- the requests: verb, every field of ListOptions, order, and time to the nanosecond (both draw jitter from one seed);
- every handler call: kind, object and which copy of it, isInInitialList, time, and what the handler reads of the store;
- the store, its indices and version, LastSyncResourceVersion, and every HasSynced;
- how many frames a client takes from the connection before their events are read.

The client below the Reflector is judged by ` + "`rest.Request`" + ` of v0.37.2 in ` +
		"`core/client/restwatch`" + `: URLs, errors, and when a request is sent again after
Retry-After or a lost connection.

` + "`make test`" + ` runs v0.37.2 and compares with recorded answers of the other releases. ` + "`make releases`" + ` runs these again in ` + "`e2e/releases`" + `,
each with the modules it was released with (` + "`testdata/*/modules.txt`" + `).

` + fmt.Sprintf("`TestRandomSchedules` compares %d random schedules of operations and faults per release, `TestRandomReads` %d of\nhandlers that read the store, "+
		"`TestRandomQueues` %d of the queues alone and `TestRandomStores` %d of the Indexer alone. A failing schedule is shrunk and printed with its seed.\n"+
		"`TestRandomSchedules` also checks ours alone:\n\n", play.RecordedSchedules, play.RecordedReads, play.RecordedQueues, play.RecordedStores) +
		`- After the last fault the store equals the cluster.
- A listener gets an object's states in order, up to the last.
- A tombstone stands only for a deleted object.
- The fold of the recording equals the informer's own state after every step.
- No goroutine and no stream outlives Run.

## Behaviours

All are equal. ` + "`go test ./core/informer/conformance -run TestItem/004`" + ` runs behaviour 4. "By v0.37.2" names the judge where older releases lack the API.

| behaviour | subtests of ` + "`TestItem`" + `, with their releases unless all |
|-|-|
`)
	for item := 1; item <= play.Items; item++ {
		var parts []string
		for _, g := range groups(item) {
			part := strings.Join(g.tests, ", ")
			if g.releases != "all" {
				part += " (" + g.releases + ")"
			}
			parts = append(parts, part)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", titles[item], strings.Join(parts, "; "))
	}
	b.WriteString(`
Before 0.36 the queue is locked during a handler's call, so there the next change comes after it.

client-go 0.38 also has connection pools (ClientsAllowConnectionPool), the leader election's gate for writes, the client that drops managed fields
(ManagedFieldsOptOutClient), and ConsistencyStore. It has GVRSyncResult, the metric of the store's version, and a work queue that can pause. No test compares
these.
`)
	b.WriteString("\n## Where we differ on purpose\n\n| what | why |\n|-|-|\n")
	for _, d := range differences {
		fmt.Fprintf(&b, "| %s | %s |\n", d.what, d.why)
	}
	return b.String()
}

// TestDocument checks that docs/dev/conformance.md is what document returns.
func TestDocument(t *testing.T) {
	const path = "../../../docs/dev/conformance.md"
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
	if d := play.FirstDifference("docs/dev/conformance.md", strings.Split(string(got), "\n"), strings.Split(want, "\n")); d != "" {
		t.Errorf("%s\ngo test ./core/informer/conformance -run TestDocument -update writes it", strings.ReplaceAll(d, "client-go ", "the table "))
	}
	for item := 1; item <= play.Items; item++ {
		if titles[item] == "" {
			t.Errorf("item %d has no title", item)
		}
	}
}
