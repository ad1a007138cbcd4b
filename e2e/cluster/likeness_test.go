package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"informerscope/e2e/cluster"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// likeNamespace is the namespace in which both API servers are asked.
const likeNamespace = "like"

// likeRequest is a request that both API servers get, in order. {rv} in its path stands for the resourceVersion of the answer that SavesRV kept.
type likeRequest struct {
	name, method, path string
	body               string
	contentType        string // JSON by default
	accept             string
	savesRV            bool
}

// likeKind is a resource that is asked about in all ways.
type likeKind struct {
	apiVersion, kind, plural string
	namespaced, status       bool
	body                     string // the members besides kind, apiVersion and metadata
	changed                  string // a merge patch that changes it
}

var likeKinds = []likeKind{
	{"v1", "ConfigMap", "configmaps", true, false, `"data":{"a":"1"}`, `{"data":{"b":"2"}}`},
	{"v1", "Pod", "pods", true, true, `"spec":{"containers":[{"name":"c","image":"nginx:1"}]}`, `{"spec":{"activeDeadlineSeconds":60}}`},
	{"v1", "Service", "services", true, true, `"spec":{"ports":[{"port":80}],"selector":{"app":"a"},"clusterIP":"None"}`, `{"spec":{"selector":{"app":"b"}}}`},
	{"apps/v1", "Deployment", "deployments", true, true, `"spec":{"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},` +
		`"spec":{"containers":[{"name":"c","image":"nginx:1"}]}}}`, `{"spec":{"replicas":2}}`},
	{"apps/v1", "ReplicaSet", "replicasets", true, true, `"spec":{"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},` +
		`"spec":{"containers":[{"name":"c","image":"nginx:1"}]}}}`, `{"spec":{"replicas":2}}`},
	{"coordination.k8s.io/v1", "Lease", "leases", true, false, `"spec":{"holderIdentity":"a","leaseDurationSeconds":15}`, `{"spec":{"holderIdentity":"b"}}`},
	{"v1", "Node", "nodes", false, true, `"spec":{}`, `{"spec":{"unschedulable":true}}`},
	{"example.com/v1", "Foo", "foos", true, true, `"spec":{"size":1}`, `{"spec":{"size":2}}`},
}

