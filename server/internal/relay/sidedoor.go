package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"informerscope/core/cluster/levers"
	"informerscope/server/internal/guard"
)

const (
	// leverPatience bounds the time in which a viewer sends an order, and that in which the door answers it: some seconds more than the door takes at most.
	leverPatience = 2*time.Minute + 5*time.Second
	// silence is how long the door may send nothing on a stream of writes: it says every 15 seconds that it lives.
	silence = time.Minute
	// maxAnswer bounds an answer of the door, in bytes.
	maxAnswer = 1 << 20
)

// SideDoor is a client of the side door of informerscope-sim: the levers of its cluster, as core/cluster/levers describes, and the writes to it. It is safe for
// concurrent use.
type SideDoor struct {
	host, token       string
	rt                *http.Transport
	patience, silence time.Duration
}

// NewSideDoor takes the URL of the door, on loopback, and the token that it requires. It does not contact the door.
func NewSideDoor(address, token string) (*SideDoor, error) {
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" || !isLoopback(base.Hostname()) || base.Port() == "" || base.User != nil {
		return nil, fmt.Errorf("%.100q is not the address of a door on this machine", address)
	}
	return &SideDoor{host: base.Host, token: token, patience: leverPatience, silence: silence, rt: &http.Transport{
		DialContext: (&net.Dialer{Timeout: leverPatience}).DialContext, ResponseHeaderTimeout: leverPatience, MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression: true, MaxIdleConns: 4, IdleConnTimeout: time.Minute,
	}}, nil
}

// ask sends a request without anything of the viewer's but its body and query. ctx bounds the answer with its body.
func (d *SideDoor) ask(ctx context.Context, method, path, query string, body []byte) (*http.Response, error) {
	target := url.URL{Scheme: "http", Host: d.host, Path: path, RawQuery: query}
	out, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header = http.Header{"User-Agent": {"informerscope"}, "Authorization": {"Bearer " + d.token}}
	return d.rt.RoundTrip(out) // follows no redirect
}

// simulation passes a request for the levers or the writes on to the door.
func (r *Relay) simulation(w http.ResponseWriter, req *http.Request) {
	if !r.budget.reserve() {
		r.refuseForMemory(w)
		return
	}
	defer r.budget.release()
	if req.URL.EscapedPath() == levers.WritesPath {
		r.writes(w, req)
	} else {
		r.levers(w, req)
	}
}

// levers passes on an order, or the question for the cluster's counts.
func (r *Relay) levers(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodGet && req.Method != http.MethodPost || req.URL.RawQuery != "" || req.Method == http.MethodGet && req.ContentLength != 0 {
		r.refuse(w, &guard.Refusal{Rule: "method", Message: "only GET, or POST with an order, is served here, without a query"})
		return
	}
	d := r.config.Levers
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d.patience))
	order, err := io.ReadAll(http.MaxBytesReader(w, req.Body, levers.MaxOrder))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		r.refuse(w, &guard.Refusal{Rule: "body", Message: fmt.Sprintf("an order has at most %d bytes", levers.MaxOrder)})
		return
	} else if err != nil {
		panic(http.ErrAbortHandler) // the viewer has left, or is too slow
	}
	ctx, cancel := context.WithTimeout(req.Context(), d.patience)
	defer cancel()
	response, err := d.ask(ctx, req.Method, levers.Path, "", order)
	if err != nil {
		r.doorGone(w, req, err)
		return
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		r.doorGone(w, req, err)
	case len(answer) > maxAnswer:
		r.doorGone(w, req, fmt.Errorf("it has more than %d bytes", maxAnswer))
	case response.StatusCode == http.StatusOK:
		w.Header().Set("Content-Type", "application/json")
		sent, _ := w.Write(answer)
		r.config.Metrics.Bytes.Add(int64(sent))
	case response.StatusCode == http.StatusBadRequest, response.StatusCode == http.StatusBadGateway:
		http.Error(w, r.words(string(answer)), response.StatusCode) // a sentence for people
	default:
		r.doorGone(w, req, errors.New(response.Status))
	}
}

// writes passes on the stream of writes, until the viewer or the door ends it.
func (r *Relay) writes(w http.ResponseWriter, req *http.Request) {
	query, err := url.ParseQuery(req.URL.RawQuery)
	after := query.Get("after")
	_, notNumber := strconv.ParseUint(after, 10, 64)
	switch {
	case req.Method != http.MethodGet || req.ContentLength != 0:
		r.refuse(w, &guard.Refusal{Rule: "method", Message: "the writes are only read: GET without a body"})
		return
	case err != nil || len(query) > 1 || len(query) == 1 && (len(query["after"]) != 1 || notNumber != nil):
		r.refuse(w, &guard.Refusal{Rule: "query", Message: "the writes take only ?after= with the number of a write"})
		return
	}
	d := r.config.Levers
	ctx, cancel := context.WithCancel(req.Context())
	defer cancel()
	response, err := d.ask(ctx, http.MethodGet, levers.WritesPath, url.Values(query).Encode(), nil)
	if err != nil {
		r.doorGone(w, req, err)
		return
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		r.doorGone(w, req, errors.New(response.Status))
		return
	}
	quiet := time.AfterFunc(d.silence, cancel)
	defer quiet.Stop()
	w.Header().Set("Content-Type", "application/x-ndjson")
	_, err = r.send(w, heard{response.Body, func() { quiet.Reset(d.silence) }})
	if err != nil {
		panic(http.ErrAbortHandler) // the viewer must see a broken stream, not a normal end
	}
}

// heard is a body that reports each read.
type heard struct {
	io.ReadCloser
	report func()
}

// Read implements io.Reader.
func (h heard) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	h.report()
	return n, err
}

// doorGone answers that the door gave no answer.
func (r *Relay) doorGone(w http.ResponseWriter, req *http.Request, err error) {
	if isCanceled(req.Context(), err) {
		panic(http.ErrAbortHandler)
	}
	r.config.Log.Warn("no answer from the simulated cluster's door", "error", r.plainText(redactURL(err)))
	http.Error(w, "the simulated cluster does not answer as it should; the server's log says why", http.StatusBadGateway)
}
