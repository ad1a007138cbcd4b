package main

import (
	"io"
	"os"
	"regexp"
	"sync"
)

// plainWriter takes the control characters out of what programs print for a terminal.
type plainWriter struct {
	lock sync.Mutex
	w    io.Writer
}

// controls are escape sequences, and characters that move the cursor.
var controls = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)|\x1b[@-Z\\\\-_]|[\x00-\x08\x0b-\x1f\x7f]")

func (p *plainWriter) Write(b []byte) (int, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if _, err := p.w.Write(controls.ReplaceAll(b, nil)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// plain is w without control characters, unless w is a terminal.
func plain(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return w
		}
	}
	return &plainWriter{w: w}
}
