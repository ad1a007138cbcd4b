package simtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"informerscope/core/log/fold"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
)

// newCarelessController plays a controller that reconciles a ConfigMap twice while its watch is held. So the second time it reads what it has overwritten.
func newCarelessController(t testing.TB, form string) *Cluster {
	c := Start(t, Options{Seed: 7})
	user := kubernetes.NewForConfigOrDie(c.UserConfig()).CoreV1().ConfigMaps("default")
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"value": "1"}}
	if _, err := user.Create(t.Context(), m, metav1.CreateOptions{}); err != nil {
		t.Fatalf("%v", err)
	}
	config := c.Config()
	config.ContentType = form
	config.AcceptContentTypes = form
	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().ConfigMaps().Informer()
	c.Factory(factory)
	controller := NewController(client, factory.Core().V1().ConfigMaps())
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	release := c.HoldWatch("configmaps")
	go controller.Run(t.Context())
	synctest.Wait()
	controller.queue.Add("default/a")
	synctest.Wait()
	release()
	time.Sleep(time.Minute)
	return c
}

func TestAssertReadsOwnWrites(t *testing.T) {
	for _, form := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		synctest.Test(t, func(t *testing.T) {
			f := runFake(t, func(f *fakeT) { newCarelessController(f, form).AssertReadsOwnWrites() })
			_ = os.Remove(recordingOf(t, f))
			read := strings.Count(f.text.String(), "configmaps default/a was read from the store at version ")
			if read != 1 || !strings.Contains(f.text.String(), ", after the controller's own update had made version ") {
				t.Errorf("with %s the assertion says %q", form, &f.text)
			}
		})
	}
}

// TestAssertUpdates has no informer: the update itself says what was read.
func TestAssertUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := runFake(t, func(f *fakeT) {
			c := Start(f, Options{})
			maps := kubernetes.NewForConfigOrDie(c.Config()).CoreV1().ConfigMaps("default")
			first, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
			if err != nil {
				f.Fatalf("%v", err)
			}
			first.Data = map[string]string{"value": "1"}
			if _, err := maps.Update(t.Context(), first, metav1.UpdateOptions{}); err != nil {
				f.Fatalf("%v", err)
			}
			_, _ = maps.Update(t.Context(), first, metav1.UpdateOptions{}) // a conflict
			c.AssertReadsOwnWrites()
		})
		if got := f.text.String(); strings.Count(got, "configmaps default/a was updated from version ") != 1 {
			t.Errorf("the assertion says %q", got)
		}
	})
}

func TestAssertMisses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var misses int
		f := runFake(t, func(f *fakeT) {
			c := Start(f, Options{})
			client := kubernetes.NewForConfigOrDie(c.Config())
			factory := informers.NewSharedInformerFactory(client, 0)
			factory.Core().V1().ConfigMaps().Informer()
			c.Factory(factory)
			lister := factory.Core().V1().ConfigMaps().Lister().ConfigMaps("default")
			factory.Start(f.Context().Done())
			factory.WaitForCacheSync(f.Context().Done())
			release := c.HoldWatch("configmaps")
			maps := client.CoreV1().ConfigMaps("default")
			for _, name := range []string{"kept", "deleted"} {
				if _, err := maps.Create(f.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
					f.Fatalf("%v", err)
				}
			}
			if err := maps.Delete(f.Context(), "deleted", metav1.DeleteOptions{}); err != nil {
				f.Fatalf("%v", err)
			}
			for _, name := range []string{"kept", "deleted", "other"} {
				if _, err := lister.Get(name); err != nil {
					misses++
				}
			}
			release()
			c.AssertReadsOwnWrites()
		})
		_ = os.Remove(recordingOf(t, f))
		if got := f.text.String(); misses != 3 || strings.Count(got, "was not in the store") != 1 || !strings.Contains(got, "default/kept was not") {
			t.Errorf("%d objects were missing, and the assertion says %q", misses, got)
		}
	})
}

func TestAssertionNeedsReads(t *testing.T) {
	f := runFake(t, func(f *fakeT) { Start(f, Options{}).AssertReadsOwnWrites() })
	if !f.failed || !strings.Contains(f.text.String(), "no read of the controller was seen") {
		t.Errorf("an assertion without a read says %q", &f.text)
	}
}

// recordingOf returns the file that a failed test names.
func recordingOf(t *testing.T, f *fakeT) string {
	t.Helper()
	_, after, ok := strings.Cut(f.text.String(), "to drop on the page of informerscope: ")
	if !ok {
		t.Fatalf("the failed test names no recording: %q", &f.text)
	}
	name, _, _ := strings.Cut(after, "\n")
	return name
}

func TestRecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := recordingOf(t, runFake(t, func(f *fakeT) { newCarelessController(f, runtime.ContentTypeJSON).AssertReadsOwnWrites() }))
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Remove(name) }()
		defer func() { _ = file.Close() }()
		f := fold.NewFold() // what the page does with it
		updates, notes := 0, 0
		header, n, warning, err := tracefile.ReadFile(file, tracefile.ReadOptions{}, func(events []event.Entry) error {
			for i := range events {
				e := &events[i]
				f.Apply(e)
				if e.Kind == event.KindStoreUpdated && e.Key() == "default/a" {
					updates++
				}
				if e.Kind == event.KindNote && strings.Contains(e.Note().Text, "after the controller's own update") {
					notes++
				}
			}
			return nil
		})
		if err != nil || warning != nil {
			t.Fatal(err, warning)
		}
		if header.Selection.Resource != "configmaps" {
			t.Errorf("the recording is of %+v", header.Selection)
		}
		if s := f.State(); s.Indexer.Count == 0 || len(s.API.Requests) == 0 || updates != 1 || notes != 1 {
			t.Errorf("of %d events: %d objects, %d requests, %d updates, %d notes", n, s.Indexer.Count, len(s.API.Requests), updates, notes)
		}
	})
}

