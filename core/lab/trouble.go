package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/faults"
	"informerscope/core/informer"
	"informerscope/core/trace"
)

// The headers in which the relay explains an answer. See docs/protocol.md.
const (
	causeHeader = "X-Informerscope-Cause" // what kept the relay from reaching a cluster; the answer is the relay's own
	ruleHeader  = "X-Informerscope-Rule"  // the rule by which the relay refused; the answer is the relay's own
	hintHeader  = "X-Informerscope-Hint"  // the cause of an error that is the cluster's own
	wordsHeader = "X-Informerscope-Words" // the relay's words for it
	ruleCause   = "informerscope/rule"    // in the Status of a refusal
	contextRule = "context"               // the rule that the relay serves only named contexts
)

const (
	// The page and its relay check each other: if nothing arrives for pingAfter, a ping is sent. If the ping is not answered within pingPatience, the
	// connection is closed.
	pingAfter    = 5 * time.Second
	pingPatience = 8 * time.Second
	// askAfter is how long an answer may take before the relay is asked what it waits for.
	askAfter = 2 * time.Second
	// askPatience is how long the relay may take to report why it ended a stream.
	askPatience = 3 * time.Second
	// fresh is the greatest age of the relay's last trouble at which it explains a stream that just broke.
	fresh = 5 * time.Second
)

// RelayError is why there is no connection to the relay. Options.Dial and the connection's Read return it.
type RelayError struct {
	// Cause is token, viewers, relay-gone or relay-silent.
	Cause string
	// Reason is the relay's own message, if any.
	Reason string
	// Err is the error that a client with a connection of its own would have seen.
	Err error
}

// Error implements error.
func (e *RelayError) Error() string {
	if e.Reason != "" {
		return "the relay ended the connection: " + e.Reason
	}
	return e.Err.Error()
}

// Unwrap returns the error of the connection.
func (e *RelayError) Unwrap() error { return e.Err }

// trouble is why a source does not work; the zero value means that it works.
type trouble struct {
	words     string // whole sentences for the user
	cause     string // one word; see docs/protocol.md
	namespace string // a namespace that can be watched instead
	err       error
}

func (t trouble) same(o trouble) bool {
	return t.words == o.words && t.cause == o.cause && t.namespace == o.namespace
}

func (t trouble) event() informer.Event {
	e := informer.Event{Kind: trace.KindTrouble, Text: t.words, Key: t.cause, Err: t.err}
	if t.namespace != "" {
		e.Indexed = []informer.IndexValues{{Index: "namespace", Values: []string{t.namespace}}}
	}
	return e
}

// troubles are the current problems with the source of the current log. Reports about an earlier log's source are dropped.
type troubles struct {
	emit func(lane uint8, e informer.Event)

	mu         sync.Mutex
	generation uint64
	of         [maxLanes]laneTrouble
}

// laneTrouble is what is wrong with the requests of one lane.
type laneTrouble struct {
	requests  trouble // the last report of the informer's requests
	namespace trouble // logged while requests has none
	emitted   trouble
}

// begin starts a log without troubles; start runs with the lock held. It returns the generation to report with.
func (t *troubles) begin(start func()) (generation uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.generation++
	t.of = [maxLanes]laneTrouble{}
	start()
	return t.generation
}

// ofRequests notes the trouble of a lane's requests.
func (t *troubles) ofRequests(generation uint64, lane uint8, is trouble) {
	t.note(generation, lane, func(x *laneTrouble) { x.requests = is })
}

// ofNamespace notes whether the watched namespace exists.
func (t *troubles) ofNamespace(generation uint64, lanes []uint8, is trouble) {
	for _, lane := range lanes {
		t.note(generation, lane, func(x *laneTrouble) { x.namespace = is })
	}
}

