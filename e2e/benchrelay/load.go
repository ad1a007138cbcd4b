package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"informerscope/core/wire/credit"
	"informerscope/e2e/audience"
)

// The ways to the API server.
const (
	viaDirect  = "direct"
	viaOurs    = "informerscope"
	viaKubectl = "kubectl proxy"
)

// result is what the viewers of one round saw.
type result struct {
	Events   int
	P50, P99 time.Duration
}

// counting says whether viewers count what they see; they read all the time.
type counting struct{ on atomic.Bool }

// viewer is a client with one watch on a connection of its own.
type viewer struct {
	transport *http.Transport
	url       string
	bearer    string
	latencies []time.Duration
	last      int
}

// newViewer is one as each way has them: the page's WebSocket with HTTP/2 on it, or a plain connection.
func newViewer(via, address string, roots *x509.CertPool) *viewer {
	const pods = "/api/v1/namespaces/default/pods?watch=true&resourceVersion=1&allowWatchBookmarks=true"
	switch via {
	case viaOurs:
		protocols := new(http.Protocols)
		protocols.SetUnencryptedHTTP2(true)
		return &viewer{url: "http://relay/clusters/bench" + pods, transport: &http.Transport{
			Protocols:          protocols,
			DisableCompression: true,
			HTTP2:              &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 8 * time.Second}, // as the page has it
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				dialer := websocket.Dialer{Subprotocols: []string{"informerscope.v1", "token." + benchToken}}
				ws, response, err := dialer.DialContext(ctx, "ws://"+address+"/relay", http.Header{"Origin": {"http://" + address}})
				if response != nil {
					_ = response.Body.Close()
				}
				if err != nil {
					return nil, err
				}
				return credit.New(audience.NewSocket(ws)), nil // as the page has it
			},
		}}
	case viaKubectl:
		return &viewer{url: "http://" + address + pods, transport: &http.Transport{DisableCompression: true}}
	default:
		return &viewer{url: "https://" + address + pods, bearer: benchToken, transport: &http.Transport{
			ForceAttemptHTTP2: true, DisableCompression: true, TLSClientConfig: &tls.Config{RootCAs: roots},
		}}
	}
}

// watch reads events until ctx ends, calls first after the first one, and fails if one is missing or not as it was made.
func (v *viewer) watch(ctx context.Context, counts *counting, first func()) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.url, nil)
	if err != nil {
		return err
	}
	if v.bearer != "" {
		request.Header.Set("Authorization", "Bearer "+v.bearer)
	}
	response, err := v.transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return fmt.Errorf("the watch was answered with %s: %s", response.Status, text)
	}
	lines := bufio.NewReaderSize(response.Body, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("the watch ended: %w", err)
		}
		now := time.Now()
		version, sent := number(line, versionKey), number(line, stampKey)
		if len(line) != eventBytes || version == 0 || sent == 0 {
			return fmt.Errorf("an event is not as it was made: %.300q", line)
		}
		if v.last != 0 && version != v.last+1 {
			return fmt.Errorf("event %d follows event %d", version, v.last)
		}
		if v.last == 0 {
			first()
		}
		v.last = version
		if counts.on.Load() {
			v.latencies = append(v.latencies, now.Sub(time.Unix(0, int64(sent))))
		}
	}
}

// number is the one that follows key in line, or 0.
func number(line []byte, key string) int {
	at := bytes.Index(line, []byte(key))
	if at < 0 {
		return 0
	}
	digits := line[at+len(key):]
	n, _ := strconv.Atoi(string(digits[:max(0, bytes.IndexByte(digits, '"'))]))
	return n
}

// load is the role of the viewers. It prints "ready" when all of them watch. After each line of its standard input it counts for the given time and
// prints the result. It ends with that input.
func load(via, address, certificate string, viewers int, window time.Duration) error {
	text, err := os.ReadFile(certificate)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var counts counting
	var watching, running sync.WaitGroup
	failed := make(chan error, viewers)
	all := make([]*viewer, viewers)
	for i := range all {
		v := newViewer(via, address, roots)
		all[i] = v
		watching.Add(1)
		running.Go(func() {
			if err := v.watch(ctx, &counts, watching.Done); err != nil {
				failed <- err
			}
		})
	}
	ready := make(chan struct{})
	go func() { watching.Wait(); close(ready) }()
	select {
	case <-ready:
	case err := <-failed:
		return err
	case <-time.After(30 * time.Second):
		return errors.New("not every viewer had an event within 30 s")
	}
	fmt.Println("ready")
	if !bufio.NewScanner(os.Stdin).Scan() {
		return nil
	}
	counts.on.Store(true)
	select {
	case err := <-failed:
		return err
	case <-time.After(window):
	}
	counts.on.Store(false)
	fmt.Println("counted")
	cancel()
	running.Wait()
	var latencies []time.Duration
	for _, v := range all {
		latencies = append(latencies, v.latencies...)
		v.transport.CloseIdleConnections()
	}
	if len(latencies) == 0 {
		return errors.New("nothing was counted")
	}
	slices.Sort(latencies)
	return json.NewEncoder(os.Stdout).Encode(result{Events: len(latencies), P50: quantile(latencies, 0.5), P99: quantile(latencies, 0.99)})
}

// quantile is a quantile of sorted values.
func quantile[T any](sorted []T, part float64) T {
	return sorted[max(0, int(math.Ceil(float64(len(sorted))*part))-1)]
}
