package probe

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe/internal/joints"
)

// TestWhoMayAsk: this machine may ask by its own name, and so may a client with the token.
func TestWhoMayAsk(t *testing.T) {
	const token = "correct horse"
	for _, x := range []struct {
		name, remote, host, token string
		given                     string
		header                    http.Header
		method                    string
		want                      int
	}{
		{name: "here", remote: "127.0.0.1:1", host: "localhost:6060", want: 0},
		{name: "here, IPv6", remote: "[::1]:1", host: "[::1]:6060", want: 0},
		{name: "elsewhere", remote: "10.0.0.9:1", host: "localhost", want: 401},
		{name: "elsewhere, no token was given", remote: "10.0.0.9:1", host: "x", given: "", token: "", header: http.Header{"Authorization": {"Bearer "}}, want: 401},
		{name: "elsewhere with the token", remote: "10.0.0.9:1", host: "controller:6060", token: token, given: token, want: 0},
		{name: "elsewhere with another", remote: "10.0.0.9:1", host: "controller:6060", token: token, given: "wrong", want: 401},
		{name: "through a proxy", remote: "127.0.0.1:1", host: "localhost", header: http.Header{"X-Forwarded-For": {"10.0.0.9"}}, want: 401},
		{name: "through one that says its own name", remote: "127.0.0.1:1", host: "localhost", header: http.Header{"Via": {"1.1 proxy"}}, want: 401},
		{name: "through one that says whose", remote: "127.0.0.1:1", host: "localhost", header: http.Header{"X-Real-Ip": {"10.0.0.9"}}, want: 401},
		{name: "through one that says how", remote: "127.0.0.1:1", host: "localhost", header: http.Header{"X-Forwarded-Proto": {"https"}}, want: 401},
		{name: "through one that says nothing", remote: "127.0.0.1:1", host: "localhost", header: http.Header{"Forwarded": {""}}, want: 401},
		{name: "through a proxy with the token", remote: "127.0.0.1:1", host: "localhost", token: token, given: token, header: http.Header{"Via": {"1.1 proxy"}},
			want: 0},
		{name: "a name that somebody else gave this machine", remote: "127.0.0.1:1", host: "evil.example:6060", want: 403},
		{name: "a page of another site", remote: "127.0.0.1:1", host: "localhost:6060", header: http.Header{"Origin": {"https://evil.example"}}, want: 403},
		{name: "an image in a page of another site", remote: "127.0.0.1:1", host: "localhost:6060", header: http.Header{"Sec-Fetch-Site": {"cross-site"}}, want: 403},
		{name: "a write", remote: "127.0.0.1:1", host: "localhost", method: "POST", want: 405},
	} {
		r := httptest.NewRequest("GET", "/debug/informerscope/", nil)
		if x.method != "" {
			r.Method = x.method
		}
		r.RemoteAddr, r.Host = x.remote, x.host
		if x.header != nil {
			r.Header = x.header
		}
		if x.given != "" {
			r.Header.Set("Authorization", "Bearer "+x.given)
		}
		w := httptest.NewRecorder()
		New(Options{Token: x.token}).Handler().ServeHTTP(w, r)
		if want := max(x.want, 200); w.Code != want && !(x.want == 0 && w.Code == 200) {
			t.Errorf("%s: %d %s, not %d", x.name, w.Code, strings.TrimSpace(w.Body.String()), want)
		}
		if strings.Contains(w.Body.String(), token) {
			t.Errorf("%s: the token is in the answer", x.name)
		}
	}
}

// Attached and detached again and again, nothing stays: no goroutine, no buffer. A reader that takes nothing holds up no other.
func TestNothingStays(t *testing.T) {
	s := newSource(100)
	var handled atomic.Int64
	p, inf := newInformer(t, s, &handled)
	run(t, inf)
	p.opts.Events = 1024
	var before int64
	for i := range 1000 {
		if i == 100 {
			before = heap()
		}
		if !p.attach() {
			t.Fatal("refused")
		}
		if i == 0 && goroutinesOfTheProbe(t) == 0 {
			t.Fatal("its goroutine is not seen")
		}
		v := newViewer(p, io.Discard, p.informers())
		if err := v.begin(nil); err != nil {
			t.Fatal(err)
		}
		s.set(i % 200)
		if err := v.finish(); err != nil {
			t.Fatal(err)
		}
		p.detach()
	}
	eventually(t, "no goroutine of the probe is left", func() bool { return goroutinesOfTheProbe(t) == 0 })
	eventually(t, "all is handled", func() bool { return handled.Load() == 1100 })
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("nine hundred who came and went have left %d bytes", grown)
	}
	if p.ring != nil || p.attached.Load() {
		t.Fatal("it is still on")
	}
	head := p.head()
	s.set(1)
	eventually(t, "it is handled", func() bool { return handled.Load() == 1101 })
	if p.head() != head {
		t.Fatal("something was logged without a viewer")
	}
	noLayerOff(t, p)
}

