package conformance

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	clientgo "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"informerscope/core/informer"
	"informerscope/core/informer/conformance/play"
	"informerscope/core/words/releases"
)

type object = metav1.PartialObjectMetadata

// newest is a row of the table that is compared only with client-go v0.37.2. Its behaviour is missing in the API of the older releases, or does not
// depend on the release. For an older release, v0.37.2 plays it with the gates of that release.
type newest struct {
	item     int
	name     string
	releases []releases.Release
	test     func(t *testing.T, release releases.Release)
}

// sinceV137 are the releases that behave like v0.37.2 where they are compared with it.
var sinceV137 = []releases.Release{releases.V137, releases.V138}

var newestRows = []newest{
	{48, "bookmarks_are_not_queued_unless_asked", sinceV137, testNoBookmark},
	{49, "illegal_options_panic", sinceV137, testIllegalOptions},
	{50, "the_lock_is_free_while_processing", sinceV137, testUnlocked},
	{59, "waitfor_logs_from_its_callers_line", sinceV137, testWaitForLog},
	{83, "start_wait_and_shutdown", everyRelease, testFactory},
	{83, "the_first_constructor_wins", everyRelease, testFirstConstructor},
}

func (r *newest) releaseNames() string {
	var out []string
	for _, e := range r.releases {
		out = append(out, e.String())
	}
	return strings.Join(out, ", ")
}

func (r *newest) id() string { return fmt.Sprintf("%03d_%s", r.item, r.name) }

// everyRelease has all releases of core/informer.
var everyRelease = []releases.Release{releases.V131, releases.V133, releases.V135, releases.V137, releases.V138}

// setRelease sets client-go's feature gates to the defaults of a release. It can also set gates that v0.37.2 locks, by means of features/testing.
func setRelease(t testing.TB, release releases.Release) {
	t.Helper()
	for _, g := range []struct {
		feature clientfeatures.Feature
		on      bool
	}{
		{clientfeatures.UnlockWhileProcessingFIFO, release >= releases.V137},
		{clientfeatures.AtomicFIFO, release >= releases.V137},
		{clientfeatures.InOrderInformersBatchProcess, release >= releases.V135},
		{clientfeatures.InOrderInformers, release >= releases.V133},
		{clientfeatures.WatchListClient, release >= releases.V135},
	} {
		featurestesting.SetFeatureDuringTest(t, g.feature, g.on)
	}
}

// bubbles runs a test with client-go and with core/informer, each in a bubble, and compares the returned texts.
func bubbles(t *testing.T, run func(mine bool) string) string {
	t.Helper()
	var want, got string
	synctest.Test(t, func(*testing.T) { want = run(false) })
	synctest.Test(t, func(*testing.T) { got = run(true) })
	if got != want {
		t.Fatalf("ours:\n%s\nclient-go:\n%s", got, want)
	}
	if strings.TrimSpace(want) == "" {
		t.Fatal("nothing was compared")
	}
	return want
}

func wantText(t *testing.T, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile("(?m)" + p).MatchString(text) {
			t.Errorf("nothing matches %s in:\n%s", p, text)
		}
	}
}

