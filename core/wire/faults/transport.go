package faults

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/words/vclock"
)

// Transport wraps next with the faults of requests and of watch bodies.
func (f *Faults) Transport(next http.RoundTripper) http.RoundTripper { return &transport{f, next} }

type transport struct {
	f    *Faults
	base http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	delay, code, c := t.f.strikeOf(req)
	if delay > 0 {
		if err := vclock.Sleep(req.Context(), c, delay); err != nil {
			return nil, err
		}
	}
	if code != 0 {
		t.f.report(Strike{Name: strconv.Itoa(code), Struck: 1})
		return answerOf(req, code), nil
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK || !isWatch(req) {
		return resp, err
	}
	resp.Body = t.f.watch(resp.Body)
	return resp, nil
}

// strikeOf returns the delay of a request, and the status code that replaces its answer, 0 for none.
func (f *Faults) strikeOf(req *http.Request) (delay time.Duration, code int, c clock.Clock) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if req.Method != http.MethodGet {
		code, f.refusal = f.refusal, 0
	} else if len(f.answers) > 0 {
		code, f.answers = f.answers[0], f.answers[1:]
	} else if f.forbids && resourceOf(req) != "" {
		code = http.StatusForbidden
	}
	return f.delay, code, f.clock
}

func isWatch(req *http.Request) bool {
	isWatching, _ := strconv.ParseBool(req.URL.Query().Get("watch"))
	return isWatching
}

// resourceOf returns the plural of the resource that a request is about; "" for discovery and other requests.
func resourceOf(req *http.Request) string {
	_, path, core := strings.Cut(req.URL.Path, "/api/") // a relay adds a prefix
	before := 1                                         // the version
	if !core {
		var grouped bool
		if _, path, grouped = strings.Cut(req.URL.Path, "/apis/"); !grouped {
			return ""
		}
		before = 2 // and the group
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) <= before {
		return ""
	}
	rest := parts[before:]
	if len(rest) > 2 && rest[0] == "namespaces" {
		rest = rest[2:]
	}
	return rest[0]
}

func answerOf(req *http.Request, code int) *http.Response {
	body := statusJSON(code)
	if code == http.StatusForbidden {
		verb := "list"
		if isWatch(req) {
			verb = "watch"
		}
		body = forbiddenJSON(verb, resourceOf(req))
	}
	resp := &http.Response{
		StatusCode: code, Status: fmt.Sprintf("%d %s", code, http.StatusText(code)),
		Proto: "HTTP/2.0", ProtoMajor: 2, Request: req,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}
	if code == http.StatusTooManyRequests {
		resp.Header.Set("Retry-After", "1")
	}
	return resp
}

// forbiddenJSON is what an API server sends to a user who may not do that.
func forbiddenJSON(verb, resource string) []byte {
	return fmt.Appendf(nil, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"reason":"Forbidden","code":403}`,
		fmt.Sprintf("%s is forbidden: User \"informerscope\" cannot %s resource %q: a fault of the client's own making", resource, verb, resource))
}

// statusJSON is the metav1.Status an API server sends with code.
func statusJSON(code int) []byte {
	reason, message, details := "InternalError", "Internal error occurred: a fault of the client's own making", ""
	switch code {
	case http.StatusGone:
		reason, message = "Expired", "too old resource version: a fault of the client's own making"
	case http.StatusTooManyRequests:
		reason, message = "TooManyRequests", "too many requests: a fault of the client's own making"
		details = `"details":{"retryAfterSeconds":1},`
	}
	return fmt.Appendf(nil, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"reason":%q,%s"code":%d}`,
		message, reason, details, code)
}