// goroutinesOfTheProbe counts those that its own code began: client-go's begin and end when they will, a test's begin in a function of its name.
func goroutinesOfTheProbe(t *testing.T) int {
	t.Helper()
	all := make([]byte, 16<<20)
	all = all[:runtime.Stack(all, true)]
	return len(regexp.MustCompile(`(?m)^created by example.org/informerscope/probe\.\(`).FindAll(all, -1))
}

// Events that came faster than a reader took them are a gap that is reported, and what follows has a new baseline and is right.
func TestGap(t *testing.T) {
	needsJoints(t, "the store at the moment of a change")
	s := newSource(100)
	inf := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
	p := New(Options{Events: 256})
	p.Informer(gvr("things"), inf)
	run(t, inf)
	if !p.attach() {
		t.Fatal("refused")
	}
	defer p.detach()
	var out strings.Builder
	v := newViewer(p, &out, p.informers())
	if err := v.begin(nil); err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		s.set(i)
	}
	eventually(t, "the store has all", func() bool { return len(inf.GetStore().ListKeys()) == 2000 })
	if err := v.finish(); err != nil {
		t.Fatal(err)
	}
	p.Note("the end")
	if err := v.drain(); err != nil {
		t.Fatal(err)
	}
	r := &recording{}
	gap := false
	for _, text := range strings.Split(strings.TrimSpace(out.String()), "\n")[1:] {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		gap = gap || l.Kind == "Note" && strings.Contains(l.Text, "a gap")
		r.lines = append(r.lines, l)
	}
	if !gap {
		t.Fatal("the recording has no gap")
	}
	got, found := r.store("the end")
	if !found {
		t.Fatal("the end is not there")
	}
	requireEqual(t, "after the gap", got, storeOf(inf))
}

// A handler's panic goes on as it would without a probe, and is told without its words.
func TestPanic(t *testing.T) {
	p := New(Options{})
	l := &lane{p: p, layersOff: map[string]string{}, peers: map[uintptr]*timedHandler{}}
	h := l.addTimed(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { panic("the secret is a horse") }})
	p.lanes = []*lane{l}
	p.mu.Lock()
	p.ring = make([]event, 16)
	p.mu.Unlock()
	p.attached.Store(true)
	func() {
		defer func() {
			if r := recover(); r != "the secret is a horse" {
				t.Errorf("the panic was %v", r)
			}
		}()
		h.OnAdd(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, false)
	}()
	events, _, _ := p.eventsSince(0, nil)
	if len(events) != 2 || events[1].kind != evHandled || !events[1].flag || strings.Contains(fmt.Sprint(events), "horse") {
		t.Fatal(events)
	}
}

// A hook that fails switches its layer off and says why, and the controller keeps running.
func TestHookFails(t *testing.T) {
	var handled atomic.Int64
	p := New(Options{})
	h := &timedHandler{h: cache.ResourceEventHandlerFuncs{AddFunc: func(any) { handled.Add(1) }}, l: &lane{p: p, layersOff: map[string]string{}}, id: 1}
	p.attached.Store(true)
	defer p.attached.Store(false)
	var nothing *metav1.PartialObjectMetadata
	h.OnAdd(nothing, false) // naming it fails
	if handled.Load() != 1 {
		t.Fatal("the handler was not called")
	}
	if why := h.l.offLayers()["handlers"]; !strings.Contains(why, "switched off") {
		t.Fatalf("%q", why)
	}
}

