package toolchain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Toolchain is a go command that builds, and its environment.
type Toolchain struct {
	Version string // as 1.26 says it: go1.26.1
	Root    string // GOROOT
	command string
	env     []string
}

// Find finds the go command that runs this program: go run puts it first in the PATH. It fetches its toolchain by itself if the
// installed one is older than go.mod's, or if GOTOOLCHAIN says so. Such a toolchain lies in the module cache, where the go
// command lets no overlay replace files. So it gets another name, a link in dir, and GOROOT is that.
func Find(dir string) (*Toolchain, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	tc := &Toolchain{command: "go", env: os.Environ()}
	text, err := tc.Output("env", "-json", "GOROOT", "GOMODCACHE", "GOVERSION", "GOFLAGS")
	if err != nil {
		return nil, err
	}
	var env struct{ GOROOT, GOMODCACHE, GOVERSION, GOFLAGS string }
	if err := json.Unmarshal(text, &env); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	tc.Version, tc.Root = env.GOVERSION, env.GOROOT
	if isBelow(env.GOROOT, env.GOMODCACHE) {
		tc.Root = filepath.Join(dir, "goroot")
		if err := os.Remove(tc.Root); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := os.Symlink(env.GOROOT, tc.Root); err != nil {
			return nil, err
		}
	}
	if own := filepath.Join(tc.Root, "bin", "go"); IsFile(own) {
		tc.command = own
	}
	tc.set("GOROOT=" + tc.Root)
	tc.set("GOTOOLCHAIN=local") // it is chosen already
	tc.set("GOWORK=off")        // a go.work above this module is not about it
	tc.set("GOFLAGS=" + pageFlags(env.GOFLAGS))
	return tc, nil
}

// pageFlags are what the page's build takes of the flags that a person set for all builds: how modules are kept. Whatever else
// they are for (a race detector, a modfile, tags), it is not the page. Nor does a page need what version control says.
func pageFlags(set string) string {
	flags := "-buildvcs=false"
	if slices.Contains(strings.Fields(set), "-modcacherw") {
		flags += " -modcacherw"
	}
	return flags
}

// isBelow reports whether path lies in dir, by name or by where links lead.
func isBelow(path, dir string) bool {
	in := func(path, dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	}
	real := func(path string) string {
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			return resolved
		}
		return path
	}
	return dir != "" && (in(path, dir) || in(real(path), real(dir)))
}

// IsFile reports whether there is a plain file at path.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// set puts a variable into the environment.
func (tc *Toolchain) set(variable string) {
	name, _, _ := strings.Cut(variable, "=")
	tc.env = slices.DeleteFunc(slices.Clone(tc.env), func(v string) bool { return strings.HasPrefix(v, name+"=") })
	tc.env = append(tc.env, variable)
}

// ForPage is the toolchain as it builds for js/wasm.
func (tc *Toolchain) ForPage() *Toolchain {
	page := *tc
	page.set("GOOS=js")
	page.set("GOARCH=wasm")
	page.set("GOFIPS140=off") // its frozen sources would stand in for those that have doors
	return &page
}

// Command is the go command with its environment, not started yet.
func (tc *Toolchain) Command(args ...string) *exec.Cmd {
	cmd := exec.Command(tc.command, args...)
	cmd.Env = tc.env
	return cmd
}

// Output is what the go command prints. Its errors hold what it said, but that it downloads something: a person waits for that.
func (tc *Toolchain) Output(args ...string) ([]byte, error) {
	cmd := tc.Command(args...)
	var said complaints
	cmd.Stderr = &said
	out, err := cmd.Output()
	said.flush()
	if err != nil {
		return nil, &Error{command: "go " + args[0], Said: strings.TrimSpace(said.kept.String()), err: err}
	}
	return out, nil
}

// List returns the lines that go list prints.
func (tc *Toolchain) List(args ...string) ([]string, error) {
	out, err := tc.Output(append([]string{"list"}, args...)...)
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

// Error is that the go command failed.
type Error struct {
	Said    string // by the go command
	command string
	err     error
}

func (e *Error) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("%s: %v", e.command, e.err)
	}
	return e.Said
}

func (e *Error) Unwrap() error { return e.err }

// complaints passes on what the go command says of its progress and keeps the rest.
type complaints struct {
	kept bytes.Buffer
	rest []byte
}

func (c *complaints) Write(p []byte) (int, error) {
	c.rest = append(c.rest, p...)
	for {
		line, rest, whole := bytes.Cut(c.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if bytes.HasPrefix(line, []byte("go: downloading ")) {
			fmt.Fprintf(os.Stderr, "%s\n", line)
		} else {
			fmt.Fprintf(&c.kept, "%s\n", line)
		}
		c.rest = rest
	}
}

func (c *complaints) flush() {
	c.kept.Write(c.rest)
	c.rest = nil
}
