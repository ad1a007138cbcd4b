package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watchBody is the body of a watch whose ERROR event, the last that a watch has, is written like any other error. API servers write each
// event as a line that begins with its type (metav1.WatchEvent), so the first bytes of a line say whether it passes as it comes; any other line is
// read as JSON, and what is no event ends the watch.
type watchBody struct {
	io.ReadCloser
	passStatus func(code int, raw []byte) metav1.Status

	within bool   // a line that passes as it comes
	line   []byte // the beginning of one of which that is not known, or that does not
	out    []byte // what goes out before anything else
	err    error
}

const (
	typeFirst = `{"type":"`
	// passing are the first letters of ADDED, MODIFIED, DELETED and BOOKMARK.
	passing = "AMDB"
)

// errNoEvent ends a watch.
var errNoEvent = fmt.Errorf("the API server's watch has what is no event, or an ERROR event of more than %d KiB, which is not passed on", maxError>>10)

// Read implements io.Reader.
func (b *watchBody) Read(p []byte) (int, error) {
	for len(b.out) == 0 {
		if b.err != nil || len(p) == 0 {
			return 0, b.err
		}
		var n int
		n, b.err = b.ReadCloser.Read(p)
		n = b.sort(p[:n])
		if b.err == io.EOF && len(b.line) > 0 && !b.rewrite(b.line) && b.err != io.EOF {
			b.err = io.ErrUnexpectedEOF // the line was cut
		}
		if n > 0 {
			return n, nil
		}
	}
	n := copy(p, b.out)
	b.out = b.out[n:]
	return n, nil
}

// sort says how many bytes at the beginning of data pass where they are. Others that pass are put into b.out.
func (b *watchBody) sort(data []byte) (passed int) {
	inPlace := true
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		part := data[:end]
		if end == 0 {
			part = data
		}
		data = data[len(part):]
		if !b.within && (len(b.line) > 0 || !passes(part)) {
			inPlace = false
			b.line = append(b.line, part...)
			if part = b.line; !passes(part) {
				if end == 0 && len(part) <= maxError {
					return passed
				}
				if b.line = nil; !b.rewrite(part) {
					return passed
				}
				continue
			}
			b.line = nil
		}
		b.within = end == 0
		if inPlace {
			passed += len(part)
		} else {
			b.out = append(b.out, part...)
		}
	}
	return passed
}

func passes(line []byte) bool {
	return len(line) > len(typeFirst) && string(line[:len(typeFirst)]) == typeFirst && strings.IndexByte(passing, line[len(typeFirst)]) >= 0
}

// rewrite puts the events of a line into b.out, and says whether the watch goes on.
func (b *watchBody) rewrite(line []byte) bool {
	if len(line) > maxError {
		b.err = errNoEvent
		return false
	}
	for decoder := json.NewDecoder(bytes.NewReader(line)); ; {
		var event struct {
			Type   string          `json:"type"`
			Object json.RawMessage `json:"object"`
		}
		switch err := decoder.Decode(&event); {
		case err == io.EOF:
			return true
		case err != nil || event.Object == nil:
			b.err = errNoEvent
			return false
		}
		switch watch.EventType(event.Type) {
		case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark:
		case watch.Error:
			if event.Object, b.err = json.Marshal(b.passStatus(http.StatusInternalServerError, event.Object)); b.err == nil {
				b.err = io.EOF
			}
		default:
			b.err = errNoEvent
			return false
		}
		b.out = fmt.Appendf(b.out, "{\"type\":%q,\"object\":%s}\n", event.Type, event.Object)
		if event.Type == string(watch.Error) {
			return false
		}
	}
}
