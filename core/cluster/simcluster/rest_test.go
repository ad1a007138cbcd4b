package simcluster

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

func newStill(n int) *Cluster {
	c, _ := newFake(Options{Objects: n, Still: true})
	return c
}

func TestMalformedRequests(t *testing.T) {
	const plain = "plain" // the answer to a path of no group and version is text
	c := newStill(20)
	pod := c.pods.slots()[0].cur
	podURL := "/api/v1/namespaces/" + pod.namespace + "/pods/" + pod.name
	token := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	const merge = mergePatch
	for _, tc := range []struct {
		name, method, url, body, contentType string
		code                                 int
		reason                               string
	}{
		{"no such path", "GET", "/nothing", "", "", 404, plain},
		{"empty path", "GET", "/", "", "", 404, plain},
		{"unknown resource", "GET", "/api/v1/widgets", "", "", 404, "NotFound"},
		{"unknown group", "GET", "/apis/x.example.com/v1/widgets", "", "", 404, plain},
		{"unknown version", "GET", "/apis/apps/v1beta1/deployments", "", "", 404, plain},
		{"deep path", "GET", podURL + "/a/b/c", "", "", 404, "NotFound"},
		{"unknown subresource", "GET", podURL + "/nothing", "", "", 404, "NotFound"},
		{"cluster resource in namespace", "GET", "/api/v1/namespaces/shop/nodes", "", "", 404, "NotFound"},
		{"bad escape in query", "GET", "/api/v1/pods?x=%25zz%zz", "", "", 400, "BadRequest"},
		{"bad resourceVersion", "GET", "/api/v1/pods?resourceVersion=abc", "", "", 400, "BadRequest"},
		{"negative resourceVersion", "GET", "/api/v1/pods?resourceVersion=-1", "", "", 400, "BadRequest"},
		{"bad resourceVersion of watch", "GET", "/api/v1/pods?watch=1&resourceVersion=abc", "", "", 500, ""},
		{"bad resourceVersion of get", "GET", podURL + "?resourceVersion=abc", "", "", 400, "BadRequest"},
		{"future resourceVersion", "GET", "/api/v1/pods?resourceVersion=99999999", "", "", 504, "Timeout"},
		{"bad limit", "GET", "/api/v1/pods?limit=many", "", "", 400, "BadRequest"},
		{"bad timeout", "GET", "/api/v1/pods?watch=1&timeoutSeconds=x", "", "", 400, "BadRequest"},
		{"bad token", "GET", "/api/v1/pods?continue=%21%21", "", "", 400, "BadRequest"},
		{"token not JSON", "GET", "/api/v1/pods?continue=" + token("hello"), "", "", 400, "BadRequest"},
		{"token of another version", "GET", "/api/v1/pods?continue=" + token(`{"v":"x","rv":1,"start":"a"}`), "", "", 400, "BadRequest"},
		{"token without version", "GET", "/api/v1/pods?continue=" + token(`{"v":"meta.k8s.io/v1","start":"a"}`), "", "", 400, "BadRequest"},
		{"token without key", "GET", "/api/v1/pods?continue=" + token(`{"v":"meta.k8s.io/v1","rv":1}`), "", "", 400, "BadRequest"},
		{"token of an old version", "GET", "/api/v1/pods?continue=" + token(`{"v":"meta.k8s.io/v1","rv":1,"start":"a"}`), "", "", 410, "Expired"},
		{"token with resourceVersion", "GET", "/api/v1/pods?resourceVersion=5&continue=" + token(`{"v":"meta.k8s.io/v1","rv":1,"start":"a"}`), "", "", 400,
			"BadRequest"},
		{"bad label selector", "GET", "/api/v1/pods?labelSelector=a+in+b", "", "", 400, "BadRequest"},
		{"bad field selector", "GET", "/api/v1/pods?fieldSelector=%3D%3D%3D", "", "", 400, "BadRequest"},
		{"unsupported field", "GET", "/api/v1/pods?fieldSelector=spec.color%3Dred", "", "", 400, "BadRequest"},
		{"match without version", "GET", "/api/v1/pods?resourceVersionMatch=Exact", "", "", 422, "Invalid"},
		{"unknown match", "GET", "/api/v1/pods?resourceVersionMatch=Near&resourceVersion=1", "", "", 422, "Invalid"},
		{"exact zero", "GET", "/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=0", "", "", 422, "Invalid"},
		{"exact too old", "GET", "/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=1", "", "", 410, "Expired"},
		{"initial events for list", "GET", "/api/v1/pods?sendInitialEvents=true", "", "", 422, "Invalid"},
		{"initial events without match", "GET", "/api/v1/pods?watch=1&sendInitialEvents=true", "", "", 422, "Invalid"},
		{"match for watch", "GET", "/api/v1/pods?watch=1&resourceVersionMatch=NotOlderThan", "", "", 422, "Invalid"},
		{"bad JSON", "POST", "/api/v1/namespaces/shop/pods", "{", "", 400, "BadRequest"},
		{"no body", "POST", "/api/v1/namespaces/shop/pods", "", "", 400, "BadRequest"},
		{"null", "POST", "/api/v1/namespaces/shop/pods", "null", "", 400, "BadRequest"},
		{"list as body", "POST", "/api/v1/namespaces/shop/pods", "[]", "", 400, "BadRequest"},
		{"two documents", "POST", "/api/v1/namespaces/shop/configmaps", `{"metadata":{"name":"a"}} {}`, "", 400, "BadRequest"},
		{"metadata of the wrong type", "POST", "/api/v1/namespaces/shop/pods", `{"metadata":"x"}`, "", 400, "BadRequest"},
		{"name of the wrong type", "POST", "/api/v1/namespaces/shop/pods", `{"metadata":{"name":5}}`, "", 400, "BadRequest"},
		{"labels of the wrong type", "POST", "/api/v1/namespaces/shop/configmaps", `{"metadata":{"name":"x","labels":{"a":1}}}`, "", 400, "BadRequest"},
		{"finalizers of the wrong type", "POST", "/api/v1/namespaces/shop/configmaps", `{"metadata":{"name":"x","finalizers":[1]}}`, "", 400, "BadRequest"},
		{"owners of the wrong type", "POST", "/api/v1/namespaces/shop/configmaps", `{"metadata":{"name":"x","ownerReferences":["a"]}}`, "", 400, "BadRequest"},
		{"no name", "POST", "/api/v1/namespaces/shop/configmaps", `{}`, "", 422, "Invalid"},
		{"bad name", "POST", "/api/v1/namespaces/shop/configmaps", `{"metadata":{"name":"A B"}}`, "", 422, "Invalid"},
		{"bad label", "POST", "/api/v1/namespaces/shop/configmaps", `{"metadata":{"name":"a","labels":{"a b":"c"}}}`, "", 422, "Invalid"},
		{"no containers", "POST", "/api/v1/namespaces/shop/pods", `{"metadata":{"name":"a"}}`, "", 422, "Invalid"},
		{"containers of the wrong type", "POST", "/api/v1/namespaces/shop/pods", `{"metadata":{"name":"a"},"spec":{"containers":[1]}}`, "", 422, "Invalid"},
		{"wrong kind", "POST", "/api/v1/namespaces/shop/pods", `{"kind":"Service","apiVersion":"v1"}`, "", 400, "BadRequest"},
		{"wrong apiVersion", "POST", "/api/v1/namespaces/shop/pods", `{"kind":"Pod","apiVersion":"v2"}`, "", 400, "BadRequest"},
		{"wrong namespace", "POST", "/api/v1/namespaces/shop/configmaps", `{"metadata":{"name":"a","namespace":"web"}}`, "", 400, "BadRequest"},
		{"no such namespace", "POST", "/api/v1/namespaces/none/configmaps", `{"metadata":{"name":"a"}}`, "", 404, "NotFound"},
		{"version on create", "POST", "/api/v1/namespaces/shop/configmaps", `{"metadata":{"name":"a","resourceVersion":"1"}}`, "", 500, ""},
		{"exists", "POST", "/api/v1/namespaces", `{"metadata":{"name":"shop"}}`, "", 409, "AlreadyExists"},
		{"protobuf", "POST", "/api/v1/namespaces/shop/pods", "k8s\x00", "application/vnd.kubernetes.protobuf", 415, "UnsupportedMediaType"},
		{"too large", "POST", "/api/v1/namespaces/shop/pods", strings.Repeat(" ", maxBody+1), "", 413, "RequestEntityTooLarge"},
		{"create without namespace", "POST", "/api/v1/pods", `{}`, "", 405, "MethodNotAllowed"},
		{"create with name", "POST", podURL, `{}`, "", 405, "MethodNotAllowed"},
		{"put on collection", "PUT", "/api/v1/namespaces/shop/pods", `{}`, "", 405, "MethodNotAllowed"},
		{"odd method", "BREW", podURL, "", "", 405, "MethodNotAllowed"},
		{"post to discovery", "POST", "/apis", "", "", 405, "MethodNotAllowed"},
		{"put another name", "PUT", podURL, `{"metadata":{"name":"other"}}`, "", 400, "BadRequest"},
		{"put missing", "PUT", "/api/v1/namespaces/shop/configmaps/none", `{"metadata":{"name":"none"}}`, "", 404, "NotFound"},
		{"get missing", "GET", "/api/v1/namespaces/shop/pods/none", "", "", 404, "NotFound"},
		{"delete missing", "DELETE", "/api/v1/namespaces/shop/pods/none", "", "", 404, "NotFound"},
		{"bad delete options", "DELETE", podURL, "{", "", 400, "BadRequest"},
		{"bad grace", "DELETE", podURL + "?gracePeriodSeconds=x", "", "", 400, "BadRequest"},
		{"bad propagation", "DELETE", podURL + "?propagationPolicy=Sideways", "", "", 422, "Invalid"},
		{"wrong uid", "DELETE", podURL, `{"preconditions":{"uid":"x"}}`, "", 409, "Conflict"},
		{"patch type", "PATCH", podURL, "{}", "application/json", 415, "UnsupportedMediaType"},
		{"apply", "PATCH", podURL, "{}", "application/apply-patch+yaml", 415, "UnsupportedMediaType"},
		{"bad merge patch", "PATCH", podURL, "[", merge, 400, "BadRequest"},
		{"merge patch metadata", "PATCH", podURL, `{"metadata":7}`, merge, 400, "BadRequest"},
		{"merge patch name", "PATCH", podURL, `{"metadata":{"name":"x"}}`, merge, 400, "BadRequest"},
		{"merge patch kind", "PATCH", podURL, `{"kind":"X"}`, merge, 400, "BadRequest"},
		{"merge patch spec", "PATCH", podURL, `{"spec":"x"}`, merge, 400, "BadRequest"},
		{"merge patch no spec", "PATCH", podURL, `{"spec":null}`, merge, 422, "Invalid"},
		{"merge patch conflict", "PATCH", podURL, `{"metadata":{"resourceVersion":"1"}}`, merge, 409, "Conflict"},
		{"JSON patch", "PATCH", podURL, "[]", "application/json-patch+json", 415, "UnsupportedMediaType"},
		{"strategic merge patch", "PATCH", podURL, "{}", "application/strategic-merge-patch+json", 415, "UnsupportedMediaType"},
		{"JSON patch of a scale", "PATCH", "/apis/apps/v1/namespaces/shop/deployments/cart/scale", "[]", "application/json-patch+json", 415, "UnsupportedMediaType"},
		{"scale negative", "PATCH", "/apis/apps/v1/namespaces/shop/deployments/cart/scale", `{"spec":{"replicas":-1}}`, merge, 422, "Invalid"},
		{"scale of the wrong shape", "PUT", "/apis/apps/v1/namespaces/shop/deployments/cart/scale", `7`, "", 400, "BadRequest"},
		{"scale method", "DELETE", "/apis/apps/v1/namespaces/shop/deployments/cart/scale", "", "", 405, "MethodNotAllowed"},
		{"scale of missing", "GET", "/apis/apps/v1/namespaces/shop/deployments/none/scale", "", "", 404, "NotFound"},
		{"bad crd", "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"x"}}`, "", 422, "Invalid"},
		{"logs", "GET", podURL + "/log", "", "", 501, "NotImplemented"},
		{"exec", "POST", podURL + "/exec?command=sh", "", "", 501, "NotImplemented"},
		{"eviction of another pod", "POST", podURL + "/eviction", `{"metadata":{"name":"x"}}`, "", 400, "BadRequest"},
		{"eviction with a precondition", "POST", podURL + "/eviction", `{"deleteOptions":{"preconditions":{"uid":"x"}}}`, "", 409, "Conflict"},
		{"namespace default", "DELETE", "/api/v1/namespaces/default", "", "", 403, "Forbidden"},
		{"namespace kube-system", "DELETE", "/api/v1/namespaces/kube-system?dryRun=All", "", "", 403, "Forbidden"},
		{"dry run", "POST", "/api/v1/namespaces/shop/configmaps?dryRun=Maybe", `{"metadata":{"name":"a"}}`, "", 422, "Invalid"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req := httptest.NewRequest(tc.method, "/", strings.NewReader(tc.body))
			path, query, _ := strings.Cut(tc.url, "?")
			req.URL.Path, req.URL.RawQuery = path, query
			if tc.contentType != "" {
				req.Header.Set("Content-Type", tc.contentType)
			}
			rev := c.Stats().ResourceVersion
			w := httptest.NewRecorder()
			c.ServeHTTP(w, req)
			a := call{w.Code, w.Header(), w.Body.String()}
			if tc.reason == plain {
				if a.code != tc.code || a.body != "404 page not found\n" {
					t.Errorf("got %d %q", a.code, a.body)
				}
				return
			}
			if a.code != tc.code || a.get("code").Int() != int64(tc.code) || a.get("reason").String() != tc.reason {
				t.Errorf("got %d %s, want %d %s", a.code, a.body, tc.code, tc.reason)
			}
			if a.get("kind").String() != "Status" || a.get("status").String() != "Failure" || a.get("message").String() == "" {
				t.Errorf("not a Status with a message: %s", a.body)
			}
			if now := c.Stats().ResourceVersion; now != rev {
				t.Errorf("a refused request wrote: %d -> %d", rev, now)
			}
		})
	}
	if a := do(c, "GET", "/api/v1/pods", "", "Accept", "application/vnd.kubernetes.protobuf"); a.code != 406 {
		t.Errorf("protobuf only: %d", a.code)
	}
	if a := do(c, "GET", "/api/v1/pods", "", "Accept", "application/vnd.kubernetes.protobuf,application/json"); a.code != 200 {
		t.Errorf("protobuf or JSON: %d", a.code)
	}
}

