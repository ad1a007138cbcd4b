package clusters

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"informerscope/core/words/cause"
)

const good = `apiVersion: v1
kind: Config
current-context: kind-kind
contexts:
- name: kind-kind
  context: {cluster: kind-kind, user: kind-kind, namespace: work}
- name: broken
  context: {cluster: nowhere, user: kind-kind}
- name: nobody
  context: {cluster: kind-kind, user: ghost}
- name: prod
  context: {cluster: prod, user: kind-kind}
clusters:
- name: kind-kind
  cluster: {server: "https://127.0.0.1:6443"}
- name: prod
  cluster: {server: "https://admin:hunter2@prod.example/base"}
users:
- name: kind-kind
  user: {token: hunter2, username: ""}
`

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestContexts(t *testing.T) {
	l := NewLoader(write(t, "config", good), "prod")
	got := l.Contexts()
	raw, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "hunter2") {
		t.Errorf("credentials in %s", raw)
	}
	if got.Current != "kind-kind" || got.Selected != "prod" || got.Error != "" || len(got.Contexts) != 4 {
		t.Fatalf("%s", raw)
	}
	if want := (Context{Name: "kind-kind", Cluster: "kind-kind", Server: "127.0.0.1:6443", User: "kind-kind", Namespace: "work"}); got.Contexts[1] != want {
		t.Errorf("%+v, want %+v", got.Contexts[1], want)
	}
	if got.Contexts[3].Server != "prod.example" {
		t.Errorf("server %q", got.Contexts[3].Server)
	}
	for i, says := range map[int]string{0: `the cluster "nowhere"`, 2: `the user "ghost"`} {
		if !strings.Contains(got.Contexts[i].Error, says) {
			t.Errorf("%q does not say %q", got.Contexts[i].Error, says)
		}
		if _, err := l.Upstream(got.Contexts[i].Name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Upstream: %v", err)
		}
	}
	upstream, err := l.Upstream("kind-kind")
	if err != nil || upstream.Base.String() != "https://127.0.0.1:6443/" && upstream.Base.String() != "https://127.0.0.1:6443" {
		t.Fatalf("%v, %v", upstream, err)
	}
	if second, _ := l.Upstream("kind-kind"); second != upstream {
		t.Error("a transport is made for every request")
	}
	var unknown *UnknownContextError
	if _, err := l.Upstream("staging"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "broken, kind-kind, nobody, prod") {
		t.Errorf("unknown: %v", err)
	}
}

func TestUnusableFiles(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		says    []string
	}{
		"yaml":         {"apiVersion: v1\nkind: Config\ncontexts:\n- name: [\n", []string{"config", "line"}},
		"type":         {"apiVersion: v1\nkind: Config\ncontexts: none\n", []string{"config", "contexts"}},
		"base64":       {"apiVersion: v1\nkind: Config\nclusters:\n- name: a\n  cluster: {certificate-authority-data: '%%%'}\n", []string{"config", "base64"}},
		"not a config": {"just text", []string{"config"}},
		"empty":        {"", []string{"no contexts", "--kubeconfig"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "config", test.content)
			l := NewLoader(path, "")
			got := l.Contexts()
			if got.Contexts == nil {
				t.Error("contexts are null")
			}
			for _, says := range append(test.says, path) {
				if !strings.Contains(got.Error, says) {
					t.Errorf("%q does not say %q", got.Error, says)
				}
			}
			if _, err := l.Upstream("x"); err == nil {
				t.Error("an upstream came of it")
			}
		})
	}
	missing := filepath.Join(t.TempDir(), "absent")
	if got := NewLoader(missing, "").Contexts(); !strings.Contains(got.Error, missing) || !strings.Contains(got.Error, "does not exist") {
		t.Errorf("%q", got.Error)
	}
	if got := NewLoader(write(t, "c", good), "typo").Contexts(); !strings.Contains(got.Error, `"typo"`) || len(got.Contexts) != 4 {
		t.Errorf("%+v", got)
	}
}

