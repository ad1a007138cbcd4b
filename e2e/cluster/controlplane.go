package cluster

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// ContextName is the name of the only context in a control plane's kubeconfig.
const ContextName = "informerscope-e2e"

const (
	readyTimeout = 2 * time.Minute
	stopGrace    = 5 * time.Second
	portAttempts = 5
)

// Options of a control plane. The zero value is good.
type Options struct {
	// LogDir keeps the logs of etcd and kube-apiserver. Default: the state
	// directory, which Close removes.
	LogDir string
	// APIServerArgs are further flags of kube-apiserver, last and so strongest.
	APIServerArgs []string
}

// ControlPlane is a running etcd and kube-apiserver. Its methods may be called
// from several goroutines, but one that stops or starts the API server makes
// the others wait.
type ControlPlane struct {
	// Bin are the programs that run.
	Bin Bin
	// Kubeconfig is the absolute path of a kubeconfig file with one context,
	// ContextName, whose token is in the group system:masters.
	Kubeconfig string
	// StartTime is how long Start took until the API server was ready.
	StartTime time.Duration

	opts     Options
	state    string
	etcdURL  string
	apiPort  int
	token    string
	mu       sync.Mutex
	etcd     *proc.Process
	etcdArgs []string
	api      *proc.Process
	closed   bool
	config   *rest.Config
	client   kubernetes.Interface
}

// Start builds what is missing ([Binaries]) and starts a control plane on free loopback
// ports; it returns when the API server reports ready. The caller must Close it.
// ctx bounds the start only.
func Start(ctx context.Context, opts Options) (*ControlPlane, error) {
	bin, err := Binaries()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("the control plane was not ready within %s", readyTimeout))
	defer cancel()
	state, err := os.MkdirTemp("", "informerscope-controlplane-")
	if err != nil {
		return nil, err
	}
	cp := &ControlPlane{Bin: bin, opts: opts, state: state}
	if cp.opts.LogDir == "" {
		cp.opts.LogDir = state
	}
	if err := cp.start(ctx); err != nil {
		err = fmt.Errorf("%w\n%s", err, cp.LogTail(25))
		cp.Close()
		return nil, err
	}
	cp.StartTime = time.Since(begin)
	return cp, nil
}

// StartForTest is [Start] for a test: an error fails the test. The logs go to the test's artifacts, and their tails to its output when it fails. The
// control plane is closed by t.Cleanup. With -short the test is skipped: make test does not compile Kubernetes.
func StartForTest(t testing.TB, opts Options) *ControlPlane {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a control plane: make verify runs it")
	}
	if opts.LogDir == "" {
		dir, err := layout.Artifacts(t.Name())
		if err != nil {
			t.Fatal(err)
		}
		opts.LogDir = dir
	}
	// Logs are appended to, and an earlier run's are not this one's.
	for _, name := range []string{"etcd", "kube-apiserver"} {
		os.Remove(filepath.Join(opts.LogDir, name+".log"))
	}
	cp, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatalf("starting the control plane: %v", err)
	}
	t.Cleanup(func() {
		cp.Close()
		if t.Failed() {
			t.Logf("the control plane's last words:\n%s", cp.LogTail(20))
		}
	})
	t.Logf("control plane ready in %s", cp.StartTime.Round(10*time.Millisecond))
	return cp
}

func (cp *ControlPlane) start(ctx context.Context) error {
	if err := cp.writeCredentials(); err != nil {
		return err
	}
	if err := cp.startEtcd(ctx); err != nil {
		return err
	}
	var err error
	for range portAttempts {
		if cp.apiPort, err = proc.FreePort(); err != nil {
			return err
		}
		if err = cp.startAPIServer(ctx); !addressInUse(cp.api, err) {
			break
		}
	}
	if err != nil {
		return err
	}
	return cp.writeKubeconfig()
}

