package relay

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"informerscope/server/internal/redact"
)

// BenchmarkList lists pods with five annotations, one of them kubectl's, from an API server over HTTP/2 and TLS, as clusters have it, and over
// HTTP/1.1.
func BenchmarkList(b *testing.B) {
	annotations := `"` + redact.Key + `":"` + strings.Repeat(`{\"apiVersion\":\"v1\"} `, 20) + `","prometheus.io/scrape":"true","checksum/config":"` +
		strings.Repeat("0123456789abcdef", 4) +
		`","kubernetes.io/psp":"restricted","cni.projectcalico.org/podIP":"10.0.0.1/32"`
	item := `{"metadata":{"name":"web","labels":{"app":"` + strings.Repeat("x", 50) + `"},"annotations":{` + annotations + `}},"spec":{"containers":[` +
		strings.TrimSuffix(strings.Repeat(`{"name":"main","image":"registry.example/web:1","env":[{"name":"A","value":"b"}],"resources":{"requests":{"cpu":"100m"}}},`, 9), ",") + `]}}`
	for _, pods := range []int{5000, 20000} {
		list := []byte(`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[` + strings.Repeat(item+",", pods-1) + item + `]}`)
		handler := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(list)
		}
		for _, from := range []struct {
			name  string
			start func(testing.TB, http.HandlerFunc) entry
		}{{"h2", apiserver}, {"h1", plain}} {
			b.Run(fmt.Sprintf("pods=%d/%s", pods, from.name), func(b *testing.B) {
				f := newFixture(b, kubeconfig(b, map[string]entry{"kind": from.start(b, handler)}), nil)
				b.SetBytes(int64(len(list)))
				for b.Loop() {
					response := f.get("/clusters/kind/api/v1/pods")
					if n, err := io.Copy(io.Discard, response.Body); err != nil || n < int64(len(list))/2 {
						b.Fatal(n, err)
					}
				}
			})
		}
	}
}
