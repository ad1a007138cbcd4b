package levers

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/cluster/simcluster"
)

// toServer sends every request to a test server, as the relay's connection does.
type toServer string

func (s toServer) RoundTrip(req *http.Request) (*http.Response, error) {
	u, err := url.Parse(string(s))
	if err != nil {
		return nil, err
	}
	req.URL.Scheme, req.URL.Host = u.Scheme, u.Host
	return http.DefaultTransport.RoundTrip(req)
}

func serve(t *testing.T) (*simcluster.Cluster, Shared) {
	t.Helper()
	c := simcluster.New(simcluster.Options{Seed: 7, Still: true})
	srv := httptest.NewServer(Handler(Own(c)))
	t.Cleanup(srv.Close)
	return c, Shared{toServer(srv.URL)}
}

func TestSharedClusterIsChangedByItsVerbs(t *testing.T) {
	c, shared := serve(t)
	words, err := shared.Pull(t.Context(), "create", Args{Namespace: "shop", Name: "web", Replicas: 4})
	if err != nil || words != "created deployment shop/web with 4 replicas" {
		t.Errorf("create: %q, %v", words, err)
	}
	if _, err := shared.Pull(t.Context(), "create", Args{Namespace: "shop", Name: "web"}); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("the second create: %v, want the API's error", err)
	}
	stats, err := shared.Stats(t.Context())
	if want := c.Stats(); err != nil || fmt.Sprint(stats) != fmt.Sprint(want) {
		t.Errorf("stats: %+v, %v\nwant   %+v", stats, err, want)
	}
	if _, err := shared.Pull(t.Context(), Reboot, Args{}); err != nil || !c.Down() {
		t.Errorf("reboot: %v, and the cluster is down: %v", err, c.Down())
	}
}

// TestWritesAreRead reads a stream until it ends, and streams that are none.
// silent answers nothing.
type silent struct{}

func (silent) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, fmt.Errorf("no answer: %w", req.Context().Err())
}

// TestASlowClusterIsNotAnUnreachedRelay: a restart of the API server may take half a minute, and what takes longer is called slow.
func TestASlowClusterIsNotAnUnreachedRelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := Shared{silent{}}.Pull(t.Context(), "failover", Args{N: 10})
		if took := time.Since(began); took < 30*time.Second {
			t.Errorf("it was given up after %s", took)
		}
		if err == nil || err.Error() != "the cluster has not answered for 40s: it may still do it" {
			t.Errorf("it says %v", err)
		}
	})
}

func TestWritesAreRead(t *testing.T) {
	answer := func(status int, body string) Shared {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != WritesPath || r.URL.RawQuery != "after=7" {
				t.Errorf("asked for %s", r.URL)
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		t.Cleanup(srv.Close)
		return Shared{toServer(srv.URL)}
	}
	for _, c := range []struct {
		status    int
		body      string
		read, err string
	}{
		{200, "\n{\"seq\":8,\"author\":\"kubelet\",\"time\":\"2020-01-01T00:00:00Z\"}\n\n{\"seq\":9,\"author\":\"kubectl\",\"time\":\"2200-01-01T00:00:00Z\"}\n",
			"8 kubelet true;9 kubectl false;", "unexpected EOF"},
		{200, "{\"seq\":8}\n{\"seq\"\n{\"seq\":9}\n", "8  true;", "is not read"},
		{200, strings.Repeat("x", maxAnswer+1), "", "too long"},
		{404, "", "", "404"},
	} {
		read := ""
		err := answer(c.status, c.body).Writes(t.Context(), 7, func(w Write, isOld bool) { read += fmt.Sprintf("%d %s %v;", w.Seq, w.Author, isOld) })
		if read != c.read || err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("of %.80q it reads %q, and then %v; want %q, %q", c.body, read, err, c.read, c.err)
		}
	}
}

func TestBadOrdersChangeNothing(t *testing.T) {
	c, shared := serve(t)
	before := fmt.Sprint(c.Stats())
	for _, bad := range []struct {
		verb string
		args Args
		want string
	}{
		{"dance", Args{}, "choose one of create"},
		{"create", Args{}, "give the deployment a name"},
		{"create", Args{Name: "web", Replicas: simcluster.MaxObjects + 1}, "replicas"},
		{"create", Args{Name: "web", Replicas: -1}, "replicas"},
		{"create", Args{Name: "../x"}, "Invalid value"},
		{"create", Args{Name: "web", Namespace: "A B"}, "Invalid value"},
		{"delete", Args{Key: "web"}, "is not namespace/name"},
		{"delete", Args{Key: "default/"}, "a name is missing"},
		{"delete", Args{Key: "default/../../nodes/node-a1"}, "is no name"},
		{"deleteDeployment", Args{}, "a name is missing"},
		{"rate", Args{PerSecond: -1}, "events a second"},
		{"label", Args{Label: "x"}, "sets no label"},
		{"finalizer", Args{N: 1 << 30}, "a finalizer for"},
	} {
		if _, err := shared.Pull(t.Context(), bad.verb, bad.args); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s %+v: %v, want %q", bad.verb, bad.args, err, bad.want)
		}
	}
	for _, raw := range []struct {
		method, body string
		code         int
	}{
		{http.MethodPost, "", http.StatusBadRequest},
		{http.MethodPost, "[", http.StatusBadRequest},
		{http.MethodPost, `{"verb": "compact", "more": 1}`, http.StatusBadRequest},
		{http.MethodPost, `{"verb": "` + strings.Repeat("x", MaxOrder) + `"}`, http.StatusBadRequest},
		{http.MethodPost, strings.Repeat("[", MaxOrder/2), http.StatusBadRequest},
		{http.MethodPost, `{"verb": "burst", "args": {"n": 1e99}}`, http.StatusBadRequest},
		{http.MethodPut, `{"verb": "compact"}`, http.StatusMethodNotAllowed},
		{http.MethodDelete, "", http.StatusMethodNotAllowed},
	} {
		w := httptest.NewRecorder()
		Handler(Own(c)).ServeHTTP(w, httptest.NewRequest(raw.method, Path, strings.NewReader(raw.body)))
		if w.Code != raw.code {
			t.Errorf("%s %.40s: %d %s, want %d", raw.method, raw.body, w.Code, w.Body, raw.code)
		}
	}
	if after := fmt.Sprint(c.Stats()); after != before {
		t.Errorf("the cluster became\n%s, from\n%s", after, before)
	}
}
