package take

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// server has one Secret, and keeps what was requested.
type server struct {
	mu       sync.Mutex
	requests []string
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.requests = append(s.requests, req.URL.Path+"?"+req.URL.Query().Get("fieldSelector"))
	s.mu.Unlock()
	const object = `{"kind":"Secret","apiVersion":"v1","metadata":{"namespace":"shop","name":"token","resourceVersion":"7"}}`
	body := io.NopCloser(strings.NewReader(object))
	if req.URL.Query().Has("watch") {
		r, stream := io.Pipe()
		body = r
		go func() { // ends with the body
			_, _ = io.WriteString(stream, `{"type":"ADDED","object":`+object+"}\n"+`{"type":"BOOKMARK","object":{"kind":"Secret","apiVersion":"v1",`+
				`"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n")
		}()
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: req}, nil
}

func newClient(t *testing.T) (*server, kubernetes.Interface) {
	s := &server{}
	client, err := kubernetes.NewForConfigAndClient(&rest.Config{Host: "http://cluster.example", ContentConfig: rest.ContentConfig{
		ContentType: "application/json"}}, &http.Client{Transport: s})
	if err != nil {
		t.Fatal(err)
	}
	return s, client
}

// TestTheInformerIsOfOneSecret: its only request is for that one, in its namespace.
func TestTheInformerIsOfOneSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, client := newClient(t)
		ctx, cancel := context.WithCancel(t.Context())
		informer := secretInformer(client, "shop", "token")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			informer.RunWithContext(ctx)
		}()
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			t.Error("it has not synced")
		}
		if keys := informer.GetStore().ListKeys(); len(keys) != 1 || keys[0] != "shop/token" {
			t.Errorf("the store has %v", keys)
		}
		cancel()
		<-ended
		if len(s.requests) != 1 || s.requests[0] != "/api/v1/namespaces/shop/secrets?metadata.name=token" {
			t.Errorf("requests: %v", s.requests)
		}
	})
}

// TestASecretIsReadWithoutACache: one request for each read.
func TestASecretIsReadWithoutACache(t *testing.T) {
	s, client := newClient(t)
	for range 2 {
		if found, err := secret(t.Context(), client, "shop", "token"); err != nil || found.Name != "token" {
			t.Fatal(found, err)
		}
	}
	if len(s.requests) != 2 || s.requests[0] != "/api/v1/namespaces/shop/secrets/token?" {
		t.Errorf("requests: %v", s.requests)
	}
}
