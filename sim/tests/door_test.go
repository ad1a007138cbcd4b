package tests

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"informerscope/core/cluster/levers"
	"informerscope/sim/internal/harness"
)

// TestAccess checks who may ask the API server, and from where.
func TestAccess(t *testing.T) {
	c := harness.Shared(t)
	for _, row := range []struct{ name, token, want string }{
		{"a token of somebody else", "wrong", "Unauthorized"},
		{"no token", "", `User "system:anonymous" cannot list resource "secrets"`},
	} {
		config := rest.AnonymousClientConfig(c.Config)
		config.BearerToken = row.token
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: the answer is %v, want %q", row.name, err, row.want)
		}
	}
	addresses := listening(t, c.Pid())
	if len(addresses) == 0 {
		t.Skip("this machine does not say where a process listens")
	}
	for _, address := range addresses {
		if address != "0100007F" { // 127.0.0.1 as the kernel writes it
			t.Errorf("it listens on %s, which is not 127.0.0.1", address)
		}
	}
}

// listening returns the addresses of the TCP sockets on which a process listens, as the kernel writes them.
func listening(t *testing.T, pid int) (addresses []string) {
	t.Helper()
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	sockets := map[string]bool{}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil {
			sockets[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")] = true
		}
	}
	for _, file := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, file))
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && sockets[f[9]] {
				address, _, _ := strings.Cut(f[1], ":")
				if _, err := hex.DecodeString(address); err == nil {
					addresses = append(addresses, address)
				}
			}
		}
	}
	return addresses
}

// TestDoor sends the side door wrong and hostile requests. It answers each in time, or closes the connection.
func TestDoor(t *testing.T) {
	c := harness.Shared(t)
	for _, row := range []struct {
		name, method, path, token, host string
		body                            io.Reader
		want                            []int
	}{
		{name: "no token", method: "GET", path: levers.WritesPath, want: []int{401}},
		{name: "a wrong token", method: "GET", path: levers.WritesPath, token: "wrong", want: []int{401}},
		{name: "another host", method: "GET", path: levers.WritesPath, token: c.Token, host: "example.org", want: []int{401}},
		{name: "a wrong path", method: "GET", path: "/other", token: c.Token, want: []int{404}},
		{name: "PUT", method: "PUT", path: levers.WritesPath, token: c.Token, want: []int{405}},
		{name: "after=garbage", method: "GET", path: levers.WritesPath + "?after=garbage", token: c.Token, want: []int{400}},
		{name: "after=-1", method: "GET", path: levers.WritesPath + "?after=-1", token: c.Token, want: []int{400}},
		{name: "a body without an end", method: "POST", path: levers.Path, token: c.Token, body: endless{}, want: []int{400, 404, 405, 413}},
		{name: "a body without an end and no token", method: "POST", path: levers.Path, body: endless{}, want: []int{401}},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		r, err := http.NewRequestWithContext(ctx, row.method, c.Door+row.path, row.body)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = row.host
		if row.token != "" {
			r.Header.Set("Authorization", "Bearer "+row.token)
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		switch {
		case err == nil && !slices.Contains(row.want, answer.StatusCode):
			t.Errorf("%s: the answer is %s, want %d", row.name, answer.Status, row.want)
		case err != nil && (row.body == nil || ctx.Err() != nil): // the connection may be closed before all of a body is sent
			t.Errorf("%s: %v", row.name, err)
		}
		if err == nil {
			_ = answer.Body.Close()
		}
		cancel()
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestDoorSlow begins a request and does not go on. The door closes the connection.
func TestDoorSlow(t *testing.T) {
	c := harness.Shared(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.Door, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err = io.WriteString(conn, "GET /simulation HTTP/1.1\r\nHost: a\r\nX-Slow: "); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	if _, err = io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the door keeps a connection for %s whose headers do not come", patience)
	}
}

// TestDoorUnread opens 100 streams of writes that read nothing, and writes. The process does not keep for them what they do not read.
func TestDoorUnread(t *testing.T) {
	const streams, writes, size, more = 100, 300, 50_000, 600
	c := harness.Shared(t)
	namespace := newNamespace(t, c)
	before := residentMB(c)
	address := strings.TrimPrefix(c.Door, "http://")
	for range streams {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", levers.WritesPath, address, c.Token); err != nil {
			t.Fatal(err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		status := make([]byte, len("HTTP/1.1 200"))
		if _, err = io.ReadFull(conn, status); err != nil || !bytes.HasSuffix(status, []byte(" 200")) {
			t.Fatalf("a stream was answered with %q (%v)", status, err)
		}
	}
	annotation := strings.Repeat("x", size)
	for i := range writes {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"note":"%d%s"}}}`, i, annotation)
		if _, err := c.Client.CoreV1().Namespaces().Patch(t.Context(), namespace, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if after := residentMB(c); after > before+more {
		t.Errorf("the process has %d MB after the writes, %d before; at most %d MB more are allowed", after, before, more)
	}
}
