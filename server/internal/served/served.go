// Package served runs the served cluster beside this program: informerscope-sim, which is Kubernetes in one process.
package served

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"informerscope/core/levers"
)

const (
	// Context is the name of the kubeconfig's context.
	Context = "informerscope-sim"
	// Program is the name of the program.
	Program = "informerscope-sim"

	// startPatience is how long the program may take until the cluster is ready. A hundred thousand objects take most of it.
	startPatience = 5 * time.Minute
	// endPatience is how long the program may take to end in order.
	endPatience = 20 * time.Second
	// maxLine bounds the line that the program prints, and the last line of its errors that is kept, in bytes.
	maxLine = 4 << 10
)

// Cluster is a served cluster. Start starts it, and Close ends it. A nil Cluster is none.
type Cluster struct {
	place   place
	command *exec.Cmd
	stdin   io.Closer // its end tells the program to end; it closes too if this process is killed
	last    lastLine  // of what the program prints as errors
	ended   chan struct{}
	failure chan error
	closing sync.Once
}

// place is what the program prints once its cluster is ready.
type place struct {
	Kubeconfig string `json:"kubeconfig"`
	Door       string `json:"door"`  // the URL of the levers
	Token      string `json:"token"` // for the door
}

// Find returns the path of the program: it is beside this one, or in PATH.
func Find() (string, error) {
	name := Program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), name)
		if info, err := os.Stat(beside); err == nil && !info.IsDir() {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("there is no %s beside this program or in PATH. In a clone, make sim builds it, and make run ARGS=\"sim\" finds it; "+
			"of a release, unpack the archive %[1]s of the same version beside this program", Program)
	}
	return path, nil
}

// Start starts the program with these flags, and returns when its cluster is ready. What it prints as errors goes to stderr. ctx ends only the start.
func Start(ctx context.Context, program string, flags []string, stderr io.Writer) (*Cluster, error) {
	c := &Cluster{command: exec.Command(program, append(flags, "--beside")...), ended: make(chan struct{}), failure: make(chan error, 1)}
	c.last.next = stderr
	c.command.Stderr = &c.last
	c.command.WaitDelay = time.Second // after its end, for what it started and what still holds its output
	stdin, err := c.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	line := &firstLine{full: make(chan struct{})}
	c.command.Stdout = line
	fmt.Fprintln(stderr, "informerscope: starting Kubernetes beside this program")
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("%s does not start: %w", program, err)
	}
	go func() { // ends with the program, which Close ends
		defer close(c.ended)
		err := c.command.Wait()
		c.failure <- c.explain(err)
	}()
	patience := time.NewTimer(startPatience)
	defer patience.Stop()
	select {
	case <-line.full:
		if err = json.Unmarshal(line.text, &c.place); err == nil {
			if _, err = url.ParseRequestURI(c.place.Door); err == nil && c.place.Kubeconfig != "" {
				return c, nil
			}
		}
		err = fmt.Errorf("%s printed %.80q in place of where its cluster is: it is of another version than this program", program, line.text)
	case <-c.ended:
		return nil, <-c.failure
	case <-patience.C:
		err = fmt.Errorf("%s was not ready after %s", program, startPatience)
	case <-ctx.Done():
		err = ctx.Err()
	}
	return nil, errors.Join(err, c.Close())
}

// explain says why the program ended.
func (c *Cluster) explain(err error) error {
	why := c.last.String()
	switch {
	case why != "":
		return errors.New(why)
	case err != nil:
		return fmt.Errorf("%s ended: %w", Program, err)
	}
	return fmt.Errorf("%s ended", Program)
}

// Kubeconfig is the file with which kubectl and controllers reach the cluster. It goes with the cluster.
func (c *Cluster) Kubeconfig() string { return c.place.Kubeconfig }

// Failure gets the reason when the program ends; nil, which never does, if c is nil.
func (c *Cluster) Failure() <-chan error {
	if c == nil {
		return nil
	}
	return c.failure
}

// Close ends the program, and returns when it has ended. It does nothing if c is nil.
func (c *Cluster) Close() (err error) {
	if c == nil {
		return nil
	}
	c.closing.Do(func() {
		_ = c.stdin.Close()
		patience := time.NewTimer(endPatience)
		defer patience.Stop()
		select {
		case <-c.ended:
		case <-patience.C:
			err = fmt.Errorf("%s had not ended after %s, and was killed", Program, endPatience)
			_ = c.command.Process.Kill()
			<-c.ended
		}
	})
	return err
}

// Levers passes requests for levers.Path and levers.WritesPath on to the cluster; nil if c is nil. Its caller has admitted the request. Nothing of a
// request is passed on but its method, its query and its body.
func (c *Cluster) Levers() http.Handler {
	if c == nil {
		return nil
	}
	door, err := url.Parse(c.place.Door)
	if err != nil {
		return http.NotFoundHandler() // Start has parsed it
	}
	proxy := &httputil.ReverseProxy{
		Transport: &http.Transport{MaxIdleConnsPerHost: 4, DisableCompression: true, ResponseHeaderTimeout: endPatience},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(door)
			r.Out.Header = http.Header{"Authorization": {"Bearer " + c.place.Token}, "Content-Type": {"application/json"}}
		},
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
				http.Error(w, fmt.Sprintf("an order has at most %d bytes", tooLarge.Limit), http.StatusBadRequest)
				return
			}
			http.Error(w, "the served cluster does not answer", http.StatusBadGateway)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && (r.Method != http.MethodPost || r.URL.Path != levers.Path) {
			w.Header().Set("Allow", "GET, POST")
			http.Error(w, "only GET is served here, and POST for levers", http.StatusMethodNotAllowed)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, levers.MaxOrder)
		proxy.ServeHTTP(w, r)
	})
}

// firstLine keeps the first line that is written to it.
type firstLine struct {
	text []byte
	full chan struct{} // closed once the line is there
	done bool
}

// Write implements io.Writer.
func (l *firstLine) Write(p []byte) (int, error) {
	if l.done {
		return len(p), nil
	}
	line, _, ended := bytes.Cut(p, []byte("\n"))
	l.text = append(l.text, line[:min(len(line), maxLine-len(l.text))]...)
	if l.done = ended || len(l.text) == maxLine; l.done {
		close(l.full)
	}
	return len(p), nil
}

// lastLine passes on what is written to it, and keeps the last line. It is safe for concurrent use.
type lastLine struct {
	next io.Writer
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	l.text = append(l.text, p...)
	whole := bytes.TrimRight(l.text, "\n")
	l.text = l.text[bytes.LastIndexByte(whole, '\n')+1:]
	l.text = append([]byte(nil), l.text[max(0, len(l.text)-maxLine):]...)
	l.mu.Unlock()
	return l.next.Write(p)
}

// String is the last line.
func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(bytes.TrimSpace(l.text))
}
