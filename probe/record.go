package probe

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
)

// Record empties a file and writes a recording to it, as the path stream of Handler does, until stop is called or the probe is closed. It returns when
// the recording has begun. Stop, which is never nil, returns after the last line; until then the file must stay open.
func (p *Probe) Record(file *os.File) (stop func(), err error) {
	stop = func() {}
	if _, err := file.Seek(0, 0); err != nil {
		return stop, err
	}
	if err := file.Truncate(0); err != nil {
		return stop, err
	}
	ctx, end := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/stream", nil)
	if err != nil {
		end()
		return stop, err
	}
	request.RemoteAddr = "127.0.0.1:0" // the probe answers only this machine
	out := &fileResponse{file: file, header: http.Header{}, begun: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Handler().ServeHTTP(out, request)
	}()
	select {
	case <-out.begun:
		return func() {
			if !p.isClosed() { // a closed probe writes what it has, and then ends
				end()
			}
			<-ended
			end()
		}, nil
	case <-ended:
		end()
		return stop, fmt.Errorf("the probe answers %d: %s", out.code, strings.TrimSpace(out.reason.String()))
	}
}

// fileResponse is the ResponseWriter of a stream that goes to a file.
type fileResponse struct {
	file   *os.File
	header http.Header
	code   int // 0 if all is well
	once   sync.Once
	begun  chan struct{}
	reason bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *fileResponse) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *fileResponse) WriteHeader(code int) { w.code = code }

// Write implements http.ResponseWriter.
func (w *fileResponse) Write(b []byte) (int, error) {
	if w.code >= http.StatusBadRequest {
		return w.reason.Write(b)
	}
	defer w.once.Do(func() { close(w.begun) })
	return w.file.Write(b)
}