func (t *troubles) note(generation uint64, lane uint8, set func(*laneTrouble)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if generation != t.generation {
		return
	}
	x := &t.of[lane]
	set(x)
	now := x.requests
	if now.words == "" {
		now = x.namespace
	}
	if now.same(x.emitted) {
		return
	}
	x.emitted = now
	t.emit(lane, now.event())
}

// troubled reports whether something is wrong now.
func (t *troubles) troubled() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.of[:], func(x laneTrouble) bool { return x.emitted.words != "" })
}

// ofRelay returns the trouble behind an error of the connection to the relay.
func ofRelay(err error) trouble {
	var relay *RelayError
	switch {
	case errors.As(err, &relay) && relay.Cause == "token":
		return trouble{cause: "token", err: err, words: "This page has the token of another launch: " +
			"the informerscope server runs, and does not accept it. " +
			"Open the address that the running server printed, or paste it into this page."}
	case errors.As(err, &relay) && relay.Cause == "viewers":
		return trouble{cause: "viewers", err: err, words: fmt.Sprintf("The informerscope server is full: %s. "+
			"Close another page, or start the server with a larger --max-viewers; "+
			"this page tries again by itself, after up to half a minute.", strings.TrimSuffix(relay.Reason, "."))}
	case errors.As(err, &relay) && relay.Cause == "relay-silent", strings.Contains(err.Error(), "client connection lost"):
		return silent(err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return trouble{cause: "relay-gone", err: err, words: "The relay does not answer. " +
			"Is the informerscope server still running? This page tries again by itself."}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return silent(err)
	}
	return trouble{cause: "relay-gone", err: err, words: "The connection to the relay broke. " +
		"Is the informerscope server still running? This page tries again by itself."}
}

func silent(err error) trouble {
	return trouble{cause: "relay-silent", err: err, words: fmt.Sprintf(
		"The relay has given no sign of life for %d s, so what you see may be out of date. "+
			"Its process may be stopped, this computer may have slept, or the network between may be gone. This page tries again by itself.",
		int((pingAfter+pingPatience)/time.Second))}
}

// explainer sits between the informers and a live cluster, and turns errors into words for the page. The informers see what a client with a connection of its
// own would have seen.
type explainer struct {
	next    http.RoundTripper
	report  func(trouble)
	base    *url.URL
	context string
	// namespace is the kubeconfig context's namespace.
	namespace string
	// clusterScoped: the watched resource has no namespaces.
	clusterScoped bool
}

// RoundTrip implements http.RoundTripper.
func (x *explainer) RoundTrip(req *http.Request) (*http.Response, error) {
	answered := make(chan struct{})
	go x.wonder(req.Context(), answered)
	resp, err := x.next.RoundTrip(req)
	close(answered)
	if err != nil {
		if req.Context().Err() == nil && !faults.Made(err) {
			x.report(ofRelay(err))
		}
		return nil, err
	}
	cause := resp.Header.Get(causeHeader)
	switch {
	case cause != "":
		body, status := statusOf(resp)
		words := status.Message
		if words == "" {
			words = "The relay cannot reach the cluster."
		}
		if cause == "refused" {
			err := fmt.Errorf("%s: %w", words, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)})
			x.report(trouble{words: words, cause: cause, err: err})
			return nil, err
		}
		x.report(trouble{words: words, cause: cause})
		return replay(resp, body), nil
	case resp.StatusCode < 400:
		x.report(trouble{})
		resp.Body = &explainedBody{ReadCloser: resp.Body, x: x, ctx: req.Context()}
		return resp, nil
	}
	body, status := statusOf(resp)
	x.report(x.ofAnswer(req, resp, status))
	return replay(resp, body), nil
}

// statusOf reads the body of an error, and its Status if it has one.
func statusOf(resp *http.Response) (body []byte, status metav1.Status) {
	body, _ = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	_ = resp.Body.Close()
	if json.Unmarshal(body, &status) != nil {
		status = metav1.Status{}
	}
	return body, status
}

