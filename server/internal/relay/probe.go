package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"

	"informerscope/core/words/cause"
	"informerscope/server/internal/guard"
)

const (
	// probeHeaders is how long a probe may take to begin its answer; it first takes a baseline of its stores.
	probeHeaders = 30 * time.Second
	probeDial    = 10 * time.Second
	// probeKeepAlive detects a machine that is gone: a stream is silent while nothing happens.
	probeKeepAlive = 15 * time.Second
	// maxInformers bounds the length of ?informers= in bytes.
	maxInformers = 2048
)

// Probe is a client of a probe's handler (see probe.Probe.Handler) in another process; viewers read its stream and its list. It is safe for
// concurrent use.
type Probe struct {
	base  *url.URL
	token string
	rt    *http.Transport
}

// NewProbe takes the URL of a probe's handler and the token that it requires, "" for none. It does not contact the probe.
func NewProbe(address, token string) (*Probe, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("not a URL; give one like http://localhost:6060/debug/informerscope/") // the parser's words repeat what may be a password
	}
	switch {
	case base.Scheme != "http" && base.Scheme != "https", base.Hostname() == "", base.Opaque != "":
		return nil, errors.New("not the http or https URL of a probe's handler; give one like http://localhost:6060/debug/informerscope/")
	case base.User != nil:
		return nil, errors.New("the URL must not have a user: others can see the command line; give the token with --attach-token-file")
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, errors.New("the URL must have no ? or #; choose informers on the page")
	case token != "" && base.Scheme == "http" && !isLoopback(base.Hostname()):
		return nil, errors.New("the probe's token would go over the network unencrypted: give an https URL, or use kubectl port-forward")
	}
	if token != "" {
		if err := guard.CheckToken(token); err != nil {
			return nil, fmt.Errorf("the probe's token: %w", err)
		}
	}
	base.Path, base.RawPath = strings.TrimSuffix(base.Path, "/"), ""
	dialer := &net.Dialer{Timeout: probeDial, KeepAlive: probeKeepAlive}
	return &Probe{base: base, token: token, rt: &http.Transport{
		DialContext: dialer.DialContext, TLSHandshakeTimeout: probeDial, ResponseHeaderTimeout: probeHeaders,
		MaxResponseHeaderBytes: maxHeaderBytes, DisableCompression: true, MaxIdleConns: 2, IdleConnTimeout: time.Minute,
		ReadBufferSize: 16 << 10,
	}}, nil
}

// Address returns the host and the port of the probe.
func (p *Probe) Address() string { return p.base.Host }

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ask requests what, "stream", "trace" or "" for the list, from the probe. Values of query that are empty are left out.
func (p *Probe) ask(ctx context.Context, what string, query map[string]string) (*http.Response, error) {
	target := *p.base
	target.Path += "/" + what
	values := url.Values{}
	for name, value := range query {
		if value != "" {
			values.Set(name, value)
		}
	}
	target.RawQuery = values.Encode()
	out, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	out.Header = http.Header{"User-Agent": {"informerscope"}, "Accept-Encoding": {"identity"}}
	if p.token != "" {
		out.Header.Set("Authorization", "Bearer "+p.token)
	}
	// RoundTrip follows no redirect, so only the probe receives the request and its token.
	return p.rt.RoundTrip(out)
}

// Record requests a recording of the probe's informers: the named ones, separated by commas, or its first eight. The caller reads the trace file while it is
// made, and closes it. An error is a sentence for people; clean takes credentials out of the probe's own words.
func (p *Probe) Record(ctx context.Context, long time.Duration, informers string, clean func(string) string) (io.ReadCloser, error) {
	if informers != "" && (len(informers) > maxInformers || !informerNames.MatchString(informers)) {
		return nil, fmt.Errorf("%.60q is not a list of informers; write names with commas between them, such as pods,deployments.apps", informers)
	}
	response, err := p.ask(ctx, "trace", map[string]string{"seconds": fmt.Sprintf("%.0f", long.Seconds()), "informers": informers})
	if err != nil {
		return nil, errors.New(p.explainFailure(err))
	}
	got, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if problem := p.explainMismatch(response, got, "application/x-ndjson", clean); problem != "" {
		return nil, errors.Join(errors.New(problem), response.Body.Close())
	}
	return response.Body, nil
}

// informerNames matches a valid ?informers=.
var informerNames = regexp.MustCompile(`^[a-z0-9.,-]+$`)

