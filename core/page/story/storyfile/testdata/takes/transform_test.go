package take

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const pod = `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"ns","name":"web","resourceVersion":"7","managedFields":[{"manager":"kubectl"}]}}`

// server has one pod, and keeps what was requested.
type server struct {
	mu       sync.Mutex
	requests []string
	streams  []*io.PipeWriter
}

// end ends the streams: client-go leaves one open whose objects it could not take over.
func (s *server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.streams {
		_ = w.Close()
	}
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	verb, body := "LIST", io.NopCloser(strings.NewReader(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`+pod+`]}`))
	if req.URL.Query().Has("watch") {
		r, stream := io.Pipe()
		verb, body = "WATCH", r
		s.streams = append(s.streams, stream)
		if req.URL.Query().Has("sendInitialEvents") {
			verb = "WATCHLIST"
			go func() { // ends with the body
				_, _ = io.WriteString(stream, `{"type":"ADDED","object":`+pod+"}\n"+`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",`+
					`"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n")
			}()
		}
	}
	s.requests = append(s.requests, verb)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: req}, nil
}

// run runs an informer for a minute, and returns what its store has and what it requested.
func run(t *testing.T, make func(client kubernetes.Interface) cache.SharedIndexInformer) (objects []any, requests []string) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		client, err := kubernetes.NewForConfigAndClient(&rest.Config{Host: "http://cluster.example", ContentConfig: rest.ContentConfig{
			ContentType: "application/json"}}, &http.Client{Transport: s})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		informer := make(client)
		ended := newEnd(func() { informer.RunWithContext(ctx) })
		<-time.After(time.Minute)
		synctest.Wait()
		objects = informer.GetStore().List()
		cancel()
		<-ended
		s.end()
		requests = s.requests
	})
	return objects, requests
}

func newEnd(do func()) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		do()
	}()
	return ended
}

// TestSlim: the store has the pod without managedFields, after a WatchList alone. What slim has made, and a tombstone, it leaves as they are.
func TestSlim(t *testing.T) {
	objects, requests := run(t, pods)
	if len(objects) != 1 || objects[0].(*corev1.Pod).ManagedFields != nil || !slices.Equal(requests, []string{"WATCHLIST"}) {
		t.Errorf("%v after %v", objects, requests)
	}
	for _, obj := range []any{objects[0], cache.DeletedFinalStateUnknown{Key: "ns/web"}} {
		if again, err := slim(obj); again != obj || err != nil {
			t.Errorf("%v: %v, %v", obj, again, err)
		}
	}
}

// small is what a transform makes of a pod.
type small struct{ corev1.Pod }

// TestATransformThatRefusesItsOwnOutput shows what happens otherwise: each WatchList is thrown away, and a LIST follows.
func TestATransformThatRefusesItsOwnOutput(t *testing.T) {
	_, requests := run(t, func(client kubernetes.Interface) cache.SharedIndexInformer {
		return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(func(obj any) (any, error) {
			pod, ok := obj.(*corev1.Pod)
			if !ok {
				return nil, fmt.Errorf("%T is not a pod", obj)
			}
			return &small{*pod}, nil
		})).Core().V1().Pods().Informer()
	})
	if len(requests) < 2 || requests[0] != "WATCHLIST" || requests[1] != "LIST" {
		t.Errorf("requests: %v", requests)
	}
}