func TestListPages(t *testing.T) {
	c := newStill(100)
	whole := do(c, "GET", "/api/v1/pods", "")
	want := whole.get("items.#.metadata.uid").String()
	rv := whole.get("metadata.resourceVersion").String()
	var uids []string
	next, pages := "", 0
	for {
		url := "/api/v1/pods?limit=30&continue=" + next
		a := do(c, "GET", url, "")
		if a.code != 200 || a.get("metadata.resourceVersion").String() != rv {
			t.Fatalf("page %d: %d, version %s, want %s", pages, a.code, a.get("metadata.resourceVersion"), rv)
		}
		for _, v := range a.get("items.#.metadata.uid").Array() {
			uids = append(uids, v.Raw)
		}
		// Changes between the pages must not show in them.
		if err := c.Burst(5); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.DeleteRandomPod(); err != nil {
			t.Fatal(err)
		}
		pages++
		if next = a.get("metadata.continue").String(); next == "" {
			if a.get("metadata.remainingItemCount").Exists() {
				t.Error("the last page has a remainingItemCount")
			}
			break
		}
		if got := a.get("metadata.remainingItemCount").Int(); got != int64(100-30*pages) {
			t.Errorf("page %d: %d remaining", pages, got)
		}
	}
	if got := "[" + strings.Join(uids, ",") + "]"; got != want || pages != 4 {
		t.Errorf("%d pages differ from the whole list", pages)
	}

	// In a namespace, and with a selector.
	a := do(c, "GET", "/api/v1/namespaces/shop/pods?limit=1", "")
	b := do(c, "GET", "/api/v1/namespaces/shop/pods?limit=500&continue="+a.get("metadata.continue").String(), "")
	all := do(c, "GET", "/api/v1/namespaces/shop/pods", "")
	if n := len(a.get("items").Array()) + len(b.get("items").Array()); n != len(all.get("items").Array()) || n < 3 {
		t.Errorf("pages of a namespace hold %d of %d", n, len(all.get("items").Array()))
	}
	a = do(c, "GET", "/api/v1/pods?limit=1&labelSelector=tier%3Dbackend", "")
	if a.get("metadata.continue").String() == "" || a.get("metadata.remainingItemCount").Exists() {
		t.Errorf("a page by selector: %s", a.get("metadata"))
	}

	// Compaction: 410, with a token for an inconsistent continuation.
	a = do(c, "GET", "/api/v1/pods?limit=10", "")
	if err := c.Burst(1); err != nil {
		t.Fatal(err)
	}
	c.Compact()
	b = do(c, "GET", "/api/v1/pods?limit=10&continue="+a.get("metadata.continue").String(), "")
	if b.code != 410 || b.get("reason").String() != "Expired" || b.get("metadata.continue").String() == "" {
		t.Fatalf("an expired token: %d %s", b.code, b.body)
	}
	b = do(c, "GET", "/api/v1/pods?limit=500&continue="+b.get("metadata.continue").String(), "")
	if n := len(b.get("items").Array()); b.code != 200 || n != c.Stats().Objects["pods"]-10 {
		t.Errorf("the inconsistent continuation: %d, %d items", b.code, n)
	}
}

