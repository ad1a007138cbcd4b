package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"informerscope/server/internal/audit"
	"informerscope/server/internal/metrics"
	"informerscope/server/internal/scrub"
)

// auditPatience bounds how long the shutdown waits for the rest of the audit log to be written.
const auditPatience = time.Second

// newLog returns the server's log in the chosen format. It removes credentials from each line.
func newLog(s settings, scrubber *scrub.Scrubber, stderr io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.logLevel}
	var lines slog.Handler = slog.NewTextHandler(stderr, options)
	if s.logJSON {
		lines = slog.NewJSONHandler(stderr, options)
	}
	return slog.New(scrubber.Handler(lines))
}

// loggedError is an error that is already in the log.
type loggedError struct{ error }

func (e *loggedError) Unwrap() error { return e.error }

// logFinalError logs the error that ends the program if the log is JSON, so that standard error holds only JSON. It then returns a loggedError, else err.
func logFinalError(s settings, err error, stderr io.Writer) error {
	if err == nil || !s.logJSON {
		return err
	}
	newLog(s, new(scrub.Scrubber), stderr).Error("the server ends", "error", err)
	return &loggedError{err}
}

// openAudit opens the audit log of --audit-log; audited is nil without the flag. end writes the queued lines and closes the file.
func openAudit(s settings, scrubber *scrub.Scrubber, stdout io.Writer, numbers *metrics.Set, log *slog.Logger) (audited *audit.Log, end func(), err error) {
	if s.auditLog == "" {
		return nil, func() {}, nil
	}
	out, closeFile := stdout, func() error { return nil }
	if s.auditLog != "-" {
		// A FIFO without a reader is an error; opening it does not wait.
		file, err := os.OpenFile(s.auditLog, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("--audit-log: %w; give a file that can be written, or - for standard output", unwrapPath(err))
		}
		out, closeFile = file, file.Close
	}
	audited = audit.New(out, scrubber.Line, func(err error) {
		log.Error("the audit log cannot be written; requests are now missing from it", "file", s.auditLog, "error", err)
	})
	numbers.Registry().MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "informerscope_audit_lost_total",
		Help: "Lines of the audit log that could not be written."}, func() float64 { return float64(audited.Lost()) }))
	return audited, func() {
		lost := audited.Close(auditPatience)
		if err := closeFile(); err != nil || lost > 0 {
			log.Error("lines of the audit log are lost", "file", s.auditLog, "lost", lost, "error", err)
		}
	}, nil
}

// unwrapPath shortens an error of the file system to the path and the cause.
func unwrapPath(err error) error {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		return fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return err
}