// replay puts a body that was read back into a response.
func replay(resp *http.Response, body []byte) *http.Response {
	resp.Body = io.NopCloser(strings.NewReader(string(body)))
	resp.ContentLength = int64(len(body))
	return resp
}

// ofAnswer returns the trouble behind an error of the cluster or a refusal of the relay; none for errors that are normal in an informer's life.
func (x *explainer) ofAnswer(req *http.Request, resp *http.Response, status metav1.Status) trouble {
	if hint := resp.Header.Get(hintHeader); hint != "" {
		if words, err := url.PathUnescape(resp.Header.Get(wordsHeader)); err == nil && words != "" {
			return trouble{words: words, cause: hint}
		}
	}
	message := sentence(status.Message)
	resource, namespace := asked(strings.TrimPrefix(req.URL.EscapedPath(), x.base.EscapedPath()))
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		return trouble{cause: "unauthorized", words: "The cluster does not accept these credentials (401 Unauthorized). " +
			"They may have expired: log in again with the kubeconfig's own means; this page tries again by itself."}
	case http.StatusForbidden:
		switch resp.Header.Get(ruleHeader) {
		case "":
			return x.forbidden(message, resource, namespace)
		case contextRule:
			return trouble{cause: "context-not-served", words: upper(message) + " Choose another one in the source menu, or start the " +
				"server with --contexts that name this one."}
		default:
			return trouble{cause: "not-served", words: upper(message) + " Choose another resource, or start the server with other flags."}
		}
	case http.StatusNotFound:
		return trouble{cause: "not-served", words: join(fmt.Sprintf("The cluster does not serve %s (404 Not Found).", resource), upper(message),
			"If it is a custom resource, is its definition installed? Choose another resource, or install it; this page tries again by itself.")}
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable:
		return trouble{cause: "other", words: join(
			fmt.Sprintf("The API server answers %d %s.", resp.StatusCode, http.StatusText(resp.StatusCode)),
			upper(message), "This page tries again by itself.")}
	}
	return trouble{}
}

// forbidden describes what the credentials lack, a remedy, and the cluster's own message. The first sentence comes first because some places show only one.
func (x *explainer) forbidden(message, resource, namespace string) trouble {
	lacks, remedy := "", ""
	switch {
	case namespace != "":
		lacks = fmt.Sprintf("%s in the namespace %q", resource, namespace)
		remedy = fmt.Sprintf(
			"Choose another namespace, or ask for a Role that allows to list and watch %s in the namespace %q.", resource, namespace)
	case x.clusterScoped:
		lacks = resource
		remedy = fmt.Sprintf(
			"Choose another resource (%s have no namespaces), or ask for a ClusterRole that allows to list and watch them.", resource)
	case x.namespace != "":
		lacks = resource + " in all namespaces"
		remedy = fmt.Sprintf("To list and watch %s in one namespace alone may be allowed: "+
			"choose one, such as %q, which the kubeconfig's context names; or ask for a ClusterRole.", resource, x.namespace)
	default:
		lacks = resource + " in all namespaces"
		remedy = fmt.Sprintf("To list and watch %s in one namespace alone may be allowed: choose one, or ask for a ClusterRole.", resource)
	}
	words := fmt.Sprintf("The cluster does not let this user list or watch %s (403 Forbidden). %s", lacks, remedy)
	if strings.Contains(message, `"system:anonymous"`) {
		words += " The cluster does not know who asks: the kubeconfig's user sends no credentials that it accepts."
	}
	if message != "" {
		words += " Its message: " + message
	}
	t := trouble{cause: "forbidden", words: words}
	if !x.clusterScoped && namespace != x.namespace {
		t.namespace = x.namespace
	}
	return t
}

// asked returns the resource and the namespace of a Kubernetes path.
func asked(path string) (resource, namespace string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	skip := 2 // api/v1
	if parts[0] == "apis" {
		skip = 3
	}
	if len(parts) <= skip {
		return "the API", ""
	}
	parts = parts[skip:]
	if parts[0] == "namespaces" && len(parts) > 2 {
		return parts[2], parts[1]
	}
	return parts[0], ""
}

