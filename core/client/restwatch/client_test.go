package restwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	goruntime "runtime"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"informerscope/core/words/object/objecttest"
)

// TestRequestsAreThoseOfClientGo sends combinations of options through client-go's REST client, used as the typed clients use it, and through ours, and
// compares the requests that reach the server.
func TestRequestsAreThoseOfClientGo(t *testing.T) {
	var uri string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		uri = r.RequestURI
		answer(200, "application/json", `{"kind":"List","apiVersion":"v1","items":[]}`)(w, r)
	}))
	defer server.Close()
	scheme := runtime.NewScheme()
	withInitial, withoutInitial, timeout := true, false, int64(433)
	for _, gvr := range []schema.GroupVersionResource{pods, deployments} {
		metav1.AddToGroupVersion(scheme, gvr.GroupVersion())
		for _, prefix := range []string{"", "/clusters/kind-kind"} {
			for _, namespace := range []string{"", "ns"} {
				for i, opts := range []metav1.ListOptions{
					{},
					{ResourceVersion: "0"},
					{ResourceVersion: "5", ResourceVersionMatch: "NotOlderThan", Limit: 500},
					{Continue: "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NX0=", Limit: 500},
					{LabelSelector: "a=b,c in (d, e),!f", FieldSelector: "spec.nodeName=n 1&x"},
					{AllowWatchBookmarks: true, TimeoutSeconds: &timeout, ResourceVersion: "7"},
					{SendInitialEvents: &withInitial, AllowWatchBookmarks: true, ResourceVersionMatch: "NotOlderThan"},
					{SendInitialEvents: &withoutInitial, ShardSelector: "s"},
					{TimeoutSeconds: new(int64)},
				} {
					for _, watching := range []bool{false, true} {
						config := &rest.Config{Host: server.URL + prefix, QPS: -1, APIPath: "/apis", ContentConfig: rest.ContentConfig{
							GroupVersion: new(gvr.GroupVersion()), NegotiatedSerializer: serializer.NewCodecFactory(scheme).WithoutConversion()}}
						if gvr.Group == "" {
							config.APIPath = "/api"
						}
						theirs, err := rest.RESTClientFor(config)
						if err != nil {
							t.Fatal(err)
						}
						opts := opts
						opts.Watch = watching
						req := theirs.Get().NamespaceIfScoped(namespace, namespace != "").Resource(gvr.Resource).VersionedParams(&opts, runtime.NewParameterCodec(scheme))
						if opts.TimeoutSeconds != nil {
							req = req.Timeout(seconds(*opts.TimeoutSeconds))
						}
						if _, err := req.DoRaw(context.Background()); err != nil {
							t.Fatal(err)
						}
						want := uri

						j := &journal{}
						ours := &Client{Base: mustURL(t, server.URL+prefix), Hooks: j.hooks()}
						opts.Watch = !watching // List and Watch must set it themselves
						if watching {
							w, err := ours.Watch(context.Background(), gvr, namespace, opts)
							if err != nil {
								t.Fatal(err)
							}
							w.Stop()
							collect(w)
						} else if _, err := ours.List(context.Background(), gvr, namespace, opts); err != nil {
							t.Fatal(err)
						}
						if uri != want {
							t.Errorf("options %d: sent %s, client-go sends %s", i, uri, want)
						}
						if !strings.HasPrefix(j.String(), "1 request GET "+want+"\n") {
							t.Errorf("the hooks reported\n%s\nfor %s", j, want)
						}
					}
				}
			}
		}
	}
}

