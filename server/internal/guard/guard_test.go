package guard

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

const token = "0123456789abcdefGHIJ"

func newDoor() *Door {
	return NewDoor([]string{"127.0.0.1:8080", "localhost:8080", "[::1]:8080"}, "http", token)
}

func rule(r *Refusal) string {
	if r == nil {
		return ""
	}
	return r.Rule
}

func TestHost(t *testing.T) {
	for _, test := range []struct{ host, rule string }{
		{"127.0.0.1:8080", ""},
		{"localhost:8080", ""},
		{"LocalHost:8080", ""},
		{"[::1]:8080", ""},
		{"127.0.0.1", "host"},
		{"127.0.0.1:8081", "host"},
		{"127.0.0.1:8080.evil.example", "host"},
		{"127.0.0.1:8080@evil.example", "host"},
		{"evil.example@127.0.0.1:8080", "host"},
		{"evil.example", "host"},
		{"evil.example:8080", "host"},
		{"localhost.evil.example:8080", "host"},
		{"localhost.:8080", "host"},
		{"127.1:8080", "host"},
		{"2130706433:8080", "host"},
		{"0.0.0.0:8080", "host"},
		{"[::ffff:127.0.0.1]:8080", "host"},
		{"[0:0:0:0:0:0:0:1]:8080", "host"},
		{"[::1%25lo]:8080", "host"},
		{"[::1]", "host"},
		{"::1:8080", "host"},
		{" 127.0.0.1:8080", "host"},
		{"127.0.0.1:8080,evil.example", "host"},
		{"", "host"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = test.host
		// What a proxy claims about the host does not count.
		r.Header.Set("X-Forwarded-Host", "127.0.0.1:8080")
		r.Header.Set("Forwarded", "host=127.0.0.1:8080")
		if got := rule(newDoor().Host(r)); got != test.rule {
			t.Errorf("Host %q: rule %q, want %q", test.host, got, test.rule)
		}
	}
}

func TestHostWithTheSchemesOwnPort(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Host = "relay.example"
	if refusal := NewDoor([]string{"relay.example:443"}, "https", token).Host(r); refusal != nil {
		t.Error(refusal)
	}
	if NewDoor([]string{"relay.example:443"}, "http", token).Host(r) == nil {
		t.Error("port 443 was taken for http's own")
	}
}

func TestOrigin(t *testing.T) {
	for _, test := range []struct {
		origins []string
		rule    string
	}{
		{[]string{"http://127.0.0.1:8080"}, ""},
		{[]string{"http://localhost:8080"}, ""},
		{[]string{"http://[::1]:8080"}, ""},
		{[]string{"http://[0:0:0:0:0:0:0:1]:8080"}, "origin"},
		{[]string{"http://[::ffff:127.0.0.1]:8080"}, "origin"},
		{[]string{"http://[::1%25lo]:8080"}, "origin"},
		{nil, "origin"},
		{[]string{""}, "origin"},
		{[]string{"null"}, "origin"},
		{[]string{"https://127.0.0.1:8080"}, "origin"},
		{[]string{"http://127.0.0.1"}, "origin"},
		{[]string{"http://127.0.0.1:9090"}, "origin"},
		{[]string{"http://127.0.0.1:8080/"}, "origin"},
		{[]string{"http://127.0.0.1:8080.evil.example"}, "origin"},
		{[]string{"http://evil.example"}, "origin"},
		{[]string{"http://evil.example/127.0.0.1:8080"}, "origin"},
		{[]string{"http://user@127.0.0.1:8080"}, "origin"},
		{[]string{"file://127.0.0.1:8080"}, "origin"},
		{[]string{"chrome-extension://127.0.0.1:8080"}, "origin"},
		{[]string{"http://127.0.0.1:8080", "http://evil.example"}, "origin"},
		{[]string{"http://evil.example", "http://127.0.0.1:8080"}, "origin"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/relay", nil)
		r.Header["Origin"] = test.origins
		if got := rule(newDoor().Origin(r)); got != test.rule {
			t.Errorf("Origin %q: rule %q, want %q", test.origins, got, test.rule)
		}
	}
}

func TestToken(t *testing.T) {
	for _, test := range []struct {
		protocols []string
		rule      string
	}{
		{[]string{Protocol + ", token." + token}, ""},
		{[]string{"token." + token, Protocol}, ""},
		{[]string{Protocol}, "token"},
		{[]string{Protocol + ", token."}, "token"},
		{[]string{Protocol + ", token." + token[1:]}, "token"},
		{[]string{Protocol + ", token." + token + "x"}, "token"},
		{[]string{Protocol + ", token." + strings.ToLower(token)}, "token"},
		{[]string{Protocol + ", Token." + token}, "token"},
		{[]string{Protocol + ", " + token}, "token"},
		{[]string{Protocol + ", token.wrong, token." + token}, "token"},
		{[]string{Protocol + ", token." + token + ", token.wrong"}, "token"},
		{[]string{"token." + token}, "protocol"},
		{[]string{"informerscope.v2, token." + token}, "protocol"},
		{nil, "protocol"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/relay?token="+token, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Cookie", "token="+token)
		r.Header["Sec-Websocket-Protocol"] = test.protocols
		refusal := newDoor().Token(r)
		if got := rule(refusal); got != test.rule {
			t.Errorf("%q: rule %q, want %q", test.protocols, got, test.rule)
		}
		if refusal != nil && strings.Contains(refusal.Error(), token) {
			t.Errorf("the refusal tells the token: %v", refusal)
		}
	}
}

func TestCheckToken(t *testing.T) {
	for given, ok := range map[string]bool{
		token: true, "abcdefghijklmnop-._~": true,
		"": false, "short": false, "with a space in it.": false, "0123456789abcdef,": false, "0123456789abcdef#": false, "0123456789abcdefé": false,
	} {
		if err := CheckToken(given); (err == nil) != ok {
			t.Errorf("CheckToken(%q) = %v", given, err)
		}
	}
}

func rules(t *testing.T, list string, secrets bool) Rules {
	t.Helper()
	resources, err := ParseResources(list)
	if err != nil {
		t.Fatal(err)
	}
	return Rules{Resources: resources, SecretsMetadata: secrets}
}

func check(t *testing.T, rules Rules, target string, change func(*http.Request)) (Request, *Refusal) {
	t.Helper()
	// As net/http parses a request line; what it cannot parse it answers with 400 before the guard runs.
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return Request{}, refuse("net/http", err.Error())
	}
	r := &http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}, Host: "relay"}
	if change != nil {
		change(r)
	}
	return rules.Check(r)
}