// join joins sentences with spaces, without empty ones.
func join(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// sentence returns a message with a full stop.
func sentence(message string) string {
	message = strings.TrimSpace(message)
	if message == "" || strings.HasSuffix(message, ".") {
		return message
	}
	return message + "."
}

func upper(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	// The name of a resource begins a message of Kubernetes' own, and stays in lower case.
	if word, _, _ := strings.Cut(s, " "); strings.ContainsAny(word, ".\"") || strings.HasPrefix(s[len(word):], " is forbidden") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// relayTrouble is the relay's answer about the trouble of a context.
type relayTrouble struct {
	Cause string `json:"cause"`
	Words string `json:"words"`
	Last  *struct {
		Cause     string `json:"cause"`
		Words     string `json:"words"`
		Error     string `json:"error"`
		AgeMillis int64  `json:"ageMillis"`
	} `json:"last"`
}

// ask asks the relay, on the existing connection, what is wrong.
func (x *explainer) ask(ctx context.Context) (t relayTrouble, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	target := url.URL{Scheme: "http", Host: x.base.Host, Path: "/trouble", RawQuery: url.Values{"context": {x.context}}.Encode()}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return t, false
	}
	resp, err := x.next.RoundTrip(req)
	if err != nil {
		return t, false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	return t, err == nil && resp.StatusCode == http.StatusOK && json.Unmarshal(body, &t) == nil
}

// wonder asks the relay what it waits for, while an answer does not arrive.
func (x *explainer) wonder(ctx context.Context, answered <-chan struct{}) {
	timer := time.NewTimer(askAfter)
	defer timer.Stop()
	for {
		select {
		case <-answered:
			return
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if t, ok := x.ask(ctx); ok && t.Cause != "" {
			select {
			case <-answered:
				return
			default:
				x.report(trouble{words: t.Words, cause: t.Cause})
			}
		}
		timer.Reset(askAfter)
	}
}

// explainedBody is the body of an answer, which may break.
type explainedBody struct {
	io.ReadCloser
	x   *explainer
	ctx context.Context
}

// Read implements io.Reader.
func (b *explainedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = b.explain(err)
	}
	return n, err
}

// explain finds out why a body broke, reports it, and returns the error that a client with a connection of its own would have seen.
func (b *explainedBody) explain(err error) error {
	if b.ctx.Err() != nil || faults.Made(err) || errors.Is(err, net.ErrClosed) {
		return err
	}
	text := err.Error()
	if !strings.Contains(text, "stream error: stream ID") {
		if !strings.Contains(text, "body closed") {
			b.x.report(ofRelay(err))
		}
		return err
	}
	t, ok := b.x.ask(b.ctx)
	if !ok || t.Last == nil || t.Last.AgeMillis > fresh.Milliseconds() {
		return err
	}
	b.x.report(trouble{words: t.Last.Words, cause: t.Last.Cause})
	return behind(t.Last.Error, err)
}

// behind returns an error that happened between the relay and the cluster: with the text of the relay's transport, and of the kind that the informers' own
// transport would have returned.
func behind(text string, stream error) error {
	if text == io.ErrUnexpectedEOF.Error() {
		return io.ErrUnexpectedEOF // client-go compares this error by identity: it treats a watch that ends so as a clean end
	}
	kind := stream
	switch lower := strings.ToLower(text); {
	case strings.Contains(lower, "connection reset"):
		kind = syscall.ECONNRESET
	case strings.HasSuffix(lower, "eof"):
		kind = io.ErrUnexpectedEOF
	}
	return &farError{text: text, kind: kind}
}

type farError struct {
	text string
	kind error
}

func (e *farError) Error() string { return e.text }
func (e *farError) Unwrap() error { return e.kind }
