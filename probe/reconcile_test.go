package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.org/informerscope/probe/internal/joints"
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
	c.queue = NewQueue[string](c.p, QueueOptions{Informer: gvr("parents.x")})("x", workqueue.DefaultTypedControllerRateLimiter[string]())
	t.Cleanup(c.queue.ShutDown)
	add := func(keyOf func(metav1.Object) string) cache.ResourceEventHandler {
		enqueue := func(obj any) { c.queue.Add(keyOf(obj.(metav1.Object))) }
		return cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, obj any) { enqueue(obj) }, DeleteFunc: enqueue}
	}
	for name, s := range map[string]*source{"parents.x": c.parents, "children": c.children} {
		inf := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		inf = mustInform(t, c.p, name, inf)
		keyOf := func(o metav1.Object) string { return o.GetNamespace() + "/" + o.GetName() }
		if c.read = inf.GetIndexer(); name == "children" {
			keyOf = func(metav1.Object) string { return "ns0/o00000" }
			c.list = c.read
		}
		if _, err := inf.AddEventHandler(add(keyOf)); err != nil {
			t.Fatal(err)
		}
		run(t, inf)
		if name == "parents.x" {
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
		for _, item := range l.Items {
			s += fmt.Sprint(" ", item.Key, " ", item.RV, item.Indexed)
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
	if !joints.KnowsGoroutines {
		t.Skip("needs joints: the probe does not know goroutines here")
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
	m, n := lanes["parents.x"], lanes["children"]
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
	if !joints.KnowsGoroutines {
		t.Skip("needs joints: the probe does not know goroutines here")
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
	m, n := lanes["parents.x"], lanes["children"]
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

// TestAFailureIsShort: a webhook, which chooses the reason of an answer, does not choose how long a line of the recording is.
func TestAFailureIsShort(t *testing.T) {
	status := &apierrors.StatusError{ErrStatus: metav1.Status{Code: 422, Reason: metav1.StatusReason(strings.Repeat("x", 300_000))}}
	why := failureOf(fmt.Errorf("a canary: %w", status))
	if len(why.Reason) == 0 || len(why.Reason) > maxKey || why.Code != 422 {
		t.Errorf("a reason of %d bytes, code %d", len(why.Reason), why.Code)
	}
}

// badKey is a key that cannot be named.
type badKey struct{ n int }

func (badKey) String() string { panic("a canary") }

// badError fails when it is asked what it is.
type badError struct{}

func (badError) Error() string { return "a canary" }
func (badError) As(any) bool   { panic("a canary") }

type badAnswer struct{}

func (badAnswer) feed([]byte)    { panic("a canary") }
func (badAnswer) answer() answer { panic("a canary") }

// TestReconcileFails: what the probe reads of a key, an error or an answer may fail. The reconciler has its key, its context and its answer all the same.
func TestReconcileFails(t *testing.T) {
	c := newControlled(t)
	r, _ := attach(t, c.p)
	if ctx, done := c.p.Reconcile(context.Background(), badKey{}); ctx != context.Background() {
		t.Error("a key that cannot be named has a reconcile")
	} else {
		done(badError{})
	}
	c.queue.Add("ns0/o00000")
	key, _ := c.queue.Get()
	ctx, done := c.p.Reconcile(context.Background(), key)
	req, _ := http.NewRequestWithContext(ctx, http.MethodPut, c.url+"/apis/x/v1/namespaces/ns0/parents/o00000", strings.NewReader("{}"))
	resp, err := c.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if w, ok := resp.Body.(*writing); ok {
		w.scan = badAnswer{}
	} else if joints.KnowsGoroutines {
		t.Errorf("the answer is a %T", resp.Body)
	}
	if b, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(b), `"resourceVersion":"77"`) {
		t.Errorf("the answer is %q, %v", b, err)
	}
	_ = resp.Body.Close()
	done(badError{})
	c.queue.Done(key)
	eventually(t, "it is done", func() bool { return r.count("WorkDone") == 1 })
	for _, l := range c.p.informers() {
		if layers := offBeyondTag(l); joints.KnowsGoroutines && layers["writes"] == "" || len(layers) > 1 {
			t.Errorf("%s: off are %v", l.name, layers)
		}
	}
	for _, l := range r.all() {
		if text := fmt.Sprint(l, l.Err); strings.Contains(text, "canary") {
			t.Errorf("the recording has it: %s", text)
		}
	}
	bad := NewQueue[badKey](c.p, QueueOptions{Informer: gvr("children")})("bad", workqueue.DefaultTypedControllerRateLimiter[badKey]())
	defer bad.ShutDown()
	bad.Add(badKey{})
	if k, _ := bad.Get(); k != (badKey{}) {
		t.Error(k.n)
	}
	bad.Done(badKey{})
}

// TestReconcileWhileViewersComeAndGo: handlers add keys, and workers read and write, while viewers attach and detach a thousand times. Each key is reconciled,
// and no place of a goroutine is left over.
func TestReconcileWhileViewersComeAndGo(t *testing.T) {
	c := newControlled(t)
	var workers sync.WaitGroup
	var reconciled atomic.Int64
	for range 3 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for {
				key, down := c.queue.Get()
				if down {
					return
				}
				ctx, done := c.p.Reconcile(context.Background(), key)
				_, _, _ = c.read.GetByKey(key)
				_ = c.list.List()
				if n := reconciled.Add(1); n%16 == 0 {
					c.send(ctx, http.MethodPost, "/api/v1/namespaces/ns0/children")
				}
				done(nil)
				c.queue.Done(key)
			}
		}()
	}
	stop, changed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(changed)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				c.parents.set(i % 50)
				c.children.set(i % 50)
				goruntime.Gosched()
			}
		}
	}()
	n := 1000
	if testing.Short() || !joints.Available { // without joints, an attach waits for the informers' locks
		n = 100
	}
	for range n {
		if !c.p.attach() {
			t.Fatal("refused")
		}
		before := reconciled.Load()
		for reconciled.Load() == before {
			goruntime.Gosched()
		}
		c.p.detach()
	}
	if !c.p.attach() {
		t.Fatal("refused")
	}
	defer c.p.detach()
	close(stop)
	<-changed
	eventually(t, "all is reconciled", func() bool { return c.queue.Len() == 0 })
	c.queue.ShutDownWithDrain()
	workers.Wait()
	eventually(t, "no call is left", func() bool {
		s := c.p.scenes.Load()
		for i := range s.calls {
			if s.calls[i].goroutine.Load() != 0 || s.works[i].goroutine.Load() != 0 {
				return false
			}
		}
		return true
	})
	noLayerOff(t, c.p)
}

// TestTwoKeysOfOneGoroutine: a goroutine that takes two keys does not say which of them a read is for.
func TestTwoKeysOfOneGoroutine(t *testing.T) {
	c := newControlled(t)
	r, _ := attach(t, c.p)
	c.queue.Add("ns0/a")
	c.queue.Add("ns0/b")
	a, _ := c.queue.Get()
	b, _ := c.queue.Get()
	_ = c.list.List()
	ctx, done := c.p.Reconcile(context.Background(), b) // found by its name
	c.send(ctx, http.MethodPost, "/api/v1/namespaces/ns0/children")
	done(nil)
	c.queue.Done(a)
	c.queue.Done(b)
	eventually(t, "both are done", func() bool { return r.count("WorkDone") == 2 })
	lists, writes := linesOf(r, "ListerList"), linesOf(r, "ClusterWritten")
	if len(lists) != 0 || len(writes) != 1 || !strings.HasPrefix(writes[0], "ClusterWritten ns0/b li2") {
		t.Errorf("lists %q, writes %q", lists, writes)
	}
}
