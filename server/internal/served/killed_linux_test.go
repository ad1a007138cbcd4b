package served

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestTheProgramEndsWithItsStarter kills a process that has started the program. The program's standard input ends then, and it ends.
func TestTheProgramEndsWithItsStarter(t *testing.T) {
	starter := exec.Command(os.Args[0])
	starter.Env = append(os.Environ(), role+"=starts")
	stdin, err := starter.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := starter.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := starter.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := starter.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = starter.Wait() // it was killed
	status := fmt.Sprintf("/proc/%s/status", strings.TrimSpace(line))
	deadline := time.After(20 * time.Second)
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		text, err := os.ReadFile(status)
		if err != nil || strings.Contains(string(text), "Z (zombie)") {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the program runs on")
		}
	}
}
