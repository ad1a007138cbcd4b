package tracefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/log/fold/foldtest"
	"informerscope/core/words/event"
)

// TestErrorCause: a cause is read from the error itself, and is the same on a recording, which has only texts.
func TestErrorCause(t *testing.T) {
	wrap := func(err error) error {
		return fmt.Errorf("failed to list pods: %w", &url.Error{Op: "Get", URL: "http://x/api/v1/pods", Err: err})
	}
	dial := func(errno syscall.Errno) error {
		return wrap(&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", errno)})
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{dial(syscall.ECONNREFUSED), "refused"},
		{dial(syscall.ENETUNREACH), "unreachable"},
		{dial(syscall.EHOSTUNREACH), "unreachable"},
		{wrap(&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}), "reset"},
		{wrap(&net.OpError{Op: "write", Net: "tcp", Err: syscall.EPIPE}), "reset"},
		{wrap(&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}), "dns"},
		{wrap(os.ErrDeadlineExceeded), "timeout"},
		{wrap(context.DeadlineExceeded), "timeout"},
		{wrap(context.Canceled), ""},
		{wrap(io.ErrUnexpectedEOF), ""},
		{errors.New("tls: failed to verify certificate: x509: certificate signed by unknown authority"), "server-certificate-unknown"},
		{errors.New("the relay ended the connection: gone"), "relay-gone"},
		{errors.New("stream error: stream ID 5; INTERNAL_ERROR; received from peer"), ""},
		// What a server answers is an answer, whatever its text.
		{fmt.Errorf("failed to list: %w", apierrors.NewInternalError(errors.New("dial tcp 10.0.0.1:2379: connect: connection refused"))), ""},
		{apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("network is not yours")), ""},
		{apierrors.NewTooManyRequests("slow down", 1), ""},
		// An older program's recording has no cause.
		{&event.LoggedError{Message: "dial tcp 127.0.0.1:1: connect: connection refused"}, "refused"},
		{&event.LoggedError{Message: "read tcp: connection reset by peer"}, "reset"},
		{&event.LoggedError{Message: "connection refused", Code: 500}, ""},
		{&event.LoggedError{Message: "words of tomorrow", Cause: "timeout"}, "timeout"},
	} {
		if got := event.ErrorCause(tt.err); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
		if tt.err == nil {
			continue
		}
		var file bytes.Buffer
		log := foldtest.Script(event.Backoff{Err: tt.err}.Event())
		if err := WriteFile(&file, Header{}, pointers(log)); err != nil {
			t.Fatal(err)
		}
		_, read, damage, err := readAll(&file, ReadOptions{})
		if err != nil || damage != nil || len(read) != 1 {
			t.Fatal(err, damage, len(read))
		}
		if got := event.ErrorCause(read[0].Err()); got != tt.want {
			t.Errorf("%v: %q on a recording, want %q", tt.err, got, tt.want)
		}
	}
}

func pointers(log []event.Entry) func(func(*event.Entry) bool) {
	return func(yield func(*event.Entry) bool) {
		for i := range log {
			if !yield(&log[i]) {
				return
			}
		}
	}
}
