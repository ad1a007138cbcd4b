package relayclient

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
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/wire/faults"
	"informerscope/core/words/cause"
)

// The headers in which the relay explains an answer. See docs/dev/protocol.md.
const (
	causeHeader = "X-Informerscope-Cause" // what kept the relay from reaching a cluster; the answer is the relay's own
	ruleHeader  = "X-Informerscope-Rule"  // the rule by which the relay refused; the answer is the relay's own.
	hintHeader  = "X-Informerscope-Hint"  // the cause of an error that is the cluster's own
	wordsHeader = "X-Informerscope-Words" // the relay's words for it
	contextRule = "context"               // the rule that the relay serves only named contexts
)

// RuleCause is the cause, in the Status of a refusal by the relay's own rules.
const RuleCause = "informerscope/rule"

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

// Explainer sits between the informers and a live cluster, and turns errors into words for the page. The informers see what a client with a connection of its
// own would have seen.
type Explainer struct {
	Next    http.RoundTripper
	Report  func(Trouble)
	Base    *url.URL
	Context string
	// Namespace is the kubeconfig context's namespace.
	Namespace string
	// ClusterScoped: the watched resource has no namespaces.
	ClusterScoped bool
}

// RoundTrip implements http.RoundTripper.
func (x *Explainer) RoundTrip(req *http.Request) (*http.Response, error) {
	answered := make(chan struct{})
	go x.askWhileWaiting(req.Context(), answered)
	resp, err := x.Next.RoundTrip(req)
	close(answered)
	if err != nil {
		if req.Context().Err() == nil && !faults.IsFault(err) {
			x.Report(Explain(err))
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
			x.Report(Trouble{Words: words, Cause: cause, Err: err})
			return nil, err
		}
		x.Report(Trouble{Words: words, Cause: cause})
		return replay(resp, body), nil
	case resp.StatusCode < 400:
		x.Report(Trouble{})
		resp.Body = &explainedBody{ReadCloser: resp.Body, x: x, ctx: req.Context()}
		return resp, nil
	}
	body, status := statusOf(resp)
	x.Report(x.explainAnswer(req, resp, status))
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

// explainAnswer returns the trouble behind an error of the cluster or a refusal of the relay; none for errors that are normal in an informer's life.
func (x *Explainer) explainAnswer(req *http.Request, resp *http.Response, status metav1.Status) Trouble {
	if hint := resp.Header.Get(hintHeader); hint != "" {
		if words, err := url.PathUnescape(resp.Header.Get(wordsHeader)); err == nil && words != "" {
			return Trouble{Words: words, Cause: hint}
		}
	}
	message := sentence(status.Message)
	resource, namespace := resourceOf(strings.TrimPrefix(req.URL.EscapedPath(), x.Base.EscapedPath()))
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		return Trouble{Cause: "unauthorized", Words: "The cluster does not accept these credentials (401 Unauthorized). " +
			"They may have expired: log in again with the kubeconfig's own means; this page tries again by itself."}
	case http.StatusForbidden:
		switch resp.Header.Get(ruleHeader) {
		case "":
			return x.explainForbidden(message, resource, namespace)
		case contextRule:
			return Trouble{Cause: "context-not-served", Words: capitalize(message) + " Choose another one in the source menu, or start the " +
				"server with --contexts that name this one."}
		default:
			return Trouble{Cause: "not-served", Words: capitalize(message) + " Choose another resource, or start the server with other flags."}
		}
	case http.StatusNotFound:
		return Trouble{Cause: "not-served", Words: join(fmt.Sprintf("The cluster does not serve %s (404 Not Found).", resource), capitalize(message),
			"If it is a custom resource, is its definition installed? Choose another resource, or install it; this page tries again by itself.")}
	}
	switch c := cause.Find(cause.OfWords(resp.StatusCode, status.Message)); {
	case c == nil || !c.IsTrouble():
		return Trouble{}
	case c.ID == cause.Other:
		return Trouble{Cause: c.ID, Words: join(
			fmt.Sprintf("The API server answers %d %s.", resp.StatusCode, http.StatusText(resp.StatusCode)),
			capitalize(message), "This page tries again by itself.")}
	default:
		what, remedy := c.Say(cause.Args{Resource: resource, Namespace: namespace}.Read(message))
		return Trouble{Cause: c.ID, Words: join(what.EN, remedy.EN, "Its message: "+message)}
	}
}

// explainForbidden names what the credentials lack, a remedy, and the cluster's own message, in this order: some places show the first sentence only.
func (x *Explainer) explainForbidden(message, resource, namespace string) Trouble {
	lacks, remedy := "", ""
	switch {
	case namespace != "":
		lacks = fmt.Sprintf("%s in the namespace %q", resource, namespace)
		remedy = fmt.Sprintf(
			"Choose another namespace, or ask for a Role that allows to list and watch %s in the namespace %q.", resource, namespace)
	case x.ClusterScoped:
		lacks = resource
		remedy = fmt.Sprintf(
			"Choose another resource (%s have no namespaces), or ask for a ClusterRole that allows to list and watch them.", resource)
	case x.Namespace != "":
		lacks = resource + " in all namespaces"
		remedy = fmt.Sprintf("To list and watch %s in one namespace alone may be allowed: "+
			"choose one, such as %q, which the kubeconfig's context names; or ask for a ClusterRole.", resource, x.Namespace)
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
	t := Trouble{Cause: "forbidden", Words: words}
	if !x.ClusterScoped && namespace != x.Namespace {
		t.Namespace = x.Namespace
	}
	return t
}

// resourceOf returns the resource and the namespace of a Kubernetes path.
func resourceOf(path string) (resource, namespace string) {
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

func capitalize(s string) string {
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
func (x *Explainer) ask(ctx context.Context) (t relayTrouble, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	target := url.URL{Scheme: "http", Host: x.Base.Host, Path: "/trouble", RawQuery: url.Values{"context": {x.Context}}.Encode()}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return t, false
	}
	resp, err := x.Next.RoundTrip(req)
	if err != nil {
		return t, false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	return t, err == nil && resp.StatusCode == http.StatusOK && json.Unmarshal(body, &t) == nil
}

// askWhileWaiting asks the relay what it waits for, while an answer does not arrive.
func (x *Explainer) askWhileWaiting(ctx context.Context, answered <-chan struct{}) {
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
				x.Report(Trouble{Words: t.Words, Cause: t.Cause})
			}
		}
		timer.Reset(askAfter)
	}
}

// explainedBody is the body of an answer, which may break.
type explainedBody struct {
	io.ReadCloser
	x   *Explainer
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
	if b.ctx.Err() != nil || faults.IsFault(err) || errors.Is(err, net.ErrClosed) {
		return err
	}
	text := err.Error()
	if !strings.Contains(text, "stream error: stream ID") {
		if !strings.Contains(text, "body closed") {
			b.x.Report(Explain(err))
		}
		return err
	}
	t, ok := b.x.ask(b.ctx)
	if !ok || t.Last == nil || t.Last.AgeMillis > fresh.Milliseconds() {
		return err
	}
	b.x.Report(Trouble{Words: t.Last.Words, Cause: t.Last.Cause})
	return errorBehind(t.Last.Error, err)
}

// errorBehind returns an error that happened between the relay and the cluster: with the text of the relay's transport, and of the kind that the informers' own
// transport would have returned.
func errorBehind(text string, stream error) error {
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
