package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"informerscope/core/cluster/simcluster"
	"informerscope/server/internal/relay"
	"informerscope/server/internal/scrub"
	"informerscope/server/internal/served"
)

const simHelp = `Serves a Kubernetes cluster, and the page that shows it. The cluster is Kubernetes
itself, in the program informerscope-sim that this one starts beside it: etcd,
kube-apiserver, kube-controller-manager and kube-scheduler on loopback, and kwok in
the place of kubelets, so its pods run no containers. kubectl and controllers reach
it with the kubeconfig that the command prints: a file that only you can read. Your
own kubeconfig is neither read nor changed. The cluster ends with the command,
unless --data keeps it.`

// simSettings are the settings of a served cluster.
type simSettings struct {
	isOn  bool
	flags []string // of informerscope-sim
}

// newSimCommand returns the command "sim", and its flags by subject. It serves as the program itself does, with a cluster of its own to watch. groups are
// the flags of the program.
func newSimCommand(groups []*pflag.FlagSet, v *flagValues, serves func(*cobra.Command, []string) error) (*cobra.Command, []*pflag.FlagSet) {
	sim := &cobra.Command{
		Use:   "sim [flags]",
		Short: "serve a Kubernetes cluster to kubectl and controllers, and the page that shows it",
		Long:  simHelp,
		Args:  takesOnlyFlags,
		RunE: func(cmd *cobra.Command, args []string) error {
			v.settings.sim.isOn = true
			return serves(cmd, args)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	others := []string{"kubeconfig", "context", "contexts", "attach", "attach-token-file", "check", "probe", "version"}
	var own []*pflag.FlagSet
	for _, group := range groups {
		flags := pflag.NewFlagSet(group.Name(), pflag.ContinueOnError)
		group.VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(others, f.Name) {
				flags.AddFlag(f)
			}
		})
		if group.Name() == simulationGroup {
			addSimFlags(flags)
		}
		flags.SortFlags = group.SortFlags
		own = append(own, flags)
		sim.Flags().AddFlagSet(flags)
	}
	return sim, own
}

// addSimFlags adds the flags that only "sim" has.
func addSimFlags(flags *pflag.FlagSet) {
	flags.String("profile", "steady", "what the cluster does by itself, besides --rate, as a `name`: "+strings.Join(simcluster.Profiles(), ", "))
	flags.Float64("speed", 1, "how many times as fast as the clock containers start and the profile acts, a `number` from 0.01 to 100")
	flags.String("controllers", "all", "`names` of the controllers that run, separated by commas; all, or none for your own. kube-scheduler and kubelet are "+
		"names too")
	flags.String("data", "", "`directory` of etcd that keeps the cluster over a restart, with fsync. If it has one, --objects and --seed have no effect")
}

// simFlags are the flags of informerscope-sim, which checks them: here each is only a text or a number.
func simFlags(flags *pflag.FlagSet) (out []string) {
	for _, name := range []string{"profile", "seed", "objects", "rate", "speed", "controllers", "data"} {
		out = append(out, "--"+name+"="+flags.Lookup(name).Value.String())
	}
	return out
}

// startSim starts the cluster that the server is to serve, and names its kubeconfig in s. sim and door are nil if there is to be none.
func startSim(ctx context.Context, s *settings, stderr io.Writer) (sim *served.Cluster, door *relay.SideDoor, err error) {
	if !s.sim.isOn {
		return nil, nil, nil
	}
	program, err := served.Find()
	if err != nil {
		return nil, nil, err
	}
	if sim, err = served.Start(ctx, program, s.sim.flags, newLog(*s, new(scrub.Scrubber), stderr)); err != nil {
		return nil, nil, err
	}
	if door, err = relay.NewSideDoor(sim.Door, sim.Token); err != nil {
		return nil, nil, errors.Join(err, sim.Close())
	}
	s.kubeconfig = sim.Kubeconfig
	return sim, door, nil
}

// endWithSignals also ends ctx with the signals besides main's that would leave "sim" no time to end in order: the kubeconfig goes with the command. A
// hangup that is ignored, as under nohup, stays so.
func endWithSignals(ctx context.Context) (context.Context, func()) {
	signals := []os.Signal{syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, signals...)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once, and the cluster with it
	return ctx, stop
}

// exportLine is the line that the server prints for a served cluster: what a reader types, so that kubectl uses its kubeconfig.
func exportLine(sim *served.Cluster) string {
	if sim == nil {
		return ""
	}
	return setKubeconfig(sim.Kubeconfig, runtime.GOOS) + "\n"
}

// setKubeconfig is the command of a shell that sets KUBECONFIG.
func setKubeconfig(path, system string) string {
	if system == "windows" {
		return `$env:KUBECONFIG = "` + path + `"`
	}
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-", r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) >= 0 {
		path = "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return "export KUBECONFIG=" + path
}