const likeCRD = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},` +
	`"spec":{"group":"example.com",` +
	`"scope":"Namespaced","names":{"plural":"foos","singular":"foo","kind":"Foo","listKind":"FooList"},"versions":[{"name":"v1","served":true,"storage":true,` +
	`"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","required":["size"],"properties":` +
	`{"size":{"type":"integer","minimum":1},"color":{"type":"string","default":"blue","enum":["blue","red"]}}},` +
	`"status":{"type":"object","properties":{"ready":{"type":"boolean"}}}}}}}]}}`

// requests returns what is asked about a kind.
func (k likeKind) requests() []likeRequest {
	prefix := "/apis/" + k.apiVersion
	if k.apiVersion == "v1" {
		prefix = "/api/v1"
	}
	all, namespace := prefix+"/"+k.plural, ""
	if k.namespaced {
		all, namespace = prefix+"/namespaces/"+likeNamespace+"/"+k.plural, `,"namespace":"`+likeNamespace+`"`
	}
	one := all + "/a"
	object := func(meta string) string {
		return `{"kind":"` + k.kind + `","apiVersion":"` + k.apiVersion + `","metadata":{` + meta + `},` + k.body + `}`
	}
	another := object(`"name":"a","annotations":{"mine":"2"}`)
	a := object(`"name":"a"` + namespace + `,"labels":{"app":"a"}`)
	const merge, patch, strategic = "application/merge-patch+json", "application/json-patch+json", "application/strategic-merge-patch+json"
	const apply, table = "application/apply-patch+yaml", "application/json;as=Table;g=meta.k8s.io;v=v1"
	const partial, partials = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	rs := []likeRequest{
		{name: "list while empty", method: "GET", path: all + "?labelSelector=app", savesRV: true},
		{name: "create", method: "POST", path: all, body: a},
		{name: "create again", method: "POST", path: all, body: a},
		{name: "create in a dry run", method: "POST", path: all + "?dryRun=All", body: object(`"name":"dry"`)},
		{name: "create in an unknown dry run", method: "POST", path: all + "?dryRun=Some", body: object(`"name":"dry"`)},
		{name: "create without a name", method: "POST", path: all, body: object(``)},
		{name: "create with a bad name", method: "POST", path: all, body: object(`"name":"A b"`)},
		{name: "create with a bad label", method: "POST", path: all, body: object(`"name":"b","labels":{"a b":"c"}`)},
		{name: "create with a version", method: "POST", path: all, body: object(`"name":"b","resourceVersion":"1"`)},
		{name: "create in another namespace", method: "POST", path: all, body: object(`"name":"b","namespace":"other"`)},
		{name: "create another kind", method: "POST", path: all, body: strings.Replace(a, `"kind":"`+k.kind, `"kind":"Bar`, 1)},
		{name: "create another version", method: "POST", path: all, body: strings.Replace(a, k.apiVersion, "example.com/v7", 1)},
		{name: "create malformed", method: "POST", path: all, body: a[:len(a)/2]},
		{name: "create a list", method: "POST", path: all, body: "[1]"},
		{name: "create nothing", method: "POST", path: all},
		{name: "create text", method: "POST", path: all, body: "hello", contentType: "text/plain"},
		{name: "create with a number as a name", method: "POST", path: all, body: object(`"name":1`)},
		{name: "create with an unknown field, strictly", method: "POST", path: all + "?fieldValidation=Strict", body: object(`"name":"b","nonsense":1`)},
		{name: "create with an unknown fieldValidation", method: "POST", path: all + "?fieldValidation=Maybe", body: object(`"name":"b"`)},
		{name: "get", method: "GET", path: one},
		{name: "get what is not there", method: "GET", path: all + "/missing"},
		{name: "get as a table", method: "GET", path: one, accept: table},
		{name: "get its metadata", method: "GET", path: one, accept: partial},
		{name: "get in an unknown form", method: "GET", path: one, accept: "text/html"},
		{name: "list by label", method: "GET", path: all + "?labelSelector=app%3Da"},
		{name: "list by a label that none has", method: "GET", path: all + "?labelSelector=app%3Dnone"},
		{name: "list by a bad label", method: "GET", path: all + "?labelSelector=a%3D%3D%3Db"},
		{name: "list by name", method: "GET", path: all + "?fieldSelector=metadata.name%3Da"},
		{name: "list by an unknown field", method: "GET", path: all + "?fieldSelector=spec.nonsense%3Da"},
		{name: "list by a bad field", method: "GET", path: all + "?fieldSelector=%3D"},
		{name: "list as a table", method: "GET", path: all + "?labelSelector=app%3Da", accept: table},
		{name: "list metadata", method: "GET", path: all + "?labelSelector=app%3Da", accept: partials},
		{name: "list with a limit", method: "GET", path: all + "?labelSelector=app%3Da&limit=1"},
		{name: "list with a bad limit", method: "GET", path: all + "?limit=x"},
		{name: "list with a bad continue token", method: "GET", path: all + "?continue=x"},
		{name: "list at a bad version", method: "GET", path: all + "?resourceVersion=x"},
		{name: "list at no exact version", method: "GET", path: all + "?resourceVersionMatch=Exact"},
		{name: "list with an unknown match", method: "GET", path: all + "?resourceVersionMatch=Some&resourceVersion=1"},
		{name: "list with initial events", method: "GET", path: all + "?sendInitialEvents=true"},
		{name: "replace", method: "PUT", path: one, body: strings.Replace(a, `"labels":{"app":"a"}`, `"labels":{"app":"a","x":"y"}`, 1), savesRV: true},
		{name: "replace an old version", method: "PUT", path: one, body: strings.Replace(a, `"labels"`, `"resourceVersion":"1","labels"`, 1)},
		{name: "replace with another name", method: "PUT", path: one, body: object(`"name":"other"`)},
		{name: "replace what is not there", method: "PUT", path: all + "/missing", body: object(`"name":"missing"`)},
		{name: "replace with another uid", method: "PUT", path: one, body: object(`"name":"a","uid":"0-0"`)},
		{name: "merge", method: "PATCH", path: one, body: k.changed, contentType: merge},
		{name: "merge nothing", method: "PATCH", path: one, body: `{}`, contentType: merge},
		{name: "merge malformed", method: "PATCH", path: one, body: `{`, contentType: merge},
		{name: "merge at an old version", method: "PATCH", path: one, body: `{"metadata":{"resourceVersion":"1"}}`, contentType: merge},
		{name: "merge a label away", method: "PATCH", path: one, body: `{"metadata":{"labels":{"x":null}}}`, contentType: merge},
		{name: "merge into what is not there", method: "PATCH", path: all + "/missing", body: `{}`, contentType: merge},
		{name: "patch", method: "PATCH", path: one, body: `[{"op":"add","path":"/metadata/annotations","value":{"n":"1"}}]`, contentType: patch},
		{name: "patch with a test that fails", method: "PATCH", path: one, body: `[{"op":"test","path":"/metadata/annotations/n","value":"2"}]`, contentType: patch},
		{name: "patch a path that is not there", method: "PATCH", path: one, body: `[{"op":"remove","path":"/metadata/annotations/zz"}]`, contentType: patch},
		{name: "patch malformed", method: "PATCH", path: one, body: `{"op":1}`, contentType: patch},
		{name: "patch with an unknown operation", method: "PATCH", path: one, body: `[{"op":"dance","path":"/a"}]`, contentType: patch},
		{name: "patch strategically", method: "PATCH", path: one, body: `{"metadata":{"annotations":{"m":"1"}}}`, contentType: strategic},
		{name: "patch as text", method: "PATCH", path: one, body: `{}`, contentType: "text/plain"},
		{name: "apply without a manager", method: "PATCH", path: one, body: a, contentType: apply},
		{name: "apply", method: "PATCH", path: one + "?fieldManager=me", body: object(`"name":"a","annotations":{"mine":"1"}`), contentType: apply},
		{name: "apply against another manager", method: "PATCH", path: one + "?fieldManager=you", body: another, contentType: apply},
		{name: "apply with force", method: "PATCH", path: one + "?fieldManager=you&force=true", body: another, contentType: apply},
		{name: "apply to create", method: "PATCH", path: all + "/applied?fieldManager=me", body: object(`"name":"applied"`), contentType: apply},
		{name: "delete in a dry run", method: "DELETE", path: one + "?dryRun=All"},
		{name: "delete another uid", method: "DELETE", path: one, body: `{"preconditions":{"uid":"0-0"}}`},
		{name: "delete another version", method: "DELETE", path: one, body: `{"preconditions":{"resourceVersion":"1"}}`},
		{name: "delete in an unknown way", method: "DELETE", path: one, body: `{"propagationPolicy":"Sometimes"}`},
		{name: "get a subresource that is not there", method: "GET", path: one + "/nonsense"},
		{name: "post to an object", method: "POST", path: one, body: a},
		{name: "put to a collection", method: "PUT", path: all, body: a},
		{name: "create with a finalizer", method: "POST", path: all, body: object(`"name":"held","labels":{"app":"held"},"finalizers":["example.com/held"]`)},
		{name: "delete what has a finalizer", method: "DELETE", path: all + "/held"},
		{name: "delete it again", method: "DELETE", path: all + "/held"},
		{name: "add a finalizer to what is being deleted", method: "PATCH", path: all + "/held", contentType: merge,
			body: `{"metadata":{"finalizers":["example.com/held","example.com/more"]}}`},
		{name: "remove its finalizer", method: "PATCH", path: all + "/held", body: `{"metadata":{"finalizers":null}}`, contentType: merge},
		{name: "get it then", method: "GET", path: all + "/held"},
	}
	if k.status {
		rs = append(rs,
			likeRequest{name: "get its status", method: "GET", path: one + "/status"},
			likeRequest{name: "merge into its status", method: "PATCH", path: one + "/status", body: `{"metadata":{"annotations":{"s":"1"}}}`, contentType: merge},
			likeRequest{name: "merge a status into the object", method: "PATCH", path: one, body: `{"status":{"phase":"Odd","ready":true}}`, contentType: merge})
	} else {
		rs = append(rs, likeRequest{name: "get its status", method: "GET", path: one + "/status"})
	}
	return append(rs,
		likeRequest{name: "watch what happened", method: "GET", path: all + "?watch=true&timeoutSeconds=1&labelSelector=app%3Dheld&resourceVersion={rv}"},
		likeRequest{name: "watch from a bad version", method: "GET", path: all + "?watch=true&timeoutSeconds=1&resourceVersion=x"},
		likeRequest{name: "watch initial events", method: "GET", path: all + "?watch=true&timeoutSeconds=1&labelSelector=app%3Da&sendInitialEvents=true&" +
			"resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"},
		likeRequest{name: "watch initial events without a match", method: "GET", path: all + "?watch=true&timeoutSeconds=1&sendInitialEvents=true"},
		likeRequest{name: "delete the applied", method: "DELETE", path: all + "/applied"},
		likeRequest{name: "delete", method: "DELETE", path: one},
		likeRequest{name: "delete what is not there", method: "DELETE", path: one},
		likeRequest{name: "delete all by label", method: "DELETE", path: all + "?labelSelector=app%3Da"})
}

// likeOthers are requests that belong to no kind.
var likeOthers = []likeRequest{
	{name: "a path that is not there", method: "GET", path: "/nonsense"},
	{name: "a group that is not there", method: "GET", path: "/apis/nonsense.example.com/v1"},
	{name: "a resource that is not there", method: "GET", path: "/api/v1/nonsense"},
	{name: "the namespace", method: "GET", path: "/api/v1/namespaces/" + likeNamespace},
	{name: "delete the namespace default", method: "DELETE", path: "/api/v1/namespaces/default"},
	{name: "create in a namespace that is not there", method: "POST", path: "/api/v1/namespaces/missing/configmaps",
		body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}`},
	{name: "foos: below the minimum", method: "POST", path: "/apis/example.com/v1/namespaces/like/foos",
		body: `{"kind":"Foo","apiVersion":"example.com/v1","metadata":{"name":"bad"},"spec":{"size":0}}`},
	{name: "foos: without what is required", method: "POST", path: "/apis/example.com/v1/namespaces/like/foos",
		body: `{"kind":"Foo","apiVersion":"example.com/v1","metadata":{"name":"bad"},"spec":{}}`},
	{name: "foos: not in the enum", method: "POST", path: "/apis/example.com/v1/namespaces/like/foos",
		body: `{"kind":"Foo","apiVersion":"example.com/v1","metadata":{"name":"bad"},"spec":{"size":1,"color":"green"}}`},
	{name: "foos: pruned and defaulted", method: "POST", path: "/apis/example.com/v1/namespaces/like/foos",
		body: `{"kind":"Foo","apiVersion":"example.com/v1","metadata":{"name":"good"},"spec":{"size":1,"nonsense":2}}`},
	{name: "a CRD without a storage version", method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
		body: strings.NewReplacer(`"storage":true`, `"storage":false`, "foos", "bars", "Foo", "Bar", `"foo"`, `"bar"`).Replace(likeCRD)},
	{name: "a CRD whose name is not its own", method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
		body: strings.Replace(likeCRD, "foos.example.com", "bars.example.com", 1)},
	{name: "a deployment whose selector does not match", method: "POST", path: "/apis/apps/v1/namespaces/like/deployments",
		body: `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"bad"},"spec":{"selector":{"matchLabels":{"app":"b"}},"template":` +
			`{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"nginx"}]}}}}`},
	{name: "a pod without containers", method: "POST", path: "/api/v1/namespaces/like/pods",
		body: `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"bad"},"spec":{"containers":[]}}`},
	{name: "a deployment's scale", method: "GET", path: "/apis/apps/v1/namespaces/like/deployments/missing/scale"},
}

