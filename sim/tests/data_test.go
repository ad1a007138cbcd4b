package tests

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/sim/internal/harness"
)

var kills = flag.Int("sim.kills", 5, "how often a cluster that keeps its data is killed")

// ledger notes what a cluster has acknowledged: the value of each ConfigMap, "" for one that was deleted. What was under way when the cluster ended is not
// known, and is left out.
type ledger struct {
	mu           sync.Mutex
	values       map[string]string
	acknowledged int
}

func (l *ledger) note(name, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.values[name] = value
	l.acknowledged++
}

func (l *ledger) forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.values, name)
}

func (l *ledger) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.acknowledged
}

// write creates, changes and deletes ConfigMaps until the cluster no longer answers, and returns its last error.
func (l *ledger) write(ctx context.Context, c *harness.Cluster, prefix, value string) error {
	maps := c.Client.CoreV1().ConfigMaps("default")
	for i := 0; ; i++ {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", prefix, i)}, Data: map[string]string{"value": "first" + value}}
		if _, err := maps.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
		l.note(object.Name, object.Data["value"])
		if i%2 == 0 {
			continue
		}
		object.Data["value"] = "second" + value
		if _, err := maps.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
			l.forget(object.Name)
			return err
		}
		l.note(object.Name, object.Data["value"])
		if i%4 == 1 {
			continue
		}
		if err := maps.Delete(ctx, object.Name, metav1.DeleteOptions{}); err != nil {
			l.forget(object.Name)
			return err
		}
		l.note(object.Name, "")
	}
}

// check compares what a cluster has with what was acknowledged.
func (l *ledger) check(t *testing.T, c *harness.Cluster) {
	t.Helper()
	list, err := c.Client.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]string{}
	for _, object := range list.Items {
		have[object.Name] = object.Data["value"]
	}
	for name, value := range l.values {
		if have[name] != value {
			t.Errorf("%s was acknowledged with the value %q and now has %q", name, value, have[name])
		}
	}
}

// TestKills kills a cluster that keeps its data while it is written to, again and again. Whatever was acknowledged is there after the next start.
func TestKills(t *testing.T) {
	data := filepath.Join(t.TempDir(), "missing", "data")
	l := &ledger{values: map[string]string{}}
	for round := range *kills {
		c := harness.Start(t, "--objects=0", "--controllers=none", "--data="+data)
		l.check(t, c)
		var writers sync.WaitGroup
		for writer := range 4 {
			writers.Go(func() { _ = l.write(t.Context(), c, fmt.Sprintf("r%d-w%d", round, writer), "") })
		}
		enough := l.count() + 100
		eventually(t, func(context.Context) error {
			if n := l.count(); n < enough {
				return fmt.Errorf("%d of %d writes were acknowledged", n, enough)
			}
			return nil
		})
		c.Kill()
		writers.Wait()
	}
	c := harness.Start(t, "--objects=0", "--controllers=none", "--data="+data)
	l.check(t, c)
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	t.Logf("%d writes were acknowledged over %d kills", l.count(), *kills)
}

// TestKillWhileSeeding kills a cluster that keeps its data while it makes its first objects. The next start goes on with them.
func TestKillWhileSeeding(t *testing.T) {
	data := t.TempDir()
	cmd := harness.Command(t, "--objects=10000", "--controllers=none", "--data="+data)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(context.Context) error {
		written, err := os.ReadFile(filepath.Join(data, "etcd", "member", "snap", "db"))
		if err == nil && !strings.Contains(string(written), "/registry/deployments/") {
			err = errors.New("no deployment has been written yet")
		}
		return err
	})
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	c := harness.Start(t, "--objects=10000", "--controllers=none", "--data="+data)
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
}

// TestDataOfAnother starts a second process on the directory of a first one. It ends with a reason, and the first one does not notice.
func TestDataOfAnother(t *testing.T) {
	data := t.TempDir()
	first := harness.Start(t, "--objects=0", "--controllers=none", "--data="+data)
	second, err := harness.TryStart(t, "--objects=0", "--controllers=none", "--data="+data)
	if want := "another process uses " + data; err == nil || !strings.Contains(second.Output(), want) {
		t.Errorf("the second process: %v; it printed %q, want %q", err, second.Output(), want)
	}
	if err := createConfigMap(t.Context(), first, "default", "after", metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
}

// TestDataRefused names things as --data that cannot keep a cluster. The program says so, and does not hang.
func TestDataRefused(t *testing.T) {
	directory := t.TempDir()
	file, pipe, closed := filepath.Join(directory, "file"), filepath.Join(directory, "pipe"), filepath.Join(directory, "closed")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), syscall.Mkfifo(pipe, 0o600), os.Mkdir(closed, 0o500)); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		closed = "/proc/self/fdinfo" // root may write everywhere else
	}
	for _, row := range []struct{ data, want string }{
		{file, "--data: " + file + " is not a directory; name a directory, which is made if it is missing"},
		{pipe, "--data: " + pipe + " is not a directory"},
		{filepath.Join(file, "below"), "--data: stat " + filepath.Join(file, "below") + ": not a directory"},
		{closed, "--data: "},
	} {
		t.Run(filepath.Base(row.data), func(t *testing.T) {
			c, err := harness.TryStart(t, "--data="+row.data)
			if err == nil || !strings.Contains(c.Output(), row.want) {
				t.Errorf("it ended with %v and printed %q, want %q", err, c.Output(), row.want)
			}
			if strings.Count(c.Output(), "\n") > 2 {
				t.Errorf("it printed more than an error:\n%s", c.Output())
			}
		})
	}
}

// TestDiskFull lets the disk of the data become full. The program ends and says why; with room again, whatever was acknowledged is there.
func TestDiskFull(t *testing.T) {
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("this machine does not let the test mount a small disk: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	data := filepath.Join(disk, "data")
	c := harness.Start(t, "--objects=0", "--controllers=none", "--data="+data)
	filler, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = filler.Write(make([]byte, 4096))
	}
	if info, err := filler.Stat(); err != nil || errors.Join(filler.Truncate(info.Size()-4<<20), filler.Close()) != nil { // room for some writes
		t.Fatal(err)
	}
	l := &ledger{values: map[string]string{}}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	last := l.write(ctx, c, "full", strings.Repeat("x", 200_000))
	t.Logf("%d writes were acknowledged; then: %.300v", l.count(), last)
	select {
	case <-c.Ended():
	case <-ctx.Done():
		t.Fatalf("the process still runs, %s after the disk was full", patience)
	}
	if err := c.Stop(); err == nil || !strings.HasPrefix(c.Output(), "informerscope-sim: etcd: ") || !strings.HasSuffix(c.Output(), "no space left on device\n") ||
		strings.Count(c.Output(), "\n") != 1 {
		t.Errorf("it ended with %v and printed no line about a full disk but:\n%s", err, c.Output())
	}
	if left, err := os.ReadDir(c.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
	if err := os.Remove(filler.Name()); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	second := harness.Start(t, "--objects=0", "--controllers=none", "--data="+data)
	t.Logf("with room again it was ready after %s", time.Since(begun))
	l.check(t, second)
	if err := createConfigMap(t.Context(), second, "default", "after", metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Error(err)
	}
	if err := second.Stop(); err != nil {
		t.Error(err)
	}
}
