package levers

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"informerscope/core/cluster/simcluster"
)

const (
	// Path is where the relay serves the levers of its server's cluster: GET answers simcluster.Stats, POST takes an Order and answers a Report.
	Path = "/simulation"
	// WritesPath answers a line of JSON for each Write, from the one after ?after=SEQ on, until the client ends. An empty line says that the connection lives.
	WritesPath = "/simulation/writes"
	// MaxOrder bounds an Order's JSON, in bytes.
	MaxOrder = 4 << 10
	// patience is how long the cluster's counts may take. A Pull has pullPatience: an API server that ends and starts again takes seconds on a busy
	// machine. The cluster gives up before that.
	patience     = 10 * time.Second
	pullPatience = 40 * time.Second
	// maxAnswer bounds an answer, in bytes.
	maxAnswer = 1 << 20
)

// Cluster is what levers change. Its methods are safe for concurrent use.
type Cluster interface {
	// Pull changes the cluster and returns a sentence about what it did. Even a failed Pull may have changed something.
	Pull(ctx context.Context, verb string, a Args) (string, error)
	// Stats returns the cluster's counts.
	Stats(ctx context.Context) (simcluster.Stats, error)
}

// Order asks for one Pull.
type Order struct {
	Verb string `json:"verb"`
	Args Args   `json:"args"`
}

// Report is what a Pull did, or the error why not.
type Report struct {
	Words string `json:"words,omitempty"`
	Error string `json:"error,omitempty"`
}

// Shared is the Cluster behind the relay, which all its viewers and terminals share.
type Shared struct {
	Transport http.RoundTripper // to the relay
}

// Pull implements Cluster. It ends with ctx or after 40 seconds.
func (s Shared) Pull(ctx context.Context, verb string, a Args) (string, error) {
	order, err := json.Marshal(Order{verb, a})
	if err != nil {
		return "", err
	}
	var report Report
	if err := s.ask(ctx, pullPatience, http.MethodPost, order, &report); err != nil {
		return "", err
	}
	if report.Error != "" {
		return report.Words, errors.New(report.Error)
	}
	return report.Words, nil
}

// Stats implements Cluster. It ends with ctx or after ten seconds.
func (s Shared) Stats(ctx context.Context) (stats simcluster.Stats, err error) {
	return stats, s.ask(ctx, patience, http.MethodGet, nil, &stats)
}

// Writes calls fn with each write after a number, in order and one at a time, until ctx ends or the connection breaks, and returns why. isOld tells that the
// write was made before the call.
func (s Shared) Writes(ctx context.Context, after uint64, fn func(w Write, isOld bool)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://relay%s?after=%d", WritesPath, after), nil)
	if err != nil {
		return err
	}
	resp, err := s.Transport.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("the relay was not reached: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the relay answered %s", resp.Status)
	}
	began, err := http.ParseTime(resp.Header.Get("Date")) // by the clock of the writes' times; in whole seconds
	if err != nil {
		return fmt.Errorf("the relay's answer has no date: %w", err)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var w Write
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			return fmt.Errorf("a write is not read: %w", err)
		}
		fn(w, w.Time.Before(began))
	}
	return cmp.Or(lines.Err(), io.ErrUnexpectedEOF)
}

func (s Shared) ask(ctx context.Context, limit time.Duration, method string, body []byte, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://relay"+Path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := s.Transport.RoundTrip(req)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the cluster has not answered for %s: it may still do it", limit)
	}
	if err != nil {
		return fmt.Errorf("the relay was not reached: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("the relay's answer was cut off: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the relay answered %s: %.200s", resp.Status, text)
	}
	return json.Unmarshal(text, answer)
}

// Handler serves c to a Shared. Its caller has admitted the request, and bounds its time.
func Handler(c Cluster) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any
		switch r.Method {
		case http.MethodGet:
			stats, err := c.Stats(r.Context())
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
			answer = stats
		case http.MethodPost:
			var order Order
			d := json.NewDecoder(http.MaxBytesReader(w, r.Body, MaxOrder))
			d.DisallowUnknownFields()
			if err := d.Decode(&order); err != nil {
				http.Error(w, fmt.Sprintf("the order is not read: %v; it looks like {\"verb\": \"burst\", \"args\": {\"n\": 100}}", err), http.StatusBadRequest)
				return
			}
			words, err := c.Pull(r.Context(), order.Verb, order.Args)
			report := Report{Words: words}
			if err != nil {
				report.Error = err.Error()
			}
			answer = report
		default:
			w.Header().Set("Allow", "GET, POST")
			http.Error(w, "only GET and POST are served here", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	})
}
