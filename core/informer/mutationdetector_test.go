package informer

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"

	bytesobject "informerscope/core/words/object"
	"informerscope/core/words/releases"
)

// turns is a clock whose lock the detector and a test that changes objects take in turn. Changing an object that others read is a race, and the mistake
// under test, but the race detector must not see it here.
type turns struct {
	clock.RealClock
	lock sync.Mutex
}

func (c *turns) Since(t time.Time) time.Duration {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.RealClock.Since(t)
}

func (c *turns) NewTimer(d time.Duration) clock.Timer {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.RealClock.NewTimer(d)
}

// take runs f half a period after the last comparison.
func (c *turns) take(f func()) {
	time.Sleep(500 * time.Millisecond)
	c.lock.Lock()
	defer c.lock.Unlock()
	f()
}

// TestMutationIsReported changes one field of each kind of object.
func TestMutationIsReported(t *testing.T) {
	pod := func() *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", Labels: map[string]string{"app": "x"}},
			Spec: corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	}
	raw, err := bytesobject.Parse([]byte(`{"metadata":{"namespace":"ns","name":"p","labels":{"app":"x"}},"spec":{"nodeName":"n1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"kind": "Pod", "metadata": map[string]any{"namespace": "ns", "name": "p"},
		"spec": map[string]any{"list": []any{int64(1), int64(2)}}}}
	typed, another, third := pod(), pod(), pod()
	for _, c := range []struct {
		name   string
		obj    runtime.Object
		change func()
		want   string
	}{
		{"typed, a label", typed, func() { typed.Labels["app"] = "y" }, `cache c: object ns/p was changed in place: metadata.labels[app] was "x" and is "y"`},
		{"typed, in a list", another, func() { another.Spec.Containers[0].Image = "j" },
			`cache c: object ns/p was changed in place: spec.containers[0].image was "i" and is "j"`},
		{"typed, an annotation more", third, func() { third.Annotations = map[string]string{"a/b": ""} },
			`cache c: object ns/p was changed in place: metadata.annotations was missing and is map[a/b:]`},
		{"bytes", raw, func() { raw.SetLabels(map[string]string{"app": "y"}) }, `cache c: object ns/p was changed in place: metadata.labels[app] was "x" and is "y"`},
		{"unstructured", u, func() { u.Object["spec"].(map[string]any)["list"] = []any{int64(1)} },
			`cache c: object ns/p was changed in place: spec.list[1] was 2 and is missing`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var reports []string
				clk := &turns{}
				d := NewMutationDetector("c", MutationDetectorOptions{Clock: clk, Report: func(m Mutation) { reports = append(reports, m.String()) }})
				stop, done := make(chan struct{}), make(chan struct{})
				go func() { defer close(done); d.Run(stop) }()
				d.AddObject(c.obj)
				d.AddObject(DeletedFinalStateUnknown{Key: "gone", Obj: c.obj})
				d.AddObject(7)
				time.Sleep(10 * time.Second)
				synctest.Wait()
				equal(t, "before", reports, nil)
				clk.take(c.change)
				time.Sleep(10 * time.Second)
				synctest.Wait()
				equal(t, "after", reports, []string{c.want})
				close(stop)
				<-done
			})
		})
	}
}

// TestMutationDetectorForgets checks that an object is guarded for at least Retain and at most twice that.
func TestMutationDetectorForgets(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		found int
	}{{time.Minute, 1}, {2 * time.Minute, 1}, {5 * time.Minute, 0}} {
		synctest.Test(t, func(t *testing.T) {
			found := 0
			clk := &turns{}
			d := NewMutationDetector("c", MutationDetectorOptions{Clock: clk, Report: func(Mutation) { found++ }})
			stop, done := make(chan struct{}), make(chan struct{})
			go func() { defer close(done); d.Run(stop) }()
			o := objWithApp("a", "1", "x")
			d.AddObject(o)
			time.Sleep(c.after)
			synctest.Wait()
			clk.take(func() { o.Labels["app"] = "y" })
			time.Sleep(time.Minute)
			close(stop)
			<-done
			if found != c.found {
				t.Errorf("changed after %v: found %d times", c.after, found)
			}
		})
	}
}

func TestMutationDetectorPanics(t *testing.T) {
	d := NewMutationDetector("c", MutationDetectorOptions{}).(*mutationDetector)
	o := objWithApp("a", "1", "x")
	d.AddObject(o)
	d.compare()
	o.Labels["app"] = "y"
	defer func() {
		if r := fmt.Sprint(recover()); !strings.Contains(r, "metadata.labels[app]") {
			t.Errorf("panicked with %s", r)
		}
	}()
	d.compare()
}

// TestInformerGuardsItsObjects checks that a handler that changes its objects is found, in every release, for adds, updates and resyncs.
func TestInformerGuardsItsObjects(t *testing.T) {
	forReleases(t, func(t *testing.T, release releases.Release) {
		var reports []string
		clk := &turns{}
		r := build(t, serve(release, "5", objWithApp("a", "1", "x"), objWithApp("b", "2", "x")), SharedIndexInformerOptions{Release: release,
			MutationDetector: NewMutationDetector("pods", MutationDetectorOptions{Clock: clk,
				Report: func(m Mutation) { reports = append(reports, m.Key+" "+m.Field) }})})
		if _, err := r.AddEventHandler(ResourceEventHandlerFuncs{
			AddFunc: func(o any) {
				if x := o.(*object); x.Name == "a" {
					clk.take(func() { x.Labels["app"] = "changed" })
				}
			},
			UpdateFunc: func(_, o any) { clk.take(func() { o.(*object).Finalizers = []string{"mine"} }) },
		}); err != nil {
			t.Fatal(err)
		}
		r.run()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		equal(t, "after the list", reports, []string{"ns/a metadata.labels[app]"})
		r.srv.send(modifiedEvent(objWithApp("b", "6", "x")))
		time.Sleep(3 * time.Second)
		synctest.Wait()
		equal(t, "after an update", reports, []string{"ns/a metadata.labels[app]", "ns/b metadata.finalizers"})
		r.stop()
	})
}
