package trace

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
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
