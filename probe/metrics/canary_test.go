package metrics

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"example.org/informerscope/probe"
)

// What no viewer may get: parts of a Secret, the credentials that the controller asks with, and texts of errors.
var canaries = map[string]string{
	"value":      "canary-value-5f1c8e",
	"name":       "canary-of-a-value-91", // of a value within the Secret
	"label":      "canary-label-22d0",
	"annotation": "canary-annotation-7be4",
	"manager":    "canary-manager-03aa",
	"token":      "canary-token-c4d9e1",
	"message":    "canary-message-8811",
	"query":      "canary-query-6602",
	"probe":      "canary-probetoken-a0a1",
}

// findCanaries are the canaries that stand in a text, as they are or in another form.
func findCanaries(text []byte) (names []string) {
	for name, canary := range canaries {
		forms := []string{canary, hex.EncodeToString([]byte(canary))}
		for skip := range 3 { // wherever it begins in what was encoded
			whole := base64.StdEncoding.EncodeToString(append(make([]byte, skip), canary...))
			forms = append(forms, whole[4:len(whole)-4])
		}
		for _, form := range forms {
			if bytes.Contains(text, []byte(form)) {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

func secret(i, version int) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprint("s", i), ResourceVersion: strconv.Itoa(version),
			Labels: map[string]string{"x": canaries["label"]}, Annotations: map[string]string{"x": canaries["annotation"]},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: canaries["manager"]}}},
		Data: map[string][]byte{canaries["name"]: []byte(canaries["value"])},
		Type: corev1.SecretTypeOpaque,
	}
}

// secrets is an API server that has Secrets, and speaks what its client asks for.
type secrets struct {
	codecs serializer.CodecFactory
	media  string
	frames chan watch.Event
	mu     sync.Mutex
	sent   bytes.Buffer
	asked  bytes.Buffer
}

func (s *secrets) note(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(&s.asked, r.URL, r.Header)
}

func (s *secrets) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent.Write(b)
}

func (s *secrets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.note(r)
	info, ok := runtime.SerializerInfoForMediaType(s.codecs.SupportedMediaTypes(), s.media)
	if !ok {
		http.Error(w, "no such media type", http.StatusNotAcceptable)
		return
	}
	out := io.MultiWriter(w, s)
	encoder := s.codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion)
	w.Header().Set("Content-Type", s.media)
	if r.URL.Query().Get("sendInitialEvents") != "" {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_ = encoder.Encode(&metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonInvalid, Code: 422, Message: canaries["message"]}, out)
		return
	}
	if r.URL.Query().Get("watch") == "" {
		list := &corev1.SecretList{ListMeta: metav1.ListMeta{ResourceVersion: "20"}}
		for i := range 20 {
			list.Items = append(list.Items, *secret(i, i+1))
		}
		_ = encoder.Encode(list, out)
		return
	}
	w.Header().Set("Content-Type", s.media+";stream=watch")
	_ = http.NewResponseController(w).Flush()
	framed := info.StreamSerializer.Framer.NewFrameWriter(out)
	objects := s.codecs.EncoderForVersion(info.StreamSerializer.Serializer, corev1.SchemeGroupVersion)
	if s.media == runtime.ContentTypeProtobuf {
		objects = encoder // within a frame stands an object with its own head
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case e := <-s.frames:
			raw, err := runtime.Encode(objects, e.Object)
			if err != nil {
				panic(err)
			}
			event := &metav1.WatchEvent{Type: string(e.Type), Object: runtime.RawExtension{Raw: raw}}
			if err := s.codecs.EncoderForVersion(info.StreamSerializer.Serializer, corev1.SchemeGroupVersion).Encode(event, framed); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			if e.Type == watch.Error {
				return
			}
		}
	}
}

