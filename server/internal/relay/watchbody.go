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

// watchBody is the body of a watch. It rewrites the ERROR event, the last that a watch has, as it does any other error. API servers write each event
// as a line that begins with its type (metav1.WatchEvent). So the first bytes of a line decide whether it passes unchanged. Any other line is read as
// JSON, and a line that is not an event ends the watch.
type watchBody struct {
	io.ReadCloser
	passStatus func(code int, raw []byte) metav1.Status

	inLine bool   // inside a line that passes unchanged
	line   []byte // the beginning of a line that is undecided or does not pass
	out    []byte // to return before the next read
	err    error
}

const (
	typeFirst = `{"type":"`
	// passingLetters are the first letters of ADDED, MODIFIED, DELETED and BOOKMARK.
	passingLetters = "AMDB"
)

// errNoEvent ends a watch.
var errNoEvent = fmt.Errorf("the API server's watch sent something that is not an event, or an ERROR event of more than %d KiB", maxError>>10)

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

// sort returns how many bytes at the beginning of data pass unchanged in place. It appends later ones that pass to b.out.
func (b *watchBody) sort(data []byte) (passed int) {
	inPlace := true
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n') + 1
		part := data[:end]
		if end == 0 {
			part = data
		}
		data = data[len(part):]
		if !b.inLine && (len(b.line) > 0 || !passesUnchanged(part)) {
			inPlace = false
			b.line = append(b.line, part...)
			if part = b.line; !passesUnchanged(part) {
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
		b.inLine = end == 0
		if inPlace {
			passed += len(part)
		} else {
			b.out = append(b.out, part...)
		}
	}
	return passed
}

func passesUnchanged(line []byte) bool {
	return len(line) > len(typeFirst) && string(line[:len(typeFirst)]) == typeFirst && strings.IndexByte(passingLetters, line[len(typeFirst)]) >= 0
}

// rewrite appends the events of a line to b.out, and reports whether the watch continues.
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
