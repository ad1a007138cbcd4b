package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// TestAQuietRecordingIsWhole: the end of an answer is written long after the last event, and reaches its reader.
func TestAQuietRecordingIsWhole(t *testing.T) {
	for _, proto := range []int{1, 2} {
		t.Run(fmt.Sprint("HTTP/", proto), func(t *testing.T) { expectWholeRecording(t, proto) })
	}
}

func expectWholeRecording(t *testing.T, proto int) {
	p := New(Options{})
	p.stallTimeout = 100 * time.Millisecond // a second is then as long as 100 s
	mustInform(t, p, "things", cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}))
	server := httptest.NewUnstartedServer(p.Handler())
	server.EnableHTTP2 = proto == 2
	server.StartTLS()
	defer server.Close()
	resp, err := server.Client().Get(server.URL + "/trace?seconds=1")
	if err != nil {
		t.Fatal(err)
	}
	if resp.ProtoMajor != proto {
		t.Fatalf("it is answered over %s", resp.Proto)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("the recording is damaged: %v", err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	var last line
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil || last.Text != endNote || last.At < int64(900*time.Millisecond) {
		t.Errorf("the last line is %s, %v", lines[len(lines)-1], err)
	}
}

// thing is an object of a version.
func thing(rv string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a", ResourceVersion: rv}}
}

// recordTo records a probe in a file, and returns what the file has now, and later.
func recordTo(t *testing.T, p *Probe) (text func() string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "a.trace"))
	if err != nil {
		t.Fatal(err)
	}
	stop, err := p.Record(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = file.Close()
	})
	return func() string {
		b, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
}

// TestAPanicIsFlushed: when a handler's panic goes on, and may end the process, the recording has it.
func TestAPanicIsFlushed(t *testing.T) {
	p := New(Options{})
	inf := mustInform(t, p, "things", cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}))
	text := recordTo(t, p)
	h := inf.(interface{ probeLane() *lane }).probeLane().wrapHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj interface{}) {
		_ = obj.(*metav1.ObjectMeta) // a tombstone is none
	}})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
			if !strings.Contains(text(), "the handler panicked") {
				t.Errorf("the recording has no panic:\n%s", text())
			}
		}()
		h.OnDelete(cache.DeletedFinalStateUnknown{Key: "ns/a", Obj: thing("1")})
	}()
}

// TestACallFromBefore: a call that began before the recording is in it, and its end.
func TestACallFromBefore(t *testing.T) {
	p := New(Options{})
	inf := mustInform(t, p, "things", cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}))
	entered, leave, left := make(chan bool), make(chan bool), make(chan bool)
	h := inf.(interface{ probeLane() *lane }).probeLane().wrapHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(interface{}) {
		entered <- true
		<-leave
	}})
	go func() {
		h.OnAdd(thing("1"), false)
		close(left)
	}()
	<-entered
	text := recordTo(t, p)
	if !strings.Contains(text(), `"k":"Handling","li":1`) {
		t.Errorf("the call is not in\n%s", text())
	}
	close(leave)
	<-left
	p.Close()
	if !strings.Contains(text(), `"k":"Handled","li":1`) {
		t.Errorf("its end is not in\n%s", text())
	}
}

// TestAResyncIsNoUpdate: a call with the version that the handler knows is a Sync.
func TestAResyncIsNoUpdate(t *testing.T) {
	p := New(Options{})
	inf := mustInform(t, p, "things", cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}))
	text := recordTo(t, p)
	h := inf.(interface{ probeLane() *lane }).probeLane().wrapHandler(cache.ResourceEventHandlerFuncs{})
	h.OnUpdate(thing("1"), thing("1"))
	h.OnUpdate(thing("1"), thing("2"))
	p.Close()
	if strings.Count(text(), `"k":"Handled","op":"Sync"`)+strings.Count(text(), `"op":"Sync","li":1`) == 0 || !strings.Contains(text(), `"Updated"`) {
		t.Errorf("no Sync and no Updated in\n%s", text())
	}
}

// TestRequestsNameTheirInformer: of several informers of a resource, that one has a request whose Reflector's context it carries.
func TestRequestsNameTheirInformer(t *testing.T) {
	p, _ := probeOf(t, "things", "things")
	lanes := p.informers()
	for i, namespace := range []string{"b", "a"} { // the second one asks first
		l := lanes[1-i]
		ctx := context.WithValue(context.Background(), laneKey{}, l)
		r := httptest.NewRequest(http.MethodGet, "http://h/api/v1/namespaces/"+namespace+"/things?resourceVersion=0", nil)
		if q := p.wire.begin(ctx, r.URL, lanes); q.lane != l {
			t.Errorf("the request of %s is another informer's", namespace)
		}
	}
}
