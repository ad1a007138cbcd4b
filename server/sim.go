package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"informerscope/core/simcluster"
	"informerscope/server/internal/served"
)

const simHelp = `Starts Kubernetes beside this program, in one process (informerscope-sim), and the
page that shows it. The API server listens on loopback, with a certificate and
tokens of this launch. kubectl and controllers reach it with the kubeconfig that
the command prints: a file that only you can read. Your own kubeconfig is neither
read nor changed. The cluster ends with the command; --data keeps what it stores.`

// simSettings are the settings of a served cluster. Its own program checks them, but for seed, objects and rate, which the page has too.
type simSettings struct {
	on                         bool
	profile, controllers, data string
	speed                      float64
	arguments                  []string // of that program
}

// newSimCommand returns the command "sim", and its flags by subject. It serves as the program itself does, with a served cluster to watch. groups are
// the flags of the program.
func newSimCommand(groups []*pflag.FlagSet, v *flagValues, serves func(*cobra.Command, []string) error) (*cobra.Command, []*pflag.FlagSet) {
	sim := &cobra.Command{
		Use:   "sim [flags]",
		Short: "start Kubernetes in one process for kubectl and controllers, and the page that shows it",
		Long:  simHelp,
		Args:  takesOnlyFlags,
		RunE: func(cmd *cobra.Command, args []string) error {
			v.settings.sim.on = true
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
			v.settings.sim.addFlags(flags)
		}
		flags.SortFlags = group.SortFlags
		own = append(own, flags)
		sim.Flags().AddFlagSet(flags)
	}
	return sim, own
}

// addFlags adds the flags that only "sim" has.
func (s *simSettings) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.profile, "profile", "steady", "what the cluster does by itself, besides --rate, as a `name`: "+strings.Join(simcluster.Profiles(), ", "))
	flags.Float64Var(&s.speed, "speed", 1, "how many times as fast as the clock containers start and the profile acts, a `number` from 0.01 to 100")
	flags.StringVar(&s.controllers, "controllers", "all",
		"`names` of the controllers that run, separated by commas; all, or none for your own. kube-scheduler and kubelet are names too")
	flags.StringVar(&s.data, "data", "", "`directory` that keeps the cluster over a restart. If it has one, --objects and --seed have no effect")
}

// setSimArguments sets the flags of the served cluster's program.
func (v *flagValues) setSimArguments() {
	s := &v.settings.sim
	s.arguments = []string{"--profile=" + s.profile, "--controllers=" + s.controllers, "--data=" + s.data, fmt.Sprintf("--speed=%g", s.speed),
		fmt.Sprintf("--seed=%d", v.seed), fmt.Sprintf("--objects=%d", v.objects), fmt.Sprintf("--rate=%g", v.rate)}
}

// startSim starts the served cluster that the page is to show, and names its kubeconfig in s; nil if there is to be none.
func startSim(ctx context.Context, s *settings, stderr io.Writer) (*served.Cluster, error) {
	if !s.sim.on {
		return nil, nil
	}
	program, err := served.Find()
	if err != nil {
		return nil, err
	}
	sim, err := served.Start(ctx, program, s.sim.arguments, stderr)
	if err != nil {
		return nil, err
	}
	s.kubeconfig = sim.Kubeconfig()
	return sim, nil
}

// exportLine is the line that the server prints for a served cluster: what a reader types, so that kubectl uses its kubeconfig.
func exportLine(sim *served.Cluster) string {
	if sim == nil {
		return ""
	}
	return setKubeconfig(sim.Kubeconfig(), runtime.GOOS) + "\n"
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