func TestURLs(t *testing.T) {
	for _, tc := range []struct{ base, namespace, name, want string }{
		{"http://h", "", "", "http://h/apis/apps/v1/deployments"},
		{"http://h/", "ns", "", "http://h/apis/apps/v1/namespaces/ns/deployments"},
		{"http://h/clusters/arn:aws:eks:eu:1:cluster%2Fprod", "ns", "a b:c",
			"http://h/clusters/arn:aws:eks:eu:1:cluster%2Fprod/apis/apps/v1/namespaces/ns/deployments/a%20b:c"},
		{"http://h/x?token=1#y", "", "n?#", "http://h/x/apis/apps/v1/deployments/n%3F%23"},
		{"http://h", "..", "", ""},
		{"http://h", "a/b", "", ""},
		{"http://h", "ns", "a%2fb", ""},
	} {
		c := &Client{Base: mustURL(t, tc.base)}
		u, err := c.resourceURL(deployments, tc.namespace, tc.name)
		if tc.want == "" != (err != nil) || err == nil && u.String() != tc.want {
			t.Errorf("%+v: %v, %v", tc, u, err)
		}
	}
	c := &Client{Base: mustURL(t, "http://h/p%2Fq")}
	for path, want := range map[string]string{
		"/api/v1/pods/a?dryRun=All": "http://h/p%2Fq/api/v1/pods/a?dryRun=All",
		"version":                   "http://h/p%2Fq/version",
		"/a/../b":                   "",
		"/a/%2e%2e/b":               "",
		"/a/%zz":                    "",
	} {
		u, err := c.pathURL(path)
		if want == "" != (err != nil) || err == nil && u.String() != want {
			t.Errorf("%s: %v, %v", path, u, err)
		}
	}
	if _, err := (&Client{}).List(context.Background(), pods, "", metav1.ListOptions{}); err == nil {
		t.Error("a client without Base works")
	}
	if _, err := c.Get(context.Background(), pods, "ns", ""); err == nil {
		t.Error("Get accepted an empty name")
	}
}

func TestList(t *testing.T) {
	content := objecttest.PodList(30)
	for name, h := range map[string]http.HandlerFunc{
		"length known":   answer(200, "application/json", string(content), "Content-Length", fmt.Sprint(len(content))),
		"length unknown": answer(200, "application/json; charset=utf-8", string(content)),
		"no type":        answer(200, "", string(content)),
	} {
		t.Run(name, func(t *testing.T) {
			j := &journal{}
			c := serve(t, h)
			c.Hooks = j.hooks()
			l, err := list(t, c)
			if err != nil || len(l.Items) != 30 || l.Items[29].GetName() != objecttest.Name(29) || l.Items[3].GetKind() != "Pod" {
				t.Fatalf("%v, %v", l, err)
			}
			if want := "1 request GET /api/v1/pods\n1 response 200 <nil>\n1 done <nil>"; j.String() != want || j.bytes != len(content) {
				t.Errorf("the hooks reported %d bytes and\n%s", j.bytes, j)
			}
		})
	}
}

func TestGetAndDo(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		switch r.Method + " " + r.RequestURI {
		case "GET /api/v1/namespaces/ns/pods/a":
			answer(200, "application/json", string(objecttest.Pod(1)))(w, r)
		case "PATCH /api/v1/pods/a?fieldManager=x":
			answer(200, "application/json", r.Header.Get("Content-Type")+" "+r.UserAgent()+" "+string(sent))(w, r)
		default:
			answer(409, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","message":"it changed","code":409,"details":{"name":"a","kind":"pods","causes":[{"reason":"FieldManagerConflict","message":"m","field":"f"}]}}`)(w, r)
		}
	})
	c.UserAgent = "tester"
	ctx := context.Background()
	if o, err := c.Get(ctx, pods, "ns", "a"); err != nil || o.GetName() != objecttest.Name(1) || cap(o.Raw()) != o.Size() {
		t.Errorf("%v, %v", o, err)
	}
	if b, err := c.Do(ctx, "PATCH", "/api/v1/pods/a?fieldManager=x", "application/merge-patch+json", []byte(`{}`)); err != nil ||
		string(b) != "application/merge-patch+json tester {}" {
		t.Errorf("%s, %v", b, err)
	}
	_, err := c.Do(ctx, "PUT", "/api/v1/pods/b", "application/json", []byte(`{}`))
	var status *apierrors.StatusError
	if !apierrors.IsConflict(err) || !errors.As(err, &status) || len(status.ErrStatus.Details.Causes) != 1 || status.ErrStatus.Details.Name != "a" {
		t.Errorf("%v", err)
	}
}