func TestListAtVersions(t *testing.T) {
	c := newStill(30)
	before := do(c, "GET", "/api/v1/pods", "")
	old := before.get("metadata.resourceVersion").String()
	if _, _, err := c.DeleteRandomPod(); err != nil {
		t.Fatal(err)
	}
	do(c, "POST", "/api/v1/namespaces/shop/pods", `{"metadata":{"name":"zz"},"spec":{"containers":[{"name":"a","image":"b"}]}}`)
	if err := c.Burst(20); err != nil {
		t.Fatal(err)
	}
	a := do(c, "GET", "/api/v1/pods?resourceVersionMatch=Exact&resourceVersion="+old, "")
	if a.body != before.body {
		t.Error("an exact list differs from the list at that version")
	}
	a = do(c, "GET", "/api/v1/pods?limit=1000&resourceVersion="+old, "")
	if a.body != before.body {
		t.Error("a limited list at a version differs from the list at that version")
	}
	for _, q := range []string{"?resourceVersion=" + old, "?resourceVersion=0", "?resourceVersionMatch=NotOlderThan&resourceVersion=" + old, ""} {
		a = do(c, "GET", "/api/v1/pods"+q, "")
		if got := a.get("metadata.resourceVersion").Uint(); got != c.Stats().ResourceVersion {
			t.Errorf("%s: version %d, want %d", q, got, c.Stats().ResourceVersion)
		}
	}
	future := c.Stats().ResourceVersion + 10
	a = do(c, "GET", fmt.Sprintf("/api/v1/pods?resourceVersion=%d", future), "")
	want := fmt.Sprintf("Timeout: Too large resource version: %d, current: %d", future, future-10)
	if a.get("message").String() != want || a.get("details.causes.0.reason").String() != "ResourceVersionTooLarge" ||
		a.get("details.retryAfterSeconds").Int() != 1 || a.header.Get("Retry-After") != "1" {
		t.Errorf("a future version: %s", a.body)
	}
}

