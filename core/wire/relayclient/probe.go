package relayclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// ProbeError is why a probe did not answer, in words for the user.
type ProbeError struct {
	Trouble
	Status int // of the relay's answer; 0 without one
}

// Error implements error.
func (e *ProbeError) Error() string { return e.Words }

// OpenProbe requests a path below the relay's /probe/. The caller must close the body. Errors are a *ProbeError.
func OpenProbe(ctx context.Context, rt http.RoundTripper, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://relay/probe/"+path, nil)
	if err != nil {
		return nil, &ProbeError{Trouble: Trouble{Words: err.Error(), Err: err}}
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return nil, &ProbeError{Trouble: Explain(err)}
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	var status struct {
		Message string `json:"message"`
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil || json.Unmarshal(text, &status) != nil || status.Message == "" {
		status.Message = fmt.Sprintf("the relay answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	cause := resp.Header.Get(causeHeader)
	return nil, &ProbeError{Trouble{Words: status.Message, Cause: cause, Err: errors.New(status.Message)}, resp.StatusCode}
}
