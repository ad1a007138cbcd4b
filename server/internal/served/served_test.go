package served

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"informerscope/core/levers"
	"informerscope/core/simcluster"
)

// role is the variable that makes this test's program the served cluster's: it prints and does what the role says.
const role = "SERVED_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(role) != "" {
		os.Exit(play(os.Getenv(role)))
	}
	os.Exit(m.Run())
}

// play is a program in the place of informerscope-sim, and returns its status.
func play(name string) int {
	switch name {
	case "refuses":
		fmt.Fprintln(os.Stderr, "a component says much")
		fmt.Fprintln(os.Stderr, `informerscope-sim: --profile: "dance" is none of steady`)
		return 1
	case "garbage":
		fmt.Println(strings.Repeat("no JSON ", 10_000))
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "starts":
		if err := os.Setenv(role, "serves"); err != nil {
			return 1
		}
		c, err := Start(context.Background(), os.Args[0], nil, io.Discard)
		if err != nil {
			return 1
		}
		fmt.Println(c.command.Process.Pid)
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	}
	const token = "the token of the door"
	mux := http.NewServeMux()
	mux.Handle(levers.Path, levers.Handler(levers.Own(simcluster.New(simcluster.Options{Seed: 7, Still: true}))))
	mux.HandleFunc(levers.WritesPath, func(w http.ResponseWriter, r *http.Request) {
		for seq := uint64(1); r.Context().Err() == nil; seq++ { // as fast as it is read
			if json.NewEncoder(w).Encode(levers.Write{Seq: seq}) != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	})
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header) > 5 || r.Header.Get("Authorization") != "Bearer "+token || r.Header.Get("Cookie") != "" {
			http.Error(w, fmt.Sprint("the door got the headers ", r.Header), http.StatusTeapot)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	_ = json.NewEncoder(os.Stdout).Encode(place{Kubeconfig: os.Args[1], Door: door.URL, Token: token})
	if name == "fails later" {
		fmt.Fprintln(os.Stderr, "informerscope-sim: etcd ended by itself: the disk is full")
		return 1
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// start starts the test's program in a role.
func start(t *testing.T, name string, flags ...string) (*Cluster, error) {
	t.Helper()
	t.Setenv(role, name)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(t.Context(), program, flags, io.Discard)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, err
}

func ask(t *testing.T, c *Cluster, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Cookie", "a viewer's")
	r.Header.Set("Authorization", "Bearer a viewer's")
	c.Levers().ServeHTTP(w, r)
	return w
}

// TestLeversReachTheProgram pulls levers through the door, and asks it for what it does not do.
func TestLeversReachTheProgram(t *testing.T) {
	c, err := start(t, "serves", "--kubeconfig of the test")
	if err != nil || c.Kubeconfig() != "--kubeconfig of the test" {
		t.Fatalf("%v, %v", c, err)
	}
	if w := ask(t, c, http.MethodPost, levers.Path, `{"verb": "create", "args": {"name": "web"}}`); !strings.Contains(w.Body.String(), "created deployment default/web") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := ask(t, c, http.MethodGet, levers.Path, ""); !strings.Contains(w.Body.String(), `"deployments.apps":`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, bad := range []struct {
		method, path, body string
		code               int
	}{
		{http.MethodPut, levers.Path, `{"verb": "compact"}`, http.StatusMethodNotAllowed},
		{http.MethodPost, levers.WritesPath, "", http.StatusMethodNotAllowed},
		{http.MethodPost, levers.Path, `{"verb": "` + strings.Repeat("x", levers.MaxOrder) + `"}`, http.StatusBadRequest},
	} {
		if w := ask(t, c, bad.method, bad.path, bad.body); w.Code != bad.code {
			t.Errorf("%s %s: %d %s, want %d", bad.method, bad.path, w.Code, w.Body, bad.code)
		}
	}
	served := httptest.NewServer(c.Levers())
	defer served.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, served.URL+levers.WritesPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := json.NewDecoder(answer.Body)
	for want := uint64(1); want <= 100; want++ {
		var write levers.Write
		if err := lines.Decode(&write); err != nil || write.Seq != want {
			t.Fatalf("write %d: %+v, %v", want, write, err)
		}
	}
}

// TestProgramsThatDoNotServe starts programs that refuse, print something else, print nothing, and end later.
func TestProgramsThatDoNotServe(t *testing.T) {
	for name, want := range map[string]string{"refuses": `informerscope-sim: --profile: "dance" is none of steady`, "garbage": "another version"} {
		if _, err := start(t, name); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 500 {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv(role, "silent")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, os.Args[0], nil, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("silent: %v", err)
	}
	c, err := start(t, "fails later")
	if err != nil {
		t.Fatal(err)
	}
	if err := <-c.Failure(); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("a program that fails later: %v", err)
	}
	if _, err := Start(t.Context(), filepath.Join(t.TempDir(), "none"), nil, io.Discard); err == nil || !strings.Contains(err.Error(), "does not start") {
		t.Errorf("no program: %v", err)
	}
}

// TestFind looks for the program where there is none, and in a directory of PATH whose name has a space.
func TestFind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "make sim") {
		t.Errorf("without the program: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "a b")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, Program)
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if found, err := Find(); err != nil || found != file {
		t.Errorf("%s, %v", found, err)
	}
}
