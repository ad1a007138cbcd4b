package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"informerscope/server/internal/testkit"
)

// TestSimEndsWithSignals sends signals to the program. Even after SIGKILL its cluster ends, and takes the directory of the kubeconfig along.
func TestSimEndsWithSignals(t *testing.T) {
	program, err := builtServer()
	if err != nil {
		t.Fatal(err)
	}
	findSim(t, "serves")
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGKILL} {
		var out, log testkit.Log
		cmd := exec.Command(program, "sim", "--listen=127.0.0.1:0")
		cmd.Stdout, cmd.Stderr = &out, &log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		poll := time.NewTicker(10 * time.Millisecond)
		defer poll.Stop()
		deadline := time.After(patience)
		for !strings.Contains(log.String(), "msg=serving") {
			select {
			case err := <-ended:
				t.Fatalf("it ends: %v; %s", err, log.String())
			case <-deadline:
				t.Fatalf("it does not serve: %s", log.String())
			case <-poll.C:
			}
		}
		kubeconfig := kubeconfigOf(t, out.String())
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			if (err == nil) == (sig == syscall.SIGKILL) {
				t.Errorf("%s: it ends with %v; %s", sig, err, log.String())
			}
		case <-deadline:
			t.Fatalf("%s: it does not end: %s", sig, log.String())
		}
		for _, err := os.Stat(filepath.Dir(kubeconfig)); !errors.Is(err, os.ErrNotExist); _, err = os.Stat(filepath.Dir(kubeconfig)) {
			if sig != syscall.SIGKILL {
				t.Errorf("%s: it ends before its cluster", sig)
			}
			select {
			case <-deadline:
				t.Fatalf("%s: the kubeconfig is left", sig)
			case <-poll.C:
			}
		}
	}
}
