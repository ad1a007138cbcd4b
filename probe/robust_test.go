package probe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe/internal/joints"
)

// trap is an object that panics when one function of the probe asks for its version.
type trap struct {
	metav1.PartialObjectMetadata
	in *atomic.Pointer[string]
}

const words = "the secret is a horse"

func (o *trap) GetResourceVersion() string {
	if in := o.in.Load(); in != nil && calledFrom(*in) {
		panic(words)
	}
	return o.PartialObjectMetadata.GetResourceVersion()
}

func calledFrom(function string) bool {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "example.org/informerscope/probe.") && strings.HasSuffix(f.Function, function) {
			return true
		}
		if !more {
			return false
		}
	}
}

// trapped is an informer whose samples can fail.
type trapped struct {
	cache.SharedIndexInformer
	in *atomic.Pointer[string]
}

func (x trapped) LastSyncResourceVersion() string {
	if in := x.in.Load(); in != nil && *in == ").sample" {
		panic(words)
	}
	return x.SharedIndexInformer.LastSyncResourceVersion()
}

// A hook that fails while a viewer is attached puts its own layer off. The reader learns it, without the panic's text; the other layers go on, and
// the controller has every object. A recording that cannot be written ends with an error.
func TestPanics(t *testing.T) {
	for function, layer := range map[string]string{").emitStored": "store", ").transform.func1": "queued", ").begin": "handlers", ").sample": "samples",
		").baseline": ""} {
		t.Run(strings.TrimPrefix(function, ")."), func(t *testing.T) {
			if layer == "store" || layer == "queued" {
				needsJoints(t, "the store and the queue at the moment of a change")
			}
			var in atomic.Pointer[string]
			s := newSource(0)
			var handled atomic.Int64
			inf := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
			if err := inf.SetTransform(func(obj any) (any, error) {
				if o, ok := obj.(*metav1.PartialObjectMetadata); ok {
					return &trap{*o, &in}, nil
				}
				return obj, nil
			}); err != nil {
				t.Fatal(err)
			}
			add := func(to cache.SharedIndexInformer) {
				if _, err := to.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { handled.Add(1) }}); err != nil {
					t.Fatal(err)
				}
			}
			if joints.Available {
				add(inf)
			}
			p := New(Options{})
			if seen := mustInform(t, p, "things", trapped{inf, &in}); !joints.Available {
				add(seen)
			}
			run(t, inf)
			r, _ := attach(t, p)
			s.set(0)
			eventually(t, "one is handled", func() bool { return handled.Load() == 1 && r.count("Handled") == 1 })
			in.Store(&function)
			if layer == "" {
				w, ask := httptest.NewRecorder(), httptest.NewRequest("GET", "/stream", nil)
				ask.RemoteAddr, ask.Host = "127.0.0.1:1", "localhost"
				p.Handler().ServeHTTP(w, ask)
				if text := w.Body.String(); w.Code != 500 || !strings.Contains(text, "encoder failed (string)") || strings.Contains(text, "horse") {
					t.Errorf("a recording that cannot begin: %d %s", w.Code, text)
				}
			}
			for i := range 100 {
				s.set(1 + i)
			}
			calls := int64(101)
			past := &trap{metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "past"}}, &in}
			switch l := p.informers()[0]; layer { // what came through the queue was named there; of what comes past it the later hooks ask again
			case "store":
				_ = l.inf.GetStore().Add(past)
			case "handlers":
				l.timers[0].OnAdd(past, false)
				calls++
			}
			eventually(t, "all is handled", func() bool { return handled.Load() == calls })
			if layer != "" {
				eventually(t, "it is told", func() bool { return r.has("Note", "things: "+layer+" is no longer seen: ") })
				eventually(t, "the baseline says so", func() bool { return r.has("Restored", "was switched off") })
				if layers := offBeyondTag(p.informers()[0]); len(layers) != 1 || !strings.Contains(layers[layer], "failed (string) and was switched off") {
					t.Errorf("off: %v", layers)
				}
			} else {
				noLayerOff(t, p)
			}
			p.Note("the end")
			eventually(t, "the recording goes on", func() bool { return r.has("Note", "the end") })
			for _, kind := range []string{"Note", "Restored"} {
				if r.has(kind, "horse") {
					t.Error("the panic's words are told")
				}
			}
			if layer == "store" {
				return
			}
			if got, _ := r.store("the end"); len(got) != 101 {
				t.Errorf("the recording's store has %d objects", len(got))
			}
		})
	}
}

