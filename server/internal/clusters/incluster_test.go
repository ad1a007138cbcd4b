package clusters

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/core/words/cause"
)

// inPod is a loader in a pod whose service account is in a directory of the test, without a kubeconfig.
func inPod(t *testing.T, server, directory string) *Loader {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		t.Fatal(err)
	}
	l := NewLoader("", "")
	l.pod = pod{directory, func(name string) string {
		return map[string]string{"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port}[name]
	}}
	return l
}

func put(t *testing.T, directory, name, content string) {
	t.Helper()
	// As the kubelet does it: a new file replaces the old one.
	path := filepath.Join(directory, name)
	if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// TestInCluster: a pod without a kubeconfig has one context, for the API server that the environment names. It uses the service account's current
// token and namespace.
func TestInCluster(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	defer server.Close()
	directory := t.TempDir()
	put(t, directory, "token", "first-token-of-the-account\n")
	put(t, directory, "ca.crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	put(t, directory, "namespace", "informerscope\n")
	l := inPod(t, server.Listener.Addr().String(), directory)

	if !l.InCluster() {
		t.Error("it does not know that it runs in a cluster")
	}
	listing := l.Contexts()
	want := Context{Name: "in-cluster", Cluster: "in-cluster", Server: server.Listener.Addr().String(), User: "service account", Namespace: "informerscope"}
	if listing.Error != "" || listing.Current != "in-cluster" || len(listing.Contexts) != 1 || listing.Contexts[0] != want {
		t.Fatalf("%+v", listing)
	}
	ask := func() string {
		t.Helper()
		upstream, err := l.Upstream("in-cluster")
		if err != nil {
			t.Fatal(err)
		}
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, upstream.Base.String(), nil)
		response, err := upstream.RoundTrip(request)
		if err != nil {
			t.Fatal(upstream.Explain(err))
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if got := ask(); got != "Bearer first-token-of-the-account" {
		t.Errorf("the API server was sent %q", got)
	}
	put(t, directory, "token", "second-and-longer-token-of-the-account")
	if got := ask(); got != "Bearer second-and-longer-token-of-the-account" {
		t.Errorf("after the kubelet renewed the token, the API server was sent %q", got)
	}
	if text := l.Scrubber().Text("it said second-and-longer-token-of-the-account"); strings.Contains(text, "second") {
		t.Errorf("a log line has the token: %s", text)
	}
	if _, err := l.Upstream("prod"); err == nil || !strings.Contains(err.Error(), "known: in-cluster") || strings.Contains(err.Error(), "kubeconfig (") {
		t.Errorf("another context: %v", err)
	}

	// Messages about an unknown authority and a rejected token advise on pods.
	upstream, err := l.Upstream("in-cluster")
	if err != nil {
		t.Fatal(err)
	}
	if id, words := upstream.Hint(http.StatusUnauthorized, nil); id != cause.Unauthorized || !strings.Contains(words,
		"pod's service account") || strings.Contains(words, "kubeconfig") {
		t.Errorf("401: %s: %s", id, words)
	}
	put(t, directory, "ca.crt", string(foreignCA(t)))
	if upstream, err = l.Upstream("in-cluster"); err != nil {
		t.Fatal(err)
	}
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, upstream.Base.String(), nil)
	if _, err := upstream.RoundTrip(request); err == nil {
		t.Error("a server that the account's authority did not sign is trusted")
	} else if id, words := upstream.Explain(err); id != cause.CertificateIssuer || !strings.Contains(words, "ca.crt") ||
		strings.Contains(words, "kubeconfig") {
		t.Errorf("another authority: %s: %s", id, words)
	}
}

// TestNotInACluster: a kubeconfig takes precedence over the pod's account, a pod without an account gets advice, and outside of pods none of this is
// read.
func TestNotInACluster(t *testing.T) {
	directory := t.TempDir()
	l := inPod(t, "10.96.0.1:443", directory)
	check := func(says ...string) {
		t.Helper()
		listing := l.Contexts()
		_, err := l.Upstream("in-cluster")
		if len(listing.Contexts) != 0 || err == nil {
			t.Errorf("%+v, %v", listing, err)
			return
		}
		for _, word := range says {
			if !strings.Contains(listing.Error, word) || !strings.Contains(err.Error(), word) {
				t.Errorf("%q and %q do not say %q", listing.Error, err, word)
			}
		}
	}
	check("token", "automountServiceAccountToken: true", "--kubeconfig")
	put(t, directory, "token", "")
	check("empty")
	put(t, directory, "token", "a-token-of-the-account")
	check("ca.crt")
	put(t, directory, "ca.crt", "no certificate")
	if listing := l.Contexts(); len(listing.Contexts) != 1 { // once they exist, they are found
		t.Errorf("%+v", listing)
	}
	if _, err := l.Upstream("in-cluster"); err == nil || !strings.Contains(err.Error(), "ca.crt") && !strings.Contains(err.Error(), "root") {
		t.Errorf("an authority that is none: %v", err)
	}
	put(t, directory, "ca.crt", string(foreignCA(t)))
	l.pod.lookup = func(name string) string { return url.PathEscape("a b/" + name) }
	l.fingerprint = ""
	check("KUBERNETES_SERVICE_HOST", "--kubeconfig")

	l = inPod(t, "10.96.0.1:443", directory)
	t.Setenv("KUBECONFIG", write(t, "config", good))
	if listing := l.Contexts(); l.InCluster() || listing.Current != "kind-kind" || len(listing.Contexts) != 4 {
		t.Errorf("with a kubeconfig: %+v", listing)
	}
	t.Setenv("KUBECONFIG", write(t, "config", "{"))
	if listing := l.Contexts(); l.InCluster() || !strings.Contains(listing.Error, "cannot be read") || len(listing.Contexts) != 0 {
		t.Errorf("with a damaged kubeconfig: %+v", listing)
	}
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	l = inPod(t, "10.96.0.1:443", directory)
	l.explicitPath = filepath.Join(t.TempDir(), "given")
	if listing := l.Contexts(); l.InCluster() || !strings.Contains(listing.Error, "does not exist") {
		t.Errorf("with a --kubeconfig that is not there: %+v", listing)
	}
	l = NewLoader("", "")
	l.pod = pod{directory, func(string) string { return "" }}
	if listing := l.Contexts(); l.InCluster() || len(listing.Contexts) != 0 || !strings.Contains(listing.Error, "--kubeconfig") {
		t.Errorf("outside of pods: %+v", listing)
	}
}

// foreignCA is a certificate of an unrelated authority.
func foreignCA(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "another"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
