package controlplane

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/wait"
	auditapi "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit/policy"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

const (
	// readyPatience is how long an API server may take until it is ready.
	readyPatience = time.Minute
	// endGrace is how long its requests under way may take when it ends, and endPatience how long it may take itself.
	endGrace    = 500 * time.Millisecond
	endPatience = 10 * time.Second
)

// apiServer is a kube-apiserver that runs.
type apiServer struct {
	*handed
	config *rest.Config // of its own user, to ask whether it is ready
	stop   context.CancelFunc
	ended  chan struct{} // closed when it has ended
	err    error         // why it ended; valid once ended is closed
}

// apiServerFlags are the flags of kube-apiserver. Each launch makes a certificate of its own.
func (c *Cluster) apiServerFlags(etcd string) []string {
	flags := []string{
		"--etcd-servers=" + etcd,
		"--cert-dir=" + c.access.run,
		"--bind-address=127.0.0.1",
		"--secure-port=1", // the listener decides
		"--token-auth-file=" + c.access.tokenFile(),
		"--client-ca-file=" + c.access.authority(),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.access.serviceAccountKey,
		"--service-account-signing-key-file=" + c.access.serviceAccountKey,
		"--service-cluster-ip-range=" + services,
		"--authorization-mode=RBAC",
		"--endpoint-reconciler-type=none", // nothing outside of this machine reaches it
		"--default-not-ready-toleration-seconds=5",
		"--default-unreachable-toleration-seconds=5",
		"--allow-privileged",
		"--feature-gates=APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false", // one that lags behind would write the lease of the other
	}
	if !c.options.runs(serviceAccountController) {
		flags = append(flags, "--disable-admission-plugins=ServiceAccount") // no controller makes the account that each pod would need
	}
	return flags
}

// startAPIServer starts a kube-apiserver that reaches etcd by this socket, and returns when it is ready. address is where it reaches itself.
func (c *Cluster) startAPIServer(ctx context.Context, etcd string, listener *handed) (*apiServer, error) {
	s := &apiServer{handed: listener, ended: make(chan struct{})}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	prepared, release, err := c.prepareAPIServer(run, etcd, listener)
	if err != nil {
		stop()
		return nil, fmt.Errorf("kube-apiserver: %w", err)
	}
	go func() {
		defer close(s.ended)
		defer release()
		if s.err = prepared(run); run.Err() == nil {
			c.fail("kube-apiserver", s.err)
		}
	}()
	if err = c.access.writeRoot(filepath.Join(c.access.run, "apiserver.crt")); err == nil {
		s.config, err = c.access.config(administrator, listener.address.String())
	}
	if err == nil {
		// Until it is ready, its end would be an error of a hook that runs after its start, which ends the process.
		err = s.waitReady(context.WithoutCancel(ctx))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("kube-apiserver: %w", err), s.end(func() {}))
	}
	return s, nil
}

// prepareAPIServer does what the command kube-apiserver does before it serves, and adds our audit backend and the count of watches.
func (c *Cluster) prepareAPIServer(ctx context.Context, etcd string, listener *handed) (run func(context.Context) error, release func(), err error) {
	o := options.NewServerRunOptions()
	sets := o.Flags()
	if err := parse(sets.FlagSets, c.apiServerFlags(etcd)); err != nil {
		return nil, nil, err
	}
	o.SecureServing.Listener = listener
	if err := o.GenericServerRunOptions.ComponentGlobalsRegistry.SetFallback(); err != nil {
		return nil, nil, err
	}
	completed, err := o.Complete(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(completed.Validate()...); err != nil {
		return nil, nil, err
	}
	name, err := cache.NewInformerName(fmt.Sprintf("kube-apiserver-%d", apiServers.Add(1)))
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			name.Release()
		}
	}()
	completed.InformerName = name
	config, err := app.NewConfig(completed)
	if err != nil {
		return nil, nil, err
	}
	closeNetwork(config)
	outermost := config.Aggregator.GenericConfig // its handlers are around those of the others
	outermost.AuditBackend, outermost.AuditPolicyRuleEvaluator = c.audit, policy.NewPolicyRuleEvaluator(auditPolicy)
	build := outermost.BuildHandlerChainFunc
	outermost.BuildHandlerChainFunc = func(h http.Handler, g *genericapiserver.Config) http.Handler { return c.countWatches(build(h, g)) }
	full, err := config.Complete()
	if err != nil {
		return nil, nil, err
	}
	server, err := app.CreateServerChain(full)
	if err != nil {
		return nil, nil, err
	}
	prepared, err := server.PrepareRun()
	if err != nil {
		return nil, nil, err
	}
	return prepared.Run, name.Release, nil
}

// apiServers counts API servers, whose informers need names of their own.
var apiServers atomic.Int64

// auditPolicy lets writes be reported with the objects that they answer. It leaves out what is too frequent to tell, and the objects that hold secrets.
var auditPolicy = &auditapi.Policy{
	OmitStages: []auditapi.Stage{auditapi.StageRequestReceived, auditapi.StageResponseStarted, auditapi.StagePanic},
	Rules: []auditapi.PolicyRule{
		{Level: auditapi.LevelNone, Verbs: []string{"get", "list", "watch", "proxy"}},
		{Level: auditapi.LevelNone, NonResourceURLs: []string{"*"}},
		{Level: auditapi.LevelNone, Resources: []auditapi.GroupResources{
			{Group: "", Resources: []string{"events", "serviceaccounts/token"}}, {Group: "events.k8s.io"}, {Group: "coordination.k8s.io"},
			{Group: "authentication.k8s.io"}, {Group: "authorization.k8s.io"},
		}},
		{Level: auditapi.LevelMetadata, Resources: []auditapi.GroupResources{{Group: "", Resources: []string{"secrets", "configmaps"}}}},
		{Level: auditapi.LevelRequestResponse},
	},
}

// countWatches counts open watches.
func (c *Cluster) countWatches(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if query := r.URL.Query(); query.Get("watch") == "true" || query.Get("watch") == "1" {
			c.watches.Add(1)
			defer c.watches.Add(-1)
		}
		next.ServeHTTP(w, r)
	})
}

// waitReady returns when the API server is ready.
func (s *apiServer) waitReady(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(s.config)
	if err != nil {
		return err
	}
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, readyPatience, true, func(ctx context.Context) (bool, error) {
		select {
		case <-s.ended:
			return false, fmt.Errorf("it ended by itself: %w", s.err)
		default:
		}
		_, err := client.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil, nil
	})
	if wait.Interrupted(err) {
		return fmt.Errorf("not ready after %s", readyPatience)
	}
	return err
}

// end ends the API server: first its requests under way, but for watches, then what is left of its connections, which cut closes.
func (s *apiServer) end(cut func()) error {
	s.stop() // it closes its listener itself, and panics if somebody else does
	select {
	case <-s.ended:
	case <-time.After(endGrace):
		cut()
	}
	select {
	case <-s.ended:
		return s.err
	case <-time.After(endPatience):
		return fmt.Errorf("kube-apiserver had not ended after %s", endPatience)
	}
}

// parse sets the flags of a component.
func parse(sets map[string]*pflag.FlagSet, args []string) error {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		all.AddFlagSet(sets[name])
	}
	return all.Parse(args)
}