// TestCanaries has a controller of Secrets watched over each wire, also where the bodies of Secrets were asked for. A stream, a file, the list of
// informers, the metrics and the log have nothing of a Secret but its key and version, no token and no text of an error.
func TestCanaries(t *testing.T) {
	secretsResource := corev1.SchemeGroupVersion.WithResource("secrets")
	asked := []schema.GroupVersionResource{secretsResource}
	for _, x := range []struct {
		media   string
		objects []schema.GroupVersionResource
	}{{runtime.ContentTypeJSON, nil}, {runtime.ContentTypeProtobuf, asked}, {runtime.ContentTypeJSON, asked}} {
		media := x.media
		t.Run(fmt.Sprint(media, x.objects), func(t *testing.T) {
			var logged safe
			before := log.Writer()
			log.SetOutput(&logged)
			klog.LogToStderr(false)
			klog.SetOutput(&logged)
			defer func() { klog.Flush(); klog.LogToStderr(true); log.SetOutput(before) }()

			scheme := runtime.NewScheme()
			if err := corev1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			api := &secrets{codecs: serializer.NewCodecFactory(scheme), media: media, frames: make(chan watch.Event)}
			srv := httptest.NewServer(api)
			p := probe.New(probe.Options{Token: canaries["probe"], Objects: x.objects})
			cfg := p.WrapConfig(&rest.Config{Host: srv.URL, BearerToken: canaries["token"], APIPath: "/api", ContentConfig: rest.ContentConfig{
				GroupVersion: &corev1.SchemeGroupVersion, NegotiatedSerializer: api.codecs.WithoutConversion(), ContentType: media}})
			client, err := rest.RESTClientFor(cfg)
			if err != nil {
				t.Fatal(err)
			}
			registry := prometheus.NewPedanticRegistry()
			registry.MustRegister(NewCollector(p))
			mux := http.NewServeMux()
			mux.Handle("/debug/informerscope/", p.Handler())
			mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
			own := httptest.NewServer(mux)
			inf, err := p.Informer(secretsResource, cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client, "secrets", "", fields.Everything()),
				&corev1.Secret{}, 0, cache.Indexers{"values": func(obj any) ([]string, error) {
					return []string{string(obj.(*corev1.Secret).Data[canaries["name"]])}, nil
				}}))
			if err != nil {
				t.Fatal(err)
			}
			var stored safe
			if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { fmt.Fprint(&stored, obj) },
				UpdateFunc: func(_, obj any) { fmt.Fprint(&stored, obj) }}); err != nil {
				t.Fatal(err)
			}
			get := func(path string) *http.Response {
				t.Helper()
				r, _ := http.NewRequest(http.MethodGet, own.URL+path, nil)
				r.Header.Set("Authorization", "Bearer "+canaries["probe"])
				resp, err := http.DefaultClient.Do(r)
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Fatal(err, resp)
				}
				return resp
			}
			all := func(path string) []byte {
				t.Helper()
				resp := get(path)
				defer resp.Body.Close()
				b, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			stream := get("/debug/informerscope/stream")
			lines := make(chan string, 1<<16)
			go func() {
				defer close(lines)
				for in := bufio.NewReader(stream.Body); ; {
					text, err := in.ReadString('\n')
					if err != nil {
						return
					}
					lines <- text
				}
			}()
			stop, done := make(chan struct{}), make(chan struct{})
			go func() { defer close(done); inf.Run(stop) }()
			eventually(t, "synced", inf.HasSynced)
			for i := range 20 {
				api.frames <- watch.Event{Type: watch.Modified, Object: secret(i, 21+i)}
			}
			api.frames <- watch.Event{Type: watch.Deleted, Object: secret(0, 50)}
			api.frames <- watch.Event{Type: watch.Error, Object: &metav1.Status{Status: metav1.StatusFailure, Code: 410, Reason: metav1.StatusReasonExpired,
				Message: canaries["message"]}}
			api.frames <- watch.Event{Type: watch.Modified, Object: secret(1, 60)} // after a new list
			if err := client.Get().AbsPath("/api/v1/secrets").Param("token", canaries["query"]).Do(context.Background()).Error(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "all is in the store", func() bool {
				x, ok, _ := inf.GetStore().GetByKey("ns/s1")
				return ok && x.(*corev1.Secret).ResourceVersion == "60"
			})
			p.Note("the end")
			var text []byte
			for l := range lines {
				if text = append(text, l...); strings.Contains(l, `"the end"`) {
					break
				}
			}
			file := all("/debug/informerscope/trace?seconds=1")
			list, metrics := all("/debug/informerscope/"), all("/metrics")
			stream.Body.Close()
			for range lines { // until it is closed
			}
			close(stop)
			<-done
			srv.CloseClientConnections()
			srv.Close()
			own.Close()
			klog.Flush()

			// They were there to be found.
			sent, asked := findCanaries(api.sent.Bytes()), findCanaries(api.asked.Bytes())
			if len(sent) < 6 || len(asked) != 2 || len(findCanaries(stored.bytes())) < 2 {
				t.Fatalf("sent were only %v, asked with were %v, in the store are %v", sent, asked, findCanaries(stored.bytes()))
			}
			for what, x := range map[string][]byte{"stream": text, "file": file, "list": list, "metrics": metrics, "log": logged.bytes()} {
				if what == "log" {
					x = bytes.ReplaceAll(x, []byte(canaries["message"]), nil) // client-go itself logs an API server's words
				} else if len(x) == 0 {
					t.Errorf("the %s is empty", what)
				}
				if names := findCanaries(x); len(names) > 0 {
					t.Errorf("in the %s there are %v", what, names)
				}
			}
			for _, want := range []string{`"WireFrame"`, `"key":"ns/s1","rv":"60"`, `"Expired"`, `"StoreUpdated"`, `"Handled"`} {
				if !bytes.Contains(text, []byte(want)) {
					t.Errorf("the stream has no %s", want)
				}
			}
		})
	}
}

// safe is a buffer for more than one goroutine.
type safe struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *safe) Write(b []byte) (int, error) { s.mu.Lock(); defer s.mu.Unlock(); return s.buf.Write(b) }
func (s *safe) bytes() []byte               { s.mu.Lock(); defer s.mu.Unlock(); return bytes.Clone(s.buf.Bytes()) }
