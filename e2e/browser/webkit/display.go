package webkit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"informerscope/e2e/internal/proc"
)

// display is a virtual screen that a program without a window to show needs.
type display struct {
	program *proc.Process
	// name is what DISPLAY must be, such as ":99".
	name string
}

// words keeps what a program writes, for another goroutine to read.
type words struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

// line is the first whole line; "" if there is none yet.
func (w *words) line() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	line, _, whole := strings.Cut(w.text.String(), "\n")
	if !whole {
		return ""
	}
	return line
}

// startDisplay starts an X server on a display that is free, without TCP.
func startDisplay(ctx context.Context, xvfb, logDir string) (*display, error) {
	os.Remove(filepath.Join(logDir, "xvfb.log"))
	var said words
	// The X server chooses the number itself, so that two that start at once take different ones, and prints it.
	p, err := proc.StartEnv("xvfb", logDir, xvfb, nil, &said,
		"-displayfd", "1", "-screen", "0", "2048x1536x24", "-nolisten", "tcp", "-noreset")
	if err != nil {
		return nil, err
	}
	d := &display{program: p}
	if err := p.Wait(ctx, func(context.Context) error {
		if said.line() == "" {
			return errors.New("it has printed no display yet")
		}
		d.name = ":" + strings.TrimSpace(said.line())
		return nil
	}); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// close ends the X server with a signal, on which it removes its lock in /tmp.
func (d *display) close() { d.program.StopGroup(5 * time.Second) }