// A recording that cannot go on ends with a whole line that says so.
func TestEncoderFails(t *testing.T) {
	p, inf := newInformer(t, newSource(3), new(atomic.Int64))
	run(t, inf)
	w := httptest.NewRecorder()
	out := &patientWriter{w: w, c: http.NewResponseController(w), timeout: stallTimeout}
	v := newViewer(p, out, p.informers())
	if err := v.begin(nil); err != nil {
		t.Fatal(err)
	}
	func() {
		defer v.contain(out)
		panic(words)
	}()
	lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
	var last line
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if last.Kind != "Note" || !strings.Contains(last.Text, "ends here") || strings.Contains(last.Text, "horse") {
		t.Errorf("%+v", last)
	}
}

// bad is a scanner that fails.
type bad struct{}

func (bad) feed([]byte, bool, func(frame)) { panic(words) }

// A watch whose frames cannot be cut goes on without them, and says so.
func TestFramesFail(t *testing.T) {
	p, _ := newInformer(t, newSource(0), new(atomic.Int64))
	b := &body{ReadCloser: io.NopCloser(strings.NewReader("all of it")), p: p, q: p.wire.begin(context.Background(),
		&url.URL{Path: "/api/v1/things"}, p.informers()), scan: bad{}}
	if all, err := io.ReadAll(b); err != nil || string(all) != "all of it" {
		t.Fatalf("%q %v", all, err)
	}
	l := p.informers()[0]
	if why := l.offLayers()["frames"]; !strings.Contains(why, "the watch continues without frames") || strings.Contains(why, "horse") {
		t.Errorf("off: %v", l.offLayers())
	}
	if got := l.fidelities(true)["api"]; got.How != "derived" || got.Why == "" {
		t.Errorf("%+v", got)
	}
	if _, err := p.Transport(failing{}).RoundTrip(&http.Request{Method: http.MethodGet}); !errors.Is(err, errNone) {
		t.Errorf("a request without a URL: %v", err)
	}
}

// While a listener is asked whether it has synced, which waits for the queue's lock, the sampler holds nothing that a hook, or client-go, may wait
// for with that lock held. Before 0.36 the queue is locked while an object is processed.
func TestSamplesHoldNothing(t *testing.T) {
	needsJoints(t, "listeners")
	s := newSource(1)
	var armed atomic.Bool
	entered, leave := make(chan struct{}), make(chan struct{})
	inf := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{"slow": func(any) ([]string, error) {
		if armed.Swap(false) {
			close(entered)
			<-leave
		}
		return nil, nil
	}})
	if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{}); err != nil {
		t.Fatal(err)
	}
	p := New(Options{})
	p.Informer(gvr("things"), inf)
	run(t, inf)
	l := p.informers()[0]
	eventually(t, "it is seen to be synced", func() bool {
		x := &sample{}
		l.sampleListeners(x)
		return len(x.listeners) == 1 && x.listeners[0].synced
	})
	armed.Store(true)
	s.set(0)
	<-entered
	sampled := make(chan *sample)
	go func() {
		x := &sample{}
		l.sampleListeners(x)
		sampled <- x
	}()
	eventually(t, "the sampler waits for the queue", func() bool {
		all := make([]byte, 1<<20)
		for _, g := range strings.Split(string(all[:runtime.Stack(all, true)]), "\n\n") {
			if strings.Contains(g, ".sampleListeners(") && strings.Contains(g, ".HasSynced(") && strings.Contains(g, "Mutex.Lock") {
				if strings.Contains(g, ".TryListeners(") {
					t.Error("it holds the listeners' lock, which client-go takes to add one")
				}
				return true
			}
		}
		return false
	})
	if !l.mu.TryLock() {
		t.Error("it holds the probe's lock, which a hook takes to switch its layer off")
	} else {
		l.mu.Unlock()
	}
	close(leave)
	if x := <-sampled; len(x.listeners) != 1 || !x.listeners[0].synced {
		t.Errorf("sampled %+v", x.listeners)
	}
}

type failing struct{}

var errNone = errors.New("no URL")

func (failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errNone }

// heap is what the process holds.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// held is a writer that takes nothing until its gate is open.
type held struct{ began, gate chan struct{} }

func (w *held) Write(b []byte) (int, error) {
	select {
	case w.began <- struct{}{}:
	default:
	}
	<-w.gate
	return len(b), nil
}