func TestSeveralFiles(t *testing.T) {
	other := write(t, "other", "apiVersion: v1\nkind: Config\ncurrent-context: dev\ncontexts:\n- name: dev\n  context: {cluster: kind-kind, user: kind-kind}\n")
	bad := write(t, "bad", "contexts: [")
	t.Setenv("KUBECONFIG", strings.Join([]string{other, filepath.Join(t.TempDir(), "absent"), write(t, "good", good), bad}, string(os.PathListSeparator)))
	l := NewLoader("", "")
	got := l.Contexts()
	if got.Current != "dev" || len(got.Contexts) != 5 || !strings.Contains(got.Error, bad) {
		t.Errorf("%+v", got)
	}
	if _, err := l.Upstream("dev"); err != nil {
		t.Errorf("one bad file spoils the others: %v", err)
	}
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	if got := NewLoader("", "").Contexts(); len(got.Contexts) != 0 || got.Error == "" {
		t.Errorf("without any file: %+v", got)
	}
}

func TestFilesAreReadAgain(t *testing.T) {
	path := write(t, "config", "contexts: [")
	l := NewLoader(path, "")
	if got := l.Contexts(); got.Error == "" {
		t.Fatal("no error")
	}
	if err := os.WriteFile(path, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := l.Upstream("kind-kind")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(good, "6443", "16443")), 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := l.Upstream("kind-kind")
	if err != nil || second == first || second.Base.Host != "127.0.0.1:16443" {
		t.Errorf("%v, %v", second, err)
	}
}

func TestExplain(t *testing.T) {
	for _, test := range []struct {
		err   error
		cause string
	}{
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, cause.Refused},
		{fmt.Errorf("wrapped: %w", syscall.ECONNRESET), cause.Reset},
		{syscall.EHOSTUNREACH, cause.Unreachable},
		{os.ErrDeadlineExceeded, cause.Timeout},
		{&net.DNSError{Name: "x", IsNotFound: true}, cause.DNS},
		{&net.DNSError{Name: "x", IsTimeout: true}, cause.DNS},
		{errors.New("remote error: tls: expired certificate"), cause.ClientCertificate},
		{errors.New("remote error: tls: handshake failure"), cause.TLS},
		{errors.New("getting credentials: exec: executable aws failed with exit code 255"), cause.ExecPlugin},
		{&ConfigError{Err: errors.New("x")}, cause.Kubeconfig},
		{&ConfigError{Err: errors.New("x"), Credentials: true}, cause.Credentials},
		{errors.New("http2: server sent GOAWAY"), cause.Reset},
		{errors.New("No valid id-token, and cannot refresh without refresh-token"), cause.OIDCToken},
		{errors.New(`failed to refresh token: oauth2: "invalid_grant" "Token is not active"`), cause.OIDCIssuer},
		{fmt.Errorf("failed to refresh token: %w", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}), cause.OIDCIssuer},
	} {
		id, message := Explain(test.err, Place{Host: "h:1"})
		if id != test.cause || message == "" || cause.Find(id).Retries != strings.HasSuffix(message, retryNote) {
			t.Errorf("%v: %s, %q; want %s", test.err, id, message, test.cause)
		}
	}
}

// TestAnExpiredCertificateComesBeforeTheNetwork: with TLS 1.3 the server's alert may come after the connection broke.
func TestAnExpiredCertificateComesBeforeTheNetwork(t *testing.T) {
	broken := &net.OpError{Op: "write", Net: "tcp", Err: syscall.EPIPE}
	now := time.Now()
	for _, x := range []struct {
		notAfter time.Time
		want     string
	}{{now.Add(-time.Hour), cause.ClientCertificate}, {now.Add(time.Hour), cause.Reset}} {
		place := Place{Host: "h:1", User: "jane", Certificate: &x509.Certificate{NotBefore: now.Add(-2 * time.Hour), NotAfter: x.notAfter}}
		id, words := Explain(broken, place)
		if id != x.want || strings.Contains(words, "expired on "+day(x.notAfter)) != (id == cause.ClientCertificate) {
			t.Errorf("%s: %s", id, words)
		}
	}
}
