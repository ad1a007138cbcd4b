// Package cronjob has a suite on envtest of a custom resource in two versions, with webhooks that default, validate and convert it.
package cronjob

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const group = "example.org"

// A Task of v1 has one schedule of five fields; one of v2 has a field for each of the first two, and the rest.
var (
	anything  = true
	versionV1 = apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
		OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &anything}}}
	definition = &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "tasks." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextensionsv1.NamespaceScoped,
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: "tasks", Kind: "Task"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{versionV1, secondVersion()},
			Conversion: &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter, Webhook: &apiextensionsv1.WebhookConversion{
				ConversionReviewVersions: []string{"v1"}, ClientConfig: &apiextensionsv1.WebhookClientConfig{Service: &apiextensionsv1.ServiceReference{
					Namespace: "default", Name: "none"}}}},
		},
	}
)

func secondVersion() apiextensionsv1.CustomResourceDefinitionVersion {
	v := *versionV1.DeepCopy()
	v.Name, v.Storage = "v2", false
	return v
}

func hook(path string) admissionregistrationv1.WebhookClientConfig {
	return admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "default", Name: "none", Path: &path}}
}

func newTask(version, name string, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetAPIVersion(group + "/" + version)
	u.SetKind("Task")
	u.SetNamespace("default")
	u.SetName(name)
	return u
}

// setDefaults answers a request for admission with a patch that sets the time zone.
func setDefaults(_ context.Context, req admission.Request) admission.Response {
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(req.Object.Raw, u); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if _, found, _ := unstructured.NestedString(u.Object, "spec", "zone"); !found {
		if err := unstructured.SetNestedField(u.Object, "UTC", "spec", "zone"); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
	}
	text, err := json.Marshal(u)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(req.Object.Raw, text)
}

// validate denies a schedule that has not five fields.
func validate(_ context.Context, req admission.Request) admission.Response {
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(req.Object.Raw, u); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if schedule, _, _ := unstructured.NestedString(u.Object, "spec", "schedule"); len(strings.Fields(schedule)) != 5 {
		return admission.Denied(fmt.Sprintf("%q has not five fields", schedule))
	}
	return admission.Allowed("")
}

// convert answers a ConversionReview.
func convert(w http.ResponseWriter, r *http.Request) {
	review := &apiextensionsv1.ConversionReview{}
	if err := json.NewDecoder(r.Body).Decode(review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	for _, object := range review.Request.Objects {
		u := &unstructured.Unstructured{}
		if err := json.Unmarshal(object.Raw, u); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		u.SetAPIVersion(review.Request.DesiredAPIVersion)
		spec := u.Object["spec"].(map[string]any)
		if strings.HasSuffix(review.Request.DesiredAPIVersion, "/v2") {
			fields := strings.SplitN(spec["schedule"].(string), " ", 3)
			delete(spec, "schedule")
			spec["minute"], spec["hour"], spec["days"] = fields[0], fields[1], fields[2]
		} else {
			spec["schedule"] = fmt.Sprintf("%v %v %v", spec["minute"], spec["hour"], spec["days"])
			delete(spec, "minute")
			delete(spec, "hour")
			delete(spec, "days")
		}
		answer.ConvertedObjects = append(answer.ConvertedObjects, runtime.RawExtension{Object: u})
	}
	review.Request, review.Response = nil, answer
	_ = json.NewEncoder(w).Encode(review)
}

func TestWebhooks(t *testing.T) {
	rules := []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{"v1"}, Resources: []string{"tasks"}},
	}}
	fail, none := admissionregistrationv1.Fail, admissionregistrationv1.SideEffectClassNone
	env := &envtest.Environment{
		CRDInstallOptions: envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition}},
		WebhookInstallOptions: envtest.WebhookInstallOptions{
			IgnoreSchemeConvertible: true,
			MutatingWebhooks: []*admissionregistrationv1.MutatingWebhookConfiguration{{ObjectMeta: metav1.ObjectMeta{Name: "tasks"},
				Webhooks: []admissionregistrationv1.MutatingWebhook{{Name: "default." + group, ClientConfig: hook("/default"), Rules: rules, FailurePolicy: &fail,
					SideEffects: &none, AdmissionReviewVersions: []string{"v1"}}}}},
			ValidatingWebhooks: []*admissionregistrationv1.ValidatingWebhookConfiguration{{ObjectMeta: metav1.ObjectMeta{Name: "tasks"},
				Webhooks: []admissionregistrationv1.ValidatingWebhook{{Name: "validate." + group, ClientConfig: hook("/validate"), Rules: rules, FailurePolicy: &fail,
					SideEffects: &none, AdmissionReviewVersions: []string{"v1"}}}}},
		},
	}
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	o := env.WebhookInstallOptions
	server := webhook.NewServer(webhook.Options{Host: o.LocalServingHost, Port: o.LocalServingPort, CertDir: o.LocalServingCertDir})
	server.Register("/default", &admission.Webhook{Handler: admission.HandlerFunc(setDefaults)})
	server.Register("/validate", &admission.Webhook{Handler: admission.HandlerFunc(validate)})
	server.Register("/convert", http.HandlerFunc(convert))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort(o.LocalServingHost, fmt.Sprint(o.LocalServingPort))
	for deadline := time.Now().Add(30 * time.Second); ; {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	first := newTask("v1", "nightly", map[string]any{"schedule": "30 2 * * *"})
	if err := c.Create(ctx, first); err != nil {
		t.Fatal(err)
	}
	if zone, _, _ := unstructured.NestedString(first.Object, "spec", "zone"); zone != "UTC" {
		t.Errorf("the time zone is %q", zone)
	}
	if err := c.Create(ctx, newTask("v1", "bad", map[string]any{"schedule": "30 2"})); err == nil || !strings.Contains(err.Error(), "has not five fields") {
		t.Errorf("a bad schedule: %v", err)
	}
	second := newTask("v2", "", nil)
	if err := c.Get(ctx, client.ObjectKeyFromObject(first), second); err != nil {
		t.Fatal(err)
	}
	if hour, _, _ := unstructured.NestedString(second.Object, "spec", "hour"); hour != "2" {
		t.Errorf("as v2 it has the hour %q", hour)
	}
	if err := c.Create(ctx, newTask("v2", "noon", map[string]any{"minute": "0", "hour": "12", "days": "* * *"})); err != nil {
		t.Fatal(err)
	}
	all := &unstructured.UnstructuredList{}
	all.SetAPIVersion(group + "/v1")
	all.SetKind("TaskList")
	if err := c.List(ctx, all, client.InNamespace("default")); err != nil {
		t.Fatal(err)
	}
	if len(all.Items) != 2 {
		t.Fatalf("%d Tasks", len(all.Items))
	}
	for _, task := range all.Items {
		if schedule, _, _ := unstructured.NestedString(task.Object, "spec", "schedule"); len(strings.Fields(schedule)) != 5 {
			t.Errorf("as v1 %s has the schedule %q", task.GetName(), schedule)
		}
	}
}
