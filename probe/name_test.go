package probe

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// TestNames: a resource in options and in requests means an informer of any version. TestTypeOfAnInformer of probe/controllerruntime has informers of types.
func TestNames(t *testing.T) {
	p := New(Options{Objects: []schema.GroupVersionResource{gvr("deployments.apps")}})
	if _, err := p.Informer(schema.GroupVersionResource{Group: "apps", Version: "v1beta2", Resource: "deployments"}, bare()); err != nil {
		t.Fatal(err)
	}
	defer NewQueue[string](p, QueueOptions{Informer: gvr("deployments.apps")})("x", nil).ShutDown()
	s := p.Status()
	if err := s.Err(); err != nil || s.Informers[0].Name != "deployments.apps" || s.Informers[0].Queue != "x" {
		t.Errorf("%+v, %v", s, err)
	}
	api := &apiServer{t: t, p: p}
	api.accept()
	api.get("https://api/apis/example.com/v1/deployments?resourceVersion=0") // of another group
	l := p.informers()[0]
	if got := l.target(); got != (target{"apps", "v1beta2", "deployments"}) || l.isCalled(target{"example.com", "v1", "deployments"}) {
		t.Errorf("before its first request it is %+v", got)
	}
	for _, name := range []string{"deployments.apps", "deployments"} {
		if lanes, _, err := p.choose(name); len(lanes) != 1 || err != nil {
			t.Errorf("?informers=%s: %v, %v", name, lanes, err)
		}
	}
	if _, _, err := p.choose("deploymnets"); err == nil || !strings.Contains(err.Error(), "the names are deployments.apps") {
		t.Errorf("a typo: %v", err)
	}
}

// gvr is the resource of a name such as "deployments.apps".
func gvr(name string) schema.GroupVersionResource {
	return schema.ParseGroupResource(name).WithVersion("")
}

// TestGroupOfAType: an informer that has its name from a type outside of k8s.io/api is called with any group until a request shows it.
func TestGroupOfAType(t *testing.T) {
	p := New(Options{})
	inf := p.NewInformer(&cache.ListWatch{}, &widget{}, 0, nil)
	l := p.informers()[0]
	widgets := func(group string) target { return target{group, "v1", "widgets"} }
	if inf == nil || l.name != "widgets" || !l.isCalled(widgets("example.com")) || !l.isCalled(widgets("example.org")) || l.isCalled(target{"", "v1", "pods"}) {
		t.Fatalf("%s is not called with a group", l.name)
	}
	s := &apiServer{t: t, p: p}
	s.accept()
	s.get("https://api/apis/example.com/v1/widgets?resourceVersion=0")
	if !l.isCalled(widgets("")) || !l.isCalled(widgets("example.com")) || l.isCalled(widgets("example.org")) {
		t.Error("its request does not show its group")
	}
	if name := l.status().Name; name != "widgets.example.com" {
		t.Errorf("the status calls it %s", name)
	}
}

type widget struct{ bareObject }

type bareObject struct{}

func (bareObject) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (w *widget) DeepCopyObject() runtime.Object    { return w }

// TestLongKeysStayApart: of a key that is too long for the log, the middle is cut out, and two keys never become one.
func TestLongKeysStayApart(t *testing.T) {
	seen := map[string]bool{}
	for i := range 300 {
		key := []byte(strings.Repeat("a", 2000))
		key[i*6] = 'b'
		s := cut(string(key))
		if len(s) > maxKey || seen[s] || !strings.HasPrefix(s, "a") && i > 0 || !strings.HasSuffix(s, "a") {
			t.Fatalf("%d: %d bytes, %q", i, len(s), s)
		}
		seen[s] = true
	}
	if s := strings.Repeat("a", maxKey); cut(s) != s {
		t.Error("a key that fits is cut")
	}
}

// TestReleaseOf checks the release that the page names after each version of client-go. One that is newer than those that are known keeps its own number.
func TestReleaseOf(t *testing.T) {
	for version, want := range map[string]string{"v0.31.14": "1.31", "v0.32.0": "1.31", "v0.33.13": "1.33", "v0.34.1": "1.33", "v0.35.10": "1.35",
		"v0.36.6": "1.37", "v0.37.2": "1.37", "v0.38.0-beta.0": "1.38", "v0.38.4": "1.38", "v0.39.0": "1.39", "v0.41.0-alpha.1": "1.41", "unknown": "1.37"} {
		if got := releaseOf(version); got != want {
			t.Errorf("%s is %s, want %s", version, got, want)
		}
		if newer := minorOf(version) > newestMinor; newer != (want > "1.38") {
			t.Errorf("%s is newer than those that are known: %v", version, newer)
		}
	}
}