// likeServer is one of the two API servers.
type likeServer struct {
	client *http.Client
	base   string
	rv     string
}

func newLikeServer(t *testing.T, config *rest.Config) *likeServer {
	t.Helper()
	config = rest.CopyConfig(config)
	config.QPS = -1
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return &likeServer{client: client, base: config.Host}
}

// likeAnswer is an answer without what differs from one cluster to another.
type likeAnswer struct {
	Code   int    `json:"code"`
	Type   string `json:"type"`
	Allow  string `json:"allow,omitempty"`
	Bodies []any  `json:"bodies"`
}

func (s *likeServer) ask(ctx context.Context, r likeRequest) (likeAnswer, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, s.base+strings.ReplaceAll(r.path, "{rv}", s.rv), strings.NewReader(r.body))
	if err != nil {
		return likeAnswer{}, err
	}
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	req.Header.Set("Accept", "application/json")
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	req.Header.Set("User-Agent", "likeness")
	resp, err := s.client.Do(req)
	if err != nil {
		return likeAnswer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return likeAnswer{}, err
	}
	answer := likeAnswer{Code: resp.StatusCode, Type: resp.Header.Get("Content-Type"), Allow: resp.Header.Get("Allow")}
	d := json.NewDecoder(bytes.NewReader(text))
	for d.More() {
		var body any
		if err := d.Decode(&body); err != nil {
			answer.Bodies = append(answer.Bodies, string(text))
			break
		}
		if m, ok := body.(map[string]any); ok && r.savesRV {
			meta, _ := m["metadata"].(map[string]any)
			s.rv, _ = meta["resourceVersion"].(string)
		}
		answer.Bodies = append(answer.Bodies, withoutChance("", body))
	}
	return answer, nil
}

