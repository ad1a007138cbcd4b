package ownstories

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"informerscope/core/page/story/storyfile"
	"informerscope/stories"
)

// good is a valid story: one of the page's.
func good(t *testing.T) string {
	t.Helper()
	text, err := stories.Files.ReadFile("same.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func names(a Answer) string {
	var all []string
	for _, f := range a.Files {
		all = append(all, f.Name)
	}
	return strings.Join(all, " ")
}

// TestOneBadFileLeavesTheOthers reads a directory of valid stories, an invalid one, one that is too long, and other files.
func TestOneBadFileLeavesTheOthers(t *testing.T) {
	dir := t.TempDir()
	text := good(t)
	write(t, dir, "b.yaml", text)
	write(t, dir, "a.yaml", text)
	write(t, dir, "bad.yaml", strings.Replace(text, "claim: ", "claim: nosuch.", 1))
	write(t, dir, "long.yaml", text+"#"+strings.Repeat("x", storyfile.Longest))
	write(t, dir, "notes.txt", "no story")
	write(t, dir, ".hidden.yaml", text)
	if err := os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := New(dir).Read()
	if err != nil {
		t.Fatal(err)
	}
	if names(a) != "a.yaml b.yaml" || a.Files[0].Text != text {
		t.Errorf("served: %s", names(a))
	}
	want := []string{"bad.yaml:", `there is no "nosuch"`, "folder.yaml is not a regular file", "long.yaml:1: the file is longer than 65536 bytes"}
	all := strings.Join(a.Problems, "\n")
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("the problems do not say %q:\n%s", w, all)
		}
	}
	if len(a.Problems) != 3 {
		t.Errorf("%d problems, want 3:\n%s", len(a.Problems), all)
	}
}

// TestNothingOutsideIsRead links from the directory to a file beside it.
func TestNothingOutsideIsRead(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "inside")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "outside.yaml", good(t))
	if err := os.Symlink("../outside.yaml", filepath.Join(inside, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "outside.yaml"), filepath.Join(inside, "whole.yaml")); err != nil {
		t.Fatal(err)
	}
	// As a mounted ConfigMap does.
	write(t, inside, "..data", good(t))
	if err := os.Symlink("..data", filepath.Join(inside, "mine.yaml")); err != nil {
		t.Fatal(err)
	}
	a, err := New(inside).Read()
	if err != nil || names(a) != "mine.yaml" || len(a.Problems) != 2 {
		t.Errorf("served %q, problems %q, %v", names(a), a.Problems, err)
	}
}

func TestTooManyAreSaid(t *testing.T) {
	dir := t.TempDir()
	text := good(t)
	for i := range maxStories + 3 {
		write(t, dir, fmt.Sprintf("s%03d.yaml", i), text)
	}
	a, err := New(dir).Read()
	want := "67 stories are there, and 64 are served: from s064.yaml on"
	if err != nil || len(a.Files) != maxStories || len(a.Problems) != 1 || !strings.Contains(a.Problems[0], want) {
		t.Errorf("%d served, problems %q, %v", len(a.Files), a.Problems, err)
	}
}

// TestItIsReadAnew serves a directory that changes, and is then removed.
func TestItIsReadAnew(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d := New(dir)
	get := func(method string) (int, Answer) {
		t.Helper()
		w := httptest.NewRecorder()
		d.ServeHTTP(w, httptest.NewRequest(method, "/stories.json?../../etc/passwd", nil))
		var a Answer
		if w.Code == http.StatusOK {
			if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || a.Files == nil || a.Problems == nil {
				t.Fatalf("%s: %v", w.Body, err)
			}
		}
		return w.Code, a
	}
	if _, a := get(http.MethodGet); len(a.Files)+len(a.Problems) != 0 {
		t.Errorf("an empty directory has %v", a)
	}
	write(t, dir, "new.yaml", good(t))
	if _, a := get(http.MethodGet); names(a) != "new.yaml" {
		t.Errorf("then it has %v", names(a))
	}
	if code, _ := get(http.MethodPost); code != http.StatusMethodNotAllowed {
		t.Errorf("POST is answered with %d", code)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, a := get(http.MethodGet); len(a.Files) != 0 || len(a.Problems) != 1 {
		t.Errorf("a directory that is gone has %v", a)
	}
	if _, err := d.Read(); err == nil {
		t.Error("a directory that is gone is read")
	}
	if a, err := New("").Read(); err != nil || a.Files == nil || a.Problems == nil || len(a.Files) != 0 {
		t.Errorf("no directory: %v, %v", a, err)
	}
}
