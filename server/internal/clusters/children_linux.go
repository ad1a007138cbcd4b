package clusters

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// endChildren ends the programs of these names that this process started, and what they started themselves. client-go keeps no handle on a
// credential plugin, and one that outlives the server would hold its standard error open for who reads it.
func endChildren(commands []string) {
	for _, child := range children(os.Getpid()) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
		if err != nil {
			continue // it has ended
		}
		// The program itself, or the script that an interpreter runs.
		words := strings.Split(string(raw), "\x00")
		if !slices.ContainsFunc(words[:min(len(words), 2)], func(word string) bool { return slices.Contains(commands, filepath.Base(word)) }) {
			continue
		}
		family := []int{child}
		for i := 0; i < len(family) && len(family) < 64; i++ {
			family = append(family, children(family[i])...)
		}
		for _, pid := range family {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
		}
	}
}

// children are the processes that a process started and that have not ended.
func children(pid int) (out []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		raw, err := os.ReadFile(list)
		if err != nil {
			continue
		}
		for word := range strings.FieldsSeq(string(raw)) {
			if child, err := strconv.Atoi(word); err == nil {
				out = append(out, child)
			}
		}
	}
	return out
}
