package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTheDoorsOfThisToolchainAreClosed(t *testing.T) {
	dir := t.TempDir()
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "overlay.json"))
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	closed := 0
	for original, replacement := range overlay.Replace {
		was, err := os.ReadFile(original)
		if err != nil {
			t.Fatal(err)
		}
		is, err := os.ReadFile(replacement)
		if err != nil {
			t.Fatal(err)
		}
		if string(was) == string(is) {
			t.Errorf("%s is replaced by itself", original)
		}
		closed += strings.Count(string(is), "errDoor\n")
	}
	want := 0
	for _, names := range doors {
		want += len(names)
	}
	if closed < want {
		t.Errorf("%d doors are closed, want %d", closed, want)
	}
}

func TestAToolchainBuiltOtherwiseIsRefused(t *testing.T) {
	was := slices.Clone(doors["net"])
	doors["net"] = append(was, "Dialer.DialTheMoon")
	defer func() { doors["net"] = was }()
	if err := run(t.TempDir()); err == nil || !strings.Contains(err.Error(), "net") {
		t.Errorf("a door that is missing was not missed: %v", err)
	}
}