func frameOf(i int) []byte {
	metadata := map[string]any{"name": "no", "resourceVersion": "no"}
	meta := map[string]any{
		"annotations": map[string]string{"a": strings.Repeat(`x\"{}`, 40), "name": "no"}, "labels": metadata,
		"managedFields": []any{map[string]any{"name": "no", "metadata": metadata}}, "ownerReferences": []any{metadata},
		"finalizers": []string{"name", "namespace", "resourceVersion"}, "name": fmt.Sprint("p", i), "namespace": "d", "resourceVersion": fmt.Sprint(i),
	}
	spec := map[string]any{"metadata": metadata, "x": strings.Repeat("y", 3000), "list": []string{"a", "metadata", "type"}}
	b, _ := json.Marshal(map[string]any{"type": "MODIFIED", "object": map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}})
	return append(b, '\n')
}

// Frames are cut right however the stream is cut, and from the middle of one.
func TestJSONFrames(t *testing.T) {
	var in []byte
	for i := range 20 {
		in = append(in, frameOf(i)...)
	}
	for _, begin := range []int{0, 1, 500, len(frameOf(0)) - 1} {
		for _, size := range []int{1, 2, 3, 7, 64, 1000, len(in)} {
			s, n, total := newJSONScanner(), 0, 0
			if begin > 0 {
				n = 1
				s.feed(in[:begin], false, nil)
			}
			for b := in[begin:]; len(b) > 0; {
				k := min(size, len(b))
				s.feed(b[:k], true, func(f frame) {
					if f.typ != "MODIFIED" || f.key != fmt.Sprint("d/p", n) || f.rv != fmt.Sprint(n) {
						t.Fatalf("from %d by %d, frame %d: %+v", begin, size, n, f)
					}
					n++
					total += f.size
				})
				b = b[k:]
			}
			if n != 20 || begin == 0 && total != len(in) {
				t.Fatalf("from %d by %d: %d frames of %d bytes", begin, size, n, total)
			}
		}
	}
	var got []frame
	s := newJSONScanner()
	for _, text := range []string{`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}`,
		`{"type":"ERROR","object":{"kind":"Status","metadata":{},"message":"too old","reason":"Expired","code":410}}`} {
		s.feed([]byte(text+"\n"), true, func(f frame) { got = append(got, f) })
	}
	if len(got) != 2 || !got[0].initialEnd || got[0].rv != "9" || got[1].reason != "Expired" {
		t.Fatalf("%+v", got)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add(frameOf(1), 7)
	f.Add([]byte("\x00\x00\x00\x05\x0a\x03ADD"), 2)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		size = max(1, size%64)
		for _, s := range []scanner{newJSONScanner(), &protoScanner{}} {
			for b := in; len(b) > 0; {
				k := min(size, len(b))
				s.feed(b[:k], true, func(f frame) {
					if len(f.key) > 3*protoHead || len(f.rv) > protoHead {
						t.Fatal("too much was kept")
					}
				})
				b = b[k:]
			}
		}
	})
}

func message(fields ...[]byte) (out []byte) {
	for i := 0; i+1 < len(fields); i += 2 {
		out = append(out, fields[i][0]<<3|2)
		out = binary.AppendUvarint(out, uint64(len(fields[i+1])))
		out = append(out, fields[i+1]...)
	}
	return out
}

// Protobuf frames too, and the ones that came without a viewer are only counted.
func TestProtoFrames(t *testing.T) {
	n := func(i byte) []byte { return []byte{i} }
	var in []byte
	for i := range 20 {
		meta := message(n(1), []byte(fmt.Sprint("p", i)), n(3), []byte("d"), n(6), []byte(fmt.Sprint(i)), n(11), make([]byte, 3000))
		raw := append([]byte("k8s\x00"), message(n(1), message(n(1), []byte("v1")), n(2), message(n(1), meta))...)
		f := message(n(1), []byte("ADDED"), n(2), message(n(1), raw))
		in = append(binary.BigEndian.AppendUint32(in, uint32(len(f))), f...)
	}
	for _, offset := range []int{0, 1, 4000} {
		for _, size := range []int{1, 3, 64, 1000, len(in)} {
			s, i := &protoScanner{}, -1
			s.feed(in[:offset], false, nil)
			for b := in[offset:]; len(b) > 0; {
				k := min(size, len(b))
				s.feed(b[:k], true, func(f frame) {
					if i < 0 {
						fmt.Sscanf(f.key, "d/p%d", &i)
					}
					if f.typ != "ADDED" || f.key != fmt.Sprint("d/p", i) || f.rv != fmt.Sprint(i) {
						t.Fatalf("after %d by %d, frame %d: %+v", offset, size, i, f)
					}
					i++
				})
				b = b[k:]
			}
			if i != 20 {
				t.Fatalf("after %d by %d: ends at frame %d", offset, size, i)
			}
		}
	}
}