func TestSelectors(t *testing.T) {
	c := newStill(100)
	pod := c.pods.slots()[40].cur
	all := do(c, "GET", "/api/v1/pods", "")
	count := func(path string) int { return len(all.get(path).Array()) }
	for q, want := range map[string]int{
		"labelSelector=app%3Dcart":                                count(`items.#(metadata.labels.app=="cart")#`),
		"labelSelector=app!%3Dcart":                               count(`items.#(metadata.labels.app!="cart")#`),
		"labelSelector=app+in+(cart,edge),tier":                   count(`items.#(metadata.labels.app=="cart")#`) + count(`items.#(metadata.labels.app=="edge")#`),
		"labelSelector=!tier":                                     0,
		"fieldSelector=metadata.name%3D" + pod.name:               1,
		"fieldSelector=metadata.namespace%3Dshop":                 count(`items.#(metadata.namespace=="shop")#`),
		"fieldSelector=spec.nodeName%3D" + pod.nodeName:           count(`items.#(spec.nodeName=="` + pod.nodeName + `")#`),
		"fieldSelector=spec.nodeName!%3D" + pod.nodeName:          count(`items.#(spec.nodeName!="` + pod.nodeName + `")#`),
		"fieldSelector=status.phase%3DRunning,metadata.name!%3D1": 100,
		"fieldSelector=status.phase%3DPending":                    0,
	} {
		a := do(c, "GET", "/api/v1/pods?"+q, "")
		if got := len(a.get("items").Array()); a.code != 200 || got != want {
			t.Errorf("%s: %d with %d items, want %d", q, a.code, got, want)
		}
	}
}

