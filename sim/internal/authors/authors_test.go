package authors

import (
	"strings"
	"testing"

	authnv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	auditapi "k8s.io/apiserver/pkg/apis/audit"
)

// event makes an audit event. The reference is resource.group/subresource namespace/name.
func event(user, agent, verb, resource, subresource, namespace, name string, code int32, request, response string) *auditapi.Event {
	r, group, _ := strings.Cut(resource, ".")
	e := &auditapi.Event{Stage: auditapi.StageResponseComplete, Verb: verb, User: authnv1.UserInfo{Username: user}, UserAgent: agent,
		ObjectRef:      &auditapi.ObjectReference{APIGroup: group, Resource: r, Subresource: subresource, Namespace: namespace, Name: name},
		ResponseStatus: &metav1.Status{Code: code}}
	if request != "" {
		e.RequestObject = &runtime.Unknown{Raw: []byte(request)}
	}
	if response != "" {
		e.ResponseObject = &runtime.Unknown{Raw: []byte(response)}
	}
	return e
}

// TestSentences tells a day of a cluster: who wrote, whether it was a person, which version came of it, and what it did.
func TestSentences(t *testing.T) {
	s := &Sentences{Components: []string{"informerscope", "kubelet"}}
	const kubectl = "kubectl/v1.37.2 (linux/amd64)"
	for _, x := range []struct {
		event          *auditapi.Event
		author         string
		person         bool
		words, version string
	}{
		{event("admin", kubectl, "create", "deployments.apps", "", "default", "web", 201, "", `{"metadata": {"resourceVersion": "7"}, "spec": {"replicas": 3}}`),
			"kubectl", true, "created deployment default/web", "7"},
		{event("admin", kubectl, "patch", "deployments.apps", "scale", "default", "web", 200,
			`{"spec": {"replicas": 6}}`, `{"metadata": {"resourceVersion": "9"}, "spec": {"replicas": 6}}`),
			"kubectl", true, "scaled default/web from 3 to 6", "9"},
		{event("admin", kubectl, "update", "deployments.apps", "scale", "default", "other", 200, "", `{"spec": {"replicas": 2}}`),
			"kubectl", true, "scaled default/other to 2", ""},
		{event("system:serviceaccount:kube-system:deployment-controller", "kube-controller-manager/v1", "update", "deployments.apps", "status",
			"default", "web", 200, "", `{"metadata": {"resourceVersion": "11"}, "spec": {"replicas": 6}}`),
			"deployment-controller", false, "wrote the status of deployment default/web", "11"},
		{event("system:kube-scheduler", "kube-scheduler/v1", "create", "pods", "binding", "default", "web-1", 201, `{"target": {"name": "node-a1"}}`, `{"kind": "Status"}`),
			"kube-scheduler", false, "put pod default/web-1 on node-a1", ""},
		{event("kubelet", "kwok/v0.8.0", "patch", "pods", "status", "default", "web-1", 200, "", `{"metadata": {"resourceVersion": "12"}}`),
			"kubelet", false, "wrote the status of pod default/web-1", "12"},
		{event("admin", kubectl, "patch", "pods", "", "default", "web-1", 200, `{"metadata": {"labels": {"a": "b"}}}`, `{"metadata": {"resourceVersion": "13"}}`),
			"kubectl", true, "labelled pod default/web-1", "13"},
		{event("admin", "curl/8", "delete", "nodes", "", "", "n1", 200, "", `{"kind": "Status"}`), "curl", true, "deleted node n1", ""},
		{event("bob", "Helm/3.19", "deletecollection", "secrets", "", "shop", "", 403, "", `{"kind": "Status"}`),
			"Helm", true, "was refused: deleted all secrets in shop (403 Forbidden)", ""},
		{event("admin", kubectl, "create", "pods", "eviction", "default", "web-1", 429, "", ""),
			"kubectl", true, "was refused: evicted pod default/web-1 (429 Too Many Requests)", ""},
		{event("informerscope", "informerscope", "patch", "pods", "", "default", "web-1", 200, "not JSON", "[1,"),
			"informerscope", false, "patched pod default/web-1", ""},
		{event("admin", "", "create", "pods", "", "default", "", 201, "", `{"metadata": {"name": "made-up"}}`), "admin", true, "created pod default/made-up", ""},
	} {
		w, ok := s.Write(x.event)
		if !ok || w.Author != x.author || w.Person != x.person || w.Words != x.words || w.Version != x.version {
			t.Errorf("%+v, %v; want %s (a person: %v) %q, version %q", w, ok, x.author, x.person, x.words, x.version)
		}
	}
	for _, none := range []*auditapi.Event{nil, {}, event("admin", "", "get", "pods", "", "", "", 200, "", ""),
		{Stage: auditapi.StageResponseComplete, Verb: "create"}} {
		if w, ok := s.Write(none); ok {
			t.Errorf("%+v is no write", w)
		}
	}
}

// FuzzSentences gives events of any texts.
func FuzzSentences(f *testing.F) {
	f.Add("admin", "kubectl/1", "patch", "deployments.apps", "scale", "default", "web", `{"spec": {"replicas": 1}}`)
	f.Add("system:", "/", "create", ".", "binding", "", "", `[[[[`)
	f.Fuzz(func(t *testing.T, user, agent, verb, resource, subresource, namespace, name, object string) {
		s := &Sentences{}
		for range 2 {
			if w, ok := s.Write(event(user, agent, verb, resource, subresource, namespace, name, 200, object, object)); ok && (w.Words == "" || w.Verb != verb) {
				t.Errorf("%+v", w)
			}
		}
	})
}
