package simtest

import (
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// podMaker makes a pod where its lister lists none: the field's commonest bug, since the lister may not have the last one yet. If it is fixed, it makes none
// until its informer has brought the one that it made.
type podMaker struct {
	client  kubernetes.Interface
	list    func() (int, error)
	isFixed bool

	mu       sync.Mutex
	expected types.UID
}

func (p *podMaker) reconcile(t testing.TB) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.expected != "" {
		return
	}
	n, err := p.list()
	if err != nil {
		t.Fatalf("%v", err)
	}
	if n > 0 {
		return
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "web-", Labels: map[string]string{"app": "web"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	made, err := p.client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if p.isFixed {
		p.expected = made.UID
	}
}

func (p *podMaker) seen(obj any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if obj.(*corev1.Pod).UID == p.expected {
		p.expected = ""
	}
}

// TestListsReadOwnWrites: a controller that lists its pods, finds none and makes a second one fails the assertion, however it lists; the same one
// fixed passes.
func TestListsReadOwnWrites(t *testing.T) {
	const byApp = "byApp"
	web := labels.SelectorFromSet(labels.Set{"app": "web"})
	for _, x := range []struct {
		name    string
		isFixed bool
		list    func(informers.SharedInformerFactory) (int, error)
	}{
		{"List", false, func(f informers.SharedInformerFactory) (int, error) {
			pods, err := f.Core().V1().Pods().Lister().List(web)
			return len(pods), err
		}},
		{"Index", false, func(f informers.SharedInformerFactory) (int, error) {
			pods, err := f.Core().V1().Pods().Lister().Pods("default").List(web)
			return len(pods), err
		}},
		{"ByIndex", false, func(f informers.SharedInformerFactory) (int, error) {
			pods, err := f.Core().V1().Pods().Informer().GetIndexer().ByIndex(byApp, "web")
			return len(pods), err
		}},
		{"ByIndex of another value", true, func(f informers.SharedInformerFactory) (int, error) {
			_, err := f.Core().V1().Pods().Informer().GetIndexer().ByIndex(byApp, "db")
			return 0, err
		}},
		{"List, fixed", true, func(f informers.SharedInformerFactory) (int, error) {
			pods, err := f.Core().V1().Pods().Lister().List(web)
			return len(pods), err
		}},
	} {
		for _, form := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
			t.Run(x.name+" "+form, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := runFake(t, func(f *fakeT) {
						c := Start(f, Options{Seed: 7})
						config := c.Config()
						config.ContentType, config.AcceptContentTypes = form, form
						maker := &podMaker{client: kubernetes.NewForConfigOrDie(config), isFixed: x.isFixed && strings.Contains(x.name, "fixed")}
						factory := informers.NewSharedInformerFactory(maker.client, 0)
						pods := factory.Core().V1().Pods().Informer()
						_ = pods.AddIndexers(cache.Indexers{byApp: func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Labels["app"]}, nil }})
						c.Factory(factory)
						_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: maker.seen})
						maker.list = func() (int, error) { return x.list(factory) }
						factory.Start(f.Context().Done())
						factory.WaitForCacheSync(f.Context().Done())
						release := c.HoldWatch("pods")
						maker.reconcile(f)
						maker.reconcile(f)
						synctest.Wait()
						release()
						time.Sleep(time.Minute)
						maker.reconcile(f)
						all, err := maker.client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
						if err != nil || (len(all.Items) > 1) == (x.name == "List, fixed") {
							t.Errorf("%d pods, %v", len(all.Items), err)
						}
						c.AssertReadsOwnWrites()
					})
					says := strings.Contains(f.text.String(), "was not in the store, after the controller's own create had made version")
					if says == x.isFixed || f.Failed() == x.isFixed {
						t.Errorf("the assertion says %q", &f.text)
					}
					if f.Failed() {
						_ = os.Remove(recordingOf(t, f))
					}
				})
			})
		}
	}
}

// TestListsReadOwnDeletes: what the controller has deleted is not in a list that begins later.
func TestListsReadOwnDeletes(t *testing.T) {
	for _, form := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		for _, isHeld := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				f := runFake(t, func(f *fakeT) {
					c := Start(f, Options{Seed: 7})
					config := c.Config()
					config.ContentType, config.AcceptContentTypes = form, form
					client := kubernetes.NewForConfigOrDie(config)
					maps := client.CoreV1().ConfigMaps("default")
					if _, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{}); err != nil {
						f.Fatalf("%v", err)
					}
					factory := informers.NewSharedInformerFactory(client, 0)
					factory.Core().V1().ConfigMaps().Informer()
					c.Factory(factory)
					factory.Start(f.Context().Done())
					factory.WaitForCacheSync(f.Context().Done())
					release := func() {}
					if isHeld {
						release = c.HoldWatch("configmaps")
					}
					if err := maps.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
						f.Fatalf("%v", err)
					}
					synctest.Wait()
					_, _ = factory.Core().V1().ConfigMaps().Lister().List(labels.Everything())
					release()
					time.Sleep(time.Minute)
					c.AssertReadsOwnWrites()
				})
				if says := strings.Contains(f.text.String(), "configmaps default/a was in the store, after the controller's own delete"); says != isHeld ||
					f.Failed() != isHeld {
					t.Errorf("with %s, held %v, the assertion says %q", form, isHeld, &f.text)
				}
				if f.Failed() {
					_ = os.Remove(recordingOf(t, f))
				}
			})
		}
	}
}

// ginkgoT is a fakeT as Ginkgo's GinkgoTB makes it: in the cleanup of a suite it knows of no failure.
type ginkgoT struct{ *fakeT }

func (ginkgoT) GinkgoRecover() {}

// TestASuiteKeepsItsRecording: whether a spec has failed is not known when a suite of Ginkgo cleans up.
func TestASuiteKeepsItsRecording(t *testing.T) {
	f := runFake(t, func(f *fakeT) {
		c := Start(ginkgoT{f}, Options{})
		factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(c.Config()), 0)
		factory.Core().V1().ConfigMaps().Informer()
		c.Factory(factory)
		factory.Start(f.Context().Done())
		factory.WaitForCacheSync(f.Context().Done())
	})
	if err := os.Remove(recordingOf(t, f)); err != nil || f.Failed() {
		t.Errorf("%v: %q", err, &f.text)
	}
}