// startEtcd starts etcd on free ports, and tries other ones if another program takes them first.
func (cp *ControlPlane) startEtcd(ctx context.Context) error {
	var err error
	for i := range portAttempts {
		var client, peer int
		if client, err = proc.FreePort(); err != nil {
			return err
		}
		if peer, err = proc.FreePort(); err != nil {
			return err
		}
		cp.etcdURL = fmt.Sprintf("http://127.0.0.1:%d", client)
		peerURL := fmt.Sprintf("http://127.0.0.1:%d", peer)
		cp.etcdArgs = []string{
			"--data-dir=" + filepath.Join(cp.state, "etcd"+strconv.Itoa(i)),
			"--listen-client-urls=" + cp.etcdURL, "--advertise-client-urls=" + cp.etcdURL,
			"--listen-peer-urls=" + peerURL, "--initial-advertise-peer-urls=" + peerURL,
			"--initial-cluster=default=" + peerURL,
			"--log-level=warn", "--unsafe-no-fsync",
		}
		if err = cp.runEtcd(ctx); !addressInUse(cp.etcd, err) {
			return err
		}
	}
	return err
}

// runEtcd starts etcd with its arguments as they are, and waits until it is ready.
func (cp *ControlPlane) runEtcd(ctx context.Context) error {
	p, err := proc.Start("etcd", cp.opts.LogDir, cp.Bin.Etcd, nil, cp.etcdArgs...)
	if err != nil {
		return err
	}
	cp.etcd = p
	return p.Wait(ctx, func(ctx context.Context) error {
		return get200(ctx, http.DefaultClient, cp.etcdURL+"/readyz", "")
	})
}

// startAPIServer starts kube-apiserver on cp.apiPort and waits until it is ready. The caller holds cp.mu, or has not shared cp yet.
func (cp *ControlPlane) startAPIServer(ctx context.Context) error {
	args := []string{
		"--etcd-servers=" + cp.etcdURL,
		"--cert-dir=" + filepath.Join(cp.state, "certs"),
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(cp.apiPort),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + filepath.Join(cp.state, "sa.key"),
		"--service-account-signing-key-file=" + filepath.Join(cp.state, "sa.key"),
		"--token-auth-file=" + filepath.Join(cp.state, "tokens.csv"),
		"--authorization-mode=RBAC",
		"--service-cluster-ip-range=10.0.0.0/24",
		// No controller-manager makes the default service accounts that this
		// admission plugin would wait for.
		"--disable-admission-plugins=ServiceAccount",
		// A test creates pods by the thousand.
		"--max-requests-inflight=0", "--max-mutating-requests-inflight=0", "--enable-priority-and-fairness=false",
		// Without it a stop waits for open watches.
		"--shutdown-watch-termination-grace-period=0s",
	}
	p, err := proc.Start("kube-apiserver", cp.opts.LogDir, cp.Bin.KubeAPIServer, nil, append(args, cp.opts.APIServerArgs...)...)
	if err != nil {
		return err
	}
	cp.api = p
	var client *http.Client
	return p.Wait(ctx, func(ctx context.Context) error {
		if client == nil {
			// The certificate exists only once the server has written it.
			pool := x509.NewCertPool()
			text, err := os.ReadFile(cp.caFile())
			if err != nil {
				return err
			}
			if !pool.AppendCertsFromPEM(text) {
				return errors.New("the API server's certificate is not whole yet")
			}
			client = &http.Client{Transport: httpTransport(pool), Timeout: 10 * time.Second}
		}
		return get200(ctx, client, cp.URL()+"/readyz", cp.token)
	})
}

// CAFile is the certificate that the API server shows, by which it is known.
func (cp *ControlPlane) CAFile() string { return cp.caFile() }

func (cp *ControlPlane) caFile() string { return filepath.Join(cp.state, "certs", "apiserver.crt") }

// URL returns the API server's address, which stays the same over restarts.
func (cp *ControlPlane) URL() string { return fmt.Sprintf("https://127.0.0.1:%d", cp.apiPort) }

