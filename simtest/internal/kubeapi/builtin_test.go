package kubeapi

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const podsURL = "/api/v1/namespaces/default/pods"

// TestDefaultsOfContainers reads what a container leaves out. The limits of a pod are its requests too; those of a template are not.
func TestDefaultsOfContainers(t *testing.T) {
	s := startWidgets(t)
	const spec = `{"volumes":[{"name":"v","configMap":{"name":"m"}},{"name":"h","hostPath":{"path":"/"}}],"containers":[{"name":"c","image":"i",` +
		`"resources":{"limits":{"cpu":"1","memory":"2Mi"},"requests":{"cpu":"500m"}},"readinessProbe":{"httpGet":{"port":80},"periodSeconds":3},` +
		`"livenessProbe":{"grpc":{"port":9}},"lifecycle":{"preStop":{"httpGet":{"port":80,"path":"/bye"}}},` +
		`"env":[{"name":"N","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]}]}`
	pod := s.must("POST", podsURL, asJSON, `{"metadata":{"name":"a"},"spec":`+spec+`}`)
	for path, want := range map[string]string{
		"readinessProbe":            `{"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":3,"successThreshold":1,"failureThreshold":3}`,
		"livenessProbe":             `{"grpc":{"port":9,"service":""},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3}`,
		"lifecycle.preStop.httpGet": `{"path":"/bye","port":80,"scheme":"HTTP"}`,
		"env.0.valueFrom.fieldRef":  `{"apiVersion":"v1","fieldPath":"metadata.name"}`,
		"resources.requests":        `{"cpu":"500m","memory":"2Mi"}`,
	} {
		if got := pod.Get("spec.containers.0." + path).Raw; !sameText(got, want) {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if got := pod.Get("spec.volumes.0.configMap.defaultMode").Raw + pod.Get("spec.volumes.1.hostPath.type").Raw; got != `420""` {
		t.Errorf("the volumes have %s", got)
	}
	d := s.must("POST", "/apis/apps/v1/namespaces/default/deployments", asJSON, `{"metadata":{"name":"a"},"spec":{"replicas":0,"selector":{"matchLabels":{"app":"a"}},`+
		`"template":{"metadata":{"labels":{"app":"a"}},"spec":`+spec+`}}}`)
	if got := d.Get("spec.template.spec.containers.0.resources.requests").Raw; !sameText(got, `{"cpu":"500m"}`) {
		t.Errorf("the requests of a template are %s", got)
	}
	if got := d.Get("spec.template.spec.containers.0.readinessProbe.failureThreshold").Int(); got != 3 {
		t.Errorf("the probe of a template has a failureThreshold of %d", got)
	}
}

// TestManagedFieldsCanBeWritten moves the fields of a manager to another one with a patch, as kubectl apply --server-side does with what kubectl apply wrote.
func TestManagedFieldsCanBeWritten(t *testing.T) {
	s := startWidgets(t)
	const url = "/api/v1/namespaces/default/configmaps"
	made := s.must("POST", url+"?fieldManager=before", asJSON, `{"metadata":{"name":"a"},"data":{"a":"1"}}`)
	moved := strings.Replace(strings.Replace(made.Get("metadata.managedFields").Raw, `"before"`, `"after"`, 1), `"Update"`, `"Apply"`, 1)
	patch := `[{"op":"replace","path":"/metadata/managedFields","value":` + moved + `},{"op":"replace","path":"/metadata/resourceVersion","value":` +
		made.Get("metadata.resourceVersion").Raw + `}]`
	managers := func(a jsonAnswer) string {
		return a.Get("metadata.managedFields.#.manager").Raw + a.Get("metadata.managedFields.#.operation").Raw
	}
	if got := managers(s.must("PATCH", url+"/a", "application/json-patch+json", patch)); got != `["after"]["Apply"]` {
		t.Errorf("the managers are %s", got)
	}
	if a := s.must("PATCH", url+"/a?fieldManager=after", asApply, `{"apiVersion":"v1","kind":"ConfigMap"}`); a.Get("data").Exists() {
		t.Errorf("what the manager gave up is there: %s", a.Raw)
	}
	s.must("PATCH", url+"/a?fieldManager=third", asMerge, `{"data":{"b":"1"}}`)
	if got := managers(s.must("PATCH", url+"/a", asMerge, `{"metadata":{"managedFields":[{}]}}`)); strings.Contains(got, "third") {
		t.Errorf("an empty entry leaves the managers %s", got)
	}
	s.must("PATCH", url+"/a", asMerge, `{"metadata":{"managedFields":[{"manager":"x","operation":"Nonsense","fieldsV1":{"f:data":{}}}]}}`)
}

// sameText reports whether two texts are the same JSON.
func sameText(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