// probe forwards the stream of the probe of --attach, or the list of its informers.
func (r *Relay) probe(w http.ResponseWriter, req *http.Request) {
	p := r.config.Probe
	if p == nil {
		writeStatus(w, failure{code: http.StatusNotFound, message: "no process is attached: start the server with --attach URL"})
		return
	}
	if req.Method != http.MethodGet || req.ContentLength != 0 {
		r.refuse(w, &guard.Refusal{Rule: "method", Message: "the relay is read-only: only GET without a body is served"})
		return
	}
	what, mediaType := "", "application/json"
	if req.URL.EscapedPath() == probeStream {
		what, mediaType = "stream", "application/x-ndjson"
	}
	query, err := url.ParseQuery(req.URL.RawQuery)
	informers := query.Get("informers")
	if err != nil || len(query) > 1 || len(query) == 1 && (what == "" || len(query["informers"]) != 1 || len(informers) > maxInformers ||
		!informerNames.MatchString(informers)) {
		r.refuse(w, &guard.Refusal{Rule: "query", Message: "a probe's stream takes only ?informers= with names separated by commas"})
		return
	}
	if !r.budget.reserve() {
		r.refuseForMemory(w)
		return
	}
	defer r.budget.release()
	response, err := p.ask(req.Context(), what, map[string]string{"informers": informers})
	if err != nil {
		if isCanceled(req.Context(), err) {
			panic(http.ErrAbortHandler)
		}
		r.config.Log.Warn("no answer from the probe", "error", r.plainText(redactURL(err)))
		r.config.Metrics.CountUpstreamError(cause.ProbeGone)
		writeStatus(w, failure{code: http.StatusServiceUnavailable, cause: cause.ProbeGone, message: r.cleanText(p.explainFailure(err))})
		return
	}
	defer func() { _ = response.Body.Close() }()
	got, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if problem := p.explainMismatch(response, got, mediaType, r.words); problem != "" {
		r.config.Metrics.CountUpstreamError(cause.ProbeRefused)
		writeStatus(w, failure{code: http.StatusBadGateway, cause: cause.ProbeRefused, message: r.cleanText(problem)})
		return
	}
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(http.StatusOK)
	sent, err := r.send(w, response.Body)
	r.config.Log.Debug("probe served", "what", what, "bytes", sent)
	if err != nil {
		// The viewer must see a broken stream, not a normal end.
		panic(http.ErrAbortHandler)
	}
}

// explainMismatch describes what is wrong with an answer that is not the expected one, "" for nothing. It may read the body, whose text it passes through
// clean.
func (p *Probe) explainMismatch(response *http.Response, got, want string, clean func(string) string) string {
	encoding := response.Header.Get("Content-Encoding")
	switch {
	case response.StatusCode >= 300 && response.StatusCode < 400:
		return fmt.Sprintf("What answers at %s redirects elsewhere (%d), and the server does not follow: give --attach the URL of the probe's handler itself.",
			p.base.Host, response.StatusCode)
	case response.StatusCode == http.StatusUnauthorized:
		return fmt.Sprintf("The probe at %s requires a token, or a different one: start the server with --attach-token-file.%s",
			p.base.Host, p.words(response, got, clean))
	case response.StatusCode != http.StatusOK:
		return fmt.Sprintf("The answer from %s is %d %s; is that a probe's handler?%s", p.base.Host, response.StatusCode,
			http.StatusText(response.StatusCode), p.words(response, got, clean))
	case got != want:
		return fmt.Sprintf("The answer from %s is %.60q, not %q; is that a probe's handler?", p.base.Host, got, want)
	case encoding != "" && encoding != "identity":
		return fmt.Sprintf("The answer from %s is compressed (Content-Encoding: %.60q), which the server cannot read: switch compression off for this path "+
			"in the proxy in front of the probe.", p.base.Host, encoding)
	}
	return ""
}

// words returns a probe's own message after clean, as a further sentence; "" if there is none or it contains the probe's token.
func (p *Probe) words(response *http.Response, mediaType string, clean func(string) string) string {
	if mediaType != "text/plain" {
		return ""
	}
	// Read all of it: clean could not recognise a token that is cut.
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxError+1))
	if err != nil || len(raw) > maxError || p.token != "" && strings.Contains(string(raw), p.token) {
		return ""
	}
	words := clean(string(raw))
	if words == "" {
		return ""
	}
	return " Its message: " + words
}

// explainFailure describes for people why a probe gave no answer.
func (p *Probe) explainFailure(err error) string {
	why := "does not answer as it should"
	var network net.Error
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		why = "has a name that this machine cannot resolve"
	case errors.Is(err, syscall.ECONNREFUSED):
		why = "refuses connections"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		why = "does not answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		why = "closed the connection"
	}
	return fmt.Sprintf("The attached process at %s %s. Is it running? If it is in a cluster, is kubectl port-forward running?", p.base.Host, why)
}

// The paths of a probe in the relay.
const (
	probeList   = "/probe/"
	probeStream = "/probe/stream"
)
