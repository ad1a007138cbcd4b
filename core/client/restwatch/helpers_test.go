package restwatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"informerscope/core/words/object"
)

var (
	pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

func mustURL(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// serve starts a server and returns a client for it.
func serve(t testing.TB, h http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return &Client{HTTP: s.Client(), Base: mustURL(t, s.URL)}
}

// answer returns a handler with a fixed answer.
func answer(code int, contentType, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// streaming returns a client whose every response has this body.
func streaming(t testing.TB, body io.ReadCloser) *Client {
	t.Helper()
	return &Client{Base: mustURL(t, "http://cluster"), HTTP: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: -1, Body: body}, nil
	})}}
}

// pieces is a body that returns one piece per Read and then err.
type pieces struct {
	pieces [][]byte
	err    error
}

func (p *pieces) Close() error { return nil }
func (p *pieces) Read(b []byte) (int, error) {
	if len(p.pieces) == 0 {
		return 0, p.err
	}
	n := copy(b, p.pieces[0])
	if p.pieces[0] = p.pieces[0][n:]; len(p.pieces[0]) == 0 {
		p.pieces = p.pieces[1:]
	}
	return n, nil
}

func body(err error, parts ...string) *pieces {
	p := &pieces{err: err}
	for _, s := range parts {
		p.pieces = append(p.pieces, []byte(s))
	}
	return p
}

// describe formats an event in one line.
func describe(e watch.Event) string {
	switch o := e.Object.(type) {
	case *metav1.Status:
		s := fmt.Sprintf("%s Status %d %s", e.Type, o.Code, o.Reason)
		if o.Details != nil {
			for _, c := range o.Details.Causes {
				s += " " + string(c.Type)
			}
		}
		return s
	case metav1.Object:
		return fmt.Sprintf("%s %s/%s@%s", e.Type, o.GetNamespace(), o.GetName(), o.GetResourceVersion())
	default:
		return fmt.Sprintf("%s %T", e.Type, o)
	}
}

func collect(w watch.Interface) []string {
	var got []string
	for e := range w.ResultChan() {
		got = append(got, describe(e))
	}
	return got
}

// journal records the calls of the hooks.
type journal struct {
	mu    sync.Mutex
	lines []string
	bytes int
}

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.lines, "\n")
}

func (j *journal) hooks() Hooks {
	return Hooks{
		Request:  func(id uint64, method, uri string) { j.add("%d request %s %s", id, method, uri) },
		Response: func(id uint64, status int, err error) { j.add("%d response %d %v", id, status, err) },
		Bytes: func(id uint64, n int) {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.bytes += n
		},
		Frame: func(id uint64, typ, ns, name, rv string, size int) {
			j.add("%d frame %s %s/%s@%s %d", id, typ, ns, name, rv, size)
		},
		Done: func(id uint64, err error) { j.add("%d done %v", id, err) },
	}
}

func frame(typ, namespace, name, rv string) string {
	return fmt.Sprintf(`{"type":%q,"object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":%q,"resourceVersion":%q,"annotations":{"a":"\"}]{[\\"}},"spec":{"x":[{}]}}}`, typ, name, namespace, rv)
}

var errBroken = errors.New("the cable is cut")

func list(t *testing.T, c *Client) (*object.List, error) {
	t.Helper()
	return c.List(context.Background(), pods, "", metav1.ListOptions{})
}

func pretty(frames ...string) string {
	var b bytes.Buffer
	for _, f := range frames {
		f = strings.NewReplacer(`{"`, "{\n\t\"", `,"`, " ,\r\n \"", `":`, `" : `).Replace(f)
		b.WriteString("\n " + f + "\t\n\n")
	}
	return b.String()
}
