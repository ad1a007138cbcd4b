package relayclient

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestWordsOfAnAnswer(t *testing.T) {
	base, _ := url.Parse("http://relay/clusters/c")
	x := &Explainer{Base: base, Context: "c", Namespace: "team-a"}
	for _, tt := range []struct {
		name, path string
		code       int
		header     http.Header
		message    string
		cause      string
		says       string
		offer      string
	}{
		{"unauthorized", "/api/v1/pods", 401, nil, "Unauthorized", "unauthorized", "log in again", ""},
		{"hinted", "/api/v1/pods", 401, http.Header{"X-Informerscope-Hint": {"client-certificate"},
			"X-Informerscope-Words": {url.PathEscape("It expired on 100%, so.")}}, "Unauthorized", "client-certificate",
			"It expired on 100%, so.", ""},
		{"anonymous", "/api/v1/pods", 403, nil, `pods is forbidden: User "system:anonymous" cannot list`, "forbidden",
			"does not know who asks", "team-a"},
		{"in its namespace", "/api/v1/namespaces/team-a/pods", 403, nil, `pods is forbidden`, "forbidden",
			`a Role that allows to list and watch pods in the namespace "team-a"`, ""},
		{"in another", "/apis/apps/v1/namespaces/x/deployments", 403, nil, `deployments.apps is forbidden`, "forbidden",
			`deployments in the namespace "x"`, "team-a"},
		{"a rule", "/api/v1/secrets", 403, http.Header{"X-Informerscope-Rule": {"secrets"}}, "refused by the relay's rule", "not-served",
			"Refused by the relay's rule.", ""},
		{"a context", "/api/v1/pods", 403, http.Header{"X-Informerscope-Rule": {"context"}}, "this server does not serve it",
			"context-not-served", "--contexts", ""},
		{"unknown", "/apis/g.io/v1/foos", 404, nil, "the server could not find the requested resource", "not-served", "foos", ""},
		{"unknown, and no word of why", "/apis/g.io/v1/foos", 404, nil, "", "not-served", "(404 Not Found). If it is", ""},
		{"down, and no word of why", "/apis/g.io/v1/foos", 502, nil, "", "other", "502 Bad Gateway. This page", ""},
		{"down", "/apis/g.io/v1/foos", 503, nil, "service unavailable", "other", "503 Service Unavailable. Service unavailable.", ""},
		{"too many", "/api/v1/pods", 429, nil, "slow down", "", "", ""},
		{"gone", "/api/v1/pods", 410, nil, "too old", "", "", ""},
	} {
		req := httptest.NewRequest(http.MethodGet, base.JoinPath(tt.path).String(), nil)
		if tt.header == nil {
			tt.header = http.Header{}
		}
		body, _ := json.Marshal(map[string]string{"message": tt.message})
		resp := &http.Response{StatusCode: tt.code, Header: tt.header, Body: io.NopCloser(strings.NewReader(string(body)))}
		_, st := statusOf(resp)
		got := x.explainAnswer(req, resp, st)
		if got.Cause != tt.cause || !strings.Contains(got.Words, tt.says) || got.Namespace != tt.offer || strings.Contains(got.Words, "..") {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}
