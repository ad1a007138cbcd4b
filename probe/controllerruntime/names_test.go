package controllerruntime

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"

	"example.org/informerscope/probe"
	"example.org/informerscope/probe/internal/joints"
)

var deployments = appsv1.SchemeGroupVersion.WithResource("deployments")

// TestNamesOfATypedFactory: an informer of client-go's own factory is named after its resource, with the group. What names no informer is reported.
func TestNamesOfATypedFactory(t *testing.T) {
	if !joints.Available {
		t.Skip("needs joints: a factory's map")
	}
	f := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	f.Apps().V1().Deployments().Informer()
	f.Core().V1().Pods().Informer()
	f.Core().V1().Endpoints().Informer()
	f.Networking().V1().Ingresses().Informer()
	f.Rbac().V1().ClusterRoles().Informer()
	f.Flowcontrol().V1().FlowSchemas().Informer()
	p := probe.New(probe.Options{Objects: []schema.GroupVersionResource{deployments, appsv1.SchemeGroupVersion.WithResource("deployment"),
		corev1.SchemeGroupVersion.WithResource("pods")}})
	seen, err := p.Factory(f)
	if len(seen) != 6 || seen[0].Name != "clusterroles.rbac.authorization.k8s.io" || seen[0].Err() != nil || err != nil {
		t.Fatal(seen, err)
	}
	probe.NewQueue[string](p, probe.QueueOptions{Informer: deployments})("deployments", workqueue.DefaultTypedControllerRateLimiter[string]()).ShutDown()
	r := httptest.NewRequest("GET", "/debug/informerscope/", nil)
	r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
	w := httptest.NewRecorder()
	p.Handler().ServeHTTP(w, r)
	var list struct {
		Informers []struct {
			Name, Queue string
			Fidelity    map[string]struct{ How string }
		}
		Queues, Objects []string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	type informer struct{ Queue, Bodies string }
	got := map[string]informer{}
	for _, x := range list.Informers {
		got[x.Name] = informer{x.Queue, x.Fidelity["indexer.objects"].How}
	}
	want := map[string]informer{"deployments.apps": {"deployments", "derived"}, "pods": {"", "derived"}, "endpoints": {"", "unseen"},
		"ingresses.networking.k8s.io": {"", "unseen"}, "clusterroles.rbac.authorization.k8s.io": {"", "unseen"},
		"flowschemas.flowcontrol.apiserver.k8s.io": {"", "unseen"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("informers %v, not %v", got, want)
	}
	if !reflect.DeepEqual(list.Objects, []string{"deployment.apps"}) || len(list.Queues) != 0 {
		t.Errorf("without an informer: objects %v, queues %v", list.Objects, list.Queues)
	}
}

// TestTypeOfAnInformer: an informer of Kubernetes' own type is of one resource, in any version. Another resource is an error that says which one it has.
func TestTypeOfAnInformer(t *testing.T) {
	if !joints.Available {
		t.Skip("needs joints: the type of an informer")
	}
	f := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	for resource, isIts := range map[schema.GroupVersionResource]bool{
		deployments: true, deployments.GroupResource().WithVersion("v1beta1"): true, deployments.GroupResource().WithVersion(""): true,
		{Resource: "deployments"}: false, {Group: "apps", Resource: "deploymnets"}: false, {Group: "extensions", Resource: "deployments"}: false,
		corev1.SchemeGroupVersion.WithResource("pods"): false,
	} {
		p, inf := probe.New(probe.Options{}), f.Apps().V1().Deployments().Informer()
		_, err := p.Informer(resource, inf)
		if isIts && err != nil || !isIts && (err == nil || !strings.Contains(err.Error(), "are called deployments.apps, not ")) {
			t.Errorf("%v: %v", resource, err)
		}
		if n := len(p.Status().Informers); isIts != (n == 1) {
			t.Errorf("%v: %d informers are seen", resource, n)
		}
	}
}
