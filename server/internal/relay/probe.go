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

	"informerscope/server/internal/clusters"
	"informerscope/server/internal/guard"
)

// The causes for which a probe gives no answer.
const (
	ProbeGone    clusters.Cause = "probe-gone"    // the process is not reached, or went away
	ProbeRefused clusters.Cause = "probe-refused" // it answered, and not with what was asked for
)

const (
	// probeHeaders is how long a probe may take to begin its answer; it takes a baseline of its stores first.
	probeHeaders = 30 * time.Second
	probeDial    = 10 * time.Second
	// probeKeepAlive finds a machine that is gone without a word: a stream may be silent for as long as nothing happens.
	probeKeepAlive = 15 * time.Second
	// maxInformers bounds what names the informers.
	maxInformers = 2048
)

// Probe is the handler of a probe (see probe.Probe.Handler) in another process, of which viewers get stream and list. It is safe for
// concurrent use.
type Probe struct {
	base  *url.URL
	token string
	rt    *http.Transport
}

// NewProbe takes the URL of a probe's handler, and the token that it wants, "" for none. It contacts nobody.
func NewProbe(address, token string) (*Probe, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("it is no URL; it looks like http://localhost:6060/debug/informerscope/") // the parser's words repeat what may be a password
	}
	switch {
	case base.Scheme != "http" && base.Scheme != "https", base.Hostname() == "", base.Opaque != "":
		return nil, errors.New("it is no http or https URL of a probe's handler; it looks like http://localhost:6060/debug/informerscope/")
	case base.User != nil:
		return nil, errors.New("no user belongs into the URL: others can see the command line; give the token by --attach-token-file")
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, errors.New("the URL is that of the handler alone, without ? and #; informers are chosen in the page")
	case token != "" && base.Scheme == "http" && !loopback(base.Hostname()):
		return nil, errors.New("the probe's token would go over the network unencrypted: give an https URL, or come by kubectl port-forward")
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

// Where is the host and the port of the probe.
func (p *Probe) Where() string { return p.base.Host }

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ask asks the probe for one of the two things that are passed on.
func (p *Probe) ask(ctx context.Context, what, informers string) (*http.Response, error) {
	target := *p.base
	target.Path += "/" + what
	if informers != "" {
		target.RawQuery = url.Values{"informers": {informers}}.Encode()
	}
	out, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	out.Header = http.Header{"User-Agent": {"informerscope"}, "Accept-Encoding": {"identity"}}
	if p.token != "" {
		out.Header.Set("Authorization", "Bearer "+p.token)
	}
	// A RoundTrip follows no redirect: nobody but the probe is asked, and nobody but it gets the token.
	return p.rt.RoundTrip(out)
}

// informerNames is what may stand in ?informers=.
var informerNames = regexp.MustCompile(`^[a-z0-9.,-]+$`)

// probe passes on what the probe of --attach tells: its stream, or the list of its informers.
func (r *Relay) probe(w http.ResponseWriter, req *http.Request) {
	p := r.config.Probe
	if p == nil {
		writeStatus(w, failure{code: http.StatusNotFound, message: "no process is attached: start the server with --attach URL"})
		return
	}
	if req.Method != http.MethodGet || req.ContentLength != 0 {
		r.refused(w, &guard.Refusal{Rule: "method", Message: "the relay is read-only: only GET without a body is served"})
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
		r.refused(w, &guard.Refusal{Rule: "query", Message: "of a probe's stream nothing is asked but ?informers= with their names and commas between them"})
		return
	}
	if !r.budget.take() {
		r.noRoom(w)
		return
	}
	defer r.budget.give()
	response, err := p.ask(req.Context(), what, informers)
	if err != nil {
		if canceled(req.Context(), err) {
			panic(http.ErrAbortHandler)
		}
		r.config.Log.Warn("no answer from the probe", "error", r.plain(redactURL(err)))
		r.config.Metrics.UpstreamError(string(ProbeGone))
		writeStatus(w, failure{code: http.StatusServiceUnavailable, cause: ProbeGone, message: r.clean(p.unreached(err))})
		return
	}
	defer func() { _ = response.Body.Close() }()
	got, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if problem := p.unlike(response, got, mediaType, r.words); problem != "" {
		r.config.Metrics.UpstreamError(string(ProbeRefused))
		writeStatus(w, failure{code: http.StatusBadGateway, cause: ProbeRefused, message: r.clean(problem)})
		return
	}
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(http.StatusOK)
	sent, err := r.send(w, response.Body)
	r.config.Log.Debug("probe served", "what", what, "bytes", sent)
	if err != nil {
		// The viewer must see a broken stream, not one that ends well.
		panic(http.ErrAbortHandler)
	}
}

// unlike says what is wrong with an answer that is not the one that was asked for. Its body is read for that, and goes through clean.
func (p *Probe) unlike(response *http.Response, got, want string, clean func(string) string) string {
	encoding := response.Header.Get("Content-Encoding")
	switch {
	case response.StatusCode >= 300 && response.StatusCode < 400:
		return fmt.Sprintf("What answers at %s redirects elsewhere (%d), which is not followed: give --attach the URL of the probe's handler itself.",
			p.base.Host, response.StatusCode)
	case response.StatusCode == http.StatusUnauthorized:
		return fmt.Sprintf("The probe at %s wants a token, or another one: start the server with --attach-token-file.%s", p.base.Host, p.words(response, got, clean))
	case response.StatusCode != http.StatusOK:
		return fmt.Sprintf("What answers at %s did so with %d %s; is it a probe's handler?%s", p.base.Host, response.StatusCode,
			http.StatusText(response.StatusCode), p.words(response, got, clean))
	case got != want:
		return fmt.Sprintf("What answers at %s did so in %.60q, not in %q; is it a probe's handler?", p.base.Host, got, want)
	case encoding != "" && encoding != "identity":
		return fmt.Sprintf("What answers at %s packs its answer (Content-Encoding: %.60q), which is not read here: switch compression off for this path "+
			"in what stands before the probe.", p.base.Host, encoding)
	}
	return ""
}

// words are what a probe said, as clean has them, behind a sentence of the relay's own.
func (p *Probe) words(response *http.Response, mediaType string, clean func(string) string) string {
	if mediaType != "text/plain" {
		return ""
	}
	// All of it: a token that is cut could not be found.
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxError+1))
	if err != nil || len(raw) > maxError || p.token != "" && strings.Contains(string(raw), p.token) {
		return ""
	}
	words := clean(string(raw))
	if words == "" {
		return ""
	}
	return " It said: " + words
}

// unreached says for a person why a probe gave no answer.
func (p *Probe) unreached(err error) string {
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
		why = "broke the connection off"
	}
	return fmt.Sprintf("The attached process at %s %s. Does it run, and if it is in a cluster, does kubectl port-forward?", p.base.Host, why)
}

// The paths of a probe in the relay.
const (
	probeList   = "/probe/"
	probeStream = "/probe/stream"
)