func TestWrites(t *testing.T) {
	c := newStill(10)
	const base = "/api/v1/namespaces/shop/configmaps"
	a := do(c, "POST", base, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"generateName":"cfg-"},"data":{"k":"<v>"}}`, "User-Agent", "kubectl/v1.36")
	name := a.get("metadata.name").String()
	if a.code != 201 || !strings.HasPrefix(name, "cfg-") || len(name) != 9 || a.get("metadata.uid").String() == "" ||
		a.get("metadata.managedFields.0.manager").String() != "kubectl" || a.get("kind").String() != "ConfigMap" {
		t.Fatalf("create: %d %s", a.code, a.body)
	}
	if !strings.Contains(a.body, "<v>") {
		t.Error("HTML characters were escaped")
	}
	url := base + "/" + name
	update := strings.Replace(a.body, "<v>", "w", 1)
	b := do(c, "PUT", url, update)
	if b.code != 200 || b.get("data.k").String() != "w" || b.get("metadata.uid").String() != a.get("metadata.uid").String() {
		t.Fatalf("update: %d %s", b.code, b.body)
	}
	if x := do(c, "PUT", url, update); x.code != 409 || x.get("reason").String() != "Conflict" || x.get("details.kind").String() != "configmaps" ||
		x.get("message").String() != `Operation cannot be fulfilled on configmaps "`+name+`": `+conflictText {
		t.Errorf("a stale update: %d %s", x.code, x.body)
	}
	rev := c.Stats().ResourceVersion
	if x := do(c, "PUT", url, b.body); x.code != 200 || c.Stats().ResourceVersion != rev {
		t.Errorf("an update that changes nothing made a version: %d", x.code)
	}
	if x := do(c, "PUT", url+"?dryRun=All", strings.Replace(b.body, `"w"`, `"dry"`, 1)); x.get("data.k").String() != "dry" || c.Stats().ResourceVersion != rev {
		t.Errorf("a dry run: %s", x.body)
	}
	b = do(c, "PATCH", url, `{"data":{"k":null,"l":"1"},"metadata":{"finalizers":["example.com/hold"]}}`, "Content-Type", mergePatch)
	if b.code != 200 || b.get("data.k").Exists() || b.get("data.l").String() != "1" {
		t.Errorf("merge patch: %d %s", b.code, b.body)
	}
	b = do(c, "DELETE", url, "")
	if b.code != 200 || b.get("metadata.deletionTimestamp").String() == "" {
		t.Errorf("delete with a finalizer: %d %s", b.code, b.body)
	}
	if x := do(c, "GET", url, ""); x.code != 200 {
		t.Errorf("a finalizer did not hold: %d", x.code)
	}
	if x := do(c, "PATCH", url, `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch); x.code != 200 {
		t.Errorf("removing the finalizer: %d %s", x.code, x.body)
	}
	if x := do(c, "GET", url, ""); x.code != 404 {
		t.Errorf("still there without finalizers: %d", x.code)
	}

	// The status subresource.
	a = do(c, "POST", "/apis/apps/v1/namespaces/shop/deployments", mustJSON(deploymentObject(app{"shop", "sm", "backend", "sm:1"}, 2)))
	durl := "/apis/apps/v1/namespaces/shop/deployments/sm"
	b = do(c, "PATCH", durl, `{"status":{"replicas":9}}`, "Content-Type", mergePatch)
	if b.get("status.replicas").Exists() {
		t.Error("a patch of the main resource changed the status")
	}
	b = do(c, "PATCH", durl+"/status", `{"status":{"replicas":9},"spec":{"replicas":7}}`, "Content-Type", mergePatch)
	if b.code != 200 || b.get("status.replicas").Int() != 9 || b.get("spec.replicas").Int() != 2 || b.get("metadata.generation").Int() != 1 {
		t.Errorf("status patch: %d %s", b.code, b.body)
	}
	b = do(c, "PATCH", durl+"/scale", `{"spec":{"replicas":5}}`, "Content-Type", mergePatch)
	if b.code != 200 || b.get("kind").String() != "Scale" || b.get("spec.replicas").Int() != 5 || b.get("status.selector").String() != "app=sm" {
		t.Errorf("scale: %d %s", b.code, b.body)
	}
	if d := do(c, "GET", durl, ""); d.get("spec.replicas").Int() != 5 || d.get("metadata.generation").Int() != 2 {
		t.Errorf("scaled: %s", d.body)
	}
	_ = a
}

