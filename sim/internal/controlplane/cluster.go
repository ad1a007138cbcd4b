package controlplane

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/client-go/rest"
	logs "k8s.io/component-base/logs/api/v1"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

const (
	// serviceAccountController makes the service account that each pod needs.
	serviceAccountController = "serviceaccount-controller"
	schedulerName            = "kube-scheduler"
	kubeletName              = "kubelet"
	// maxSocketPath is how long the path of a socket may be on every system, in bytes.
	maxSocketPath = 103
)

// Options of a Cluster.
type Options struct {
	// Data is the directory that keeps the cluster; empty for one that goes with it.
	Data string
	// Controllers are the controllers that run, by the names of kube-controller-manager, and kube-scheduler and kubelet beside them; nil for all.
	Controllers []string
	// Speed divides the time that containers take to start.
	Speed float64
	// Stages are stages of kwok beside its own, as YAML documents.
	Stages string
	// Stopped is the label of nodes whose kubelets have stopped: nothing renews their leases, and nothing runs or ends their pods.
	Stopped string
	// Audit gets an event for each write that kube-apiserver has answered.
	Audit audit.Sink
	// Logs gets what kwok logs. The others log with klog, which is the process's.
	Logs io.Writer
}

// Check returns an error for a name that no controller has.
func (o Options) Check() error {
	known := append(controllers.KnownControllers(), schedulerName, kubeletName)
	for _, name := range o.Controllers {
		if alias, ok := controllers.ControllerAliases()[name]; ok {
			name = alias
		}
		if !slices.Contains(known, name) {
			slices.Sort(known)
			return fmt.Errorf("no controller is named %q; there are all, none, and a list of: %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// runs reports whether a controller runs.
func (o Options) runs(name string) bool {
	return o.Controllers == nil || slices.Contains(o.Controllers, name)
}

// controllerNames are the controllers of kube-controller-manager as its flag has them; empty for none.
func (o Options) controllerNames() string {
	if o.Controllers == nil {
		return "*"
	}
	own := slices.DeleteFunc(slices.Clone(o.Controllers), func(name string) bool { return name == schedulerName || name == kubeletName })
	return strings.Join(own, ",")
}

// Cluster is Kubernetes in this process. Its methods are safe for concurrent use.
type Cluster struct {
	options Options
	run     string // the directory of this launch
	data    string // the directory of the data; the same if nothing is kept
	access  *access
	audit   audit.Backend
	lock    *fileutil.LockedFile // of the data

	etcd    *database
	clients *front // the port of all clients
	own     *front // the port of the components
	watches atomic.Int64

	mu       sync.Mutex // held while API servers start and end
	server   *apiServer
	old      *apiServer // the one that lags behind, and answers clients; nil for none
	oldFront *front     // its own port; nil for none
	stop     context.CancelFunc
	running  sync.WaitGroup
	failure  chan error // of the first component that ended by itself
}

// Start starts a cluster, and returns when its API server is ready and its components have started.
func Start(ctx context.Context, o Options) (_ *Cluster, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	logs.ReapplyHandling = logs.ReapplyHandlingIgnoreUnchanged // each component sets up the same logging
	c := &Cluster{options: o, audit: sink{o.Audit}, failure: make(chan error, 1)}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop = stop
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if err = c.openDirectories(); err != nil {
		return nil, err
	}
	if c.access, err = newAccess(c.data, c.run); err != nil {
		return nil, err
	}
	if c.etcd, err = startEtcd(ctx, c.data, c.run, o.Data != ""); err != nil {
		return nil, err
	}
	c.start(background, "etcd", c.etcd.wait)
	if c.clients, err = newFront(); err != nil {
		return nil, err
	}
	if c.own, err = newFront(); err != nil {
		return nil, err
	}
	if err = cmp.Or(c.startServer(ctx), ctx.Err()); err != nil {
		return nil, err
	}
	if _, err = c.access.kubeconfig(administrator, c.clients.Addr().String()); err != nil {
		return nil, err
	}
	components{o, c.access, c.own.Addr().String()}.each(func(name string, run func(context.Context) error) { c.start(background, name, run) })
	return c, nil
}

// openDirectories makes the directories, and locks that of the data.
func (c *Cluster) openDirectories() (err error) {
	if c.run, err = os.MkdirTemp("", "informerscope-sim-"); err != nil { // only its owner can open it
		return fmt.Errorf("TMPDIR: %w", err)
	}
	if n := len(filepath.Join(c.run, "etcd.sock")); n > maxSocketPath {
		return fmt.Errorf("TMPDIR: etcd's sockets have paths of %d bytes there, at most %d can be opened: name a directory with a shorter path", n, maxSocketPath)
	}
	c.data = c.run
	if c.options.Data == "" {
		return nil
	}
	if c.data, err = filepath.Abs(c.options.Data); err != nil {
		return err
	}
	if info, err := os.Stat(c.data); err == nil && !info.IsDir() {
		return fmt.Errorf("--data: %s is not a directory; name a directory, which is made if it is missing", c.data)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--data: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(c.data, "keys"), 0o700); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if c.lock, err = fileutil.TryLockFile(filepath.Join(c.data, "lock"), os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
		return fmt.Errorf("--data: another process uses %s: end it, or name another directory (%w)", c.data, err)
	}
	return nil
}

// start runs a component in the background.
func (c *Cluster) start(ctx context.Context, name string, run func(context.Context) error) {
	c.running.Go(func() {
		err := run(ctx)
		if ctx.Err() == nil {
			c.fail(name, err)
		}
	})
}

// fail notes the first component that ended by itself.
func (c *Cluster) fail(name string, err error) {
	if err == nil {
		err = errors.New("it gave no reason")
	}
	select {
	case c.failure <- fmt.Errorf("%s ended by itself: %w", name, err):
	default:
	}
}

// startServer starts the API server that is not behind.
func (c *Cluster) startServer(ctx context.Context) error {
	listener := newHanded(c.own.Addr())
	c.own.point(listener)
	s, err := c.startAPIServer(ctx, c.etcd.current, listener)
	if err != nil {
		return err
	}
	c.server = s
	c.clients.point(listener)
	return nil
}

// Failure returns what the first component says that ends by itself.
func (c *Cluster) Failure() <-chan error { return c.failure }

// Kubeconfig is the administrator's kubeconfig.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.run, "kubeconfig") }

// Config is the connection of a user of this package to the API server that is not behind.
func (c *Cluster) Config(user string) (*rest.Config, error) {
	return c.access.config(user, c.own.Addr().String())
}

// Close ends all components, and removes the directory of this launch. When it returns, none of them runs.
func (c *Cluster) Close() error {
	c.stop()
	c.running.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	if c.etcd != nil {
		errs = append(errs, c.endOldLocked())
	}
	if c.server != nil {
		errs = append(errs, c.server.end(c.cut))
	}
	for _, f := range []*front{c.clients, c.own} {
		if f != nil {
			f.end()
		}
	}
	if c.etcd != nil {
		c.etcd.Close()
	}
	if c.lock != nil {
		errs = append(errs, c.lock.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(c.run))...)
}

// sink makes a sink a backend, which has nothing of its own to run.
type sink struct{ audit.Sink }

func (sink) Run(<-chan struct{}) error { return nil }
func (sink) Shutdown()                 {}
func (sink) String() string            { return "informerscope" }

var _ net.Listener = (*handed)(nil)
