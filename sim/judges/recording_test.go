package judges

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace/tracetest"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/object"
)

// TestASuiteLeavesARecording lets the suite of an operator be recorded, its own resource too, which is defined once the API server runs.
func TestASuiteLeavesARecording(t *testing.T) {
	judge(t, "envtest, a suite that is recorded", func() string {
		tests, p, file := suite(t, "operator", controllerRuntime), newPair(t), filepath.Join(t.TempDir(), "suite.trace")
		run(t, filepath.Dir(tests), p.env("INFORMERSCOPE_RECORDING="+file, "INFORMERSCOPE_RECORDING_RESOURCES=configmaps,boats.example.org"), tests)
		p.expectNone(t)
		events, seen := read(t, file, true)
		for _, key := range []string{"configmaps default/ketch", "boats default/ketch"} {
			if !seen[key] {
				t.Errorf("the recording never has %s in a store; it has %v", key, seen)
			}
		}
		return fmt.Sprintf("a recording of %d events, with the Boat and its ConfigMap", events)
	})
}

// TestAKilledServerLeavesARecording kills kube-apiserver while it is recorded: what was seen until then is in the file.
func TestAKilledServerLeavesARecording(t *testing.T) {
	judge(t, "envtest, a kube-apiserver that is killed while it is recorded", func() string {
		tests, p, dir := suite(t, "extras", controllerRuntime), newPair(t), t.TempDir()
		file, ready := filepath.Join(dir, "killed.trace"), filepath.Join(dir, "ready")
		cmd := exec.Command(tests, "-test.run=^TestUntilKilled$")
		cmd.Env = append(os.Environ(), p.env("INFORMERSCOPE_CONTROLLERS=all", "READY="+ready, "INFORMERSCOPE_RECORDING="+file,
			"INFORMERSCOPE_RECORDING_RESOURCES=pods,deployments.apps")...)
		ended := begin(t, cmd, ready)
		// What the recording has is at most as old as the probe's next look: wait until the file has the pods that the suite waited for.
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			if text, err := os.ReadFile(file); err == nil && bytes.Count(text, []byte(`"phase":"Running"`)) >= 2 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the recording has no pods that run")
			}
		}
		for _, pid := range p.processes() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = cmd.Process.Kill()
		<-ended
		events, seen := read(t, file, false)
		if !seen["deployments default/web"] {
			t.Errorf("the recording has no Deployment: %v", seen)
		}
		return fmt.Sprintf("a recording of %d events, with the Deployment and its pods", events)
	})
}

// read folds a recording, and returns how many events it has and each object that was in a store, with its resource.
func read(t *testing.T, file string, whole bool) (int, map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	decode := func(raw []byte) (any, error) { return object.Parse(raw) }
	_, events, warning, err := tracetest.Read(bytes.NewReader(text), tracefile.ReadOptions{DecodeObject: decode})
	if err != nil || whole && warning != nil {
		t.Fatalf("the recording: %v, %v", err, warning)
	}
	f, seen := fold.NewFold(), map[string]bool{}
	for i := range events {
		f.Apply(&events[i])
		lane := int(events[i].Lane)
		if lane >= f.Lanes() {
			continue
		}
		resource := f.StateOf(lane).Resource.Resource
		f.Objects(lane).Range(func(c *fold.Cell) bool {
			seen[resource+" "+c.Key] = true
			return true
		})
	}
	return len(events), seen
}
