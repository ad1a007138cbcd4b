package lab

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/labtest"
	"informerscope/core/lab/selection"
	"informerscope/core/log/trace"
	"informerscope/core/wire/pipe"
)

// slowly is a selection that must ask a live cluster for the version of a resource.
var slowly = selection.Change{Source: ptr("live"), Context: ptr("slow"), Resource: ptr("foos.example.com")}

// TestALaterSelectionThatAsksWinsToo replaces a selection whose cluster hangs by one whose cluster answers.
func TestALaterSelectionThatAsksWinsToo(t *testing.T) {
	asked, end := make(chan struct{}, 1), make(chan struct{})
	dial := labtest.Relay(t, labtest.Hang("/clusters/slow/", asked, end))
	t.Cleanup(func() { close(end) })
	l := New(Options{Recorder: trace.NewRecorder(trace.RecorderOptions{}), Dial: dial})
	ended := make(chan error, 1)
	go func() {
		_, err := l.Select(context.Background(), slowly)
		ended <- err
	}()
	<-asked
	// Another context of the same relay is unknown and is watched all the same: the trouble shows what is wrong.
	if sel, err := l.Select(t.Context(), selection.Change{Source: ptr("live"), Context: ptr("quick")}); err != nil || sel.Context != "quick" {
		t.Errorf("the later selection is %+v, %v", sel, err)
	}
	if err := <-ended; !errors.Is(err, ErrSuperseded) {
		t.Errorf("the earlier selection ended with %v", err)
	}
	// Closing does not wait for a selection that asks.
	go func() {
		_, err := l.Select(context.Background(), slowly)
		ended <- err
	}()
	<-asked
	l.Close()
	if err := <-ended; err == nil {
		t.Error("a selection on a Lab that was closed is no error")
	}
}

// TestVirtualTimeGoesOnWhileASelectionAsks acts meanwhile, which takes a turn of virtual time.
func TestVirtualTimeGoesOnWhileASelectionAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, end := make(chan struct{}, 1), make(chan struct{})
		ln := pipe.Listen()
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		srv := &http.Server{Protocols: &protocols, Handler: labtest.Hang("/clusters/", asked, end)}
		var wg sync.WaitGroup
		wg.Go(func() { _ = srv.Serve(ln) })
		rec := trace.NewRecorder(trace.RecorderOptions{})
		l := New(Options{Recorder: rec, Idle: synctest.Wait, Dial: func(ctx context.Context) (net.Conn, error) { return ln.Dial(ctx) }})
		if _, err := l.Select(t.Context(), selection.Change{Objects: ptr(20), Rate: ptr(20.0)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		wg.Go(func() { _, _ = l.Select(context.Background(), slowly) })
		<-asked
		before := rec.Now()
		if err := l.Informer(0).Hold("deliver", 1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if now := rec.Now(); now < before+4*time.Second {
			t.Errorf("the log's clock went from %v to %v in 5 s", before, now)
		}
		l.Close()
		close(end)
		_ = srv.Close()
		wg.Wait()
		time.Sleep(2 * time.Minute)
	})
}

// TestARefusedSelectionCutsNothing watches one context while another one's discovery fails: the running streams are not cut.
func TestARefusedSelectionCutsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cluster := simcluster.New(simcluster.Options{Seed: 1, Objects: 5, Rate: 0})
		mux := http.NewServeMux()
		mux.Handle("/clusters/one/", http.StripPrefix("/clusters/one", cluster))
		mux.HandleFunc("/contexts", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"contexts":[]}`) })
		ln := pipe.Listen()
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		srv := &http.Server{Protocols: &protocols, Handler: mux}
		var wg sync.WaitGroup
		wg.Go(func() { _ = srv.Serve(ln) })
		wg.Go(func() { cluster.Run(ctx) })
		rec := trace.NewRecorder(trace.RecorderOptions{})
		l := New(Options{Recorder: rec, Dial: func(ctx context.Context) (net.Conn, error) { return ln.Dial(ctx) }})
		if _, err := l.Select(ctx, selection.Change{Source: ptr("live"), Context: ptr("one")}); err != nil {
			t.Fatal(err)
		}
		pass(5 * time.Second)
		watches := func() (open, all int) {
			for _, r := range state(rec).API.Requests {
				all++
				if r.Open {
					open++
				}
			}
			return open, all
		}
		open, all := watches()
		if open != 1 {
			t.Fatalf("%d requests are open", open)
		}
		if _, err := l.Select(ctx, selection.Change{Context: ptr("two"), Resource: ptr("foos.example.com")}); err == nil {
			t.Error("a resource that nobody serves is watched")
		}
		pass(5 * time.Second)
		if o, a := watches(); o != open || a != all {
			t.Errorf("of %d requests %d are open; before the selection that was refused it was %d of %d", a, o, open, all)
		}
		l.Close()
		cancel()
		_ = srv.Close()
		wg.Wait()
		time.Sleep(2 * time.Minute)
	})
}
