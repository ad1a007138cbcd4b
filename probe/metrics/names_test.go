package metrics

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"testing"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"

	"informerscope/probe"
)

// TestNamesOfATypedFactory: an informer of client-go's own factory is named after its resource, with the group. What names no informer is reported.
func TestNamesOfATypedFactory(t *testing.T) {
	f := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	f.Apps().V1().Deployments().Informer()
	f.Core().V1().Pods().Informer()
	f.Core().V1().Endpoints().Informer()
	f.Networking().V1().Ingresses().Informer()
	f.Rbac().V1().ClusterRoles().Informer()
	f.Flowcontrol().V1().FlowSchemas().Informer()
	p := probe.New(probe.Options{Objects: []string{"deployments.apps", "deployment.apps", "pods"}})
	if _, err := p.Factory(f); err != nil {
		t.Fatal(err)
	}
	probe.NewQueue[string](p, probe.QueueOptions{Informer: "deployments.apps"})("deployments", workqueue.DefaultTypedControllerRateLimiter[string]()).ShutDown()
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
