package relay

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/server/internal/redact"
	"informerscope/server/internal/scrub"
)

// TestErrorsAreWrittenAnew: an answer of 400 and more becomes a Status of known fields, whatever the API server or a proxy sent. The first words of a
// text pass, and nothing else.
func TestErrorsAreWrittenAnew(t *testing.T) {
	const status = `{"kind":"Status","apiVersion":"v1","metadata":{"resourceVersion":"5"},"status":"Failure","message":"pods is forbidden","reason":"Forbidden","details":{"kind":"pods","retryAfterSeconds":3,"causes":[{"reason":"a","message":"b","field":"c"}]},"code":403}`
	manifest := `{"` + redact.Key + `":"` + canary + `manifest"}`
	answers := []struct {
		name, mediaType, encoding, body string
		code                            int
		says                            string
		reason                          metav1.StatusReason
	}{
		{"status", "application/json", "", status, 403, "pods is forbidden", "Forbidden"},
		{"more", "application/json", "", strings.Replace(status, `"code"`, `"data":"`+canary+`","code"`, 1), 403, "pods is forbidden", "Forbidden"},
		{"charset", "application/json; charset=utf-8", "", status, 403, "pods is forbidden", "Forbidden"},
		{"secret", "application/json", "", `{"kind":"Secret","apiVersion":"v1","data":{"a":"` + canary + `"}}`, 400, "its body is no Status", "BadRequest"},
		{"other", "application/json", "", `{"error":"` + canary + `"}`, 404, "its body is no Status", "NotFound"},
		{"junk", "application/json", "", canary, 500, "its body is no Status", "InternalError"},
		{"text", "text/plain; charset=utf-8", "", "Too many requests, please try again later.\n", 429, "Too many requests, please try again later.",
			"TooManyRequests"},
		{"untyped", "", "", "Unauthorized", 401, "Unauthorized", "Unauthorized"},
		{"long", "text/plain", "", strings.Repeat("words ", 200) + canary, 503, "words words", "ServiceUnavailable"},
		{"lines", "text/plain", "", "no\n" + manifest, 503, "no", "ServiceUnavailable"},
		{"html as text", "text/plain", "", "<html>" + canary, 403, "403 Forbidden", "Forbidden"},
		{"binary", "text/plain", "", "\x00\x01" + canary, 500, "500 Internal", "InternalError"},
		{"html", "text/html", "", "<p>" + manifest, 403, "login page", "Forbidden"},
		{"protobuf", "application/vnd.kubernetes.protobuf", "", "k8s\x00" + canary, 410, "protobuf", ""},
		{"yaml", "application/yaml", "", "a: " + canary, 422, "yaml", "Invalid"},
		{"packed", "application/json", "gzip", "\x1f\x8b" + canary, 504, "compressed", "Timeout"},
		{"longer than is read", "application/json", "", `{"kind":"Status","message":"` + canary + strings.Repeat("x", maxError) + `"}`, 500, "longer than",
			"InternalError"},
		{"token", "application/json", "", `{"kind":"Status","message":"not with Bearer ` + canary + `token"}`, 401, redact.Replacement, ""},
		{"token in a text", "text/plain", "", "not with Bearer " + canary + "token", 401, redact.Replacement, "Unauthorized"},
		{"empty", "", "", "", 502, "502 Bad Gateway", "InternalError"},
	}
	e := apiserver(t, func(w http.ResponseWriter, r *http.Request) {
		for _, a := range answers {
			if r.URL.Query().Get("labelSelector") != a.name {
				continue
			}
			w.Header()["Content-Type"] = nil
			if a.mediaType != "" {
				w.Header().Set("Content-Type", a.mediaType)
			}
			if a.encoding != "" {
				w.Header().Set("Content-Encoding", a.encoding)
			}
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(a.code)
			_, _ = io.WriteString(w, a.body)
		}
	})
	f := newFixture(t, kubeconfig(t, map[string]entry{"kind": e}), func(c *Config) { c.Rules.SecretsMetadata = true })
	for _, a := range answers {
		for _, resource := range []string{"pods", "secrets", "pods?watch=true"} {
			path := "/clusters/kind/api/v1/" + resource + map[bool]string{true: "&", false: "?"}[strings.Contains(resource, "?")] + "labelSelector=" +
				strings.ReplaceAll(a.name, " ", "%20")
			response, got := f.status(path)
			raw, _ := json.Marshal(got)
			if response.StatusCode != a.code || !strings.Contains(got.Message, a.says) || got.Reason != a.reason || got.Status != metav1.StatusFailure ||
				strings.Contains(string(raw), canary) {
				t.Errorf("%s of %s: %d %s", a.name, resource, response.StatusCode, raw)
			}
			if response.Header.Get("Content-Type") != "application/json" || response.Header.Get("Retry-After") != "7" || response.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s: headers %v", a.name, response.Header)
			}
			if len(got.Message) > scrub.MaxWords+100 {
				t.Errorf("%s: %d bytes of text are passed on", a.name, len(got.Message))
			}
			if a.name == "status" && (got.ResourceVersion != "5" || got.Details == nil || got.Details.RetryAfterSeconds != 3 || len(got.Details.Causes) != 1) {
				t.Errorf("fields are lost: %s", raw)
			}
		}
	}
}