func line(b *strings.Builder, format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

func panics(f func()) (p bool) {
	defer func() { p = recover() != nil }()
	f()
	return false
}

func testNoBookmark(t *testing.T, _ releases.Release) {
	text := bubbles(t, func(mine bool) string {
		var b strings.Builder
		var q *play.Queue
		if mine {
			q = ourQueue(releases.V137, informer.NewRealFIFOWithOptions(informer.RealFIFOOptions{AtomicEvents: true}))
		} else {
			q = theirQueue(clientgo.NewRealFIFOWithOptions(clientgo.RealFIFOOptions{AtomicEvents: true}))
		}
		line(&b, "bookmark: failed=%v", q.Bookmark("5") != nil)
		q.Close()
		err := q.Pop(func(string, []string, []any, bool) error { line(&b, "popped"); return nil })
		line(&b, "closed and empty: %v", errors.Is(err, q.Closed))
		return b.String()
	})
	wantText(t, text, `bookmark: failed=false`, `closed and empty: true`)
}

func testIllegalOptions(t *testing.T, _ releases.Release) {
	text := bubbles(t, func(mine bool) string {
		var b strings.Builder
		for i := range 16 {
			atomic, unlock, mark := i&1 != 0, i&2 != 0, i&4 != 0
			var behind *nothing
			if i&8 != 0 {
				behind = &nothing{}
			}
			p := panics(func() {
				if mine {
					o := informer.RealFIFOOptions{AtomicEvents: atomic, UnlockWhileProcessing: unlock, EmitDeltaTypeBookmark: mark}
					if behind != nil {
						o.KnownObjects = behind
					}
					informer.NewRealFIFOWithOptions(o)
					return
				}
				o := clientgo.RealFIFOOptions{AtomicEvents: atomic, UnlockWhileProcessing: unlock, EmitDeltaTypeBookmark: mark}
				if behind != nil {
					o.KnownObjects = behind
				}
				clientgo.NewRealFIFOWithOptions(o)
			})
			line(&b, "atomic=%v unlock=%v bookmark=%v known=%v: panics=%v", atomic, unlock, mark, behind != nil, p)
		}
		return b.String()
	})
	wantText(t, text, "panics=true", "panics=false")
}

// testUnlocked checks that an event can be queued while a popped item is processed, unless very many items wait. It checks whether Update returns in
// the meantime. A goroutine that waits for a mutex stops the clock of a bubble. So this test uses real time: it waits long if Update must return, and
// briefly if it must not.
func testUnlocked(t *testing.T, release releases.Release) {
	for _, mine := range []bool{false, true} {
		for _, tc := range []struct {
			waiting int
			free    bool
		}{{0, true}, {1998, true}, {1999, true}, {2000, false}, {2001, false}} {
			lib := theirs()
			if mine {
				lib = ours(play.Release(release.String()))
			}
			q := lib.Queue(play.QueueOptions{})
			for i := range tc.waiting + 1 {
				_ = q.Bookmark(fmt.Sprint(i)) // each is popped alone
			}
			returned := make(chan struct{})
			free := false
			_ = q.Pop(func(string, []string, []any, bool) error {
				go func() {
					defer close(returned)
					_ = q.Update(&object{ObjectMeta: metav1.ObjectMeta{Name: "late", Namespace: "ns"}})
				}()
				patience := 20 * time.Millisecond
				if tc.free {
					patience = 30 * time.Second
				}
				select {
				case <-returned:
					free = true
				case <-time.After(patience):
				}
				return nil
			})
			<-returned
			if free != tc.free {
				t.Errorf("ours=%v: with %d waiting the lock is free: %v", mine, tc.waiting, free)
			}
		}
	}
}

// neverDone is a DoneChecker of both libraries.
type neverDone struct{ done chan struct{} }

func (n neverDone) Name() string          { return "never" }
func (n neverDone) Done() <-chan struct{} { return n.done }

// testWaitForLog checks that the log lines of WaitFor have the file of its caller as their source.
func testWaitForLog(t *testing.T, _ releases.Release) {
	text := bubbles(t, func(mine bool) string {
		var out strings.Builder
		ctx := klog.NewContext(context.Background(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&out))))
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		already := neverDone{make(chan struct{})}
		close(already.done)
		late := neverDone{make(chan struct{})}
		if mine {
			informer.WaitFor(ctx, "it", already)
			informer.WaitFor(ctx, "it", late)
		} else {
			clientgo.WaitFor(ctx, "it", already)
			clientgo.WaitFor(ctx, "it", late)
		}
		// The two calls are in different lines of this file.
		return regexp.MustCompile(`(?m)^.*\s([a-z_]+\.go):\d+\]`).ReplaceAllString(out.String(), "$1]")
	})
	wantText(t, text, `^newest_test.go\] "Waiting" for="it"`)
}
