package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	cliflag "k8s.io/component-base/cli/flag"
	logs "k8s.io/component-base/logs/api/v1"
)

// readyEvery is how often a kube-apiserver that somebody else started is asked whether it is ready.
const readyEvery = 50 * time.Millisecond

// Beside is what runs beside a kube-apiserver that another program starts by the command's flags, in the process of that kube-apiserver.
type Beside struct {
	components  components
	certificate string // the file in which the API server has its certificate
}

// NewBeside prepares components for a kube-apiserver with these flags. It returns nil if they do not start one, as --help. Close removes its directory.
func NewBeside(flags []string, o Options) (*Beside, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	set.ParseErrorsAllowlist.UnknownFlags = true
	set.Usage = func() {}
	etcd := set.String("etcd-servers", "", "")
	host := set.String("bind-address", "127.0.0.1", "")
	port := set.String("secure-port", "6443", "")
	directory := set.String("cert-dir", "/var/run/kubernetes", "")
	certificate := set.String("tls-cert-file", "", "")
	key := set.String("service-account-signing-key-file", "", "")
	tokens := set.String("token-auth-file", "", "")
	if set.Parse(flags) != nil || *etcd == "" {
		return nil, nil // the command itself says what is wrong
	}
	if *certificate == "" {
		*certificate = filepath.Join(*directory, "apiserver.crt")
	}
	if ip := net.ParseIP(*host); ip != nil && ip.IsUnspecified() {
		*host = "127.0.0.1"
	}
	run, err := os.MkdirTemp("", "informerscope-sim-")
	if err != nil {
		return nil, err
	}
	var others []byte
	if *tokens != "" {
		if others, err = os.ReadFile(*tokens); err != nil {
			return nil, errors.Join(err, os.RemoveAll(run))
		}
	}
	a := &access{run: run, serviceAccountKey: *key}
	if err := a.writeTokens(others); err != nil {
		return nil, errors.Join(err, os.RemoveAll(run))
	}
	logs.ReapplyHandling = logs.ReapplyHandlingIgnoreUnchanged // each component sets up the same logging
	return &Beside{components: components{o, a, net.JoinHostPort(*host, *port)}, certificate: *certificate}, nil
}

// Flags are what the API server needs beside its own flags, and after them.
func (b *Beside) Flags() []string {
	return []string{"--token-auth-file=" + b.components.access.tokenFile()}
}

// Close removes what NewBeside and WaitReady have written.
func (b *Beside) Close() error { return os.RemoveAll(b.components.access.run) }

// WaitReady returns when the API server is ready.
func (b *Beside) WaitReady(ctx context.Context) error {
	var client *kubernetes.Clientset
	return wait.PollUntilContextCancel(ctx, readyEvery, true, func(ctx context.Context) (bool, error) {
		if client == nil {
			if _, err := os.Stat(b.certificate); errors.Is(err, fs.ErrNotExist) {
				return false, nil // the API server makes it
			}
			if err := b.components.access.writeRoot(b.certificate); err != nil {
				return false, err
			}
			config, err := b.Config(Kubelet)
			if err != nil {
				return false, err
			}
			if client, err = kubernetes.NewForConfig(config); err != nil {
				return false, err
			}
		}
		_, err := client.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil, nil
	})
}

// Config is the connection of a user of this package, once WaitReady has returned.
func (b *Beside) Config(user string) (*rest.Config, error) {
	return b.components.access.config(user, b.components.address)
}

// Run makes a node, if there are kubelets, and runs the components until ctx ends, or one of them ends by itself, with the reason. When it returns, none of
// them runs.
func (b *Beside) Run(ctx context.Context) error {
	if b.components.options.runs(kubeletName) {
		if err := b.makeNode(ctx); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var running sync.WaitGroup
	b.components.each(func(name string, run func(context.Context) error) {
		running.Go(func() {
			if err := run(ctx); ctx.Err() == nil {
				stop(fmt.Errorf("%s ended by itself: %w", name, err))
			}
		})
	})
	<-ctx.Done()
	running.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// makeNode makes a node, for which kwok says that it is ready.
func (b *Beside) makeNode(ctx context.Context) error {
	config, err := b.Config(Kubelet)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	const name = "node-1"
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelOSStable: "linux"},
		Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"}}} // kwok's mark of a node of its own
	if _, err = client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
