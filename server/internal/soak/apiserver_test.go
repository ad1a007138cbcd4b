package soak

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"maps"
	"math/big"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"informerscope/core/cluster/simcluster"
)

// apiHost is the address of the API server; a loopback address, so that no proxy of the environment is used.
const apiHost = "127.0.0.1:6443"

// kind is the kind of a request, by which faults are chosen.
type kind int

const (
	other kind = iota
	list
	watchKind
)

// apiServer is a simulated cluster behind what a real API server has, TLS, HTTP/2, tokens and rules, and with their faults.
type apiServer struct {
	cluster *simcluster.Cluster
	network *network
	server  *http.Server
	serving sync.WaitGroup

	mu           sync.Mutex
	requests     int
	faults       int
	token        string
	forbidden    bool
	answers      map[kind][]string // the faults of the next requests
	bookmarks    bool
	watchList    bool          // whether it supports sendInitialEvents
	watchTimeout time.Duration // how long a watch lasts; 0 for its own timeout
	lies         int           // of this many events of watches seven in eight are dropped
	watches      map[*watchAnswer]uint64
	opened       uint64
}

// identity is a certificate for apiHost and its authority, valid throughout the virtual time of a test.
type identity struct {
	certificate tls.Certificate
	authority   []byte
}

var authority = sync.OnceValue(func() identity {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1),
		NotBefore: time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return identity{
		certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		authority:   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
	}
})

func newAPIServer(cluster *simcluster.Cluster, n *network, token string) *apiServer {
	a := &apiServer{cluster: cluster, network: n, token: token, bookmarks: true, watchList: true,
		answers: map[kind][]string{}, watches: map[*watchAnswer]uint64{}}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	a.server = &http.Server{Handler: a, Protocols: &protocols, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{authority().certificate}, MinVersion: tls.VersionTLS12}}
	ln := n.listen()
	a.serving.Go(func() { _ = a.server.ServeTLS(ln, "", "") })
	return a
}

func (a *apiServer) close() {
	_ = a.server.Close()
	a.serving.Wait()
}

// setFaults changes the faults under the lock.
func (a *apiServer) setFaults(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

// addFault adds a fault for the next n requests of a kind.
func (a *apiServer) addFault(k kind, what string, n int) {
	a.setFaults(func() {
		for range n {
			a.answers[k] = append(a.answers[k], what)
		}
	})
}

// heal ends all faults.
func (a *apiServer) heal(token string) {
	a.setFaults(func() {
		a.token, a.forbidden, a.bookmarks, a.watchList, a.watchTimeout = token, false, true, true, 0
		clear(a.answers)
	})
}

// ServeHTTP implements http.Handler.
func (a *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k, query := other, r.URL.Query()
	switch {
	case !strings.HasPrefix(r.URL.Path, "/api/v1/"):
	case query.Get("watch") == "true":
		k = watchKind
	case r.URL.Path != "/api/v1/namespaces":
		k = list
	}
	a.mu.Lock()
	a.requests++
	known, forbidden := r.Header.Get("Authorization") == "Bearer "+a.token, a.forbidden && k != other
	bookmarks, watchList, shortest := a.bookmarks, a.watchList, a.watchTimeout
	what := ""
	if known && !forbidden && len(a.answers[k]) > 0 {
		what, a.answers[k] = a.answers[k][0], a.answers[k][1:]
		a.faults++
	}
	a.mu.Unlock()
	switch {
	case !known:
		writeStatus(w, http.StatusUnauthorized, "Unauthorized", "Unauthorized")
		return
	case forbidden:
		writeStatus(w, http.StatusForbidden, "Forbidden",
			`pods is forbidden: User "soak" cannot list resource "pods" in API group "" at the cluster scope`)
		return
	case what != "" && a.fail(w, r, k, what):
		return
	case k == watchKind && !watchList && query.Get("sendInitialEvents") != "":
		// As an API server without the feature answers.
		writeStatus(w, http.StatusUnprocessableEntity, "Invalid",
			`ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: `+
				`sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled`)
		return
	case k != watchKind:
		a.cluster.ServeHTTP(w, r)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if shortest > 0 {
		defer time.AfterFunc(shortest, cancel).Stop()
	}
	watching := &watchAnswer{ResponseWriter: w, api: a, end: cancel, withoutBookmarks: !bookmarks}
	a.mu.Lock()
	a.opened++
	a.watches[watching] = a.opened
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		delete(a.watches, watching)
		a.mu.Unlock()
	}()
	a.cluster.ServeHTTP(watching, r.WithContext(ctx))
	watching.finish()
}

// fail answers a request in a way that no healthy API server does. It reports whether that was the whole answer.
func (a *apiServer) fail(w http.ResponseWriter, r *http.Request, k kind, what string) bool {
	switch what {
	case "410":
		writeStatus(w, http.StatusGone, "Expired", "too old resource version: 1 (2)")
	case "429":
		w.Header().Set("Retry-After", "1")
		writeStatus(w, http.StatusTooManyRequests, "TooManyRequests", "too many requests, please try again later")
	case "500":
		writeStatus(w, http.StatusInternalServerError, "InternalError", "Internal error occurred: etcdserver: request timed out")
	case "503":
		writeStatus(w, http.StatusServiceUnavailable, "ServiceUnavailable", "apiserver not ready")
	case "504":
		writeStatus(w, http.StatusGatewayTimeout, "Timeout", "Timeout: Too large resource version: 10, current: 5")
	case "html":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html><body><h1>502 Bad Gateway</h1></body></html>"))
	case "login":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<html><body>Log in</body></html>"))
	case "plain":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte("upstream connect error or disconnect/reset before headers"))
	case "redirect":
		http.Redirect(w, r, "https://login.test/", http.StatusFound)
	case "garbage":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"na` + "\x00\xff}"))
	case "empty":
		w.Header().Set("Content-Type", "application/json")
	case "abort":
		panic(http.ErrAbortHandler)
	case "truncated": // the headers and part of the body
		recorded := record(a.cluster, r, k == watchKind)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(recorded[:len(recorded)/2])
		if http.NewResponseController(w).Flush() == nil {
			panic(http.ErrAbortHandler)
		}
	case "slow":
		select {
		case <-time.After(9 * time.Second):
		case <-r.Context().Done():
		}
		return false
	case "silent": // nothing arrives until the client gives up
		select {
		case <-time.After(3 * time.Minute):
		case <-r.Context().Done():
		}
		panic(http.ErrAbortHandler)
	}
	return true
}

