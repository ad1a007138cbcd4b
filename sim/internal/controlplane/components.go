package controlplane

import (
	"context"

	"k8s.io/client-go/tools/cache"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	controlleroptions "k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	scheduling "k8s.io/kubernetes/cmd/kube-scheduler/app"
	schedulingoptions "k8s.io/kubernetes/cmd/kube-scheduler/app/options"
)

// leaseSeconds is for how long a kubelet's lease is good; it renews one four times as often. The node controller gives up a node that has not renewed its
// lease for grace.
const (
	leaseSeconds = 20
	grace        = "--node-monitor-grace-period=8s"
)

// components run beside an API server.
type components struct {
	options Options
	access  *access
	address string // of the API server, at which they reach it
}

// each calls start for each component that the options name.
func (c components) each(start func(name string, run func(context.Context) error)) {
	if c.options.controllerNames() != "" {
		start("kube-controller-manager", c.runControllers)
	}
	if c.options.runs(schedulerName) {
		start(schedulerName, c.runScheduler)
	}
	if c.options.runs(kubeletName) {
		start("the kubelets (kwok)", c.runKubelets)
	}
}

// runControllers runs kube-controller-manager until ctx ends.
func (c components) runControllers(ctx context.Context) error {
	kubeconfig, err := c.access.kubeconfig(manager, c.address)
	if err != nil {
		return err
	}
	o, err := controlleroptions.NewKubeControllerManagerOptions()
	if err != nil {
		return err
	}
	known, disabled, aliases := controllers.KnownControllers(), controllers.ControllersDisabledByDefault(), controllers.ControllerAliases()
	sets := o.Flags(known, disabled, aliases)
	args := []string{
		"--kubeconfig=" + kubeconfig,
		"--controllers=" + c.options.controllerNames(),
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=2000", "--kube-api-burst=4000", // many objects come and go at once
		"--node-monitor-period=1s", grace,
		"--use-service-account-credentials", // so that each controller's writes have its name
		"--service-account-private-key-file=" + c.access.serviceAccountKey,
		"--root-ca-file=" + c.access.root(),
	}
	if c.access.keys != "" {
		args = append(args, "--cluster-signing-cert-file="+c.access.authority(), "--cluster-signing-key-file="+c.access.authorityKey())
	}
	if err := parse(sets.FlagSets, args); err != nil {
		return err
	}
	o.ParsedFlags = &sets
	config, err := o.Config(ctx, known, disabled, aliases)
	if err != nil {
		return err
	}
	return controllers.Run(ctx, config.Complete())
}

// runScheduler runs kube-scheduler until ctx ends.
func (c components) runScheduler(ctx context.Context) error {
	kubeconfig, err := c.access.kubeconfig(scheduler, c.address)
	if err != nil {
		return err
	}
	o := schedulingoptions.NewOptions()
	if o.InformerName, err = cache.NewInformerName("kube-scheduler"); err != nil {
		return err
	}
	defer o.InformerName.Release()
	if err := parse(o.Flags.FlagSets, []string{"--kubeconfig=" + kubeconfig, "--leader-elect=false", "--secure-port=0", "--kube-api-qps=2000",
		"--kube-api-burst=4000"}); err != nil {
		return err
	}
	config, s, err := scheduling.Setup(ctx, o)
	if err != nil {
		return err
	}
	err = scheduling.Run(ctx, config, s)
	if ctx.Err() != nil {
		return nil // it always returns an error
	}
	return err
}
