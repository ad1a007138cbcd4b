package simapi

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

const podsURL = "/api/v1/namespaces/default/pods"

// TestTablesOfBuiltInKinds reads the rows that kubectl get -o wide prints.
func TestTablesOfBuiltInKinds(t *testing.T) {
	s := startWidgets(t)
	for _, x := range []struct{ url, object, columns, cells string }{
		{podsURL, `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}],"readinessGates":[{"conditionType":"x"}]}}`,
			`["Name","Ready","Status","Restarts","Age","IP","Node","Nominated Node","Readiness Gates"]`, `["a","0/1","Pending",0,"0s","<none>","<none>","<none>","0/1"]`},
		{"/api/v1/nodes", `{"metadata":{"name":"a","labels":{"node-role.kubernetes.io/worker":"","kubernetes.io/role":"edge"}}}`,
			`["Name","Status","Roles","Age","Version","Internal-IP","External-IP","OS-Image","Kernel-Version","Container-Runtime"]`,
			`["a","Unknown","edge,worker","0s","","<none>","<none>","<unknown>","<unknown>","<unknown>"]`},
		{"/api/v1/namespaces/default/services", `{"metadata":{"name":"a"},"spec":{"type":"ExternalName","externalName":"example.com"}}`,
			`["Name","Type","Cluster-IP","External-IP","Port(s)","Age","Selector"]`, `["a","ExternalName","<none>","example.com","<none>","0s","<none>"]`},
		{"/api/v1/namespaces/default/services", `{"metadata":{"name":"b"},"spec":{"type":"LoadBalancer","clusterIP":"10.1.2.3","selector":{"x":"y","app":"a"},` +
			`"ports":[{"port":80,"nodePort":30080},{"port":53,"protocol":"UDP"}]}}`,
			"", `["b","LoadBalancer","10.1.2.3","<pending>","80:30080/TCP,53/UDP","0s","app=a,x=y"]`},
		{"/apis/apps/v1/namespaces/default/deployments", `{"metadata":{"name":"a"},"spec":{"replicas":0,"selector":{"matchLabels":{"app":"a"},` +
			`"matchExpressions":[{"key":"x","operator":"Exists"}]},"template":{"metadata":{"labels":{"app":"a","x":""}},` +
			`"spec":{"containers":[{"name":"c","image":"i:1"},{"name":"d","image":"i:2"}]}}}}`,
			`["Name","Ready","Up-to-date","Available","Age","Containers","Images","Selector"]`, `["a","0/0",0,0,"0s","c,d","i:1,i:2","app=a,x"]`},
	} {
		name := gjson.Get(x.object, "metadata.name").String()
		s.must("POST", x.url, asJSON, x.object)
		table := s.must("GET", x.url+"/"+name, "table", "")
		var columns []string
		for _, c := range table.Get("columnDefinitions.#.name").Array() {
			columns = append(columns, c.Raw)
		}
		if got := "[" + strings.Join(columns, ",") + "]"; x.columns != "" && got != x.columns {
			t.Errorf("%s has the columns %s, want %s", x.url, got, x.columns)
		}
		got := table.Get("rows.0.cells").Raw
		for _, age := range []string{`"1s"`, `"2s"`, `"3s"`} { // the test may be slow
			got = strings.Replace(got, age, `"0s"`, 1)
		}
		if !sameText(got, x.cells) {
			t.Errorf("%s %s has the cells %s, want %s", x.url, name, got, x.cells)
		}
	}
}

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
