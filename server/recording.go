package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"informerscope/core/log/tracefile"
)

// readRecording returns what read returns of the recording at path: a file or a pipe. Once ctx ends, it returns at once. Nothing can end an open or a read of
// a pipe without a writer, so the goroutine that waits for it is then left to the end of the process. One that reads ends with its next read.
func readRecording[T any](ctx context.Context, path string, read func(io.Reader) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := openAndRead(ctx, path, read)
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		if ctx.Err() == nil {
			return a.value, a.err
		}
	case <-ctx.Done():
	}
	var none T
	return none, errors.New("the reading was interrupted")
}

func openAndRead[T any](ctx context.Context, path string, read func(io.Reader) (T, error)) (value T, err error) {
	file, err := os.Open(path)
	if err != nil {
		return value, fmt.Errorf("the recording cannot be read: %w", err)
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.Size() > tracefile.MaxFile {
		return value, fmt.Errorf("%s has %d bytes, and a recording has at most %d: record a shorter time", path, info.Size(), int64(tracefile.MaxFile))
	}
	if value, err = read(contextReader{ctx, file}); err != nil {
		return value, fmt.Errorf("%s: %w", path, err)
	}
	return value, nil
}

// contextReader fails once its context has ended.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

// Read implements io.Reader.
func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}
