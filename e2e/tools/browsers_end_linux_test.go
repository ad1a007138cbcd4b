package tools_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/harness"
	"informerscope/e2e/internal/proc"
)

// envHeld makes the test program start the browser that it names, and keep it running.
const envHeld = "INFORMERSCOPE_E2E_HOLD"

// TestBrowsersEnd starts each browser in a test program that is killed, as by a time limit, and in one that ends normally. No process of it remains,
// and after a normal end no file either.
func TestBrowsersEnd(t *testing.T) {
	if held := os.Getenv(envHeld); held != "" {
		holdBrowser(t, held)
		return
	}
	for _, e := range engines[1:] {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s killed %v", e.name, killed), func(t *testing.T) {
				if err := e.find(); err != nil {
					if mustHave(e.name) {
						t.Fatal(err)
					}
					t.Skipf("left out: %v", err)
				}
				tmp := t.TempDir()
				ctx := harness.Timeout(t, 3*time.Minute)
				cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestBrowsersEnd$", "-test.count=1")
				mark := fmt.Sprintf("%s=%s", envHeld, e.name)
				// The directory of its temporary files identifies its processes.
				cmd.Env = append(os.Environ(), mark, "TMPDIR="+tmp, "INFORMERSCOPE_ARTIFACTS="+filepath.Join(tmp, "artifacts"))
				in, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				// A goroutine of os/exec writes the second until Wait returns.
				var said, errors bytes.Buffer
				cmd.Stderr = &errors
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				lines := bufio.NewScanner(out)
				for lines.Scan() && lines.Text() != "held" {
					fmt.Fprintln(&said, lines.Text())
				}
				running, err := proc.FindProcesses("TMPDIR=" + tmp)
				if err != nil || len(running) < 4 {
					t.Errorf("%d processes of the test and its browser run, want more: %v\n%s", len(running), err, said.String())
				}
				if killed {
					if err := cmd.Process.Kill(); err != nil {
						t.Error(err)
					}
				}
				in.Close()
				for lines.Scan() {
					fmt.Fprintln(&said, lines.Text())
				}
				if err := cmd.Wait(); (err == nil) == killed {
					t.Errorf("the test program ended with %v\n%s%s", err, said.String(), errors.String())
				}
				again := time.NewTicker(20 * time.Millisecond)
				defer again.Stop()
				for {
					left, err := proc.FindProcesses("TMPDIR=" + tmp)
					if err != nil {
						t.Fatal(err)
					}
					if len(left) == 0 {
						break
					}
					select {
					case <-again.C:
					case <-ctx.Done():
						t.Fatalf("these processes are left: %s", namesOf(left))
					}
				}
				if names, _ := filepath.Glob(filepath.Join(tmp, "informerscope-*")); len(names) > 0 && !killed {
					t.Errorf("these files are left: %q", names)
				}
			})
		}
	}
}

// holdBrowser starts a browser and keeps it until standard input ends.
func holdBrowser(t *testing.T, name string) {
	for _, e := range engines {
		if e.name != name {
			continue
		}
		b, err := e.start(harness.Timeout(t, 2*time.Minute), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		fmt.Println("held")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	}
}

func namesOf(pids []int) string {
	var names []string
	for _, pid := range pids {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		names = append(names, fmt.Sprintf("%d %s", pid, strings.ReplaceAll(string(line), "\x00", " ")))
	}
	return strings.Join(names, "; ")
}
