package event

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/words/cause"
)

// ErrorCause returns why a request got no answer, as the ID of a cause. It returns "" for an error that is an answer, and for any other error.
func ErrorCause(err error) string {
	if err == nil || StatusCode(err) != 0 {
		return ""
	}
	return CauseOf(err)
}

// CauseOf returns the ID of an error's cause, whether there was an answer or not; "" for none. A LoggedError carries it from the file, but for one from an
// older program.
func CauseOf(err error) string {
	var logged *LoggedError
	if errors.As(err, &logged) && logged.Cause != "" {
		return logged.Cause
	}
	return cause.Of(err)
}

// StatusCode returns the HTTP status of an error from the API server, 0 for none.
func StatusCode(err error) int {
	var s interface{ Status() metav1.Status }
	if errors.As(err, &s) {
		return int(s.Status().Code)
	}
	return 0
}

// LoggedError is an error read from a file: its message, its HTTP status and reason when it came from the API server, and its cause.
type LoggedError struct {
	Message string
	Code    int32
	Reason  string
	Cause   string
}

// Error implements error.
func (e *LoggedError) Error() string { return e.Message }

// Status implements k8s.io/apimachinery/pkg/api/errors.APIStatus.
func (e *LoggedError) Status() metav1.Status {
	return metav1.Status{Status: metav1.StatusFailure, Code: e.Code, Reason: metav1.StatusReason(e.Reason), Message: e.Message}
}
