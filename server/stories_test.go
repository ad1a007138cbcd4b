package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"informerscope/server/internal/testkit"
	"informerscope/stories"
)

// TestStoriesOfOnesOwn starts the server with a directory of one valid and one invalid story. The log reports the invalid one with its line; the
// valid one is served, under the same rules as the page's files.
func TestStoriesOfOnesOwn(t *testing.T) {
	dir := t.TempDir()
	text, err := stories.Files.ReadFile("same.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"mine.yaml": string(text), "bad.yaml": "title: {en: A, zh: B}\nlessen: {en: A, zh: B}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := start(t, parse(t, "--listen=127.0.0.1:0", "--stories="+dir))
	if log := r.log.String(); !strings.Contains(log, `bad.yaml:2: a story has no`) {
		t.Errorf("the log does not say what is wrong:\n%s", log)
	}
	response, body := r.get("/stories.json", nil)
	if response.StatusCode != http.StatusOK || !strings.Contains(body, `"name":"mine.yaml"`) || strings.Contains(body, `"name":"bad.yaml"`) ||
		!strings.Contains(body, "bad.yaml:2:") || response.Header.Get("Cache-Control") != "no-store" || response.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s %v %.300s", response.Status, response.Header, body)
	}
	for _, path := range []string{"/stories.json/../mine.yaml", "/mine.yaml", "/stories/mine.yaml", "/stories.json/mine.yaml"} {
		if response, _ := r.get(path, nil); response.StatusCode == http.StatusOK {
			t.Errorf("%s is answered with %s", path, response.Status)
		}
	}
	if response, _ := r.get("/stories.json", func(r *http.Request) { r.Host = "elsewhere.example" }); response.StatusCode != http.StatusForbidden {
		t.Errorf("under another name it is answered with %s", response.Status)
	}
}

func TestADirectoryOfStoriesMustBeThere(t *testing.T) {
	err := serve(t.Context(), parse(t, "--listen=127.0.0.1:0", "--stories="+filepath.Join(t.TempDir(), "nowhere")), page, io.Discard, new(testkit.Log))
	if err == nil || !strings.Contains(err.Error(), "--stories: ") {
		t.Errorf("it starts without the directory: %v", err)
	}
}
