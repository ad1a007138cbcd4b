// Package ownstories serves a speaker's own stories to the page: the YAML files of one directory.
package ownstories

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"informerscope/core/story/storyfile"
)

const (
	// most is how many stories are read, and mostEntries how many entries of the directory are looked at.
	most        = 64
	mostEntries = 4096
)

// File is a story's file as it lies in the directory.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Answer is what is served. Neither list is ever nil.
type Answer struct {
	Files []File `json:"files"`
	// Problems are sentences about what is left out: the file, the line and what was expected there.
	Problems []string `json:"problems"`
}

// Dir is a directory of stories. It is an http.Handler that reads the directory anew for each request, which names no file: whatever is asked,
// the answer is all of it. Safe for concurrent use; one request reads at a time.
type Dir struct {
	path string
	mu   sync.Mutex
}

// New returns the stories of a directory; "" has none.
func New(path string) *Dir { return &Dir{path: path} }

// Read reads the files *.yaml of the directory, at most 64 in the order of their names. What cannot be told is among the problems, and the others
// are there. An error is of the directory itself. Nothing outside it is read, by whatever links.
func (d *Dir) Read() (Answer, error) {
	a := Answer{Files: []File{}, Problems: []string{}}
	if d.path == "" {
		return a, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return a, err
	}
	defer func() { _ = root.Close() }()
	names, err := list(root)
	if err != nil {
		return a, err
	}
	if len(names) > most {
		a.Problems = append(a.Problems, fmt.Sprintf("%s: %d stories are there, and %d are served: from %s on they are left out", d.path, len(names),
			most, names[most]))
		names = names[:most]
	}
	for _, name := range names {
		text, err := read(root, name)
		if err == nil {
			_, err = storyfile.Read(name, text)
		}
		if err != nil {
			a.Problems = append(a.Problems, err.Error())
			continue
		}
		a.Files = append(a.Files, File{name, string(text)})
	}
	return a, nil
}

// list is the names of the stories in a directory.
func list(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	entries, err := dir.ReadDir(mostEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".yaml" && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// read reads a file, a byte more than a story may have at most.
func read(root *os.Root, name string) ([]byte, error) {
	is, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !is.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", name)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, storyfile.Longest+1))
}

// ServeHTTP implements http.Handler.
func (d *Dir) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are served here", http.StatusMethodNotAllowed)
		return
	}
	a, err := d.Read()
	if err != nil {
		a.Problems = append(a.Problems, err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet {
		_ = json.NewEncoder(w).Encode(a) // whoever has gone does not hear of it
	}
}
