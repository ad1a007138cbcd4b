package judges

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"informerscope/sim/internal/harness"
)

// What TestMeasure asks for.
const (
	objects    = 100_000
	creators   = 16
	asked      = 1000 // writes a second
	writing    = 20 * time.Second
	writers    = 32
	watchers   = 200
	listeners  = 10 // watchers whose events are read for their latency; the others' are counted
	namespace  = "measure"
	sent       = `"sent":"`
	clockTicks = 100 // of /proc/…/stat in a second
)

// TestMeasure measures the cluster in one process, beside kube-apiserver and etcd as two: the assets, started as envtest starts them.
func TestMeasure(t *testing.T) {
	judge(t, fmt.Sprintf("measure: %d objects, %d writes asked a second, %d watchers", objects, asked, watchers), func() string {
		var saw []string
		t.Run("one process", func(t *testing.T) {
			c := harness.Start(t, "--objects=0", "--controllers=none")
			saw = append(saw, "in one process: "+measure(t, c.Config, []int{c.Pid()}))
		})
		t.Run("two processes", func(t *testing.T) {
			config, pids := startPair(t)
			saw = append(saw, "as two processes: "+measure(t, config, pids))
		})
		return strings.Join(saw, "; ")
	})
}

// measure loads a cluster and returns what it needed for that.
func measure(t *testing.T, config *rest.Config, pids []int) string {
	t.Helper()
	client := newClient(t, config)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	maps := client.CoreV1().ConfigMaps(namespace)
	var failures atomic.Int64
	write := func(workers int, next func() int, put func(context.Context, int) error) {
		var running sync.WaitGroup
		for range workers {
			running.Go(func() {
				for i := next(); i >= 0; i = next() {
					if err := put(ctx, i); err != nil {
						failures.Add(1)
					}
				}
			})
		}
		running.Wait()
	}
	object := func(i int) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c-%06d", i)},
			Data: map[string]string{"sent": strconv.FormatInt(time.Now().UnixNano(), 10), "text": strings.Repeat("x", 200)}}
	}
	var made atomic.Int64
	began, before := time.Now(), cpu(pids)
	write(creators, func() int {
		if i := int(made.Add(1)) - 1; i < objects {
			return i
		}
		return -1
	}, func(ctx context.Context, i int) error {
		_, err := maps.Create(ctx, object(i), metav1.CreateOptions{})
		return err
	})
	creating := time.Since(began)
	creates := fmt.Sprintf("%.0f creates/s, CPU %.0f%%", objects/creating.Seconds(), 100*(cpu(pids)-before)/creating.Seconds())

	list, err := maps.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	var latencies latencies
	var events, ended atomic.Int64
	var watching sync.WaitGroup
	for i := range watchers {
		stream, err := newClient(t, config).CoreV1().RESTClient().Get().Namespace(namespace).Resource("configmaps").
			VersionedParams(&metav1.ListOptions{Watch: true, ResourceVersion: list.ResourceVersion}, metav1.ParameterCodec).Stream(ctx)
		if err != nil {
			t.Fatal(err)
		}
		watching.Go(func() {
			defer func() { _ = stream.Close() }()
			lines := bufio.NewScanner(stream)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				events.Add(1)
				if i < listeners {
					latencies.add(lines.Bytes())
				}
			}
			if ctx.Err() == nil {
				ended.Add(1) // kube-apiserver ends a watch that does not keep up
			}
		})
	}
	// The ticket says when a write is due; one that comes late is made at once.
	var ticket, done atomic.Int64
	began, before = time.Now(), cpu(pids)
	write(writers, func() int {
		n := ticket.Add(1) - 1
		due := began.Add(time.Duration(n) * time.Second / asked)
		if wait := time.Until(due); wait > 0 {
			time.Sleep(wait)
		}
		if time.Since(began) > writing {
			return -1
		}
		return int(n)
	}, func(ctx context.Context, i int) error {
		_, err := maps.Update(ctx, object(i%objects), metav1.UpdateOptions{})
		done.Add(1)
		return err
	})
	took := time.Since(began)
	used := 100 * (cpu(pids) - before) / took.Seconds()
	for last := int64(-1); last != events.Load(); time.Sleep(2 * time.Second) {
		last = events.Load()
	}
	memory := 0
	for _, pid := range pids {
		memory += statusKB(pid, "VmHWM:") / 1024
	}
	slow := ended.Load()
	cancel()
	watching.Wait()
	if n := failures.Load(); n > 0 {
		t.Errorf("%d writes failed", n)
	}
	p50, p99, n := latencies.percentiles()
	if n == 0 {
		t.Error("no watcher saw a write")
	}
	return fmt.Sprintf("%s; %.0f writes/s with %d watchers, %d events, latency p50 %s p99 %s, CPU %.0f%%, %d watches ended as too slow; at most %d MB", creates,
		float64(done.Load())/took.Seconds(), watchers, events.Load(), p50.Round(100*time.Microsecond), p99.Round(100*time.Microsecond), used, slow, memory)
}