func TestPodDeletionIsGraceful(t *testing.T) {
	c, clk := newFake(Options{Objects: 10})
	o := c.pods.slots()[0].cur
	url := "/api/v1/namespaces/" + o.namespace + "/pods/" + o.name
	a := do(c, "DELETE", url, "")
	if a.code != 200 || a.get("metadata.deletionGracePeriodSeconds").Int() != 30 ||
		a.get("metadata.deletionTimestamp").String() != epoch.Add(30*time.Second).Format(time.RFC3339) {
		t.Fatalf("delete: %d %s", a.code, a.body)
	}
	play(c, clk, 4*time.Second, 100*time.Millisecond)
	if a := do(c, "GET", url, ""); a.code != 404 {
		t.Errorf("after the grace: %d", a.code)
	}
	o = c.pods.slots()[0].cur
	url = "/api/v1/namespaces/" + o.namespace + "/pods/" + o.name
	do(c, "DELETE", url, `{"gracePeriodSeconds":0}`)
	if a := do(c, "GET", url, ""); a.code != 404 {
		t.Errorf("after a forced deletion: %d", a.code)
	}
}

func TestOwnersAndPolicies(t *testing.T) {
	c, clk := newFake(Options{Objects: -1})
	for _, policy := range []string{"Background", "Foreground", "Orphan"} {
		if err := c.CreateDeployment("shop", "own", 2); err != nil {
			t.Fatal(err)
		}
		play(c, clk, 5*time.Second, 100*time.Millisecond)
		a := do(c, "DELETE", "/apis/apps/v1/namespaces/shop/deployments/own?propagationPolicy="+policy, "")
		if a.code != 200 {
			t.Fatalf("%s: %d %s", policy, a.code, a.body)
		}
		if policy == "Foreground" && a.get("metadata.finalizers.0").String() != "foregroundDeletion" {
			t.Errorf("foreground: %s", a.body)
		}
		play(c, clk, 10*time.Second, 100*time.Millisecond)
		st := c.Stats().Objects
		wantSets := 0
		if policy == "Orphan" {
			wantSets = 1
		}
		if st["deployments.apps"] != 0 || st["replicasets.apps"] != wantSets || st["pods"] != 2*wantSets {
			t.Errorf("%s left %v", policy, st)
		}
	}
}