var (
	chanceNames  = regexp.MustCompile(`^(uid|resourceVersion|creationTimestamp|deletionTimestamp|time|.*Time|.*Timestamp|clusterIP|clusterIPs|podIP)$`)
	anAge        = regexp.MustCompile(`^\d+s$`) // in a Table
	chanceInText = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\b\d{1,20}\b|\d{4}-\d\d-\d\dT[0-9:.]+Z`)
)

// withoutChance returns a JSON value without what no two clusters have in common: uids, versions, times.
func withoutChance(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = withoutChance(k, x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = withoutChance("", x)
		}
		if name == "managedFields" {
			slices.SortStableFunc(out, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		return out
	case string:
		if chanceNames.MatchString(name) && v != "" || anAge.MatchString(v) {
			return "…"
		}
		if name == "message" {
			return chanceInText.ReplaceAllString(v, "…")
		}
	}
	return v
}

// TestTheSimulatedClusterIsLikeARealOne sends the same requests to "informerscope sim" and to a real kube-apiserver, both without controllers. Answers are
// equal, apart from uids, versions and times, or their difference is a row of docs/simcluster.md; and each row is still needed.
func TestTheSimulatedClusterIsLikeARealOne(t *testing.T) {
	_, kubeconfig := startSim(t, "--objects=0", "--rate=0", "--controllers=none")
	simConfig, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	servers := []*likeServer{newLikeServer(t, simConfig), newLikeServer(t, cluster.StartForTest(t, cluster.Options{}).Config())}
	ctx := harness.Timeout(t, 10*time.Minute)
	for _, s := range servers {
		for _, r := range []likeRequest{
			{method: "POST", path: "/api/v1/namespaces", body: `{"metadata":{"name":"` + likeNamespace + `"}}`},
			{method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body: likeCRD},
		} {
			if answer, err := s.ask(ctx, r); err != nil || answer.Code != http.StatusCreated {
				t.Fatalf("%s: %+v, %v", r.path, answer, err)
			}
		}
		for answer, err := (likeAnswer{}), error(nil); answer.Code != http.StatusOK; {
			if answer, err = s.ask(ctx, likeRequest{method: "GET", path: "/apis/example.com/v1/namespaces/" + likeNamespace + "/foos"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var all []likeRequest
	for _, k := range likeKinds {
		for _, r := range k.requests() {
			r.name = k.plural + ": " + r.name
			all = append(all, r)
		}
	}
	all = append(all, likeOthers...)
	known := likeDifferences(t, "requests")
	used := map[int]bool{}
	var report strings.Builder
	equal := 0
	for _, r := range all {
		var answers []likeAnswer
		for _, s := range servers {
			answer, err := s.ask(ctx, r)
			if err != nil {
				t.Fatalf("%s: %v", r.name, err)
			}
			answers = append(answers, answer)
		}
		diff := likeDiff("", toJSON(t, answers[1]), toJSON(t, answers[0]))
		if len(diff) == 0 {
			equal++
			continue
		}
		row := slices.IndexFunc(known, func(re *regexp.Regexp) bool { return re.MatchString(r.name) })
		fmt.Fprintf(&report, "%s (%s %s)\n", r.name, r.method, r.path)
		for _, line := range diff {
			fmt.Fprintf(&report, "    %s\n", line)
		}
		if row < 0 {
			t.Errorf("%s differs from a real API server, and docs/simcluster.md does not say so:\n    %s", r.name, strings.Join(diff[:min(len(diff), 6)], "\n    "))
			continue
		}
		used[row] = true
	}
	for i, re := range known {
		if !used[i] {
			t.Errorf("docs/simcluster.md names a difference that there is not: %s", re)
		}
	}
	t.Logf("%d of %d answers are equal", equal, len(all))
	dir, err := layout.Artifacts(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "differences.txt"), []byte(report.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// toJSON returns an answer as decoded JSON.
func toJSON(t *testing.T, a likeAnswer) (v any) {
	t.Helper()
	text, err := json.Marshal(a)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// likeDiff returns a line for each member in which two JSON values differ.
func likeDiff(path string, want, is any) (lines []string) {
	wantMap, ok := want.(map[string]any)
	isMap, ok2 := is.(map[string]any)
	if ok && ok2 {
		names := map[string]bool{}
		for _, m := range []map[string]any{wantMap, isMap} {
			for name := range m {
				names[name] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			a, has := wantMap[name]
			b, has2 := isMap[name]
			switch {
			case has && has2:
				lines = append(lines, likeDiff(path+"."+name, a, b)...)
			case has:
				lines = append(lines, fmt.Sprintf("%s.%s is missing: %.300v", path, name, text(a)))
			default:
				lines = append(lines, fmt.Sprintf("%s.%s is too much: %.300v", path, name, text(b)))
			}
		}
		return lines
	}
	wantList, ok := want.([]any)
	isList, ok2 := is.([]any)
	if ok && ok2 && len(wantList) == len(isList) {
		for i := range wantList {
			lines = append(lines, likeDiff(fmt.Sprintf("%s[%d]", path, i), wantList[i], isList[i])...)
		}
		return lines
	}
	if a, b := text(want), text(is); a != b {
		lines = append(lines, fmt.Sprintf("%s: %.400s, want %.400s", path, b, a))
	}
	return lines
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// likeDifferences reads the patterns of a table of docs/simcluster.md, named by the head of its last column: that column has the requests or commands that
// differ, as a regular expression.
func likeDifferences(t *testing.T, column string) (known []*regexp.Regexp) {
	t.Helper()
	doc, err := os.ReadFile("../../docs/simcluster.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(doc), "| what differs | "+column+" |\n|-|-|\n")
	if !ok {
		t.Fatalf("docs/simcluster.md has no table of %s", column)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for _, found := range regexp.MustCompile("(?m)^\\|.*\\| `(.+)` \\|$").FindAllStringSubmatch(table, -1) {
		re, err := regexp.Compile("^(?:" + strings.ReplaceAll(found[1], `\|`, "|") + ")$")
		if err != nil {
			t.Fatalf("docs/simcluster.md: %v", err)
		}
		known = append(known, re)
	}
	return known
}
