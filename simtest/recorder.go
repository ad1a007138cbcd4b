package simtest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/informerscope/probe"
)

// recorder keeps what the probe sees in a file. It begins when an informer sends its first request, and begins again if a further informer comes.
type recorder struct {
	informers atomic.Int64 // that the probe sees

	mu       sync.Mutex
	recorded int64 // informers in the recording
	file     *os.File
	err      error
	end      context.CancelFunc
	ended    chan struct{}
}

// begin returns when the recording has begun, or cannot.
func (r *recorder) begin(p *probe.Probe) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.informers.Load()
	if n == r.recorded {
		return
	}
	r.recorded = n
	if r.end != nil {
		r.end()
		<-r.ended
	}
	if r.file == nil {
		r.file, r.err = os.CreateTemp("", "simtest-*.trace")
	} else if r.err = r.file.Truncate(0); r.err == nil {
		_, r.err = r.file.Seek(0, 0)
	}
	if r.err != nil {
		return
	}
	ctx, end := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/stream", nil)
	if err != nil { // the URL is a constant
		panic(err)
	}
	request.RemoteAddr = "127.0.0.1:0" // the probe answers only this machine
	out := &recording{file: r.file, header: http.Header{}, begun: make(chan struct{})}
	ended := make(chan struct{})
	r.end, r.ended = end, ended
	go func() {
		defer close(ended)
		p.Handler().ServeHTTP(out, request)
	}()
	select {
	case <-out.begun:
	case <-ended:
		r.err = fmt.Errorf("the probe answers %d: %s", out.code, strings.TrimSpace(out.reason.String()))
	}
}

// close ends the recording, and names its file if the test has failed. The probe must be closed.
func (r *recorder) close(t testing.TB) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end != nil {
		<-r.ended
		r.end()
	}
	if r.file == nil {
		if t.Failed() && r.err == nil {
			t.Logf("simtest: there is no recording, because no informer came by Factory, Informer or NewInformer")
		}
	} else if name := r.file.Name(); !t.Failed() {
		_ = r.file.Close()
		_ = os.Remove(name)
	} else if err := r.file.Close(); err != nil {
		r.err = err
	} else if moved, err := keep(t, name); err != nil {
		r.err = err
	} else {
		t.Logf("simtest: a recording of the controller's informers, to drop on the page of informerscope: %s", moved)
	}
	if r.err != nil {
		t.Logf("simtest: the recording failed: %v", r.err)
	}
}

// keep gives a recording its place: with go test -artifacts the test's own directory, else it stays in the directory for temporary files.
func keep(t testing.TB, file string) (string, error) {
	if f := flag.Lookup("test.artifacts"); f == nil || f.Value.String() != "true" {
		return file, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	kept := t.ArtifactDir() + string(os.PathSeparator) + "simtest.trace"
	if err := os.WriteFile(kept, text, 0o644); err != nil {
		return "", err
	}
	return kept, os.Remove(file)
}

// recording is the ResponseWriter of a stream.
type recording struct {
	file   *os.File
	header http.Header
	code   int // 0 if all is well
	once   sync.Once
	begun  chan struct{}
	reason bytes.Buffer
}

func (w *recording) Header() http.Header { return w.header }

func (w *recording) WriteHeader(code int) { w.code = code }

func (w *recording) Write(p []byte) (int, error) {
	if w.code >= http.StatusBadRequest {
		return w.reason.Write(p)
	}
	defer w.once.Do(func() { close(w.begun) })
	return w.file.Write(p)
}
