package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// goAuthors is a module by the authors of Go.
const goAuthors = "golang.org/x/net"

// licences is the text of the licences of everything by others that is linked into a program or into the page inside the server,
// Go's own library included. Most of them ask to go along with the program.
func licences(ctx context.Context, o options, what product, p platform) ([]byte, error) {
	modules := map[string]string{} // "path version" → directory
	linked := map[string]platform{what.dir: p}
	if what == server {
		linked["wasm"] = platform{"js", "wasm"}
	}
	for dir, of := range linked {
		listed, err := goCommand(ctx, o.gotool, filepath.Join(o.root, dir), of, "list", "-deps", "-json=Module", ".")
		if err != nil {
			return nil, err
		}
		for d := json.NewDecoder(bytes.NewReader(listed)); ; {
			var pkg struct {
				Module *struct {
					Path, Version, Dir string
					Main               bool
					Replace            *struct{ Path string }
				}
			}
			if err := d.Decode(&pkg); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list: %w", err)
			}
			if m := pkg.Module; m != nil && !m.Main && (m.Replace == nil || !isOurs(m.Replace.Path)) {
				modules[m.Path+" "+m.Version] = m.Dir
			}
		}
	}
	// Go's own library is under the same text as the Go authors' modules. A system's package of Go may keep its copy elsewhere.
	for name, dir := range modules {
		if strings.HasPrefix(name, goAuthors+" ") {
			modules["Go's standard library"] = dir
		}
	}
	if modules["Go's standard library"] == "" {
		return nil, fmt.Errorf("%s, whose licence is that of Go's standard library, is not linked any more: name another module here", goAuthors)
	}
	names := make([]string, 0, len(modules))
	for name := range modules {
		names = append(names, name)
	}
	slices.Sort(names)
	var out bytes.Buffer
	for _, name := range names {
		text, err := licence(modules[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&out, "==== %s\n\n%s\n", name, text)
	}
	return out.Bytes(), nil
}

// licence is what the files of a module's directory say of its licence.
func licence(dir string) (string, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		if entry.IsDir() || !strings.HasPrefix(name, "LICENSE") && !strings.HasPrefix(name, "LICENCE") && !strings.HasPrefix(name, "COPYING") &&
			!strings.HasPrefix(name, "NOTICE") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "-- %s\n%s\n", entry.Name(), strings.ReplaceAll(strings.TrimSpace(string(text)), "\r\n", "\n"))
	}
	if out.Len() == 0 {
		return "", fmt.Errorf("no licence in %s", dir)
	}
	return out.String(), nil
}

// isOurs reports whether a module that replaces another is one of these sources, by its path.
func isOurs(path string) bool { return strings.HasPrefix(path, ".") }
