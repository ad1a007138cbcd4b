package kubeapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// ask sends a request to a server, and returns the answer, whose body is complete.
func ask(t *testing.T, config *rest.Config, method, path, body string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), method, config.Host+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, text
}

const protobufOnly = runtime.ContentTypeProtobuf

// clients returns typed clients of one server, the first of which reads JSON, and the second nothing but protobuf.
func clients(t *testing.T) (config *rest.Config, asJSON, asProtobuf *kubernetes.Clientset) {
	t.Helper()
	_, config = start(t)
	var err error
	if asJSON, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	config = rest.CopyConfig(config)
	config.ContentType, config.AcceptContentTypes = protobufOnly, protobufOnly
	if asProtobuf, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	return config, asJSON, asProtobuf
}

// TestProtobufIsTheSame reads every built-in resource as JSON and as protobuf: lists, objects and errors are equal.
func TestProtobufIsTheSame(t *testing.T) {
	config, asJSON, asProtobuf := clients(t)
	ctx := t.Context()
	lists, err := discovery.ServerPreferredResources(asProtobuf.Discovery())
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, l := range lists {
		gv, err := schema.ParseGroupVersion(l.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range l.APIResources {
			if gv.Group == "apiextensions.k8s.io" || !strings.Contains(r.Verbs.String(), "list") {
				continue
			}
			want, err1 := known.New(gv.WithKind(r.Kind + "List"))
			got, err2 := known.New(gv.WithKind(r.Kind + "List"))
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			path := "/apis/" + l.GroupVersion + "/" + r.Name
			if gv.Group == "" {
				path = "/api/v1/" + r.Name
			}
			e1 := asJSON.CoreV1().RESTClient().Get().AbsPath(path).Do(ctx).Into(want)
			e2 := asProtobuf.CoreV1().RESTClient().Get().AbsPath(path).Do(ctx).Into(got)
			if e1 != nil || e2 != nil || !sameLists(t, want, got) {
				t.Errorf("%s: %v, %v; the lists differ", path, e1, e2)
			}
			read++
		}
	}
	if read < 8 {
		t.Errorf("only %d resources were read", read)
	}
	pods, err := asProtobuf.CoreV1().Pods("").List(ctx, metav1.ListOptions{Limit: 3})
	if err != nil || len(pods.Items) != 3 || pods.Continue == "" || pods.RemainingItemCount == nil {
		t.Fatalf("a page of pods: %v, %v", pods, err)
	}
	pod := &pods.Items[0]
	one, err := asProtobuf.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err != nil || one.UID != pod.UID || one.Spec.Containers[0].Image == "" {
		t.Errorf("one pod: %v, %v", one, err)
	}
	_, err = asProtobuf.CoreV1().Pods("default").Get(ctx, "none", metav1.GetOptions{})
	if status := apierrors.APIStatus(nil); !apierrors.IsNotFound(err) || !errors.As(err, &status) || status.Status().Details.Name != "none" {
		t.Errorf("no such pod: %v", err)
	}
	answer, body := ask(t, config, "GET", "/api/v1/namespaces/default/pods/none", "", "Accept", protobufOnly)
	if got := answer.Header.Get("Content-Type"); got != protobufOnly || !bytes.HasPrefix(body, []byte("k8s\x00")) {
		t.Errorf("an error is %s: %q", got, body)
	}
}

// sameLists compares lists, but not their versions: a lease is renewed between the two.
func sameLists(t *testing.T, lists ...runtime.Object) bool {
	t.Helper()
	for _, l := range lists {
		l.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // the decoder for protobuf drops it
		m, err := meta.ListAccessor(l)
		if err != nil {
			t.Fatal(err)
		}
		m.SetResourceVersion("")
	}
	return equality.Semantic.DeepEqual(lists[0], lists[1])
}

// TestProtobufWatch follows pods with an informer, and with a watch of its own, in protobuf alone. Events come one by one.
func TestProtobufWatch(t *testing.T) {
	config, _, client := clients(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	watch, err := client.CoreV1().ConfigMaps("default").Watch(ctx, metav1.ListOptions{AllowWatchBookmarks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	informer := pods.Informer()
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		t.Fatal("the informer does not sync")
	}
	if n := len(informer.GetStore().List()); n != 20 {
		t.Errorf("the store has %d pods, want 20", n)
	}
	for _, name := range []string{"one", "two"} {
		if _, err := client.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name},
			BinaryData: map[string][]byte{"b": {0, 10, 255}}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		for { // the next event is that of this object: none waits for another
			e, ok := <-watch.ResultChan()
			if !ok {
				t.Fatal("the watch ended")
			}
			if m := e.Object.(*corev1.ConfigMap); m.Name == name {
				if !bytes.Equal(m.BinaryData["b"], []byte{0, 10, 255}) || m.UID == "" {
					t.Errorf("%s came as %v", name, m)
				}
				break
			}
		}
	}
	expired, err := client.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer expired.Stop()
	if e := <-expired.ResultChan(); e.Type != "ERROR" || !apierrors.IsResourceExpired(apierrors.FromObject(e.Object)) {
		t.Errorf("an old version gets %v", e)
	}
	metadata, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	partial, err := metadata.Resource(corev1.SchemeGroupVersion.WithResource("nodes")).List(ctx, metav1.ListOptions{})
	if err != nil || len(partial.Items) == 0 || partial.Items[0].UID == "" {
		t.Errorf("metadata of nodes: %v, %v", partial, err)
	}
}

const plainWidgets = `{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"widgets.example.com"},
	"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
	"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`

// TestNegotiation asks in many ways for an answer, and gets the form that kube-apiserver would give.
func TestNegotiation(t *testing.T) {
	_, config := start(t)
	answer, body := ask(t, config, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", plainWidgets, "Content-Type", "application/json")
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", answer.Status, body)
	}
	const (
		pb, js  = "application/vnd.kubernetes.protobuf", "application/json"
		pods    = "/api/v1/pods"
		all     = "only the following media types are accepted: application/json, application/vnd.kubernetes.protobuf"
		table   = ";as=Table;v=v1;g=meta.k8s.io"
		partial = ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
	)
	for _, x := range []struct{ path, accept, form, says string }{
		{pods, "", js, `"kind":"PodList"`},
		{pods, "*/*", js, `"kind":"PodList"`},
		{pods, "application/*", js, `"kind":"PodList"`},
		{pods, pb, pb, "k8s\x00"},
		{pods, pb + "," + js, pb, "k8s\x00"},
		{pods, js + "," + pb, js, `"kind":"PodList"`},
		{pods, pb + ";q=0.5," + js, js, `"kind":"PodList"`},
		{pods, js + ";q=0.5," + pb + ";q=0.9", pb, "k8s\x00"},
		{pods, js + ";q=x," + pb, pb, "k8s\x00"}, // malformed is 0
		{pods, "*/*," + pb, pb, "k8s\x00"},       // what is named goes first
		{pods, "application/yaml;q=1," + js + ";q=0.1", js, `"kind":"PodList"`},
		{pods, "text/html," + pb, pb, "k8s\x00"},
		{pods, js + table + "," + js, js, `"kind":"PodList"`}, // there are no Tables
		{pods, pb + partial, pb, "PartialObjectMetadataList"},
		{pods, js + table, "", all},
		{pods, "text/html", "", all},
		{pods, js + ";as=Nothing;g=meta.k8s.io;v=v1", "", all},
		{pods, js + ";stream=other", "", all},
		{pods, ",;/,=,;;;", "", all},
		{pods + "?watch=1", "text/html", "", "accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"},
		{pods + "?watch=1&timeoutSeconds=0&resourceVersion=x", pb, pb, "k8s\x00"},
		{"/apis/example.com/v1/widgets", pb + "," + js, js, `"kind":"WidgetList"`},
		{"/apis/example.com/v1/widgets", pb + partial, pb, "PartialObjectMetadataList"},
		{"/apis/example.com/v1/widgets", pb, "", `accepted: application/json"`},
		{"/apis", pb, pb, "APIGroupList"},
		{"/api", pb, pb, "APIVersions"},
		{"/apis/apps/v1", pb, pb, "APIResourceList"},
		{"/apis", pb + ";as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2", pb + ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "Deployment"},
		{"/apis/apps/v1", js + ";as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2", "", all},
		{"/apis/none/v1/none", pb + "," + js, "text/plain; charset=utf-8", "404 page not found"},
		{"/apis/apps/v1/none", pb, pb, "could not find the requested resource"},
		{"/version", pb, js, `"gitVersion"`},
		{pods, strings.Repeat("a/b;q=0.1,", 1000) + pb + ";q=0.01", pb, "k8s\x00"},
		{pods, strings.Repeat(",", 100_000), "", all},
		{pods, strings.Repeat(js+";as=x,", 1000), "", all},
	} {
		answer, body := ask(t, config, "GET", x.path, "", "Accept", x.accept)
		form := x.form
		if form == "" {
			form = js
			if answer.StatusCode != http.StatusNotAcceptable || !bytes.Contains(body, []byte(`"reason":"NotAcceptable"`)) {
				t.Errorf("%s, %.100q: %s", x.path, x.accept, answer.Status)
			}
		}
		if got := answer.Header.Get("Content-Type"); got != form || !bytes.Contains(body, []byte(x.says)) {
			t.Errorf("%s, %.100q: got %s, %.200q; want %s with %q", x.path, x.accept, got, body, form, x.says)
		}
	}
}

// TestMalformedProtobuf sends broken protobuf with each verb. Each answer is an error in protobuf, and nothing changes.
func TestMalformedProtobuf(t *testing.T) {
	s, config := start(t)
	const name = "/kube-root-ca.crt"
	before := s.cluster.Stats().Objects
	for _, body := range []string{"k8s\x00", "k8s\x00\xff\xff\xff\xff", "k8s\x00\x0a\x08\x0a\x02v1\x12\x02No\x12\xff\xff\xff\xff\x0f", "\x00",
		strings.Repeat("k8s\x00\x0a", 1<<18)} {
		for _, x := range [][2]string{{"POST", ""}, {"PUT", name}, {"PATCH", name}, {"DELETE", name}, {"DELETE", ""}} {
			answer, text := ask(t, config, x[0], "/api/v1/namespaces/default/configmaps"+x[1], body, "Accept", protobufOnly, "Content-Type", protobufOnly)
			status, _, err := forms[1].Serializer.Decode(text, nil, nil)
			if got, ok := status.(*metav1.Status); err != nil || !ok || got.Status != "Failure" || answer.StatusCode != http.StatusBadRequest {
				t.Errorf("%s of %.20q: %s, %v, %v", x[0], body, answer.Status, status, err)
			}
		}
	}
	if now := s.cluster.Stats().Objects; !reflect.DeepEqual(now, before) {
		t.Errorf("%v became %v", before, now)
	}
}

// TestWhatDoesNotFit writes an object whose JSON is not that of its type. A client of protobuf gets an error, and a watch ends with it.
func TestWhatDoesNotFit(t *testing.T) {
	const pod = `{"kind":"Pod","apiVersion":"v1","spec":{"containers":7}}`
	for _, isWatch := range []bool{false, true} {
		w := httptest.NewRecorder()
		a := &answer{ResponseWriter: w, form: forms[1], isWatch: isWatch}
		a.Header().Set("Content-Type", runtime.ContentTypeJSON)
		text := pod
		if isWatch {
			text = `{"type":"ADDED","object":` + pod + "}\n"
		}
		if _, err := io.WriteString(a, text); (err != nil) != isWatch {
			t.Errorf("a watch, %t: %v", isWatch, err)
		}
		a.close()
		if !strings.Contains(w.Body.String(), "the object does not fit its type") || isWatch != strings.Contains(w.Body.String(), "ERROR") {
			t.Errorf("a watch, %t: %q", isWatch, w.Body)
		}
	}
}