// newClient is a client with a connection of its own, without a limit of requests a second.
func newClient(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	own := rest.CopyConfig(config)
	own.QPS, own.Dial = -1, (&net.Dialer{}).DialContext // one with a Dial of its own shares no connections
	own.ContentType = "application/json"
	client, err := kubernetes.NewForConfig(own)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// latencies are the times between a write and when a watcher reads it. It is safe for concurrent use.
type latencies struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *latencies) add(line []byte) {
	now := time.Now().UnixNano()
	_, rest, _ := bytes.Cut(line, []byte(sent))
	text, _, found := bytes.Cut(rest, []byte(`"`))
	n, err := strconv.ParseInt(string(text), 10, 64)
	if !found || err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, time.Duration(now-n))
}

func (l *latencies) percentiles() (p50, p99 time.Duration, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n = len(l.all); n == 0 {
		return 0, 0, 0
	}
	slices.Sort(l.all)
	return l.all[n/2], l.all[n*99/100], n
}

// cpu is the processor time of processes on Linux, in seconds.
func cpu(pids []int) (seconds float64) {
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(text), ") ")
		for i, word := range strings.Fields(rest) {
			if i == 11 || i == 12 { // of the process itself, in user mode and in the kernel
				ticks, _ := strconv.ParseFloat(word, 64)
				seconds += ticks / clockTicks
			}
		}
	}
	return seconds
}

// startPair starts etcd and kube-apiserver of the assets, with further variables. They end with the test.
func startPair(t *testing.T, env ...string) (*rest.Config, []int) {
	t.Helper()
	dir, ports := t.TempDir(), freePorts(t, 3)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	keyFile, tokens, token := filepath.Join(dir, "sa.key"), filepath.Join(dir, "tokens.csv"), rand.Text()
	for file, text := range map[string][]byte{
		keyFile: pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
		tokens:  []byte(token + ",admin,admin,system:masters\n"),
	} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	etcd := "http://127.0.0.1:" + ports[0]
	var pids []int
	for _, args := range [][]string{
		{"etcd", "--data-dir=" + filepath.Join(dir, "etcd"), "--listen-client-urls=" + etcd, "--advertise-client-urls=" + etcd,
			"--listen-peer-urls=http://127.0.0.1:" + ports[1], "--unsafe-no-fsync", "--log-level=error"},
		{"kube-apiserver", "--etcd-servers=" + etcd, "--cert-dir=" + dir, "--bind-address=127.0.0.1", "--secure-port=" + ports[2], "--token-auth-file=" + tokens,
			"--service-account-issuer=https://127.0.0.1", "--service-account-key-file=" + keyFile, "--service-account-signing-key-file=" + keyFile,
			"--service-cluster-ip-range=10.0.0.0/16", "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount"},
	} {
		cmd := exec.Command(filepath.Join(harness.Assets(t), args[0]), args[1:]...)
		log := &bytes.Buffer{}
		cmd.Stderr, cmd.Env = log, append(os.Environ(), env...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pids = append(pids, cmd.Process.Pid)
		t.Cleanup(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			late := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
			defer late.Stop()
			_ = cmd.Wait()
			if t.Failed() {
				t.Logf("%s printed:\n%s", args[0], log.Bytes()[max(0, log.Len()-4<<10):])
			}
		})
	}
	config := &rest.Config{Host: "https://127.0.0.1:" + ports[2], BearerToken: token, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	client := newClient(t, config)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		_, err := client.RESTClient().Get().AbsPath("/readyz").DoRaw(t.Context())
		if err == nil {
			return config, pids
		}
		if time.Now().After(deadline) {
			t.Fatalf("kube-apiserver is not ready: %v", err)
		}
	}
}

// freePorts are ports that no process uses now.
func freePorts(t *testing.T, n int) (ports []string) {
	t.Helper()
	for range n {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = ln.Close() }()
		ports = append(ports, strconv.Itoa(ln.Addr().(*net.TCPAddr).Port))
	}
	return ports
}
