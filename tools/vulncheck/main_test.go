package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestRun: each module is looked at if there is a database, what is found fails, and without a database one line says that nothing was looked at.
func TestRun(t *testing.T) {
	code := http.StatusOK
	db := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != index {
			t.Errorf("asked for %s", r.URL)
		}
		w.WriteHeader(code)
	}))
	var looked []string
	var found error
	look := func(ctx context.Context, directory string) error {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("govulncheck may take for ever")
		}
		looked = append(looked, directory)
		return found
	}
	try := func(db string) (string, error) {
		looked = nil
		var out bytes.Buffer
		err := run(t.Context(), db, []string{".", "e2e"}, &out, look)
		return out.String(), err
	}
	for _, address := range []string{db.URL, db.URL + "/", "file:///somewhere"} {
		if said, err := try(address); err != nil || said != "" || !slices.Equal(looked, []string{".", "e2e"}) {
			t.Errorf("%s: %q, %v, looked at %q", address, said, err, looked)
		}
	}
	found = errors.New("exit status 3")
	if _, err := try(db.URL); err == nil || !strings.Contains(err.Error(), ".: govulncheck found something") || len(looked) != 1 {
		t.Errorf("with a vulnerability: %v", err)
	}
	code = http.StatusForbidden
	leftOut := func(address string) {
		t.Helper()
		said, err := try(address)
		if err != nil || len(looked) > 0 || !strings.HasPrefix(said, "left out: ") || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: %q, %v, looked at %q", address, said, err, looked)
		}
	}
	leftOut(db.URL)
	db.Close()
	leftOut(db.URL)
	leftOut("no address")
}
