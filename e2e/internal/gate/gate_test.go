package gate_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"informerscope/e2e/internal/gate"
)

// TestGate asks through a gate for this machine, plainly and by a tunnel, and for others.
func TestGate(t *testing.T) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "hello "+r.Host) })
	plain, secure := httptest.NewServer(hello), httptest.NewTLSServer(hello)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	g, err := gate.Start(gate.Options{Change: func(r *http.Response) error {
		r.Header.Set("X-Changed", "yes")
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	// Go's client asks no proxy for loopback unless it is told which.
	transport := secure.Client().Transport.(*http.Transport).Clone()
	transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: g.Address()})
	t.Cleanup(transport.CloseIdleConnections)
	get := func(address string) (status int, body, changed string, err error) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			return 0, "", "", err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text), resp.Header.Get("X-Changed"), err
	}
	if status, body, changed, err := get(plain.URL); status != 200 || body != "hello "+plain.URL[len("http://"):] || changed != "yes" {
		t.Errorf("plainly: %d %q, changed %q, %v", status, body, changed, err)
	}
	if status, body, changed, err := get(secure.URL); status != 200 || body != "hello "+secure.URL[len("https://"):] || changed != "" {
		t.Errorf("by a tunnel: %d %q, changed %q, %v", status, body, changed, err)
	}
	if refused := g.Refused(); len(refused) > 0 {
		t.Errorf("refused were %q", refused)
	}
	if status, _, _, err := get("http://informerscope.invalid/"); status != http.StatusForbidden {
		t.Errorf("another machine, plainly: %d, %v", status, err)
	}
	if status, _, _, err := get("https://informerscope.invalid:8443/"); err == nil {
		t.Errorf("another machine, by a tunnel: %d", status)
	}
	if refused := g.Refused(); !slices.Equal(refused, []string{"informerscope.invalid", "informerscope.invalid:8443"}) {
		t.Errorf("refused were %q", refused)
	}
	if refused := g.Refused(); len(refused) > 0 {
		t.Errorf("told again are %q", refused)
	}
}
