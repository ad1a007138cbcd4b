package relay

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/server/internal/clusters"
	"informerscope/server/internal/scrub"
)

const (
	// maxError bounds what is read of an API server's error.
	maxError = 64 << 10
	// maxExcerpt is how much of an error that is text, and no Status, is passed on, in bytes.
	maxExcerpt = 256
)

// passError answers with an API server's error. It is written anew as a metav1.Status: from the fields of the Status that came, or, if none
// came, from the code and the first words of a plain text. Nothing else of the body leaves.
func (r *Relay) passError(w http.ResponseWriter, response *http.Response, upstream *clusters.Upstream) error {
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxError+1))
	if err != nil {
		return err
	}
	if cause, words := upstream.Hint(response.StatusCode, raw); cause != "" {
		w.Header().Set(HintHeader, string(cause))
		w.Header().Set(WordsHeader, url.PathEscape(words))
	}
	status := r.errorStatus(response, raw)
	written, err := json.Marshal(status)
	if err != nil {
		return err
	}
	// Credentials are looked for once more in what leaves: a body of JSON has them escaped.
	text := r.clean(string(written))
	if !json.Valid([]byte(text)) {
		status = ownStatus(response.StatusCode, "the API server's words contained credentials and were left out")
		if written, err = json.Marshal(status); err != nil {
			return err
		}
		text = string(written)
	}
	passHeaders(w.Header(), response.Header)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(response.StatusCode)
	sent, _ := io.WriteString(w, text) // who has left does not hear it
	r.config.Metrics.Bytes.Add(int64(sent))
	return nil
}

// errorStatus is what is said of an error.
func (r *Relay) errorStatus(response *http.Response, raw []byte) metav1.Status {
	code := response.StatusCode
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	encoding := response.Header.Get("Content-Encoding")
	switch {
	case len(raw) > maxError:
		return ownStatus(code, fmt.Sprintf("it is longer than %d KiB", maxError>>10))
	case encoding != "" && encoding != "identity":
		return ownStatus(code, "it is packed")
	case mediaType == "application/json":
		status := metav1.Status{}
		if json.Unmarshal(raw, &status) != nil || status.Kind != "Status" || status.APIVersion != "v1" && status.APIVersion != "" {
			return ownStatus(code, "it is no Status")
		}
		status.APIVersion = "v1"
		status.Message = r.clean(status.Message)
		if status.Code == 0 {
			status.Code = int32(code)
		}
		if status.Status == "" {
			status.Status = metav1.StatusFailure
		}
		return status
	case mediaType == "text/plain", mediaType == "":
		status := ownStatus(code, "")
		if words := excerpt(r.clean(string(raw))); words != "" {
			status.Message = words
		}
		return status
	}
	return ownStatus(code, fmt.Sprintf("it is %.60q; is it an API server, or a login page before one?", mediaType))
}

// ownStatus is an error of which there is but the code; why is the reason for which the API server's words are not there.
func ownStatus(code int, why string) metav1.Status {
	message := fmt.Sprintf("the API server answered with %d %s", code, http.StatusText(code))
	if why != "" {
		message += fmt.Sprintf(" (what it said is not passed on: %s)", why)
	}
	return metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Message: message, Reason: reason(code),
		Code: int32(code)}
}

// reason is how Kubernetes calls a status code. Mirrors apimachinery pkg/api/errors.NewGenericServerResponse (v0.37.2).
func reason(code int) metav1.StatusReason {
	switch code {
	case http.StatusBadRequest:
		return metav1.StatusReasonBadRequest
	case http.StatusUnauthorized:
		return metav1.StatusReasonUnauthorized
	case http.StatusForbidden:
		return metav1.StatusReasonForbidden
	case http.StatusNotFound:
		return metav1.StatusReasonNotFound
	case http.StatusMethodNotAllowed:
		return metav1.StatusReasonMethodNotAllowed
	case http.StatusNotAcceptable:
		return metav1.StatusReasonNotAcceptable
	case http.StatusConflict:
		return metav1.StatusReasonConflict
	case http.StatusUnsupportedMediaType:
		return metav1.StatusReasonUnsupportedMediaType
	case http.StatusUnprocessableEntity:
		return metav1.StatusReasonInvalid
	case http.StatusTooManyRequests:
		return metav1.StatusReasonTooManyRequests
	case http.StatusServiceUnavailable:
		return metav1.StatusReasonServiceUnavailable
	case http.StatusGatewayTimeout:
		return metav1.StatusReasonTimeout
	}
	if code >= 500 {
		return metav1.StatusReasonInternalError
	}
	return metav1.StatusReasonUnknown
}

// excerpt is the first line of a text, cut to what can be shown, or nothing if it is no text.
func excerpt(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = strings.TrimSpace(text)
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) && c != '\t' }) || strings.HasPrefix(text, "<") {
		return ""
	}
	if len(text) > maxExcerpt {
		cut := maxExcerpt
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		// A mark that is cut in two would look like the beginning of a value.
		if i := strings.LastIndexByte(text[:cut], '['); i >= 0 && strings.HasPrefix(scrub.Mark, text[i:cut]) {
			cut = i
		}
		text = text[:cut] + "…"
	}
	return text
}
