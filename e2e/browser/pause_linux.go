package browser

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/chromedp/chromedp"
)

// Pause stops every process of the browser, as a sleeping computer does, or continues them. While it is stopped no call to a page returns. A caller
// that stops it must continue it.
func (b *Browser) Pause(on bool) error {
	c := chromedp.FromContext(b.ctx)
	if c == nil || c.Browser == nil || c.Browser.Process() == nil {
		return errors.New("the browser has no process")
	}
	sig := syscall.SIGCONT
	if on {
		sig = syscall.SIGSTOP
	}
	// A process may start while the list is made, so repeat until there is no new one.
	known := map[int]bool{}
	for {
		pids, err := family(c.Browser.Process().Pid)
		if err != nil {
			return err
		}
		fresh := false
		for _, pid := range pids {
			if known[pid] {
				continue
			}
			known[pid], fresh = true, true
			if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("process %d of the browser: %w", pid, err)
			}
		}
		if !fresh {
			return nil
		}
	}
}

// family is a process and all its living descendants.
func family(root int) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// pid (name) state ppid ...; a name may contain anything.
		_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
		if f := strings.Fields(rest); len(f) > 1 {
			if parent, err := strconv.Atoi(f[1]); err == nil {
				children[parent] = append(children[parent], pid)
			}
		}
	}
	out := []int{root}
	for i := 0; i < len(out); i++ {
		out = append(out, children[out[i]]...)
	}
	return out, nil
}