func TestPaths(t *testing.T) {
	all := rules(t, "*", false)
	const c = "/clusters/kind"
	for _, test := range []struct{ target, rule string }{
		// What informers and pickers of resources need.
		{c + "/version", ""},
		{c + "/api", ""},
		{c + "/apis", ""},
		{c + "/api/v1", ""},
		{c + "/apis/apps", ""},
		{c + "/apis/apps/v1", ""},
		{c + "/apis/samplecontroller.k8s.io/v1alpha1", ""},
		{c + "/api/v1/pods", ""},
		{c + "/api/v1/pods?watch=true", ""},
		{c + "/api/v1/namespaces", ""},
		{c + "/api/v1/namespaces/default", ""},
		{c + "/api/v1/namespaces/default/status", ""},
		{c + "/api/v1/namespaces/default/pods", ""},
		{c + "/api/v1/namespaces/default/pods/web-0", ""},
		{c + "/api/v1/namespaces/default/pods/web-0/status", ""},
		{c + "/apis/apps/v1/deployments", ""},
		{c + "/apis/apps/v1/namespaces/default/deployments/web/status", ""},
		{c + "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node", ""},
		{"/clusters/arn:aws:eks:eu-west-1:1:cluster%2Fdev/api/v1/pods", ""},
		{"/clusters/../api/v1/pods", ""}, // a context of that name; only a key to look up
		// Other than reading resources.
		{c + "/", "path"},
		{c, "path"},
		{"/clusters//api/v1/pods", "path"},
		{"/clusters/%zz/api", "net/http"},
		{c + "/openapi/v2", "path"},
		{c + "/openapi/v3", "path"},
		{c + "/metrics", "path"},
		{c + "/logs/kube-apiserver.log", "path"},
		{c + "/debug/pprof/heap", "path"},
		{c + "/healthz", "path"},
		{c + "/version/x", "path"},
		{c + "/API/v1/pods", "path"},
		{c + "/api/v2/pods", "path"},
		{c + "/api/V1/pods", "path"},
		{c + "/apis/Apps/v1/deployments", "path"},
		{c + "/apis/-/v1/deployments", "path"},
		{c + "/api/v1/Pods", "path"},
		// Subresources.
		{c + "/api/v1/namespaces/default/pods/web-0/exec", "subresource"},
		{c + "/api/v1/namespaces/default/pods/web-0/attach", "subresource"},
		{c + "/api/v1/namespaces/default/pods/web-0/portforward", "subresource"},
		{c + "/api/v1/namespaces/default/pods/web-0/log", "subresource"},
		{c + "/api/v1/namespaces/default/pods/web-0/proxy", "subresource"},
		{c + "/api/v1/namespaces/default/pods/web-0/proxy/admin", "subresource"},
		{c + "/api/v1/namespaces/default/pods/web-0/ephemeralcontainers", "subresource"},
		{c + "/api/v1/namespaces/default/pods/web-0/status/x", "subresource"},
		{c + "/api/v1/namespaces/default/serviceaccounts/sa/token", "subresource"},
		{c + "/api/v1/namespaces/default/services/https:web:443/proxy", "subresource"},
		{c + "/api/v1/namespaces/default/finalize", "subresource"},
		{c + "/api/v1/nodes/n/proxy/run", "subresource"},
		{c + "/apis/apps/v1/namespaces/default/deployments/web/scale", "subresource"},
		// Deprecated prefixes.
		{c + "/api/v1/watch/pods", "watch-prefix"},
		{c + "/api/v1/watch/namespaces/default/secrets", "watch-prefix"},
		{c + "/apis/apps/v1/watch/deployments", "watch-prefix"},
		{c + "/api/v1/proxy/namespaces/default/pods/web-0", "proxy-prefix"},
		// Paths that another parser reads differently.
		{c + "/api/v1/../v1/secrets", "path"},
		{c + "/api/v1/pods/../secrets", "path"},
		{c + "/api/v1/./pods", "path"},
		{c + "/api/v1//pods", "path"},
		{c + "//api/v1/pods", "path"},
		{c + "/api/v1/pods/", "path"},
		{c + "/api/v1/%2e%2e/v1/secrets", "encoding"},
		{c + "/api/v1/%2E%2E/v1/secrets", "encoding"},
		{c + "/api/v1/pods%2f..%2fsecrets", "encoding"},
		{c + "/api/v1/namespaces%2Fdefault%2Fsecrets", "encoding"},
		{c + "/api/v1/s%65crets", "encoding"},
		{c + "/api/v1/%73ecrets", "encoding"},
		{c + "/api/v1/secrets%00", "encoding"},
		{c + "/api/v1/pods%5c..%5csecrets", "encoding"},
		{c + "/api/v1/pods%252f", "encoding"},
		{c + "/api/v1/pods%0d%0aX:y", "encoding"},
		{c + `/api/v1/pods\..\secrets`, "encoding"},
		{c + "/api/v1/pods;x=y", "path"},
		{c + "/api/v1/pods/" + strings.Repeat("a", 254), "path"},
		{ClustersPrefix + strings.Repeat("a", maxContext+1) + "/api/v1/pods", "path"},
		{c + "/api/v1/namespaces/Default/pods", "path"},
	} {
		_, refusal := check(t, all, test.target, nil)
		if got := rule(refusal); got != test.rule {
			t.Errorf("%s: rule %q, want %q (%v)", test.target, got, test.rule, refusal)
		}
	}
}

