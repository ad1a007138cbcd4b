package probe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// TestRecord: Record empties its file, writes until stop is called or the probe closes, and returns why it cannot begin.
func TestRecord(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "a.trace"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	p := New(Options{Viewers: 1})
	mustInform(t, p, "things", cache.NewSharedIndexInformer(newSource(0), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}))
	otherFile, err := os.Create(filepath.Join(t.TempDir(), "b.trace"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = otherFile.Close() }()
	for _, note := range []string{"the first", "the second"} {
		stop, err := p.Record(file)
		if err != nil {
			t.Fatal(err)
		}
		p.Note(note)
		if note == "the first" {
			if other, err := p.Record(otherFile); err == nil || !strings.Contains(err.Error(), "503") {
				t.Errorf("a second one at a time: %v", err)
			} else {
				other()
			}
		} else {
			p.Close()
		}
		stop()
	}
	text, err := os.ReadFile(file.Name())
	if err != nil || strings.Count(string(text), `"format":"informerscope-trace"`) != 1 || strings.Contains(string(text), "the first") ||
		!strings.Contains(string(text), "the second") || !strings.HasSuffix(string(text), "\n") {
		t.Errorf("%v\n%s", err, text)
	}
	if stop, err := p.Record(file); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a closed probe records: %v", err)
	} else {
		stop()
	}
}
