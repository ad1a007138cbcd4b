package proc

import (
	"bytes"
	"os"
	"strconv"
)

// FindProcesses returns the processes that run with text in their environment: those of
// a program that was started with it, and all that these started.
func FindProcesses(text string) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		// It is empty for one that has ended and was not waited for, and may be gone by now.
		env, _ := os.ReadFile("/proc/" + e.Name() + "/environ")
		if bytes.Contains(env, []byte(text)) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
