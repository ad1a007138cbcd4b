package metrics

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"example.org/informerscope/probe"
)

// Types in which a Secret may hide.
type (
	embedding struct {
		corev1.Secret
		More string
	}
	pointing struct {
		metav1.ObjectMeta `json:"metadata"`
		Behind            []map[string]*corev1.Secret `json:"behind"`
	}
	anything struct {
		metav1.ObjectMeta `json:"metadata"`
		Any               any `json:"any"`
	}
	secretCopy struct {
		metav1.ObjectMeta `json:"metadata"`
		Data              map[string][]byte `json:"data"`
	}
	listed struct {
		metav1.ObjectMeta `json:"metadata"`
		corev1.List       `json:",inline"`
	}
)

// TestSecretsHaveNoBody: a Secret contributes no body in whatever it is wrapped, nor does its metadata what may be a copy of it; beside it stand
// objects that are told.
func TestSecretsHaveNoBody(t *testing.T) {
	s := secret(1, 5)
	typed := s.DeepCopy()
	typed.TypeMeta = metav1.TypeMeta{Kind: "Secret", APIVersion: "v1"}
	raw, err := json.Marshal(typed)
	if err != nil {
		t.Fatal(err)
	}
	free, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		t.Fatal(err)
	}
	manifest := map[string]string{"kubectl.kubernetes.io/last-applied-configuration": string(raw), "deployment.kubernetes.io/revision": "3"}
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: "5", UID: types.UID(name)}
	}
	applied := meta("applied")
	applied.Annotations = manifest
	partly := s.ObjectMeta
	partly.Annotations = map[string]string{"x": canaries["annotation"]}
	partly.Labels = nil
	holder := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "x/v1", "kind": "Bag", "metadata": map[string]any{"name": "bag", "namespace": "ns",
		"resourceVersion": "5"}, "spec": map[string]any{"in": []any{map[string]any{"deep": free}}}}}
	cases := []struct {
		name  string
		obj   any
		told  bool
		words string // that the body has
	}{
		{name: "typed", obj: s},
		{name: "typed with its kind", obj: typed},
		{name: "unstructured", obj: &unstructured.Unstructured{Object: free}},
		{name: "embedded in another type", obj: &embedding{Secret: *s}},
		{name: "behind pointers", obj: &pointing{ObjectMeta: meta("x"), Behind: []map[string]*corev1.Secret{{"a": s}}}},
		{name: "in an interface", obj: &anything{ObjectMeta: meta("x"), Any: []any{s}}},
		{name: "in a type that is called so", obj: &secretCopy{meta("x"), s.Data}},
		{name: "in a list, as JSON", obj: &listed{meta("x"), corev1.List{Items: []runtime.RawExtension{{Raw: raw}}}}},
		{name: "in a list, as an object", obj: &listed{meta("x"), corev1.List{Items: []runtime.RawExtension{{Object: s}}}}},
		{name: "deep in an unstructured object", obj: holder},
		{name: "metadata of one", obj: &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Secret", APIVersion: "v1"}, ObjectMeta: s.ObjectMeta}},
		{name: "metadata that does not say of what", obj: &metav1.PartialObjectMetadata{ObjectMeta: partly}, told: true, words: `"kind":"PartialObjectMetadata"`},
		{name: "a copy in an annotation", obj: &corev1.ConfigMap{ObjectMeta: applied}, told: true,
			words: `"kubectl.kubernetes.io/last-applied-configuration":"[redacted]"`},
		{name: "a pod that mounts one", obj: &corev1.Pod{ObjectMeta: meta("pod"), Spec: corev1.PodSpec{Volumes: []corev1.Volume{{Name: "v",
			VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s1"}}}}}}, told: true, words: `"secretName":"s1"`},
		{name: "a reference to one", obj: &unstructured.Unstructured{Object: map[string]any{"apiVersion": "x/v1", "kind": "Gateway", "metadata": map[string]any{
			"name": "gw", "resourceVersion": "5"}, "ref": map[string]any{"kind": "Secret", "name": "s1"}}}, told: true, words: `"kind":"Gateway"`},
	}
	for _, x := range cases {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			configMaps := corev1.SchemeGroupVersion.WithResource("configmaps")
			p := probe.New(probe.Options{Objects: []schema.GroupVersionResource{configMaps}})
			// With a key of its own: some of these types have no metadata that a store would find.
			inf, err := p.Informer(configMaps, cache.NewSharedIndexInformer(&cache.ListWatch{}, &corev1.ConfigMap{}, 0, cache.Indexers{}))
			if err != nil {
				t.Fatal(err)
			}
			if err := inf.GetStore().Add(x.obj); err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest("GET", "/debug/informerscope/trace?seconds=1", nil)
			r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
			w := httptest.NewRecorder()
			done := make(chan struct{})
			go func() { defer close(done); p.Handler().ServeHTTP(w, r) }()
			select {
			case <-done:
			case <-time.After(time.Minute):
				t.Fatal("no recording comes")
			}
			text, _ := io.ReadAll(w.Body)
			if names := findCanaries(text); len(names) > 0 {
				t.Errorf("it has %v", names)
			}
			if got := strings.Contains(string(text), `"raw":`); got != x.told || !strings.Contains(string(text), x.words) {
				t.Errorf("told: %t\n%s", got, text)
			}
			if !strings.Contains(string(text), fmt.Sprintf(`"key":"%s"`, keyOf(t, x.obj))) {
				t.Errorf("the object is not in the baseline: %s", text)
			}
		})
	}
}

func keyOf(t *testing.T, obj any) string {
	t.Helper()
	key, err := cache.MetaNamespaceKeyFunc(obj)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
