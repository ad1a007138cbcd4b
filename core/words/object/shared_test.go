package object

import (
	"sync"
	"testing"
)

// TestASharedObjectIsChangedForEverybody checks that all users of a shared object's pointer read the last change, and that the original object and
// content that was read before do not change.
func TestASharedObjectIsChangedForEverybody(t *testing.T) {
	came, err := Parse([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"a","resourceVersion":"7","labels":{"app":"web"}},"spec":{"nodeName":"n"}}`))
	if err != nil {
		t.Fatal(err)
	}
	s := came.Share()
	before := s.Now()
	if s.Share() != s || s.Original() != came || before != came || came.Now() != came || came.Original() != came {
		t.Fatal("a new shared object does not have the content of its original")
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 200 {
				if app := s.GetLabels()["app"]; app != "web" && app != "mine" {
					t.Errorf("app=%s", app)
				}
				if s.GetName() != "a" || s.Get("spec.nodeName").String() != "n" || s.GetResourceVersion() != "7" || len(s.Raw()) == 0 {
					t.Error("another field has changed")
				}
			}
		})
	}
	for range 50 {
		s.SetLabels(map[string]string{"app": "mine"})
	}
	readers.Wait()
	copied := s.DeepCopy()
	copied.SetLabels(map[string]string{"app": "copied"})
	for _, x := range []struct {
		what string
		o    *Object
		want string
	}{{"the shared object", s, "mine"}, {"the original", came, "web"}, {"content read before", before, "web"},
		{"the current content", s.Now(), "mine"}, {"a changed copy", copied, "copied"}} {
		if got := x.o.GetLabels()["app"]; got != x.want {
			t.Errorf("%s has app=%s, want %s", x.what, got, x.want)
		}
		if got := x.o.Get("metadata.labels.app").String(); got != x.want {
			t.Errorf("%s has app=%s in its JSON, want %s", x.what, got, x.want)
		}
	}
	s.SetName("b")
	if s.GetName() != "b" || s.String() != "Pod ns/b" || s.Size() != len(s.Raw()) {
		t.Errorf("%s, %d bytes of %d", s, s.Size(), len(s.Raw()))
	}
}
