package play

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/watch"
)

// frameSource is a connection that answers one WATCH with frames, one in a Read, and counts those that were taken from it. Then it does what end says.
type frameSource struct {
	n   int
	end string // "open", "closed", "cut" or "garbage"

	mu     sync.Mutex
	taken  int
	rest   []byte // of the frame that is being read
	over   bool   // the end has been said
	closed chan struct{}
	once   sync.Once
}

// RoundTrip implements http.RoundTripper.
func (f *frameSource) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: -1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: f}, nil
}

// Close implements io.Closer.
func (f *frameSource) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

// Read implements io.Reader.
func (f *frameSource) Read(p []byte) (int, error) {
	f.mu.Lock()
	if len(f.rest) == 0 && f.taken < f.n {
		f.taken++
		f.rest = fmt.Appendf(nil, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p%d","namespace":"ns","resourceVersion":"%d"}}}`+"\n", f.taken, f.taken)
	}
	if len(f.rest) == 0 && f.end == "garbage" && !f.over {
		f.over, f.rest = true, []byte("[garbage]\n")
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	f.mu.Unlock()
	switch {
	case n > 0:
		return n, nil
	case f.end == "cut":
		return 0, io.ErrUnexpectedEOF
	case f.end == "closed":
		return 0, io.EOF
	}
	<-f.closed
	return 0, io.ErrClosedPipe
}

func (f *frameSource) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.taken
}

// framesTaken opens a watch on 1,000 frames, and returns how many were taken from the connection while so many events were read. Then it stops the watch.
func framesTaken(initial bool) func(*Library) string {
	return func(lib *Library) string {
		var b strings.Builder
		f := &frameSource{n: 1000, end: "open", closed: make(chan struct{})}
		w, err := lib.Watch(f, initial)
		if err != nil {
			return err.Error()
		}
		read := 0
		for _, upTo := range []int{0, 1, 2, 50, 213, 700, 900} {
			for ; read < upTo; read++ {
				<-w.ResultChan()
			}
			synctest.Wait()
			line(&b, "%d frames taken when %d events were read", f.count(), read)
		}
		w.Stop()
		synctest.Wait()
		left := 0
		for range w.ResultChan() {
			left++
		}
		line(&b, "%d events after the stop", left)
		return b.String()
	}
}

// framesEnd opens a watch on 300 frames before an end, and returns what is read.
func framesEnd(initial bool, end string) func(*Library) string {
	return func(lib *Library) string {
		f := &frameSource{n: 300, end: end, closed: make(chan struct{})}
		w, err := lib.Watch(f, initial)
		if err != nil {
			return err.Error()
		}
		synctest.Wait()
		kinds := map[watch.EventType]int{}
		var last watch.EventType
		for e := range w.ResultChan() {
			kinds[e.Type]++
			last = e.Type
		}
		w.Stop()
		synctest.Wait()
		return fmt.Sprintf("%d ADDED, %d ERROR, the last is %s", kinds[watch.Added], kinds[watch.Error], last)
	}
}

// frameRows are of item 88.
var frameRows = []Row{
	{Item: 88, Name: "frames_of_a_watchlist", Releases: allReleases, run: framesTaken(true), wantIn: map[Release][]string{
		E131: {`^1 frames taken when 0 events were read`, `^51 frames taken when 50`}, E138: {`^213 frames taken when 0 events were read`, `^263 frames taken when 50`}},
		want: []string{`^0 events after the stop`}},
	{Item: 88, Name: "frames_of_a_watch", Releases: allReleases, run: framesTaken(false), want: []string{`^1 frames taken when 0 events were read`, `^0 events after the stop`}},
	{Item: 88, Name: "a_watchlist_that_ends", Releases: allReleases, run: framesEnd(true, "closed"), want: []string{`^300 ADDED, 0 ERROR`}},
	{Item: 88, Name: "a_watchlist_that_is_cut", Releases: allReleases, run: framesEnd(true, "cut"), want: []string{`^300 ADDED, 0 ERROR`}},
	{Item: 88, Name: "a_watchlist_with_garbage", Releases: allReleases, run: framesEnd(true, "garbage"), want: []string{`^300 ADDED, 1 ERROR, the last is ERROR`}},
}
