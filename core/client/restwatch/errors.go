package restwatch

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// responseError returns the error for a response that did not succeed. If the body is a metav1.Status of failure, the error contains it. Any other
// body, for instance from a proxy, becomes the error that client-go makes of it, with an excerpt of the body. readErr is the error of reading the body,
// if any.
//
// Mirrors client-go rest.(*Request).transformResponse and rest.Result.Error (v0.37.2). Beyond them, a Retry-After header fills in for a Status without
// a delay.
func responseError(r *request, resp *http.Response) (err, readErr error) {
	body, readErr := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	retryAfter, _ := retryAfterSeconds(resp.Header)
	if status := decodeStatus(body); status != nil {
		if retryAfter > 0 && (status.Details == nil || status.Details.RetryAfterSeconds == 0) {
			if status.Details == nil {
				status.Details = &metav1.StatusDetails{}
			}
			status.Details.RetryAfterSeconds = int32(retryAfter)
		}
		return apierrors.FromObject(status), readErr
	}
	message := excerpt(body)
	if message == "" {
		message = "unknown"
	}
	return apierrors.NewGenericServerResponse(resp.StatusCode, r.method, r.resource, r.name, message, retryAfter, true), readErr
}

// decodeStatus decodes a body that is a metav1.Status of failure. It returns nil for any other.
func decodeStatus(body []byte) *metav1.Status {
	var status metav1.Status
	if utiljson.Unmarshal(body, &status) != nil || status.Status != metav1.StatusFailure {
		return nil
	}
	if status.Kind != "" && status.Kind != "Status" {
		return nil
	}
	return &status
}

// unexpectedStatus returns the error for a response with a success code whose body is a Status.
func unexpectedStatus(r *request, body []byte) error {
	if status := decodeStatus(body); status != nil {
		return apierrors.FromObject(status)
	}
	return fmt.Errorf("%s was answered with a Status where objects were asked for: %s", r, excerpt(body))
}

// retryAfterSeconds parses the Retry-After header. Like client-go it accepts only seconds, not a date.
func retryAfterSeconds(header http.Header) (seconds int, ok bool) {
	n, err := strconv.ParseInt(header.Get("Retry-After"), 10, 32)
	return int(n), err == nil
}

func isText(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml"))
}

// maxExcerpt is how many characters of a foreign body an error message contains.
const maxExcerpt = 240

// excerpt returns the beginning of a body for an error message, as one line without HTML tags, scripts, styles and control characters. It returns ""
// for a body that is not text.
func excerpt(body []byte) string {
	const enough = 16 << 10
	if len(body) > enough {
		body = body[:enough]
		for len(body) > 0 && !utf8.Valid(body[max(0, len(body)-utf8.UTFMax):]) && len(body) > enough-utf8.UTFMax {
			body = body[:len(body)-1]
		}
	}
	if !utf8.Valid(body) || strings.ContainsRune(string(body), 0) {
		return ""
	}
	text := string(body)
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		text = stripTags(text)
	}
	var out strings.Builder
	n, gap := 0, false
	for _, c := range text {
		if unicode.IsSpace(c) || !unicode.IsPrint(c) {
			gap = n > 0
			continue
		}
		if n >= maxExcerpt {
			out.WriteString("...")
			break
		}
		if gap {
			out.WriteByte(' ')
			n++
			gap = false
		}
		out.WriteRune(c)
		n++
	}
	return out.String()
}

// stripTags returns the text of an HTML page, for an error message. It is no sanitiser: its result must still be shown as text, not as HTML.
func stripTags(page string) string {
	var out strings.Builder
	for page != "" {
		open := strings.IndexByte(page, '<')
		if open < 0 {
			out.WriteString(page)
			break
		}
		out.WriteString(page[:open])
		out.WriteByte(' ')
		page = page[open:]
		end := ">"
		switch {
		case strings.HasPrefix(page, "<!--"):
			end = "-->"
		case hasPrefixFold(page, "<script"):
			end = "</script>"
		case hasPrefixFold(page, "<style"):
			end = "</style>"
		}
		i := indexFold(page, end)
		if i < 0 {
			break
		}
		page = page[i+len(end):]
	}
	return out.String()
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func indexFold(s, substr string) int {
	for i := 0; i+len(substr) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(substr)], substr) {
			return i
		}
	}
	return -1
}