func TestResponseErrors(t *testing.T) {
	failure := func(code int, reason, more string) string {
		return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":%q,"code":%d%s}`, reason, code, more)
	}
	const js = "application/json"
	for _, tc := range []struct {
		name  string
		h     http.HandlerFunc
		check func(error) bool
		code  int32
		delay int
		want  string // in the error message
	}{
		{"410 Gone", answer(410, js, failure(410, "Gone", "")), apierrors.IsGone, 410, 0, "m"},
		{"410 Expired", answer(410, js, failure(410, "Expired", "")), apierrors.IsResourceExpired, 410, 0, "m"},
		{"429 details", answer(429, js, failure(429, "TooManyRequests", `,"details":{"retryAfterSeconds":7}`), "Retry-After", "3"), apierrors.IsTooManyRequests, 429,
			7, "m"},
		{"429 header", answer(429, js, failure(429, "TooManyRequests", ""), "Retry-After", "3"), apierrors.IsTooManyRequests, 429, 3, "m"},
		{"429 text", answer(429, "text/plain", "Too many requests", "Retry-After", "2"), apierrors.IsTooManyRequests, 429, 2, "try again later (get pods)"},
		{"504 too large", answer(504, js,
			failure(504, "Timeout", `,"details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1}`)),
			func(err error) bool {
				return apierrors.IsTimeout(err) && apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge)
			}, 504, 1, "m"},
		{"401", answer(401, js, failure(401, "Unauthorized", "")), apierrors.IsUnauthorized, 401, 0, "m"},
		{"403", answer(403, js, failure(403, "Forbidden", "")), apierrors.IsForbidden, 403, 0, "m"},
		{"404", answer(404, js, failure(404, "NotFound", "")), apierrors.IsNotFound, 404, 0, "m"},
		{"404 text", answer(404, "text/plain", "404 page not found\n"), apierrors.IsNotFound, 404, 0, "could not find the requested resource"},
		{"500", answer(500, js, failure(500, "InternalError", "")), apierrors.IsInternalError, 500, 0, "m"},
		{"500 empty", answer(500, "", ""), apierrors.IsInternalError, 500, 0, `"unknown"`},
		{"502 html", answer(502, "text/html",
			"<!DOCTYPE html>\n<html><head><style>b{}</style><script>alert('<b>')</script></head>\n<body><h1>502 Bad\x07 Gateway</h1>\r\n<!-- > "+
				"--><p>nginx</p></body></html>"),
			apierrors.IsInternalError, 502, 0, `"502 Bad Gateway nginx"`},
		{"502 other JSON", answer(502, js, `{"error":"no upstream"}`), apierrors.IsInternalError, 502, 0, "no upstream"},
		{"503 binary", answer(503, "application/octet-stream", "\x00\x01\xff"), apierrors.IsServiceUnavailable, 503, 0, "unable to handle"},
		{"500 long", answer(500, "text/plain", strings.Repeat("é", 100000)), apierrors.IsInternalError, 500, 0, strings.Repeat("é", maxExcerpt) + "..."},
		{"500 but Success", answer(500, js, `{"kind":"Status","status":"Success"}`), apierrors.IsInternalError, 500, 0, "Success"},
		{"304", answer(304, "", ""), func(err error) bool { return apierrors.ReasonForError(err) == metav1.StatusReasonUnknown }, 304, 0, "304"},
		{"200 but Failure", answer(200, js, failure(403, "Forbidden", "")), apierrors.IsForbidden, 403, 0, "m"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := list(t, serve(t, tc.h))
			var status *apierrors.StatusError
			if !errors.As(err, &status) {
				t.Fatalf("%T %v", err, err)
			}
			delay, _ := apierrors.SuggestsClientDelay(err)
			if !tc.check(err) || status.ErrStatus.Code != tc.code || delay != tc.delay || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("code %d, delay %d, reason %s: %v", status.ErrStatus.Code, delay, status.ErrStatus.Reason, err)
			}
		})
	}
}

