package take

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const pod = `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"ns","name":"web","resourceVersion":"7"}}`

// markless streams the first objects and never their end mark, as some aggregated API servers and proxies do. It answers a LIST as usual.
type markless struct {
	mu       sync.Mutex
	requests []string
}

func (s *markless) RoundTrip(req *http.Request) (*http.Response, error) {
	verb, body := "LIST", io.NopCloser(strings.NewReader(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`+pod+`]}`))
	if req.URL.Query().Has("watch") {
		r, stream := io.Pipe()
		verb, body = "WATCH", r
		if req.URL.Query().Has("sendInitialEvents") {
			verb = "WATCHLIST"
			go func() { // ends with the body
				_, _ = io.WriteString(stream, `{"type":"ADDED","object":`+pod+"}\n")
			}()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, verb)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: req}, nil
}

// TestOnlyTheInformerThatListsSyncs runs an informer as a factory makes it, and the one of the story, without end marks.
func TestOnlyTheInformerThatListsSyncs(t *testing.T) {
	for _, x := range []struct {
		make   func(client kubernetes.Interface) cache.SharedIndexInformer
		synced bool
		asks   []string
	}{
		{func(client kubernetes.Interface) cache.SharedIndexInformer {
			return informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
		}, false, []string{"WATCHLIST"}},
		{podsByList, true, []string{"LIST", "WATCH"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &markless{}
			client, err := kubernetes.NewForConfigAndClient(&rest.Config{Host: "http://cluster.example", ContentConfig: rest.ContentConfig{
				ContentType: "application/json"}}, &http.Client{Transport: s})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			informer := x.make(client)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				informer.RunWithContext(ctx)
			}()
			<-time.After(2 * time.Minute)
			synctest.Wait()
			if informer.HasSynced() != x.synced || len(informer.GetStore().ListKeys()) > 0 != x.synced || !slices.Equal(s.requests, x.asks) {
				t.Errorf("after %v: synced %v, the store has %v", s.requests, informer.HasSynced(), informer.GetStore().ListKeys())
			}
			cancel()
			<-ended
		})
	}
}
