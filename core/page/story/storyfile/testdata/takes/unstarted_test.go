package take

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// empty answers each WATCH with a stream of no objects, and keeps the paths that were requested. WATCHes of a path that ends with refuse get 403.
type empty struct {
	refuse string
	mu     sync.Mutex
	paths  []string
}

func (s *empty) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.paths = append(s.paths, req.URL.Path)
	s.mu.Unlock()
	answer := func(code int, body io.ReadCloser) (*http.Response, error) {
		return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: req}, nil
	}
	kind := map[bool]string{true: "Node", false: "Pod"}[strings.HasSuffix(req.URL.Path, "nodes")]
	switch {
	case s.refuse != "" && strings.HasSuffix(req.URL.Path, s.refuse):
		return answer(http.StatusForbidden, io.NopCloser(strings.NewReader(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`)))
	case !req.URL.Query().Has("watch"):
		return answer(http.StatusOK, io.NopCloser(strings.NewReader(`{"kind":"`+kind+`List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`)))
	}
	body, stream := io.Pipe()
	go func() { // ends with the body
		_, _ = io.WriteString(stream, `{"type":"BOOKMARK","object":{"kind":"`+kind+`","apiVersion":"v1","metadata":{"resourceVersion":"1",`+
			`"annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n")
	}()
	return answer(http.StatusOK, body)
}

// TestListers requests both informers before Start. An informer that has not synced is an error. Nodes() alone requests nothing.
func TestListers(t *testing.T) {
	for _, refuse := range []string{"", "nodes"} {
		synctest.Test(t, func(t *testing.T) {
			s := &empty{refuse: refuse}
			client, err := kubernetes.NewForConfigAndClient(&rest.Config{Host: "http://cluster.example", ContentConfig: rest.ContentConfig{
				ContentType: "application/json"}}, &http.Client{Transport: s})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			factory := informers.NewSharedInformerFactory(client, 0)
			defer factory.Shutdown()
			defer cancel()
			pods, nodes, err := listers(ctx, factory)
			if refuse != "" {
				if err == nil || !strings.Contains(err.Error(), "*v1.Node") {
					t.Errorf("without nodes: %v", err)
				}
				return
			}
			if err != nil || len(s.paths) != 2 {
				t.Fatalf("%v; requests of %v", err, s.paths)
			}
			if _, err := pods.List(labels.Everything()); err != nil {
				t.Error(err)
			}
			if _, err := nodes.List(labels.Everything()); err != nil {
				t.Error(err)
			}
			before := len(s.paths)
			services := factory.Core().V1().Services() // no request of an informer
			factory.Start(ctx.Done())
			if got := factory.WaitForCacheSync(ctx.Done()); len(got) != 2 {
				t.Errorf("waited for %v", got)
			}
			if found, err := services.Lister().List(labels.Everything()); err != nil || len(found) != 0 || len(s.paths) != before {
				t.Errorf("a lister that is requested after Start: %v, %v, %v", found, err, s.paths[before:])
			}
			if got := factory.WaitForCacheSync(ctx.Done()); len(got) != 2 {
				t.Errorf("with the lister of services, waited for %v", got)
			}
		})
	}
}
