package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"informerscope/core/informer/conformance/play"
)

// judge is a program with an other release of client-go. It plays the scripts that it receives. It is built only when a schedule is to be shrunk that
// differs from its recording, or when a schedule has no recording.
type judge struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

var judgeOf = struct {
	sync.Mutex
	started map[play.Release]*judge
}{started: map[play.Release]*judge{}}

// judgeFor returns the judge of a release, and starts it if none is running. The judge ends with the test that started it.
func judgeFor(t testing.TB, release play.Release) *judge {
	t.Helper()
	judgeOf.Lock()
	defer judgeOf.Unlock()
	if j := judgeOf.started[release]; j != nil {
		return j
	}
	tag := "v0" + strings.TrimPrefix(string(release), "1.")
	program := filepath.Join(t.TempDir(), tag+".test")
	build := exec.Command("go", "test", "-c", "-modfile="+tag+".mod", "-tags="+tag, "-o", program, ".")
	build.Dir = "../../../e2e/releases"
	if release == play.E138 { // it needs a newer Go than this one
		build.Env = append(os.Environ(), "GOTOOLCHAIN=go1.27.0")
	}
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the judge of release %s cannot be built: %v\n%s", release, err, out)
	}
	cmd := exec.Command(program, "-test.run=^TestServe$", "-test.v", "-test.timeout=0", "-serve")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	j := &judge{in: in, out: bufio.NewScanner(out)}
	j.out.Buffer(nil, 1<<28)
	judgeOf.started[release] = j
	t.Cleanup(func() {
		judgeOf.Lock()
		defer judgeOf.Unlock()
		delete(judgeOf.started, release)
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the judge of release %s: %v", release, err)
		}
	})
	return j
}

// play plays a script to the judge and returns what the judge observed.
func (j *judge) play(s *play.Script) ([]play.Section, error) {
	if err := json.NewEncoder(j.in).Encode(s.Recipe()); err != nil {
		return nil, err
	}
	for j.out.Scan() {
		if answer, ok := strings.CutPrefix(j.out.Text(), play.AnswerPrefix); ok {
			var sections []play.Section
			return sections, json.Unmarshal([]byte(answer), &sections)
		}
	}
	return nil, fmt.Errorf("the judge gave no answer: %v", j.out.Err())
}
