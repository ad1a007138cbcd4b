package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"informerscope/core/log/tracefile"
	"informerscope/core/wire/broadcast"
	"informerscope/server/internal/audience"
	"informerscope/server/internal/redact"
	"informerscope/server/internal/scrub"
)

// BroadcastPrefix begins the paths with which a page broadcasts to an audience. They are the only ones that take another method than GET, and reach
// no cluster.
const BroadcastPrefix = "/broadcast/"

// maxBegin bounds the body of a "begin" request, in bytes.
const maxBegin = 64 << 10

// maxPosts is how many of the speaker's requests are read into memory at one time.
const maxPosts = 2

// HallText removes credentials from a text of a segment, as the relay does for answers. broadcast.Check decides which objects are broadcast whole.
func HallText(s *scrub.Scrubber) func(string) string { return s.Text }

// HallObject redacts one object's JSON: copies of manifests in annotations, as in the relay's answers.
func HallObject(raw []byte) []byte {
	var r redact.Redactor
	return r.Append(make([]byte, 0, len(raw)), raw)
}

// broadcast serves the speaker's side of an audience.
func (r *Relay) broadcast(w http.ResponseWriter, req *http.Request, what string) {
	hall := r.config.Hall
	if what == "" {
		if hall == nil {
			r.answerJSON(w, req, audience.Status{})
			return
		}
		r.answerJSON(w, req, hall.Status())
		return
	}
	if hall == nil {
		writeStatus(w, failure{code: http.StatusNotFound, message: "this server has no audience: start it with --broadcast"})
		return
	}
	if what != "begin" && what != "segments" && what != "end" {
		writeStatus(w, failure{code: http.StatusNotFound, message: "the paths of a broadcast are " + BroadcastPrefix + "begin, segments and end"})
		return
	}
	if req.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		writeStatus(w, failure{code: http.StatusMethodNotAllowed, message: "a broadcast's requests use POST"})
		return
	}
	select {
	case r.posts <- struct{}{}:
		defer func() { <-r.posts }()
	case <-req.Context().Done():
		return
	}
	var answer any
	var err error
	query := req.URL.Query()
	switch what {
	case "begin":
		answer, err = beginBroadcast(w, req, hall)
	case "segments":
		answer, err = postSegment(w, req, hall, query.Get("id"), query.Get("n"))
	case "end":
		answer, err = struct{}{}, hall.End(query.Get("id"))
	}
	if err != nil {
		r.problem(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func beginBroadcast(w http.ResponseWriter, req *http.Request, hall *audience.Hall) (any, error) {
	body, err := readBody(w, req, maxBegin)
	if err != nil {
		return nil, err
	}
	var asked struct {
		Header tracefile.Header `json:"header"`
		Take   bool             `json:"take"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, &audience.Problem{Code: http.StatusBadRequest,
			Message: `a broadcast begins with {"header": a trace's first line, "take": whether to take over}: ` + err.Error()}
	}
	id, first, err := hall.Begin(asked.Take)
	return struct {
		ID    string `json:"id"`
		First uint64 `json:"first"`
	}{id, first}, err
}

func postSegment(w http.ResponseWriter, req *http.Request, hall *audience.Hall, id, number string) (any, error) {
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil || n == 0 {
		return nil, &audience.Problem{Code: http.StatusBadRequest, Message: "a segment is sent with its number, from 1 on: n=1"}
	}
	body, err := readBody(w, req, broadcast.MaxPacked)
	if err != nil {
		return nil, err
	}
	return struct {
		N uint64 `json:"n"`
	}{n}, hall.Segment(id, n, body)
}

func readBody(w http.ResponseWriter, req *http.Request, limit int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, limit))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, &audience.Problem{Code: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("the body has more than %d bytes", limit)}
	case err != nil:
		return nil, &audience.Problem{Code: http.StatusBadRequest, Message: "the body is incomplete"}
	}
	return body, nil
}

// problem answers with an error that the page can act on.
func (r *Relay) problem(w http.ResponseWriter, err error) {
	p := &audience.Problem{Code: http.StatusInternalServerError, Message: err.Error()}
	errors.As(err, &p)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.Code)
	_ = json.NewEncoder(w).Encode(struct {
		Message  string `json:"message"`
		Expected uint64 `json:"expected,omitempty"`
	}{r.cleanText(p.Message), p.Expected})
}