func TestNamespaceDeletion(t *testing.T) {
	c, clk := newFake(Options{Objects: 100})
	if a := do(c, "DELETE", "/api/v1/namespaces/shop", ""); a.get("status.phase").String() != "Terminating" {
		t.Fatalf("%d %s", a.code, a.body)
	}
	if a := do(c, "POST", "/api/v1/namespaces/shop/configmaps", `{"metadata":{"name":"a"}}`); a.code != 403 {
		t.Errorf("create in a terminating namespace: %d %s", a.code, a.body)
	}
	play(c, clk, 10*time.Second, 100*time.Millisecond)
	if a := do(c, "GET", "/api/v1/namespaces/shop", ""); a.code != 404 {
		t.Errorf("the namespace is still there: %s", a.body)
	}
	for _, r := range c.order {
		if n := len(r.objects("shop")); n > 0 {
			t.Errorf("%d %s left", n, r.plural)
		}
	}
}

const fooCRD = `{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"foos.samplecontroller.k8s.io"},
	"spec":{"group":"samplecontroller.k8s.io","scope":"Namespaced","names":{"plural":"foos","kind":"Foo","shortNames":["fo"]},
	"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`

func TestCRD(t *testing.T) {
	c := newStill(5)
	crds := "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	if a := do(c, "POST", crds, fooCRD); a.code != 201 || a.get("status.conditions.0").Exists() || a.get("status.storedVersions.0").String() != "v1" {
		t.Fatalf("%d %s", a.code, a.body)
	}
	if a := do(c, "GET", crds+"/foos.samplecontroller.k8s.io", ""); a.get("status.conditions.#.type").Raw != `["NamesAccepted","Established"]` ||
		a.get("status.conditions.#.status").Raw != `["True","True"]` || a.get("status.acceptedNames.listKind").String() != "FooList" {
		t.Errorf("%s", a.body)
	}
	if a := do(c, "GET", "/apis/samplecontroller.k8s.io/v1", ""); a.get("resources.0.kind").String() != "Foo" ||
		a.get("resources.1.name").String() != "foos/status" {
		t.Errorf("discovery: %s", a.body)
	}
	url := "/apis/samplecontroller.k8s.io/v1/namespaces/shop/foos"
	a := do(c, "POST", url, `{"kind":"Foo","apiVersion":"samplecontroller.k8s.io/v1","metadata":{"name":"f"},"spec":{"n":1.50},"status":{"x":1}}`)
	if a.code != 201 || a.get("status").Exists() || a.get("spec.n").Raw != "1.50" {
		t.Fatalf("%d %s", a.code, a.body)
	}
	if a := do(c, "GET", url, ""); a.get("kind").String() != "FooList" || a.get("items.0.kind").String() != "Foo" {
		t.Errorf("list: %s", a.body)
	}
	do(c, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.samplecontroller.k8s.io", "")
	if a := do(c, "GET", url, ""); a.code != 404 {
		t.Errorf("after the CRD is gone: %d", a.code)
	}
}

