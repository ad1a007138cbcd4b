package restwatch

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// endless answers a watch with frames without an end.
type endless struct {
	mu     sync.Mutex
	frames int
	rest   []byte
	closed bool
}

func (e *endless) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Request: r, Header: http.Header{"Content-Type": {"application/json"}}, Body: e}, nil
}

func (e *endless) Read(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return 0, io.ErrClosedPipe
	}
	if len(e.rest) == 0 {
		e.frames++
		e.rest = fmt.Appendf(nil, `{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","resourceVersion":"%d"}}}`+"\n", e.frames, e.frames)
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func (e *endless) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	return nil
}

// TestWatchAhead checks what the hooks say of the frames that wait: they rise to the bound, fall by one with each event, and to 0 when the watch is stopped.
func TestWatchAhead(t *testing.T) {
	yes := true
	for _, tc := range []struct {
		name     string
		opts     metav1.ListOptions
		waiting  int
		inTheEnd []string
	}{
		{"a WatchList", metav1.ListOptions{SendInitialEvents: &yes}, framesAhead + 1, []string{"ahead 0", "done the watch was stopped by its reader"}},
		{"a WATCH", metav1.ListOptions{}, 0, []string{"done the watch was stopped by its reader"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var lock sync.Mutex
				var said []string
				waiting, frames := 0, 0
				say := func(format string, args ...any) {
					lock.Lock()
					defer lock.Unlock()
					said = append(said, fmt.Sprintf(format, args...))
				}
				c := &Client{HTTP: &http.Client{Transport: &endless{}}, Base: &url.URL{Scheme: "http", Host: "server"}, Hooks: Hooks{
					Frame: func(uint64, string, string, string, string, int) {
						lock.Lock()
						defer lock.Unlock()
						frames++
					},
					Ahead: func(_ uint64, n int) {
						say("ahead %d", n)
						lock.Lock()
						defer lock.Unlock()
						waiting = n
					},
					Done: func(_ uint64, err error) { say("done %v", err) },
				}}
				w, err := c.WatchAhead(t.Context(), schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", tc.opts)
				if err != nil {
					t.Fatal(err)
				}
				for read := range 300 {
					synctest.Wait()
					if lock.Lock(); waiting != tc.waiting || frames != tc.waiting+1+read {
						t.Fatalf("after %d events %d frames wait and %d came, want %d and %d", read, waiting, frames, tc.waiting, tc.waiting+1+read)
					}
					lock.Unlock()
					<-w.ResultChan()
				}
				w.Stop()
				synctest.Wait()
				if _, ok := <-w.ResultChan(); ok {
					t.Error("an event came after the stop")
				}
				if end := said[len(said)-len(tc.inTheEnd):]; !slices.Equal(end, tc.inTheEnd) {
					t.Errorf("in the end %q", end)
				}
			})
		})
	}
}
