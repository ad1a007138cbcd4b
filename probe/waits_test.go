//go:build go1.25

package probe

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// restarts is an API server of things that is killed, restarted and compacted.
type restarts struct {
	mu      sync.Mutex
	refuses error // what each request gets; nil while it runs
	watches []*io.PipeWriter
	list    func() io.Reader // the body of the next list, nil for a good one
}

func (s *restarts) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuses != nil {
		return nil, &url.Error{Op: "Get", URL: r.URL.String(), Err: s.refuses}
	}
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r}
	if r.URL.Query().Get("watch") == "" {
		var body io.Reader = strings.NewReader(`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"items":[]}`)
		if s.list != nil {
			body, s.list = s.list(), nil
		}
		answer.Body = io.NopCloser(body)
		return answer, nil
	}
	in, out := io.Pipe()
	s.watches = append(s.watches, out)
	answer.Body = in
	return answer, nil
}

// end ends the open watches with a last frame and an error.
func (s *restarts) end(frame string, err error) {
	s.mu.Lock()
	all := s.watches
	s.watches = nil
	s.mu.Unlock()
	for _, w := range all {
		_, _ = io.WriteString(w, frame)
		_ = w.CloseWithError(err)
	}
}

func (s *restarts) refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = err
}

const gone = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old resource version","reason":"Expired","code":410}}` + "\n"

// TestWaitsBesideTheReflector: the waits that the probe derives are at most those of client-go's own Reflector and rest client, and at least half of them,
// through a kill, a restart and 410s.
func TestWaitsBesideTheReflector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, s := New(Options{}), &restarts{}
		client := metadata.NewForConfigOrDie(&rest.Config{Host: "http://api", Transport: p.Transport(s),
			QPS: -1}).Resource(gvr("things").GroupResource().WithVersion("v1"))
		inf := p.NewInformer(&cache.ListWatch{
			ListFunc:  func(o metav1.ListOptions) (runtime.Object, error) { return client.List(t.Context(), o) },
			WatchFunc: func(o metav1.ListOptions) (watch.Interface, error) { return client.Watch(t.Context(), o) },
		}, &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Thing", APIVersion: "v1"}}, 10*time.Hour,
			cache.Indexers{}) // without resyncs it waits for a channel of no bubble
		r := newReading(t, p)
		stop := make(chan struct{})
		ended := make(chan struct{})
		go func() {
			inf.Run(stop)
			close(ended)
		}()
		for _, step := range []struct {
			after time.Duration
			do    func()
		}{
			{5 * time.Second, func() { s.refuse(syscall.ECONNRESET); s.end("", syscall.ECONNRESET) }}, // SIGKILL: connections are reset,
			{3 * time.Second, func() { s.refuse(syscall.ECONNREFUSED) }},                              // then nothing listens
			{20 * time.Second, func() { s.refuse(nil) }},
			{40 * time.Second, func() { s.end(gone, io.EOF) }},
			{40 * time.Second, func() { s.end(gone, io.EOF) }}, // within two minutes: a longer wait
			{40 * time.Second, func() {
				s.mu.Lock()
				s.list = func() io.Reader { return io.MultiReader(strings.NewReader("{"), iotest.ErrReader(syscall.ECONNRESET)) }
				s.mu.Unlock()
				s.end(gone, io.EOF)
			}},
			{5 * time.Minute, func() { s.end(gone, io.EOF) }}, // after two minutes: the first wait again
			{time.Minute, func() {}},
		} {
			time.Sleep(step.after)
			synctest.Wait()
			step.do()
			r.drain()
		}
		close(stop)
		<-ended
		r.drain()
		p.detach()
		var waits []time.Duration
		var began, wait int64
		for _, text := range r.texts {
			var l line
			if json.Unmarshal([]byte(text), &l) != nil {
				continue
			}
			switch l.Kind {
			case "Backoff":
				began, wait = l.At, l.Dur
			case "RequestSent":
				if took := l.At - began; wait > 0 {
					if took < wait || took > 2*wait+int64(time.Millisecond) {
						t.Errorf("wait %d: the probe says %s, client-go waited %s", len(waits), time.Duration(wait), time.Duration(took))
					}
					waits = append(waits, time.Duration(wait))
					wait = 0
				} else if len(waits) > 0 && took > int64(time.Second) && l.Verb == "LIST" {
					t.Errorf("client-go waited before %s, and the probe says nothing", text)
				}
			}
		}
		if len(waits) < 8 || waits[0] != clientWait || waits[len(waits)-1] != firstWait {
			t.Errorf("the waits are %v", waits)
		}
	})
}
