package take

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// server answers the requests of an informer. Its field answer is the status code of the next WATCH that does not begin with all objects, 0 for a stream.
type server struct {
	mu     sync.Mutex
	answer int
	stream *io.PipeWriter
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	query := req.URL.Query()
	code, first := http.StatusOK, ""
	switch {
	case !query.Has("watch"):
		return respond(req, code, io.NopCloser(strings.NewReader(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`))), nil
	case query.Get("sendInitialEvents") == "true":
		first = `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}}}`
	case s.answer != 0:
		code, s.answer = s.answer, 0
		return respond(req, code, io.NopCloser(strings.NewReader(statusOf(code)))), nil
	}
	body, stream := io.Pipe()
	s.stream = stream
	if first != "" {
		go func() { _, _ = io.WriteString(stream, first+"\n") }() // ends with the body
	}
	return respond(req, code, body), nil
}

func respond(req *http.Request, code int, body io.ReadCloser) *http.Response {
	return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: req}
}

func statusOf(code int) string {
	text, err := json.Marshal(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code),
		Reason: map[int]metav1.StatusReason{410: metav1.StatusReasonExpired, 429: metav1.StatusReasonTooManyRequests, 500: metav1.StatusReasonInternalError}[code]})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// end ends the stream; the next WATCH gets the answer.
func (s *server) end(answer int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
	_ = s.stream.Close() // never fails
}

// TestCountLists: what costs a list is counted, and what resumes the watch is not. So it is for an informer that streams its list, and for one that does not.
func TestCountLists(t *testing.T) {
	utilruntime.ErrorHandlers = nil // they keep the time of the last error, which no bubble of fake time survives
	for _, streams := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			api := &server{}
			var mu sync.Mutex
			var counted []string
			config := &rest.Config{Host: "http://cluster", Transport: api}
			if !streams {
				config.Wrap(func(next http.RoundTripper) http.RoundTripper { return noStreams{next} })
			}
			countLists(config, func(path string) {
				mu.Lock()
				defer mu.Unlock()
				counted = append(counted, path)
			})
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				t.Fatal(err)
			}
			factory := informers.NewSharedInformerFactory(client, 0)
			factory.Core().V1().Pods().Informer()
			ctx, cancel := context.WithCancel(t.Context())
			defer func() {
				cancel()
				factory.Shutdown()
			}()
			factory.StartWithContext(ctx)
			// check waits long enough for every backoff to begin at 800 ms again.
			check := func(what string, want int) {
				t.Helper()
				<-time.After(5 * time.Minute)
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				if len(counted) != want || slices.ContainsFunc(counted, func(p string) bool { return p != "/api/v1/pods" }) {
					t.Errorf("streams %t: %s: %v, want %d lists", streams, what, counted, want)
				}
				counted = nil
			}
			first := 1
			if !streams {
				first = 2 // the stream that is refused, and the list
			}
			check("at first", first)
			api.end(0)
			check("a clean end", 0)
			api.end(http.StatusTooManyRequests)
			check("429", 0)
			api.end(http.StatusInternalServerError)
			check("500", first)
			if _, err := io.WriteString(api.stream, `{"type":"ERROR","object":`+statusOf(http.StatusGone)+"}\n"); err != nil {
				t.Error(err)
			}
			check("410", first)
			api.end(0)
			<-time.After(time.Millisecond)
			synctest.Wait()
			api.end(0)
			check("a short watch", first)
		})
	}
}

// noStreams refuses a WATCH that begins with all objects, as an older API server does.
type noStreams struct{ next http.RoundTripper }

func (n noStreams) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Query().Get("sendInitialEvents") == "true" {
		return respond(req, http.StatusUnprocessableEntity, io.NopCloser(strings.NewReader(statusOf(http.StatusUnprocessableEntity)))), nil
	}
	return n.next.RoundTrip(req)
}
