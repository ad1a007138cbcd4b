package cluster_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/lab/ownwrites"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// consistencyStore is the release of Kubernetes whose consistency store judges the laboratory.
const consistencyStore = "k8s.io/kubernetes@v1.36.3"

// TestLaboratoryDecidesAsTheReleasedCode plays the laboratory's load to the released code, on the laboratory's cluster and in a bubble of its own. That is the
// consistency store of kube-controller-manager, and the client, cache and controller of controller-runtime. All that a lane counts must be the same:
// duplicates, writes, conflicts, and which reconciles were held back, how often and for how long. controller-runtime observes events in goroutines of their
// own, so chance decides a few ties there: it plays three times, and the laboratory's answer must be one of its answers.
func TestLaboratoryDecidesAsTheReleasedCode(t *testing.T) {
	if !*foreignPrograms {
		t.Skip("make judges runs it: controller-runtime has to be compiled")
	}
	e2e, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	copyFile(t, filepath.Join(e2e, "testdata", "laboratory", "judge.go"), filepath.Join(dir, "judge_test.go"))
	harness.Go(t, dir, "mod", "init", "judge")
	harness.Go(t, dir, append([]string{"mod", "edit", "-require=informerscope@v0.0.0", "-replace=informerscope=" + filepath.Dir(e2e),
		"-replace=example.org/informerscope/probe=" + filepath.Join(filepath.Dir(e2e), "probe")}, stagingReplaces(t)...)...)
	harness.Go(t, dir, "get", "-t", consistencyStore, controllerRuntime, ".")
	seeds, lags := []uint64{1, 2, 4, 5, 6, 7}, []int{0, 20, 50, 100, 250, 500, 1000, 2000}
	setJSON(t, "SEEDS", seeds)
	setJSON(t, "LAGS", lags)
	released := map[string][]string{}
	for line := range strings.Lines(harness.Go(t, dir, "test", "-count=3", "-v", "-run", "^TestReleasedCode$", ".")) {
		rest, ok := strings.CutPrefix(line, "lane ")
		if !ok {
			continue
		}
		parts := strings.SplitN(rest, " ", 3)
		var lane ownwrites.Lane
		if err := json.Unmarshal([]byte(parts[2]), &lane); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		name := fmt.Sprintln(parts[0], parts[1], lane.Guard)
		released[name] = append(released[name], decisions(lane))
	}
	for _, seed := range seeds {
		for _, lag := range lags {
			synctest.Test(t, func(t *testing.T) {
				r, err := ownwrites.Run(t.Context(), ownwrites.Options{Seed: seed, Lag: time.Duration(lag) * time.Millisecond, Idle: synctest.Wait})
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range r.Lanes {
					theirs := released[fmt.Sprintln(seed, lag, l.Guard)]
					if ours := decisions(l); !slices.Contains(theirs, ours) {
						t.Errorf("seed %d, a lag of %d ms: %s\nreleased code:\n%s", seed, lag, ours, strings.Join(theirs, "\n"))
					}
				}
			})
		}
	}
}

// decisions returns what is compared of a lane.
func decisions(l ownwrites.Lane) string {
	return fmt.Sprintf("%s: %+v, %d reconciles, %d held back, %d requeued, %d ms waited, at worst %d", l.Guard, l.Counts, l.Reconciles, l.Held, l.Requeued,
		l.WaitedMillis, l.WorstMillis)
}

// stagingReplaces returns what replaces the modules that Kubernetes' own go.mod leaves to its repository.
func stagingReplaces(t *testing.T) (args []string) {
	t.Helper()
	path := strings.TrimSpace(harness.Go(t, t.TempDir(), "mod", "download", "-json", consistencyStore))
	var module struct{ GoMod, Version string }
	if err := json.Unmarshal([]byte(path), &module); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(module.GoMod)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutSuffix(strings.TrimSpace(line), " v0.0.0"); ok {
			args = append(args, fmt.Sprintf("-replace=%s@v0.0.0=%s@v0%s", name, name, strings.TrimPrefix(module.Version, "v1")))
		}
	}
	return args
}

func setJSON(t *testing.T, name string, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(name, string(text))
}
