package audit

import (
	"net/http"
	"time"
)

// Record is an http.ResponseWriter that logs its request.
type Record struct {
	http.ResponseWriter
	log     *Log
	entry   Entry
	started bool
}

// Begin wraps a request's ResponseWriter. e has the request, viewer, remote and what is known of the request. Call End when the request is over.
func (l *Log) Begin(w http.ResponseWriter, e Entry) *Record {
	e.Began = time.Now().UTC()
	return &Record{ResponseWriter: w, log: l, entry: e}
}

// Describe changes the entry of w's request, if w is a Record.
func Describe(w http.ResponseWriter, change func(*Entry)) {
	if r, ok := w.(*Record); ok {
		change(&r.entry)
	}
}

// WriteHeader implements http.ResponseWriter.
func (r *Record) WriteHeader(code int) {
	if code >= 200 && r.entry.Status == 0 {
		r.entry.Status = code
	}
	r.ResponseWriter.WriteHeader(code)
	if r.entry.Verb == "watch" && code == http.StatusOK && !r.started {
		r.started = true
		e := r.entry
		e.Stage, e.Time = Started, time.Now().UTC()
		r.log.Add(e)
	}
}

// Write implements io.Writer.
func (r *Record) Write(p []byte) (int, error) {
	if r.entry.Status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	n, err := r.ResponseWriter.Write(p)
	r.entry.Bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (r *Record) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// End logs the request's last line. A status of 0 means that the request ended before it was answered.
func (r *Record) End() {
	now := time.Now().UTC()
	e := r.entry
	e.Stage, e.Time, e.Ended = Complete, now, &now
	e.Millis = now.Sub(e.Began).Milliseconds()
	r.log.Add(e)
}
