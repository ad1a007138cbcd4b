package metrics

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func TestText(t *testing.T) {
	var s Set
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			s.Viewers.Add(1)
			s.Refused("token")
			s.Refused("host")
			s.UpstreamError("refused")
			s.ServeHTTP(httptest.NewRecorder(), nil)
		})
	}
	all.Wait()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, nil)
	text := w.Body.String()
	for _, line := range []string{
		"informerscope_viewers 50\n", `informerscope_refusals_total{rule="host"} 50` + "\n" + `informerscope_refusals_total{rule="token"} 50` + "\n",
		`informerscope_upstream_errors_total{cause="refused"} 50` + "\n", "# TYPE informerscope_viewers gauge\n", "# TYPE informerscope_streams_total counter\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	sample := regexp.MustCompile(`^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"\\]*"\})? \d+)$`)
	for line := range strings.Lines(text) {
		if !sample.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("not Prometheus text: %q", line)
		}
	}
	if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4") {
		t.Errorf("Content-Type %q", got)
	}
}