// A reader that takes nothing holds up no other, and what is kept for it does not grow.
func TestStalledViewer(t *testing.T) {
	s := newSource(100)
	var handled atomic.Int64
	inf := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
	if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, _ any) { handled.Add(1) }}); err != nil {
		t.Fatal(err)
	}
	p := New(Options{Events: 2048})
	p.Informer(gvr("things"), inf)
	run(t, inf)
	if !p.attach() {
		t.Fatal("refused")
	}
	defer p.detach()
	w := &held{make(chan struct{}, 1), make(chan struct{})}
	v := newViewer(p, w, p.informers())
	stalled := make(chan error)
	go func() { stalled <- v.begin(nil) }()
	<-w.began
	done := int64(0)
	change := func(n int) {
		for i := range n {
			s.set(i % 100)
		}
		done += int64(n)
		eventually(t, "the handler has all while the reader takes nothing", func() bool { return handled.Load() == done })
	}
	change(4000) // the ring is full
	before := heap()
	change(40000)
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	close(w.gate)
	if err := <-stalled; err != nil {
		t.Fatal(err)
	}
	if err := v.finish(); err != nil {
		t.Fatal(err)
	}
	noLayerOff(t, p)
}

// A connection that takes nothing is closed after its time.
func TestStalledConnection(t *testing.T) {
	s := newSource(20000) // its baseline is more than the buffers of a connection
	p, inf := newInformer(t, s, new(atomic.Int64))
	p.stallTimeout = 50 * time.Millisecond
	run(t, inf)
	srv := httptest.NewUnstartedServer(p.Handler())
	srv.Listener = small{srv.Listener}
	srv.Start()
	defer srv.Close()
	c, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := fmt.Fprint(c, "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	attached := func() int { p.attachMu.Lock(); defer p.attachMu.Unlock(); return p.viewers }
	eventually(t, "it is attached", func() bool { return p.head() > 0 || attached() == 1 })
	eventually(t, "it is let go", func() bool { return attached() == 0 })
	eventually(t, "no goroutine of the probe is left", func() bool { return goroutinesOfTheProbe(t) == 0 })
}

// Readers that take nothing, of few events, hold no place that somebody else wants; who takes what comes keeps its own, and misses nothing.
func TestPlacesAreForThoseWhoRead(t *testing.T) {
	s := newSource(3)
	p, inf := newInformer(t, s, new(atomic.Int64))
	p.stallTimeout = 200 * time.Millisecond
	run(t, inf)
	srv := httptest.NewServer(p.Handler())
	defer srv.Close()
	defer srv.CloseClientConnections()
	attached := func() int { p.attachMu.Lock(); defer p.attachMu.Unlock(); return p.viewers }
	for range 3 {
		c, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.(*net.TCPConn).SetReadBuffer(4 << 20); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprint(c, "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	lines := make(chan line, 1024)
	blank := new(atomic.Int64)
	reading, err := http.Get(srv.URL + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Body.Close()
	go func() {
		defer close(lines)
		for in := bufio.NewReader(reading.Body); ; {
			text, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			if text = bytes.TrimSpace(text); len(text) == 0 {
				blank.Add(1)
				continue
			}
			l := line{}
			if err := json.Unmarshal(text, &l); err != nil {
				t.Errorf("%q: %v", text, err)
			}
			lines <- l
		}
	}()
	eventually(t, "all places are taken", func() bool { return attached() == 4 })
	knock := func() int {
		response, err := http.Get(srv.URL + "/stream")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	if blank.Load() != 0 {
		t.Error("readers are asked for a proof though no other client waits")
	}
	began := time.Now()
	if code := knock(); code != http.StatusServiceUnavailable {
		t.Fatalf("the fifth: %d", code)
	}
	eventually(t, "those who take nothing are let go", func() bool { return attached() == 1 })
	if took := time.Since(began); took > 50*p.stallTimeout {
		t.Errorf("it took %v, and a write may take %v", took, p.stallTimeout)
	}
	if code := knock(); code != http.StatusOK {
		t.Errorf("there is no place: %d", code)
	}
	p.Note("the end")
	for seq, ended := uint64(0), false; !ended; {
		l, ok := <-lines
		if !ok || l.Seq != 0 && l.Seq != seq+1 { // the head of a trace has no number
			t.Fatalf("%v: %+v, behind number %d", ok, l, seq)
		}
		seq, ended = l.Seq, l.Kind == "Note" && l.Text == "the end"
	}
}

// small gives connections little room.
type small struct{ net.Listener }

func (l small) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if x, ok := c.(*net.TCPConn); ok {
		_ = x.SetWriteBuffer(4096)
	}
	return c, err
}