func TestShapes(t *testing.T) {
	c := newStill(10)
	a := do(c, "GET", "/api/v1/pods", "", "Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json")
	if a.get("kind").String() != "PartialObjectMetadataList" || a.get("items.0.metadata.name").String() == "" || a.get("items.0.spec").Exists() {
		t.Errorf("metadata only: %.300s", a.body)
	}
	a = do(c, "GET", "/apis", "", "Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json")
	if a.header.Get("Content-Type") != "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" ||
		a.get(`items.#(metadata.name=="apps").versions.0.resources.0.resource`).String() != "deployments" {
		t.Errorf("aggregated discovery: %v %.300s", a.header, a.body)
	}
	if a := do(c, "GET", "/healthz", ""); a.code != http.StatusOK || a.body != "ok" {
		t.Errorf("healthz: %d %s", a.code, a.body)
	}
}

// TestADryRunMakesNoVersion sends each kind of write as a dry run. Nothing changes, and the answer has the version that the object has: none, if it is new.
func TestADryRunMakesNoVersion(t *testing.T) {
	c, _ := newFake(Options{Seed: 7, Objects: 20})
	pod := c.pods.objects("")[0]
	url := "/api/v1/namespaces/" + pod.namespace + "/pods/" + pod.name
	version := strconv.FormatUint(pod.rev, 10)
	eviction := `{"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"` + pod.name + `"},"deleteOptions":{"dryRun":["All"]}}`
	rev := c.Stats().ResourceVersion
	for _, x := range []struct{ name, method, url, body, contentType, want string }{
		{"create", "POST", "/api/v1/namespaces/default/configmaps?dryRun=All", `{"metadata":{"name":"a"}}`, "", ""},
		{"patch", "PATCH", url + "?dryRun=All", `{"metadata":{"labels":{"a":"b"}}}`, mergePatch, version},
		{"update", "PUT", url + "?dryRun=All", strings.Replace(do(c, "GET", url, "").body, `"labels":{`, `"labels":{"c":"d",`, 1), "", version},
		{"delete", "DELETE", url + "?dryRun=All", "", "", version},
		{"eviction in its options", "POST", url + "/eviction", eviction, "", ""},
		{"eviction in the query", "POST", url + "/eviction?dryRun=All", strings.Replace(eviction, `["All"]`, `[]`, 1), "", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			a := do(c, x.method, x.url, x.body, "Content-Type", x.contentType)
			if a.code >= 300 || a.get("metadata.resourceVersion").String() != x.want {
				t.Errorf("got %d, version %s, want %q: %s", a.code, a.get("metadata.resourceVersion"), x.want, a.body)
			}
			if now := c.Stats().ResourceVersion; now != rev {
				t.Errorf("it wrote: %d -> %d", rev, now)
			}
		})
	}
}