// TestNoRecording passes, and so leaves no file.
func TestNoRecording(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		f := runFake(t, func(f *fakeT) { newCarelessController(f, runtime.ContentTypeJSON) })
		if f.text.Len() > 0 {
			t.Errorf("a test that passes says %q", &f.text)
		}
	})
	if files, err := os.ReadDir(os.TempDir()); err != nil || len(files) > 0 {
		t.Errorf("a test that passes leaves %v, %v", files, err)
	}
}

const definition = `
# comments and other kinds are no definitions
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: foos, singular: foo, kind: Foo, listKind: FooList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, minimum: 1, default: 3}
`

func TestDefinitions(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "foos.yaml"), []byte(definition), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		bars := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "bars.example.com"},
			Spec: apiextensionsv1.CustomResourceDefinitionSpec{Group: "example.com", Scope: apiextensionsv1.ClusterScoped,
				Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "bars", Singular: "bar", Kind: "Bar", ListKind: "BarList"},
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
					Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}}}}}}
		c := Start(t, Options{CRDs: []*apiextensionsv1.CustomResourceDefinition{bars}, CRDPaths: []string{dir}})
		client := dynamic.NewForConfigOrDie(c.Config())
		foos := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"}).Namespace("default")
		foo := func(size any) *unstructured.Unstructured {
			spec := map[string]any{"unknown": true}
			if size != nil {
				spec["size"] = size
			}
			return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Foo",
				"metadata": map[string]any{"name": "a"}, "spec": spec}}
		}
		if _, err := foos.Create(t.Context(), foo(int64(0)), metav1.CreateOptions{}); err == nil || !strings.Contains(err.Error(), "spec.size") {
			t.Errorf("an invalid object gets %v", err)
		}
		got, err := foos.Create(t.Context(), foo(nil), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		spec := got.Object["spec"].(map[string]any)
		if len(spec) != 1 || spec["size"] != int64(3) {
			t.Errorf("the object has %v", spec)
		}
		release := c.HoldWatch("foos.example.com")
		release()
		list, err := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "bars"}).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.Items) != 0 {
			t.Errorf("bars: %v, %v", list, err)
		}
	})
}

func TestBadDefinitions(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, x := range map[string]struct {
		options Options
		says    string
	}{
		"none":    {Options{CRDPaths: []string{write("empty.yaml", "a: 1")}}, "has no CustomResourceDefinition of apiextensions.k8s.io/v1"},
		"absent":  {Options{CRDPaths: []string{filepath.Join(dir, "absent")}}, "no such file"},
		"broken":  {Options{CRDPaths: []string{write("broken.yaml", "a: [")}}, "broken.yaml: "},
		"invalid": {Options{CRDPaths: []string{write("invalid.yaml", strings.Replace(definition, "foos.example.com", "x", 1))}}, "is refused with 422: "},
		"types":   {Options{CRDPaths: []string{write("types.yaml", strings.Replace(definition, "served: true", "served: 7", 1))}}, "CustomResourceDefinition"},
		"taken": {Options{CRDPaths: []string{write("one.yaml", definition), write("two.yaml", strings.NewReplacer("foos", "goos", "plural: foo", "plural: goo").
			Replace(definition))}}, "is not established: "},
		"nil": {Options{CRDs: []*apiextensionsv1.CustomResourceDefinition{nil}}, "a definition that is nil"},
	} {
		f := runFake(t, func(f *fakeT) { Start(f, x.options) })
		if !f.failed || !strings.Contains(f.text.String(), x.says) {
			t.Errorf("%s: Start says %q", name, &f.text)
		}
	}
}

// TestControllers waits in virtual time for the pods of a deployment.
func TestControllers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Start(t, Options{Seed: 7, Controllers: true, Pods: 10})
		client := kubernetes.NewForConfigOrDie(c.Config())
		pods, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		if err != nil || len(pods.Items) == 0 {
			t.Fatalf("%v, %v", pods, err)
		}
		pod := pods.Items[0]
		if err := client.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		now, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{FieldSelector: "status.phase=Running"})
		if err != nil || len(now.Items) != len(pods.Items) {
			t.Errorf("%d pods run, not %d: %v", len(now.Items), len(pods.Items), err)
		}
	})
}

// TestRealTime has no bubble, like the test of a controller that needs real time.
func TestRealTime(t *testing.T) {
	c := Start(t, Options{})
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(c.Config()), 0)
	factory.Core().V1().Namespaces().Informer()
	c.Factory(factory)
	lister := factory.Core().V1().Namespaces().Lister()
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	if _, err := lister.Get("default"); err != nil {
		t.Error(err)
	}
	c.AssertReadsOwnWrites()
}

// BenchmarkStart is the time from Start to the answer of a first list, and to the end of the cluster.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		f := &fakeT{TB: b}
		c := Start(f, Options{})
		if _, err := kubernetes.NewForConfigOrDie(c.Config()).CoreV1().Namespaces().List(b.Context(), metav1.ListOptions{}); err != nil {
			b.Fatal(err)
		}
		f.cleanups[0]()
	}
}
