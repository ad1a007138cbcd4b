package relay

import (
	"encoding/json"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The headers that mark the relay's own answers.
const (
	// CauseHeader holds why there is no answer from the API server: the ID of a cause (core/words/cause).
	CauseHeader = "X-Informerscope-Cause"
	// RuleHeader holds the guard's rule that refused a request.
	RuleHeader = "X-Informerscope-Rule"
	// HintHeader and WordsHeader accompany an API server's own error, which passes as a Status: its cause, and sentences for people, escaped
	// as in a URL's path.
	HintHeader  = "X-Informerscope-Hint"
	WordsHeader = "X-Informerscope-Words"
	// RuleCause is the type of a Status cause whose message is the rule that refused a request.
	RuleCause = "informerscope/rule"
)

// failure is an error of the relay's own.
type failure struct {
	code    int
	message string
	cause   string
	rule    string
}

// writeStatus writes a failure as the metav1.Status that Kubernetes clients understand.
func writeStatus(w http.ResponseWriter, f failure) {
	reason := map[int]metav1.StatusReason{
		http.StatusForbidden:          metav1.StatusReasonForbidden,
		http.StatusNotFound:           metav1.StatusReasonNotFound,
		http.StatusTooManyRequests:    metav1.StatusReasonTooManyRequests,
		http.StatusServiceUnavailable: metav1.StatusReasonServiceUnavailable,
		http.StatusBadGateway:         metav1.StatusReasonServiceUnavailable,
	}[f.code]
	if reason == "" {
		reason = metav1.StatusReasonInternalError
	}
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Message:  f.message,
		Reason:   reason,
		Code:     int32(f.code),
	}
	if f.cause != "" {
		status.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: metav1.CauseType(f.cause), Message: f.message}}}
		w.Header().Set(CauseHeader, string(f.cause))
	}
	if f.rule != "" {
		w.Header().Set(RuleHeader, f.rule)
	}
	if f.rule != "" {
		status.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: RuleCause, Message: f.rule}}}
	}
	body, err := json.Marshal(status)
	if err != nil {
		http.Error(w, f.message, f.code)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.code)
	_, _ = w.Write(body)
}