func TestWrongAnswers(t *testing.T) {
	for _, tc := range []struct {
		name string
		h    http.HandlerFunc
		want string
	}{
		{"html", answer(200, "text/html", "<html><body>Please  <b>sign in</b></body></html>"), "Please sign in"},
		{"protobuf", answer(200, "application/vnd.kubernetes.protobuf", "k8s\x00"), `"application/vnd.kubernetes.protobuf" where application/json was asked for`},
		{"bad type", answer(200, ";;", "x"), `";;"`},
		{"not JSON", answer(200, "application/json", `{"items":[{]}`), "items[0]: invalid JSON at byte 11"},
		{"empty", answer(200, "application/json", ``), "unexpected end of input"},
		{"wrong item", answer(200, "application/json", `{"items":[{"metadata":{"uid":1}}]}`), "items[0]: metadata.uid is a number"},
		{"success", answer(200, "application/json", `{"kind":"Status","status":"Success"}`), "answered with a Status"},
		{"too long", answer(200, "application/json", `{"items":[`+strings.Repeat(" ", 5000)+`]}`), "longer than 4096 bytes"},
		{"announced too long", answer(200, "application/json", strings.Repeat(" ", 5000), "Content-Length", "5000"), "longer than 4096 bytes"},
		{"cut", answer(200, "application/json", `{"items":[`, "Content-Length", "400"), "unexpected EOF"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := serve(t, tc.h)
			c.MaxBody = 4096
			_, err := list(t, c)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v", err)
			}
			if tc.name == "cut" && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v does not unwrap to io.ErrUnexpectedEOF", err)
			}
			var typeErr *ContentTypeError
			if isType := tc.name == "html" || tc.name == "protobuf" || tc.name == "bad type"; errors.As(err, &typeErr) != isType {
				t.Errorf("%T", err)
			}
		})
	}
}

func TestConnectionRefused(t *testing.T) {
	if goruntime.GOOS == "js" {
		t.Skip("the network that Go imitates on js/wasm refuses connections with an error of its own")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	j := &journal{}
	c := &Client{Base: mustURL(t, "http://"+address), Hooks: j.hooks()}
	var urlErr *url.Error
	if _, err := list(t, c); !utilnet.IsConnectionRefused(err) || !errors.As(err, &urlErr) {
		t.Errorf("refused: %v", err)
	}
	if _, err := c.Watch(context.Background(), pods, "", metav1.ListOptions{}); !utilnet.IsConnectionRefused(err) {
		t.Errorf("watch refused: %v", err)
	}
	if log := j.String(); !strings.Contains(log, "1 response 0") || !strings.Contains(log, "2 response 0") || strings.Contains(log, "done") {
		t.Errorf("the hooks reported\n%s", log)
	}
}

func TestConnectionErrors(t *testing.T) {
	for err, kind := range map[error]func(error) bool{
		error(&net.OpError{Op: "read", Err: syscall.ECONNRESET}): utilnet.IsConnectionReset,
		io.EOF: utilnet.IsProbableEOF,
		error(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}): utilnet.IsConnectionRefused,
		context.DeadlineExceeded:                                   utilnet.IsTimeout,
	} {
		c := &Client{Base: mustURL(t, "http://cluster"), HTTP: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, err })}}
		if _, got := list(t, c); !kind(got) {
			t.Errorf("%v became %v", err, got)
		}
	}
}
