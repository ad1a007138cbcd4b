//go:build !informerscope_public

package joints

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// few has only the frames that are looked at first.
func few(p callers) *callers {
	clear(p[shallow:])
	return &p
}

// TestFewFramesSayWhatAllSay: why client-go's store calls an index function, and its queue a transform, shows what was done to them. The first frames
// of the stack say what all of them say, or nothing. The function that did it stands above them, whatever it is called.
func TestFewFramesSayWhatAllSay(t *testing.T) {
	if err := Calibrate(); err != nil {
		t.Fatal(err)
	}
	names := map[StoreChange]string{Unknown: "unknown", Outdated: "old", Added: "new", Deleted: "deleted", Replaced: "replaced", Same: "other"}
	var heard []string
	x := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{"i": func(any) ([]string, error) {
		var p callers
		runtime.Callers(2, p[:])
		all, found := indexCause(&p)
		if first, ok := indexCause(few(p)); ok && (first != all || !found) {
			t.Errorf("three frames say %s, six %s", names[first], names[all])
		}
		heard = append(heard, names[all])
		return nil, nil
	}})
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	for _, c := range []struct {
		name string
		do   func() error
		want string
	}{
		{"add", func() error { return x.Add(o) }, "new"},
		{"add what is there", func() error { return x.Add(o) }, "old new"},
		{"update", func() error { return x.Update(o) }, "old new"},
		{"update, called by a Delete", func() error { return caller{x}.Delete(o) }, "old new"},
		{"replace", func() error { return x.Replace([]any{o}, "1") }, "replaced"},
		{"ask", func() error { _, err := x.Index("i", o); return err }, "other"},
		{"delete", func() error { return x.Delete(o) }, "deleted"},
		{"update what is not there", func() error { return x.Update(o) }, "new"},
		{"delete in another goroutine", func() error {
			done := make(chan error)
			go func() { done <- x.Delete(o) }()
			return <-done
		}, "deleted"},
	} {
		heard = nil
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(heard, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}

	var entered []cache.DeltaType
	q := cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: x, EmitDeltaTypeReplaced: true, Transformer: func(obj any) (any, error) {
		var p callers
		runtime.Callers(2, p[:])
		all, found := queueDelta(&p)
		if first, ok := queueDelta(few(p)); ok && (first != all || !found) {
			t.Errorf("three frames say %s, six %s", first, all)
		}
		entered = append(entered, all)
		return obj, nil
	}})
	for _, err := range []error{q.Add(o), q.Update(o), q.Delete(o), q.Replace([]any{o}, "2")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, want := fmt.Sprint(entered), fmt.Sprint([]cache.DeltaType{cache.Added, cache.Updated, cache.Deleted, cache.Replaced}); got != want {
		t.Errorf("entered as %s, want %s", got, want)
	}
}

// caller is a store whose methods are called as others of client-go's are.
type caller struct{ cache.Indexer }

func (c caller) Delete(o any) error { return c.Indexer.Update(o) }
