package determinism

import (
	"os"
	"strings"
	"testing"

	"informerscope/tools/wasmpage/toolchain"
)

// In every place of this toolchain the new text stands where the old one stood, and nothing else is changed.
func TestChanceIsTakenOutOfThisToolchain(t *testing.T) {
	dir := t.TempDir()
	tc, err := toolchain.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	if err := Prepare(tc.ForPage(), dir, replace); err != nil {
		t.Fatal(err)
	}
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	done := 0
	for original, replacement := range replace {
		want := read(original)
		for _, p := range Places {
			if strings.HasSuffix(original, p.Package+"/"+p.File) {
				done++
				want = strings.Replace(want, p.Old, p.New, 1)
			}
		}
		if want == read(original) || read(replacement) != want {
			t.Errorf("%s is not replaced as it should be", original)
		}
	}
	if done != len(Places) {
		t.Errorf("%d places are changed, want %d", done, len(Places))
	}
}