// record returns the body of an answer; for a watch, the events that come at once.
func record(cluster *simcluster.Cluster, r *http.Request, watch bool) []byte {
	out := &recorder{header: http.Header{}}
	if watch {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		r = r.WithContext(ctx)
	}
	cluster.ServeHTTP(out, r)
	return out.body.Bytes()
}

// recorder is a ResponseWriter that stores the answer.
type recorder struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(code int)        { r.code = code }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

func statusJSON(code int, reason, message string) []byte {
	const status = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"reason":%q,"code":%d}`
	return fmt.Appendf(nil, status, message, reason, code)
}

func writeStatus(w http.ResponseWriter, code int, reason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(statusJSON(code, reason, message))
}

// onWatches applies a fault to every open watch, oldest first.
func (a *apiServer) onWatches(what string) {
	a.mu.Lock()
	//maporder:free no two were opened as the same one
	open := slices.SortedFunc(maps.Keys(a.watches), func(x, y *watchAnswer) int { return cmp.Compare(a.watches[x], a.watches[y]) })
	a.faults += len(open)
	a.mu.Unlock()
	for _, w := range open {
		w.spoil(what)
	}
}

// watchAnswer is the answer to an open watch.
type watchAnswer struct {
	http.ResponseWriter
	api              *apiServer
	end              context.CancelFunc
	withoutBookmarks bool

	mu    sync.Mutex
	fault string // the fault that spoils it; the cluster then writes no more
}

// Unwrap serves http.ResponseController.
func (w *watchAnswer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write implements http.ResponseWriter. A cluster writes whole frames.
func (w *watchAnswer) Write(p []byte) (int, error) {
	if w.currentFault() != "" {
		return 0, context.Canceled
	}
	if !w.withoutBookmarks && !w.api.dropsEvents() {
		return w.ResponseWriter.Write(p)
	}
	var kept []byte
	for line := range bytes.Lines(p) {
		bookmark := bytes.HasPrefix(line, []byte(`{"type":"BOOKMARK"`))
		switch {
		case bookmark && w.withoutBookmarks && !bytes.Contains(line, []byte("k8s.io/initial-events-end")):
		case !bookmark && w.api.dropNext():
		default:
			kept = append(kept, line...)
		}
	}
	if len(kept) > 0 {
		if _, err := w.ResponseWriter.Write(kept); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// dropsEvents reports whether the API server drops events, which a real one never does.
func (a *apiServer) dropsEvents() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lies > 0
}

// dropNext reports whether to drop the next event.
func (a *apiServer) dropNext() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lies == 0 {
		return false
	}
	a.lies--
	return a.lies%8 != 1 // not all: a reader that lags behind would be sent them again
}

func (w *watchAnswer) currentFault() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault
}

// spoil makes the cluster end the stream, and sets the fault at its end.
func (w *watchAnswer) spoil(what string) {
	w.mu.Lock()
	if w.fault == "" {
		w.fault = what
	}
	w.mu.Unlock()
	w.end()
}

func (w *watchAnswer) errorFrame(status []byte) {
	_, _ = fmt.Fprintf(w.ResponseWriter, `{"type":"ERROR","object":%s}`+"\n", status)
}

// finish ends a stream that the cluster has ended.
func (w *watchAnswer) finish() {
	switch w.currentFault() {
	case "garbage":
		_, _ = w.ResponseWriter.Write([]byte("this is no JSON\n"))
	case "truncated":
		_, _ = w.ResponseWriter.Write([]byte(`{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p`))
	case "expired":
		w.errorFrame(statusJSON(http.StatusGone, "Expired", "too old resource version: 1 (2)"))
	case "internal":
		w.errorFrame(statusJSON(http.StatusInternalServerError, "InternalError", "etcd is away"))
	case "odd":
		_, _ = w.ResponseWriter.Write([]byte(`{"type":"WEATHER","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"}}}` + "\n"))
	case "break":
		panic(http.ErrAbortHandler)
	}
}