func TestWhatGoesOn(t *testing.T) {
	got, refusal := check(t, rules(t, "*", false), "/clusters/a%2Fb%20c/apis/apps/v1/namespaces/ns/deployments/web?watch=1&labelSelector=a%3Db%2Cc&limit=5",
		func(r *http.Request) {
			r.Header.Set("User-Agent", "page/1")
		})
	if refusal != nil {
		t.Fatal(refusal)
	}
	want := Request{
		Context: "a/b c", Path: "/apis/apps/v1/namespaces/ns/deployments/web", Query: "labelSelector=a%3Db%2Cc&limit=5&watch=1",
		Accept: "application/json", UserAgent: "page/1", Group: "apps", Version: "v1", Resource: "deployments", Namespace: "ns", Name: "web", Watch: true,
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, agent := range []string{"", "a\x1b[31m", "a\nb", "\u202egnp", "\x9b", "\x7f", strings.Repeat("a", 257)} {
		got, _ := check(t, rules(t, "*", false), "/clusters/c/api/v1/pods", func(r *http.Request) { r.Header.Set("User-Agent", agent) })
		if got.UserAgent != "informerscope" {
			t.Errorf("%.40q goes on as %.40q", agent, got.UserAgent)
		}
	}
}

func TestMethodsBodiesAndUpgrades(t *testing.T) {
	all := rules(t, "*", true)
	for _, method := range []string{"HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get", "WATCH", ""} {
		_, refusal := check(t, all, "/clusters/c/api/v1/pods", func(r *http.Request) { r.Method = method })
		if rule(refusal) != "method" {
			t.Errorf("method %q: %v", method, refusal)
		}
	}
	for name, change := range map[string]func(*http.Request){
		"length":         func(r *http.Request) { r.ContentLength = 1 },
		"unknown length": func(r *http.Request) { r.ContentLength = -1 },
		"chunked":        func(r *http.Request) { r.TransferEncoding = []string{"chunked"} },
	} {
		if _, refusal := check(t, all, "/clusters/c/api/v1/pods", change); rule(refusal) != "body" {
			t.Errorf("%s: %v", name, refusal)
		}
	}
	for _, header := range []string{"Upgrade", "Connection", "Proxy-Connection", "Transfer-Encoding", "Keep-Alive", "Trailer"} {
		for _, value := range []string{"websocket", "SPDY/3.1", "Upgrade, Authorization", ""} {
			_, refusal := check(t, all, "/clusters/c/api/v1/pods", func(r *http.Request) { r.Header[header] = []string{value} })
			if rule(refusal) != "upgrade" {
				t.Errorf("%s: %s: %v", header, value, refusal)
			}
		}
	}
	// Headers of tunnels do not turn a GET into another method.
	got, refusal := check(t, all, "/clusters/c/api/v1/pods", func(r *http.Request) { r.Header.Set("X-HTTP-Method-Override", "DELETE") })
	if refusal != nil || got.Path != "/api/v1/pods" {
		t.Errorf("%+v, %v", got, refusal)
	}
}

func TestQueries(t *testing.T) {
	all := rules(t, "*", false)
	for _, test := range []struct{ query, rule string }{
		{"limit=500&continue=abc%3D&resourceVersion=0&resourceVersionMatch=NotOlderThan", ""},
		{"watch=true&allowWatchBookmarks=true&sendInitialEvents=true&timeoutSeconds=300&timeout=30s", ""},
		{"labelSelector=app+in+%28a%2Cb%29&fieldSelector=spec.nodeName%3Dn", ""},
		{"pretty=true", "query"},
		{"Watch=true", "query"},
		{"watch=yes", "query"},
		{"watch=", "query"},
		{"watch", "query"},
		{"watch=TRUE", "query"},
		{"watch=true&watch=false", "query"},
		{"limit=1&limit=2", "query"},
		{"limit=1;watch=true", "query"},
		{"limit=%zz", "query"},
		{"labelSelector=a%00", "query"},
		{"labelSelector=a%0d%0aX-Remote-User:+admin", "query"},
		{"command=sh&stdin=true", "query"},
		{"follow=true", "query"},
		{"includeObject=Object", "query"},
		{"as=admin", "query"},
		{"access_token=x", "query"},
		{"dryRun=All", "query"},
		{"fieldManager=x", "query"},
		{"export=true", "query"},
		{"watc%68=true", ""}, // the same parameter once decoded, and encoded again
		{"=x", "query"},
	} {
		got, refusal := check(t, all, "/clusters/c/api/v1/pods?"+test.query, nil)
		if rule(refusal) != test.rule {
			t.Errorf("%s: rule %q, want %q", test.query, rule(refusal), test.rule)
		}
		if test.query == "watc%68=true" && got.Query != "watch=true" {
			t.Errorf("%s went on as %q", test.query, got.Query)
		}
	}
}

func TestAccept(t *testing.T) {
	const table = "application/json;as=Table;v=v1;g=meta.k8s.io"
	for _, test := range []struct{ accept, want, rule string }{
		{"", "application/json", ""},
		{"*/*", "application/json", ""},
		{"application/json", "application/json", ""},
		{"application/json, */*", "application/json,application/json", ""},
		{table + "," + "application/json", table + ",application/json", ""},
		{"application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", ""},
		{"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io", ""},
		{"application/json;stream=watch", "application/json;stream=watch", ""},
		{"application/vnd.kubernetes.protobuf,application/json;q=0.5", "application/json;q=0.5", ""},
		{"application/vnd.kubernetes.protobuf", "", "accept"},
		{"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "", "accept"},
		{"application/cbor", "", "accept"},
		{"application/cbor-seq", "", "accept"},
		{"application/yaml", "", "accept"},
		{"application/json;as=Secret;v=v1;g=meta.k8s.io", "", "accept"},
		{"application/json;as=Table;v=v1;g=\"meta.k8s.io,application/cbor\"", "", "accept"},
		{"application/json;unknown=1", "", "accept"},
		{"text/html", "", "accept"},
		{"application/json-patch+json", "", "accept"},
		{";;;", "", "accept"},
	} {
		got, refusal := check(t, rules(t, "*", false), "/clusters/c/api/v1/pods", func(r *http.Request) {
			if test.accept != "" {
				r.Header.Set("Accept", test.accept)
			}
		})
		if rule(refusal) != test.rule || refusal == nil && got.Accept != test.want {
			t.Errorf("%q: %q, rule %q; want %q, %q", test.accept, got.Accept, rule(refusal), test.want, test.rule)
		}
	}
}

func TestSecrets(t *testing.T) {
	const c = "/clusters/c"
	attacks := []string{
		"/api/v1/secrets", "/api/v1/secrets?watch=true", "/api/v1/namespaces/kube-system/secrets", "/api/v1/namespaces/kube-system/secrets/token",
		"/api/v1/namespaces/kube-system/secrets/token/status", "/api/v1/Secrets", "/api/v1/SECRETS", "/api/v1/secret", "/api/v1/watch/secrets",
		"/api/v1/namespaces/x/Secrets", "/api/v1//secrets", "/api/v1/./secrets", "/api/v1/%73ecrets", "/api/v1/secrets/", "/api/v1/secrets%2f",
		"/api/v1beta1/secrets", "/api/v2/secrets", "/apis/core/v1/secrets", "/apis/v1/secrets", "/apis/example.com/v1/secrets",
		"/apis/v1/v1/namespaces/x/secrets", "/api/v1/namespaces/secrets/secrets", "/api/v1/secretſ", "/api/v1/secrets;x", "/api/v1/secrets?watch=true&pretty=1",
	}
	for _, attack := range attacks {
		for _, accept := range []string{"application/json", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
			"application/json;as=Table;v=v1;g=meta.k8s.io"} {
			for _, list := range []string{"*", "pods", "*.example.com"} {
				_, refusal := check(t, rules(t, list, false), c+attack, func(r *http.Request) { r.Header.Set("Accept", accept) })
				if refusal == nil {
					t.Errorf("%s as %s with --resources %s went through", attack, accept, list)
				}
			}
		}
	}
	// With the switch: metadata, whatever the request accepts.
	for _, test := range []struct{ target, accept string }{
		{"/api/v1/secrets", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
		{"/api/v1/namespaces/x/secrets", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
		{"/api/v1/namespaces/x/secrets/s", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"},
		{"/api/v1/secrets?watch=true", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"},
		{"/api/v1/secrets?watch=1", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"},
	} {
		got, refusal := check(t, rules(t, "pods", true), c+test.target, func(r *http.Request) { r.Header.Set("Accept", "application/json") })
		if refusal != nil || !got.MetadataOnly || got.Accept != test.accept {
			t.Errorf("%s: %+v, %v", test.target, got, refusal)
		}
	}
	if _, refusal := check(t, rules(t, "*", true), c+"/api/v1/namespaces/x/secrets/s/status", nil); rule(refusal) != "subresource" {
		t.Errorf("status of a Secret: %v", refusal)
	}
}

func TestResources(t *testing.T) {
	for _, test := range []struct {
		list, target string
		ok           bool
	}{
		{"*", "/api/v1/pods", true},
		{"*", "/apis/example.com/v1/foos", true},
		{"*", "/apis/oauth.openshift.io/v1/oauthaccesstokens", false},
		{"*", "/apis/management.cattle.io/v3/tokens", false},
		{"*", "/apis/authentication.k8s.io/v1/tokenreviews", false},
		{"tokens.management.cattle.io", "/apis/management.cattle.io/v3/tokens", true},
		{"pods,deployments.apps", "/api/v1/pods", true},
		{"pods,deployments.apps", "/api/v1/namespaces/a/pods/b/status", true},
		{"pods, deployments.apps", "/apis/apps/v1/deployments", true},
		{"pods,deployments.apps", "/apis/apps/v1/replicasets", false},
		{"pods,deployments.apps", "/api/v1/configmaps", false},
		{"pods,deployments.apps", "/apis/example.com/v1/pods", false},
		{"deployments", "/apis/apps/v1/deployments", false},
		{"*.apps", "/apis/apps/v1/replicasets", true},
		{"*.apps", "/apis/batch/v1/jobs", false},
		{"foos.v1.samplecontroller.k8s.io", "/apis/samplecontroller.k8s.io/v1/foos", true},
		{"pods.v1", "/api/v1/pods", true},
		{"pods", "/api/v1", true},
		{"pods", "/apis", true},
		{"pods", "/api/v1/namespaces/default", false},
	} {
		_, refusal := check(t, rules(t, test.list, false), "/clusters/c"+test.target, nil)
		if (refusal == nil) != test.ok || refusal != nil && refusal.Rule != "resources" {
			t.Errorf("--resources %s, %s: %v", test.list, test.target, refusal)
		}
	}
	for _, bad := range []string{"", " , ", "Pods", "pods,secrets", "secrets.v1", "pods/status", "*.", "po ds", "a..b", "pods,*.Apps", "*."} {
		if got, err := ParseResources(bad); err == nil {
			t.Errorf("ParseResources(%q) = %+v", bad, got)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"/clusters/c/api/v1/pods", "/clusters/c/api/v1/namespaces/x/secrets/y", "/clusters/c/api/v1/%73ecrets?watch=true",
		"/clusters/a%2fb/apis/apps/v1/x"} {
		f.Add(seed)
	}
	resources, err := ParseResources("*")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, target string) {
		r, err := http.NewRequest(http.MethodGet, target, nil)
		if err != nil {
			return
		}
		request, refusal := Rules{Resources: resources}.Check(r)
		if refusal != nil {
			return
		}
		low := strings.ToLower(request.Path)
		if request.Path[0] != '/' || strings.Contains(low, "%") || strings.Contains(low, "//") || strings.Contains(low, "/../") ||
			strings.HasPrefix(low, "/api/v1/secrets") {
			t.Errorf("%q went on as %q", target, request.Path)
		}
	})
}
