package toolchain

import (
	"os"
	"path/filepath"
	"testing"
)

// What a person set for all builds is not for the page's.
func TestThePageIsBuiltWhateverIsSetForOtherBuilds(t *testing.T) {
	for name, value := range map[string]string{
		"GOFLAGS": "-mod=mod -trimpath -race -tags=other", "GOWORK": filepath.Join(t.TempDir(), "go.work"), "GOOS": "plan9", "GOARCH": "arm", "GOFIPS140": "latest",
	} {
		t.Setenv(name, value)
	}
	if err := os.WriteFile(os.Getenv("GOWORK"), []byte("go 1.26.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tc, err := Find(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env, err := tc.ForPage().Output("env", "GOOS", "GOARCH", "GOWORK", "GOFLAGS", "GOFIPS140")
	if err != nil {
		t.Fatal(err)
	}
	if want := "js\nwasm\noff\n-buildvcs=false\noff\n"; string(env) != want {
		t.Errorf("the page is built with %q, want %q", env, want)
	}
}
