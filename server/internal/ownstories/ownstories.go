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

	"informerscope/core/story"
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

// Dir is a directory of stories. It is an http.Handler that reads the directory for each request. A request names no file: whatever is asked, the
// answer is all of it. It is safe for concurrent use; one request reads at a time.
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
			var s *story.Story
			if s, err = storyfile.Read(name, text); err == nil && s.Recording != "" {
				err = recordingThere(root, name, s.Recording)
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

// Prefix is the path under which the recordings are served on which the stories play, each by its file name.
const Prefix = "/stories/recordings/"

// longestRecording is how many bytes a recording may have that is served: the page reads it into memory.
const longestRecording = 512 << 20

// recordingThere is an error that says what is wrong with the recording that a story plays on.
func recordingThere(root *os.Root, story, recording string) error {
	is, err := root.Stat(recording)
	switch {
	case err != nil:
		return fmt.Errorf("%s: it plays on the recording %s, which has to lie beside it: %w", story, recording, err)
	case !is.Mode().IsRegular():
		return fmt.Errorf("%s: the recording %s on which it plays is no file", story, recording)
	case is.Size() > longestRecording:
		return fmt.Errorf("%s: the recording %s on which it plays has %d bytes, and %d can be served", story, recording, is.Size(), longestRecording)
	}
	return nil
}

// ServeRecording serves a recording on which a story of the directory plays, and no other file of it.
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
		_ = json.NewEncoder(w).Encode(a) // a client that has gone gets nothing
	}
}
