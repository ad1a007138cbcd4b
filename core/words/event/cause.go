package event

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ErrorCause returns why a request got no answer, as one of KindTrouble's causes: refused, reset, timeout, dns, unreachable, tls or relay-gone. It returns ""
// for an error that is an answer, and for any other error. A LoggedError carries its cause from the file.
func ErrorCause(err error) string {
	var logged *LoggedError
	var dns *net.DNSError
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
		return ""
	case errors.As(err, &logged):
		if logged.Code != 0 {
			return ""
		}
		if logged.Cause != "" {
			return logged.Cause
		}
	case StatusCode(err) != 0:
		return ""
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "reset"
	case errors.As(err, &dns):
		return "dns"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "unreachable"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, context.Canceled):
		return "" // the answer had begun, or the caller no longer waited for it
	}
	return causeOfWords(err.Error())
}

// causeOfWords is ErrorCause for an error of which only the text is left: from an older program's recording, from a State, or quoted by a relay.
func causeOfWords(words string) string {
	words = strings.ToLower(words)
	for _, x := range []struct{ cause, mark string }{
		{"relay-gone", "websocket"}, {"relay-gone", "the relay"},
		{"refused", "connection refused"}, {"refused", "econnrefused"},
		{"reset", "reset by peer"}, {"reset", "broken pipe"}, {"reset", "client connection lost"},
		{"dns", "no such host"}, {"dns", "server misbehaving"},
		{"unreachable", "unreachable"}, {"unreachable", "no route to host"}, {"unreachable", "network is"},
		{"tls", "x509"}, {"tls", "tls: "},
		{"timeout", "i/o timeout"}, {"timeout", "deadline exceeded"}, {"timeout", "timeout awaiting response headers"},
		{"unreachable", "dial "},
	} {
		if strings.Contains(words, x.mark) {
			return x.cause
		}
	}
	return ""
}

// StatusCode returns the HTTP status of an error from the API server, 0 for none.
func StatusCode(err error) int {
	var s interface{ Status() metav1.Status }
	if errors.As(err, &s) {
		return int(s.Status().Code)
	}
	return 0
}

// LoggedError is an error read from a file: its message, its HTTP status and reason when it came from the API server, and otherwise its ErrorCause.
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
