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

// endChildren kills the running credential plugins with these names and the processes that they started: client-go keeps no handle on them.
func endChildren(commands []string) {
	for _, child := range children(os.Getpid()) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", child))
		if err != nil {
			continue // it has ended
		}
		words := strings.Split(string(raw), "\x00") // as wrapPlugin arranges them
		if len(words) < 3 || words[1] != pluginArgument || !slices.Contains(commands, filepath.Base(words[2])) {
			continue
		}
		family := []int{child}
		for i := 0; i < len(family) && len(family) < 64; i++ {
			family = append(family, children(family[i])...)
		}
		for _, pid := range family {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
}

// children returns the children of a process that have not ended.
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
