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
	"time"

	"informerscope/core/page/story"
	"informerscope/core/page/story/storyfile"
)

const (
	// maxStories is how many stories are read, and maxEntries how many entries of the directory are examined.
	maxStories = 64
	maxEntries = 4096
)

// File is a story's file.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Answer is the answer to /stories.json. Neither list is ever nil.
type Answer struct {
	Files []File `json:"files"`
	// Problems are sentences about files that are left out: the file, the line and what was expected there.
	Problems []string `json:"problems"`
}

// Dir is a directory of stories. It is an http.Handler that reads the directory for each request. A request names no file: the answer always has all
// stories. It is safe for concurrent use; one request reads at a time.
type Dir struct {
	path string
	mu   sync.Mutex
}

// New returns the stories of a directory; "" has none.
func New(path string) *Dir { return &Dir{path: path} }

// Read reads the files *.yaml of the directory, at most 64 in the order of their names. An invalid file becomes a problem, and does not affect the
// others. An error is about the directory itself. Nothing outside it is read, by any link.
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
	if len(names) > maxStories {
		a.Problems = append(a.Problems, fmt.Sprintf("%s: %d stories are there, and %d are served: from %s on they are left out", d.path, len(names),
			maxStories, names[maxStories]))
		names = names[:maxStories]
	}
	for _, name := range names {
		text, err := read(root, name)
		if err == nil {
			var s *story.Story
			if s, err = storyfile.Read(name, text); err == nil && s.Recording != "" {
				err = checkRecording(root, name, s.Recording)
			}
		}
		if err != nil {
			a.Problems = append(a.Problems, err.Error())
			continue
		}
		a.Files = append(a.Files, File{name, string(text)})
	}
	return a, nil
}

// list returns the names of the stories in a directory.
func list(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	entries, err := dir.ReadDir(maxEntries)
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

// read reads a file, at most one byte more than a story may have.
func read(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, storyfile.Longest+1))
}

// Prefix begins the paths of the recordings on which the stories play; the file name follows.
const Prefix = "/stories/recordings/"

// maxRecording bounds a served recording, in bytes: the page reads it into memory.
const maxRecording = 512 << 20

// checkRecording returns an error that explains why a story's recording cannot be served, nil if it can.
func checkRecording(root *os.Root, story, recording string) error {
	info, err := root.Stat(recording)
	switch {
	case err != nil:
		return fmt.Errorf("%s: it plays on the recording %s, which must be in the same directory: %w", story, recording, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: the recording %s on which it plays is not a regular file", story, recording)
	case info.Size() > maxRecording:
		return fmt.Errorf("%s: the recording %s on which it plays has %d bytes, and at most %d can be served", story, recording, info.Size(), maxRecording)
	}
	return nil
}

// ServeRecording serves a recording on which a story of the directory plays, and no other file.
func (d *Dir) ServeRecording(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are served here", http.StatusMethodNotAllowed)
		return
	}
	file, err := d.recording(strings.TrimPrefix(r.URL.Path, Prefix))
	if err != nil {
		http.Error(w, "no story of the directory plays on a recording of this name", http.StatusNotFound)
		return
	}
	defer func() { _ = file.Close() }()
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, file)
}

// recording opens a recording that a story of the directory names.
func (d *Dir) recording(name string) (*os.File, error) {
	a, err := d.Read()
	if err != nil {
		return nil, err
	}
	for _, f := range a.Files {
		if s, err := storyfile.Read(f.Name, []byte(f.Text)); err == nil && s.Recording != "" && s.Recording == name {
			root, err := os.OpenRoot(d.path)
			if err != nil {
				return nil, err
			}
			defer func() { _ = root.Close() }()
			return root.Open(name)
		}
	}
	return nil, os.ErrNotExist
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
		_ = json.NewEncoder(w).Encode(a) // the client may have left
	}
}
