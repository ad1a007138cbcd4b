package simcluster

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Do serves a request of this process, also while the API server is down. body is sent as JSON, for PATCH as a merge patch, and the answer is decoded into
// answer; both may be nil. Its errors are those of the API.
func (c *Cluster) Do(ctx context.Context, method, path string, body, answer any) error {
	text := []byte(nil)
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", observer)
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	var w answerBuffer
	c.serve(&w, req)
	if w.code >= http.StatusMultipleChoices {
		failed := &apierrors.StatusError{}
		if json.Unmarshal(w.Bytes(), &failed.ErrStatus) != nil || failed.ErrStatus.Message == "" { // a path that no handler has is answered in plain text
			failed.ErrStatus.Message = w.String()
		}
		return failed
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(w.Bytes(), answer)
}

// answerBuffer keeps an answer.
type answerBuffer struct {
	bytes.Buffer
	header http.Header
	code   int
}

// Header implements http.ResponseWriter.
func (w *answerBuffer) Header() http.Header {
	if w.header == nil {
		w.header = http.Header{}
	}
	return w.header
}

// WriteHeader implements http.ResponseWriter.
func (w *answerBuffer) WriteHeader(code int) {
	if w.code == 0 {
		w.code = code
	}
}