// Of a URL only the path and the parameters of a list are kept, and of an error its cause.
func TestNoCredentials(t *testing.T) {
	u, _ := url.Parse("https://user:canary@host/api/v1/pods?watch=true&token=canary&continue=canary&resourceVersion=7")
	if s, watch := safeURL(u); !watch || strings.Contains(s, "canary") || !strings.Contains(s, "resourceVersion=7") {
		t.Fatal(s)
	}
	for _, err := range []error{fmt.Errorf("exec: canary"), context.Canceled, fmt.Errorf("x509: canary"), nil} {
		if strings.Contains(causeOf(err), "canary") {
			t.Fatal(causeOf(err))
		}
	}
}

// A private field that has another name or type is an error in words, and never a pointer.
func TestLayout(t *testing.T) {
	needsJoints(t, "private fields")
	type stranger struct{ cache.SharedIndexInformer }
	s := newSource(0)
	inner := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
	if in := joints.Look(&stranger{inner}); len(in.Problems) != 0 {
		t.Errorf("a wrapper that embeds the informer: %v", in.Problems)
	}
	type other struct {
		cache.SharedIndexInformer
		n int
	}
	if in := joints.Look(&other{}); in.Problems["listeners"] == "" || in.Problems["handlers"] == "" {
		t.Errorf("an empty one: %v", in.Problems)
	}
	p := New(Options{})
	bare := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, nil)
	p.Informer(gvr("bare"), bare)
	if why := p.informers()[0].offLayers()["store"]; !strings.Contains(why, "cache.Indexers{}") {
		t.Errorf("an informer with nil Indexers: %q", why)
	}
	if p.Informer(gvr("bare"), bare); len(p.informers()) != 1 {
		t.Error("the same informer is there twice")
	}
}

// What an event costs is written in docs/probe.md.
func TestEventSize(t *testing.T) {
	if n := reflect.TypeOf(event{}).Size(); n != 96 {
		t.Errorf("an event is %d bytes: docs/probe.md and Options say 96", n)
	}
}

// Of an informer that runs already the store is seen exactly, and of the rest samples, with the reasons.
func TestInformerThatRuns(t *testing.T) {
	needsJoints(t, "private fields")
	s := newSource(50)
	inf := cache.NewSharedIndexInformer(s, &metav1.PartialObjectMetadata{}, 0, cache.Indexers{})
	gate := make(chan struct{})
	if _, err := inf.AddEventHandler(&slow{gate}); err != nil {
		t.Fatal(err)
	}
	defer close(gate)
	run(t, inf)
	p := New(Options{})
	if _, err := p.Informer(gvr("things"), inf); err != nil {
		t.Fatal(err)
	}
	r, _ := attach(t, p)
	for i := range 1400 {
		s.set(i)
	}
	want := s.contents()
	eventually(t, "the store has all", func() bool { return maps.Equal(storeOf(inf), want) })
	p.Note("the end")
	eventually(t, "the end is recorded", func() bool { return r.has("Note", "the end") })
	got, _ := r.store("the end")
	requireEqual(t, "the end", got, want)
	layers := p.informers()[0].offLayers()
	if layers["handlers"] == "" || layers["queued"] == "" || len(layers) != 2 {
		t.Errorf("off: %v", layers)
	}
	for what, text := range map[string]string{"the queue": `"queue":{"depth":`, "the ring": `"capacity":2048`} {
		eventually(t, what+" is seen in a sample", func() bool { return r.has("Sampled", text) })
	}
	if !r.has("Restored", `"queue":{"how":"sampled"`) {
		t.Error("the queue is not said to be sampled")
	}
	f := p.informers()[0].fidelities(true)
	for member, how := range map[string]string{"listeners": "sampled", "listeners.ring": "sampled", "listeners.handling": "unseen", "listeners.handled": "unseen",
		"listeners.delivered": "unseen", "indexer": "exact", "indexer.bytes": "unseen"} {
		if f[member].How != how || how == "unseen" && f[member].Why == "" {
			t.Errorf("%s is said to be %+v, not %s", member, f[member], how)
		}
	}
	if r.count("Queued")+r.count("Handled") != 0 {
		t.Error("the recording has what cannot be seen")
	}
}
