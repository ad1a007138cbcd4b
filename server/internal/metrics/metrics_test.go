package metrics

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func text(s *Set) string {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// TestText counts from several goroutines at once, and reads the metrics as Prometheus does.
func TestText(t *testing.T) {
	var s Set
	s.SetBuild("v1.2.3", "abc")
	s.SetPluginCount(func() int { return 3 })
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			s.Viewers.Add(1)
			s.CountRefusal("token")
			s.CountRefusal("host")
			s.CountUpstreamError("refused")
			s.ObserveAnswer("list", 200, 3*time.Second)
			s.ObservePluginWait(2 * time.Second)
			_ = text(&s)
		})
	}
	all.Wait()
	got := text(&s)
	for _, line := range []string{
		"# TYPE informerscope_viewers gauge\n", "informerscope_viewers 50\n", "# TYPE informerscope_streams_total counter\n",
		"informerscope_viewers_total 0\n", "informerscope_streams 0\n", "informerscope_sent_bytes_total 0\n", "informerscope_redactions_total 0\n",
		"informerscope_stalls_total 0\n",
		`informerscope_refusals_total{rule="host"} 50` + "\n", `informerscope_refusals_total{rule="token"} 50` + "\n",
		`informerscope_upstream_errors_total{cause="refused"} 50` + "\n",
		`informerscope_upstream_request_duration_seconds_bucket{code="200",verb="list",le="2.5"} 0` + "\n",
		`informerscope_upstream_request_duration_seconds_bucket{code="200",verb="list",le="5"} 50` + "\n",
		"informerscope_exec_plugin_wait_seconds_sum 100\n", "informerscope_exec_plugins_running 3\n",
		`informerscope_build_info{commit="abc",goversion="go`, `version="v1.2.3"} 1` + "\n",
		"go_goroutines ", "go_memstats_alloc_bytes ", "process_start_time_seconds ",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4") {
		t.Errorf("Content-Type %q", got)
	}
	if got := w.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control %q", got)
	}
	problems, err := testutil.GatherAndLint(s.registry)
	if err != nil {
		t.Error(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestFewLabels: whatever an API server answers, the number of series stays bounded.
func TestFewLabels(t *testing.T) {
	var s Set
	for code := range 1000 {
		s.ObserveAnswer("watch", code, time.Millisecond)
	}
	if n, err := testutil.GatherAndCount(s.registry, "informerscope_upstream_request_duration_seconds"); err != nil || n < 40 || n > 80 {
		t.Errorf("a thousand status codes are %d series (%v)", n, err)
	}
	if got := text(&s); !strings.Contains(got, `_count{code="other",verb="watch"}`) {
		t.Errorf("codes that mean nothing are not counted:\n%s", got)
	}
	// Other parts of the server may have metrics of their own.
	own := prometheus.NewGauge(prometheus.GaugeOpts{Name: "informerscope_own", Help: "One of another part."})
	s.Registry().MustRegister(own)
	own.Set(7)
	if got := text(&s); !strings.Contains(got, fmt.Sprintf("informerscope_own %d\n", 7)) {
		t.Errorf("a number of another part is not there:\n%s", got)
	}
}
