package served

import (
	"bytes"
	"strings"
	"sync"
)

const (
	// maxLine bounds a line that the program prints, in bytes. The rest of a longer one is another line.
	maxLine = 4 << 10
	// lastLines is how many lines are kept for the error if the program ends.
	lastLines = 5
)

// lines cuts what is written to it into lines. One goroutine writes.
type lines struct {
	line []byte
	emit func(line string) // gets each line without its end
}

// Write implements io.Writer. It never fails.
func (l *lines) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		part, _, ends := bytes.Cut(rest[:min(len(rest), maxLine-len(l.line))], []byte("\n"))
		l.line = append(l.line, part...)
		if rest = rest[len(part):]; ends {
			rest = rest[1:]
		}
		if ends || len(l.line) == maxLine {
			l.end()
		}
	}
	return len(p), nil
}

// end emits a line, unless it is blank.
func (l *lines) end() {
	if text := strings.TrimSpace(string(l.line)); text != "" {
		l.emit(text)
	}
	l.line = l.line[:0]
}

// tail keeps the last lines that it is given. It is safe for concurrent use.
type tail struct {
	mu    sync.Mutex
	lines []string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines = append(t.lines, line); len(t.lines) > lastLines {
		t.lines = append(t.lines[:0], t.lines[1:]...)
	}
}

// String is the lines, each after a line break.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return ""
	}
	return "\n" + strings.Join(t.lines, "\n")
}
