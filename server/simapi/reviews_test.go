package simapi

import (
	"strings"
	"testing"

	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestReviews asks who the user is and what the user may do, in protobuf, as kubectl and controllers do.
func TestReviews(t *testing.T) {
	config, _, client := clients(t)
	ctx, create := t.Context(), metav1.CreateOptions{}
	authn, authz := client.AuthenticationV1(), client.AuthorizationV1()
	who, err := authn.SelfSubjectReviews().Create(ctx, &authentication.SelfSubjectReview{}, create)
	if err != nil || who.Status.UserInfo.Username != Context || len(who.Status.UserInfo.Groups) != 2 {
		t.Errorf("who: %v, %v", who, err)
	}
	pods := &authorization.ResourceAttributes{Namespace: "default", Verb: "create", Resource: "pods"}
	self, err := authz.SelfSubjectAccessReviews().Create(ctx, &authorization.SelfSubjectAccessReview{
		Spec: authorization.SelfSubjectAccessReviewSpec{ResourceAttributes: pods}}, create)
	if err != nil || !self.Status.Allowed || !strings.Contains(self.Status.Reason, "may do everything") || self.Spec.ResourceAttributes.Resource != "pods" {
		t.Errorf("self: %v, %v", self, err)
	}
	rules, err := authz.SelfSubjectRulesReviews().Create(ctx, &authorization.SelfSubjectRulesReview{
		Spec: authorization.SelfSubjectRulesReviewSpec{Namespace: "default"}}, create)
	if err != nil || len(rules.Status.ResourceRules) != 1 || rules.Status.ResourceRules[0].Verbs[0] != "*" || rules.Status.Incomplete {
		t.Errorf("rules: %v, %v", rules, err)
	}
	for name, want := range map[string]bool{Context: true, "bob": false} {
		spec := authorization.SubjectAccessReviewSpec{User: name, ResourceAttributes: pods}
		is, err := authz.SubjectAccessReviews().Create(ctx, &authorization.SubjectAccessReview{Spec: spec}, create)
		if err != nil || is.Status.Allowed != want {
			t.Errorf("%s: %v, %v", name, is, err)
		}
		local, err := authz.LocalSubjectAccessReviews("default").Create(ctx, &authorization.LocalSubjectAccessReview{Spec: spec}, create)
		if err != nil || local.Status.Allowed != want {
			t.Errorf("%s: %v, %v", name, local, err)
		}
		_, err = authz.LocalSubjectAccessReviews("shop").Create(ctx, &authorization.LocalSubjectAccessReview{Spec: spec}, create)
		if !apierrors.IsInvalid(err) {
			t.Errorf("in another namespace: %v", err)
		}
	}
	if _, err := authz.SelfSubjectAccessReviews().Create(ctx, &authorization.SelfSubjectAccessReview{}, create); !apierrors.IsInvalid(err) {
		t.Errorf("about nothing: %v", err)
	}
	if _, err := authz.SubjectAccessReviews().Create(ctx, &authorization.SubjectAccessReview{}, create); !apierrors.IsInvalid(err) {
		t.Errorf("of nobody: %v", err)
	}
	other := rest.CopyConfig(config)
	other.Impersonate.UserName = "bob"
	bob, err := kubernetes.NewForConfig(other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bob.Discovery().ServerGroups(); err != nil {
		t.Errorf("discovery as another user: %v", err)
	}
	if _, err := bob.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "no user but "+Context) {
		t.Errorf("as another user: %v", err)
	}
}

// TestReviewsAreOnlyCreated uses every other verb, and sends what is no review.
func TestReviewsAreOnlyCreated(t *testing.T) {
	_, config := start(t)
	const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
	for _, x := range []struct {
		method, path, body string
		code               int
	}{
		{"GET", path, "", 405}, {"GET", path + "?watch=1", "", 405}, {"GET", path + "/a", "", 405}, {"PUT", path + "/a", "{}", 405},
		{"PATCH", path + "/a", "{}", 405}, {"DELETE", path, "", 405}, {"DELETE", path + "/a", "", 405},
		{"POST", path, "[]", 400}, {"POST", path, `{"spec":7}`, 400}, {"POST", path, `{"spec":{"resourceAttributes":"pods"}}`, 400},
		{"POST", path, `{"kind":"Pod"}`, 400}, {"POST", path, `{"spec":{}}`, 422},
		{"POST", "/apis/authorization.k8s.io/v1/localsubjectaccessreviews", "{}", 405},
	} {
		if answer, body := ask(t, config, x.method, x.path, x.body, "Content-Type", "application/json"); answer.StatusCode != x.code {
			t.Errorf("%s %s %s: %s, %s", x.method, x.path, x.body, answer.Status, body)
		}
	}
	_, body := ask(t, config, "GET", "/apis/authorization.k8s.io/v1", "")
	if !strings.Contains(string(body), `"verbs":["create"]`) || strings.Contains(string(body), "list") {
		t.Errorf("discovery: %s", body)
	}
}