func (cp *ControlPlane) writeCredentials() error {
	var secret [16]byte
	rand.Read(secret[:])
	cp.token = hex.EncodeToString(secret[:])
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(cp.state, "tokens.csv"), []byte(cp.token+`,e2e,e2e,"system:masters"`+"\n"), 0o600),
		os.WriteFile(filepath.Join(cp.state, "sa.key"), pem.EncodeToMemory(&pem.Block{
			Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), 0o600),
	)
}

func (cp *ControlPlane) writeKubeconfig() error {
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters[ContextName] = &clientcmdapi.Cluster{Server: cp.URL(), CertificateAuthority: cp.caFile()}
	cfg.AuthInfos[ContextName] = &clientcmdapi.AuthInfo{Token: cp.token}
	cfg.Contexts[ContextName] = &clientcmdapi.Context{Cluster: ContextName, AuthInfo: ContextName}
	cfg.CurrentContext = ContextName
	cp.Kubeconfig = filepath.Join(cp.state, "kubeconfig")
	if err := clientcmd.WriteToFile(*cfg, cp.Kubeconfig); err != nil {
		return err
	}
	config, err := clientcmd.NewDefaultClientConfig(*cfg, nil).ClientConfig()
	if err != nil {
		return err
	}
	// The tests' own pace is not what is under test.
	config.QPS = -1
	cp.config = config
	cp.client, err = kubernetes.NewForConfig(config)
	return err
}

// Config returns a client configuration without rate limits. The caller owns it.
func (cp *ControlPlane) Config() *rest.Config { return rest.CopyConfig(cp.config) }

// Client returns the control plane's shared client.
func (cp *ControlPlane) Client() kubernetes.Interface { return cp.client }

// StopAPIServer ends the API server and returns once its port is closed. It
// does nothing when it is stopped already.
func (cp *ControlPlane) StopAPIServer() {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.stopAPIServer()
}

func (cp *ControlPlane) stopAPIServer() {
	if cp.api != nil {
		cp.api.Stop(stopGrace)
		cp.api = nil
	}
}

// StartAPIServer starts the API server again on its port, with the same
// certificate and the same etcd, and waits until it is ready.
func (cp *ControlPlane) StartAPIServer(ctx context.Context) error {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	if cp.closed {
		return errors.New("the control plane is closed")
	}
	if cp.api != nil {
		return errors.New("the API server is running already: stop it first")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("the API server was not ready within %s", readyTimeout))
	defer cancel()
	if err := cp.startAPIServer(ctx); err != nil {
		err = fmt.Errorf("%w\n%s", err, cp.api.LogTail(25))
		cp.stopAPIServer()
		return err
	}
	return nil
}

// RestartAPIServer stops the API server and starts it again. Its watch cache is
// empty afterwards: it begins at etcd's present revision.
func (cp *ControlPlane) RestartAPIServer(ctx context.Context) error {
	cp.StopAPIServer()
	return cp.StartAPIServer(ctx)
}

// Close ends every process and removes the state directory. It is safe to call
// again.
func (cp *ControlPlane) Close() {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	if cp.closed {
		return
	}
	cp.closed = true
	cp.stopAPIServer()
	if cp.etcd != nil {
		cp.etcd.Stop(stopGrace)
	}
	os.RemoveAll(cp.state)
}

// LogTail returns the last n lines of each process's log.
func (cp *ControlPlane) LogTail(n int) string {
	var b strings.Builder
	for _, name := range []string{"etcd", "kube-apiserver"} {
		log := filepath.Join(cp.opts.LogDir, name+".log")
		if _, err := os.Stat(log); err != nil {
			continue
		}
		fmt.Fprintf(&b, "=== %s\n%s\n", log, proc.LogTail(log, n))
	}
	return b.String()
}

// addressInUse reports whether a start failed because a port was taken.
func addressInUse(p *proc.Process, err error) bool {
	if err == nil || p == nil {
		return false
	}
	select {
	case <-p.Done:
		return strings.Contains(p.LogTail(40), "address already in use")
	default:
		return false
	}
}
