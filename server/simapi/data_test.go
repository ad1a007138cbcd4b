package simapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/simcluster"
)

// TestDataOutlivesTheServer ends a server, and tears its file at every step of a save: the next server has the newest whole state.
func TestDataOutlivesTheServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster")
	open := func() (*Server, error) { return New(Options{Objects: 5, Seed: 3, Profile: "steady", Data: file}) }
	run := func(name string) (found []string) {
		t.Helper()
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []string{"first", "second", "third"} {
			if s.cluster.Scale("shop", d, 1) == nil {
				found = append(found, d)
			}
		}
		if name != "" {
			if err := s.cluster.CreateDeployment("shop", name, 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return found
	}
	is := func(found []string, want ...string) {
		t.Helper()
		if strings.Join(found, " ") != strings.Join(want, " ") {
			t.Errorf("the cluster has %q, want %q", found, want)
		}
	}
	is(run("first"))
	is(run("second"), "first")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	// The process ended between the two renames of a save.
	if err := os.Rename(file, olderFile(file)); err != nil {
		t.Fatal(err)
	}
	is(run("third"), "first", "second")
	// The newest file is torn.
	is(run(""), "first", "second", "third")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
		if err := os.WriteFile(file, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.warning, "is torn") || s.cluster.Scale("shop", "third", 1) != nil {
			t.Errorf("%d of %d bytes: the warning is %q", n, len(whole), s.warning)
		}
		s.file = "" // leaves the torn file
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(olderFile(file), whole[:9], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(); err == nil || !strings.Contains(err.Error(), "move the file away") {
		t.Errorf("both files are torn: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 2 {
		t.Errorf("the directory has %v, %v", left, err)
	}
}

// TestDataIsSavedMeanwhile lets time pass: a cluster that changes is saved every savePeriod, and one that does not change is not.
func TestDataIsSavedMeanwhile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster")
	synctest.Test(t, func(t *testing.T) {
		s := &Server{API: &API{cluster: simcluster.New(simcluster.Options{Still: true})}, file: file}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.keep(ctx, slog.New(slog.DiscardHandler))
		}()
		saves := func() (n int) {
			<-time.After(savePeriod + time.Second)
			synctest.Wait()
			for _, name := range []string{file, olderFile(file)} {
				if os.Remove(name) == nil {
					n++
				}
			}
			return n
		}
		if n := saves(); n != 1 {
			t.Errorf("%d saves of a new cluster", n)
		}
		if n := saves(); n != 0 {
			t.Errorf("%d saves without a change", n)
		}
		if err := s.cluster.CreateDeployment("shop", "new", 1); err != nil {
			t.Error(err)
		}
		if n := saves(); n != 1 {
			t.Errorf("%d saves of a change", n)
		}
		cancel()
		<-done
	})
}

// TestDataHasCustomResources keeps an object of a definition with several versions, and a node whose kubelet was away. The next server serves the object in
// each version, by its schema, and the node is reachable again.
func TestDataHasCustomResources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster")
	open := func() (s *Server, request func(method, path, body string, code int) string) {
		t.Helper()
		s, err := New(Options{Seed: 3, Data: file})
		if err != nil {
			t.Fatal(err)
		}
		return s, func(method, path, body string, code int) string {
			t.Helper()
			req := httptest.NewRequest(method, path, strings.NewReader(body))
			req.Header.Set("Content-Type", asJSON)
			if method == http.MethodPatch {
				req.Header.Set("Content-Type", asMerge)
			}
			w := httptest.NewRecorder()
			s.cluster.ServeHTTP(w, req)
			if w.Code != code {
				t.Errorf("%s %s: %d %s, want %d", method, path, w.Code, w.Body, code)
			}
			return w.Body.String()
		}
	}
	s, request := open()
	request("POST", definitionsURL, widgets, http.StatusCreated)
	request("POST", widgetsURL, `{"apiVersion":"stage.example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":2}}`, http.StatusCreated)
	request("PATCH", "/api/v1/nodes/node-a1", `{"spec":{"taints":[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute"}]}}`, http.StatusOK)
	was, wasOld := request("GET", widgetsURL+"/a", "", http.StatusOK), request("GET", oldWidgetsURL+"/a", "", http.StatusOK)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, request = open()
	defer func() { _ = s.Close() }()
	if is, isOld := request("GET", widgetsURL+"/a", "", http.StatusOK), request("GET", oldWidgetsURL+"/a", "", http.StatusOK); is != was || isOld != wasOld {
		t.Errorf("the object became\n%s\n%s, from\n%s\n%s", is, isOld, was, wasOld)
	}
	request("POST", widgetsURL, `{"apiVersion":"stage.example.com/v1","kind":"Widget","metadata":{"name":"b"},"spec":{"size":0}}`, http.StatusUnprocessableEntity)
	if node := request("GET", "/api/v1/nodes/node-a1", "", http.StatusOK); strings.Contains(node, "unreachable") {
		t.Errorf("no kubelet is away, and the node is still unreachable: %s", node)
	}
}
