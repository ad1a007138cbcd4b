package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// writeServer answers writes: a PUT and a POST of children in JSON and protobuf, and a DELETE with a Status.
func writeServer(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch {
		case r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/status"):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, `{"kind":"Status","metadata":{},"status":"Failure","message":"a canary","reason":"Conflict","details":{"name":"o00000"},"code":409}`)
		case r.Method == http.MethodPut:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{\n\"kind\":\"Parent\",\"metadata\":{\"name\":\"o00000\",\"namespace\":\"ns0\",\"uid\":\"u1\",\"resourceVersion\":\"77\","+
				"\"annotations\":{\"uid\":\"canary\"}},\"spec\":{\"metadata\":{\"resourceVersion\":\"1\",\"uid\":\"x\"}}}\n")
		case r.Method == http.MethodPost:
			w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
			w.WriteHeader(http.StatusCreated)
			n := func(i byte) []byte { return []byte{i} }
			meta := message(n(1), []byte("c-1"), n(3), []byte("ns0"), n(5), []byte("u2"), n(6), []byte("78"))
			_, _ = w.Write(append([]byte("k8s\x00"), message(n(1), message(n(1), []byte("v1"), n(2), []byte("Child")), n(2), message(n(1), meta))...))
		case r.Method == http.MethodDelete:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"kind":"Status","metadata":{},"status":"Success","details":{"name":"c-1","group":"x","uid":"u2"}}`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// controlled is a controller with two informers, parents and children, whose handlers add parents to one queue.
type controlled struct {
	p                 *Probe
	parents, children *source
	queue             workqueue.TypedRateLimitingInterface[string]
	read, list        cache.Indexer
	client            *http.Client
	url               string
}

func newControlled(t *testing.T) *controlled {
	t.Helper()
	c := &controlled{p: New(Options{}), parents: newSource(0), children: newSource(0), url: writeServer(t).URL}
	c.client = &http.Client{Transport: c.p.Transport(http.DefaultTransport)}
	c.queue = NewQueue[string](c.p, QueueOptions{Informer: "parents"})("x", workqueue.DefaultTypedControllerRateLimiter[string]())
	t.Cleanup(c.queue.ShutDown)
	add := func(of func(metav1.Object) string) cache.ResourceEventHandler {
		enqueue := func(obj any) { c.queue.Add(of(obj.(metav1.Object))) }
		return cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) }, DeleteFunc: enqueue}
	}
	for name, s := range map[string]*source{"parents": c.parents, "children": c.children} {
		inf := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		inf = seen(t, c.p, name, inf)
		of := func(o metav1.Object) string { return o.GetNamespace() + "/" + o.GetName() }
		if c.read = inf.GetIndexer(); name == "children" {
			of = func(metav1.Object) string { return "ns0/o00000" }
			c.list = c.read
		}
		if _, err := inf.AddEventHandler(add(of)); err != nil {
			t.Fatal(err)
		}
		run(t, inf)
		if name == "parents" {
			defer func(x cache.Indexer) { c.read = x }(c.read)
		}
	}
	return c
}

func (c *controlled) send(ctx context.Context, method, path string) {
	r, _ := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader("{}"))
	if resp, err := c.client.Do(r); err == nil {
		_, _ = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
}

// linesOf returns the lines of a kind in short.
func linesOf(r *recording, kinds string) (out []string) {
	for _, l := range r.all() {
		if !strings.Contains(kinds, l.Kind) {
			continue
		}
		s := fmt.Sprintf("%s %s li%d m%d %s rv%s srv%s %s f=%v", l.Kind, l.Key, l.Listener, l.M, l.Op, l.RV, l.StoreRV, l.Text, l.Flag)
		for _, it := range l.Items {
			s += fmt.Sprint(" ", it.Key, " ", it.RV, it.Indexed)
		}
		if l.Err != nil {
			s += fmt.Sprintf(" err %s %d %s", l.Err.Message, l.Err.Code, l.Err.Reason)
		}
		out = append(out, s)
	}
	return out
}

func sameLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: got\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestCauses: an entry of a key names the handler's call that made it, or says that its own worker did. What another goroutine adds has no cause.
func TestCauses(t *testing.T) {
	if !knowsGoroutines {
		t.Skip("goroutines are not told apart here")
	}
	c := newControlled(t)
	r, _ := attach(t, c.p)
	c.parents.set(0)
	eventually(t, "the parent is added", func() bool { return r.count("WorkAdded") == 1 })
	c.children.set(3)
	c.children.set(3)
	eventually(t, "the child too", func() bool { return r.count("WorkDeduplicated") == 2 })
	key, _ := c.queue.Get()
	c.children.remove(3)
	eventually(t, "it is dirty", func() bool { return r.count("WorkMarkedDirty") == 1 })
	c.queue.AddAfter(key, time.Hour)
	other := make(chan struct{})
	go func() { defer close(other); c.queue.AddAfter(key, 2*time.Hour) }()
	<-other
	c.queue.Done(key)
	eventually(t, "it waits", func() bool { return r.count("WorkWaitingUnchanged") == 1 })
	lanes := map[string]int{}
	for _, l := range c.p.informers() {
		lanes[l.name] = int(l.id) + 1
	}
	m, n := lanes["parents"], lanes["children"]
	sameLines(t, "entries", linesOf(r, "WorkAdded WorkDeduplicated WorkMarkedDirty WorkWaiting WorkWaitingUnchanged"), []string{
		fmt.Sprintf("WorkAdded ns0/o00000 li1 m%d Added rv1 srv ns0/o00000 f=false", m),
		fmt.Sprintf("WorkDeduplicated ns0/o00000 li1 m%d Added rv1 srv ns0/o00003 f=false", n),
		fmt.Sprintf("WorkDeduplicated ns0/o00000 li1 m%d Updated rv2 srv ns0/o00003 f=false", n),
		fmt.Sprintf("WorkMarkedDirty ns0/o00000 li1 m%d Deleted rv3 srvuid-o00003 ns0/o00003 f=false", n),
		"WorkWaiting ns0/o00000 li0 m0  rv srv  f=true",
		"WorkWaitingUnchanged ns0/o00000 li0 m0  rv srv  f=false",
	})
	noLayerOff(t, c.p)
}

// TestReconcile: reads on the worker's goroutine, and writes there or with the context, belong to the reconcile, whose end has the error's type.
func TestReconcile(t *testing.T) {
	if !knowsGoroutines {
		t.Skip("goroutines are not told apart here")
	}
	c := newControlled(t)
	c.parents.set(0)
	r, _ := attach(t, c.p)
	c.send(context.Background(), http.MethodPut, "/apis/x/v1/namespaces/ns0/parents/o00000") // of no reconcile
	c.queue.Add("ns0/o00000")
	key, _ := c.queue.Get()
	ctx, done := c.p.Reconcile(context.Background(), key)
	_, _, _ = c.read.GetByKey(key)
	_, _, _ = c.list.GetByKey("ns0/none")
	_ = c.list.List()
	_, _ = c.list.ByIndex(cache.NamespaceIndex, "ns0")
	c.send(context.Background(), http.MethodPut, "/apis/x/v1/namespaces/ns0/parents/o00000")
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		c.send(ctx, http.MethodPost, "/prefix/api/v1/namespaces/ns0/children")
		c.send(context.Background(), http.MethodDelete, "/api/v1/namespaces/ns0/children/c-2") // of no reconcile
		_ = c.list.List()                                                                      // nor is this
	}()
	wg.Wait()
	c.send(ctx, http.MethodDelete, "/api/v1/namespaces/ns0/children/c-1")
	c.send(ctx, http.MethodPut, "/apis/x/v1/namespaces/ns0/parents/o00000/status")
	c.send(ctx, http.MethodPut, "/healthz")
	c.send(ctx, http.MethodPatch, "/apis/x/v1/namespaces/ns0/parents/o00000?dryRun=All")
	done(fmt.Errorf("a canary: %w", apierrors.NewConflict(schema.GroupResource{Resource: "parents"}, "o", errors.New("canary"))))
	done(nil) // a second end is none
	c.queue.AddRateLimited(key)
	c.queue.Done(key)
	c.send(ctx, http.MethodPut, "/apis/x/v1/namespaces/ns0/parents/o00000") // too late
	eventually(t, "it is done", func() bool { return r.count("WorkDone") == 1 })
	lanes := map[string]int{}
	for _, l := range c.p.informers() {
		lanes[l.name] = int(l.id) + 1
	}
	m, n := lanes["parents"], lanes["children"]
	sameLines(t, "reads and writes", linesOf(r, "ListerRead ListerList ClusterWrite ClusterWritten Reconciled"), []string{
		"ListerRead ns0/o00000 li1 m0  rv1 srv1  f=false",
		fmt.Sprintf("ListerRead ns0/none li1 m%d  rv srv  f=false", n),
		fmt.Sprintf("ListerList  li1 m%d  rv srv  f=false", n),
		fmt.Sprintf("ListerList  li1 m%d  rv srv namespace=ns0 f=false", n),
		fmt.Sprintf("ClusterWrite ns0/o00000 li1 m%d  rv srv PUT f=false ns0/o00000 [{resource [parents.x]}]", m),
		fmt.Sprintf("ClusterWritten ns0/o00000 li1 m%d  rv77 srv PUT f=false ns0/o00000 77[{resource [parents.x]} {uid [u1]}]", m),
		fmt.Sprintf("ClusterWrite ns0/o00000 li1 m%d  rv srv POST f=false  [{resource [children]}]", n),
		fmt.Sprintf("ClusterWritten ns0/o00000 li1 m%d  rv78 srv POST f=false ns0/c-1 78[{resource [children]} {uid [u2]}]", n),
		fmt.Sprintf("ClusterWrite ns0/o00000 li1 m%d  rv srv DELETE f=false ns0/c-1 [{resource [children]}]", n),
		fmt.Sprintf("ClusterWritten ns0/o00000 li1 m%d  rv srv DELETE f=false ns0/c-1 [{resource [children]} {uid [u2]}]", n),
		fmt.Sprintf("ClusterWrite ns0/o00000 li1 m%d  rv srv PUT f=false ns0/o00000 [{resource [parents.x]} {subresource [status]}]", m),
		fmt.Sprintf("ClusterWritten ns0/o00000 li1 m%d  rv srv PUT f=false ns0/o00000 [{resource [parents.x]} {subresource [status]}] err Conflict 409 Conflict", m),
		"Reconciled ns0/o00000 li1 m0  rv srv  f=false err Conflict 409 Conflict",
	})
	for _, l := range r.all() {
		if text := fmt.Sprint(l); strings.Contains(text, "canary") {
			t.Errorf("the recording has an error's text: %s", text)
		}
	}
	noLayerOff(t, c.p)
}
