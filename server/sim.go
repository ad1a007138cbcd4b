package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"informerscope/core/simcluster"
	"informerscope/server/simapi"
)

const simHelp = `Serves a simulated cluster, and the page that shows it. The cluster is a
Kubernetes API server on loopback, over TLS, with a certificate and a token of
this launch. kubectl and controllers reach it with the kubeconfig that the
command prints: a file that only you can read. Your own kubeconfig is neither
read nor changed. The cluster ends with the command, unless --data keeps it.`

// simSettings are the settings of a simulated cluster in the server's process.
type simSettings struct {
	on bool
	simapi.Options
}

// newSimCommand returns the command "sim", and its flags by subject. It serves as the program itself does, with a simulated cluster to watch. groups are
// the flags of the program.
func newSimCommand(groups []*pflag.FlagSet, v *flagValues, serves func(*cobra.Command, []string) error) (*cobra.Command, []*pflag.FlagSet) {
	sim := &cobra.Command{
		Use:   "sim [flags]",
		Short: "serve a simulated cluster to kubectl and controllers, and the page that shows it",
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
			v.addSimFlags(flags)
		}
		flags.SortFlags = group.SortFlags
		own = append(own, flags)
		sim.Flags().AddFlagSet(flags)
	}
	return sim, own
}

// addSimFlags adds the flags that only "sim" has.
func (v *flagValues) addSimFlags(flags *pflag.FlagSet) {
	o := &v.settings.sim.Options
	flags.StringVar(&o.Profile, "profile", "steady", "what the cluster does by itself, besides --rate, as a `name`: "+strings.Join(simcluster.Profiles(), ", "))
	flags.Float64Var(&o.Speed, "speed", 1, "how many times as fast as the clock controllers, kubelets and the profile act, a `number` from 0.01 to 100")
	flags.StringVar(&v.controllers, "controllers", "all", "which controllers run: all, or none for your own. Without them nothing schedules and runs pods either")
	flags.StringVar(&o.Data, "data", "", "`file` that keeps the cluster over a restart. If it exists, --objects and --seed have no effect")
}

// checkSim checks the flags that only "sim" has, and sets the others.
func (v *flagValues) checkSim() error {
	o := &v.settings.sim.Options
	o.Seed, o.Objects, o.Rate = v.seed, v.objects, v.rate
	if !v.settings.sim.on {
		return nil
	}
	if !slices.Contains(simcluster.Profiles(), o.Profile) {
		return fmt.Errorf("--profile: %q is none of %s", o.Profile, strings.Join(simcluster.Profiles(), ", "))
	}
	if v.controllers != "all" && v.controllers != "none" {
		return fmt.Errorf("--controllers: %q is neither all nor none", v.controllers)
	}
	o.Still = v.controllers == "none"
	if o.Still && o.Profile != "steady" {
		return fmt.Errorf("--profile %s needs controllers: leave out --controllers=none", o.Profile)
	}
	if !(o.Speed >= 0.01 && o.Speed <= 100) {
		return fmt.Errorf("--speed: %g is not between 0.01 and 100", o.Speed)
	}
	return nil
}

// openSim makes the simulated cluster that the server is to serve, and names its kubeconfig in s; nil if there is to be none.
func openSim(s *settings) (*simapi.Server, error) {
	if !s.sim.on {
		return nil, nil
	}
	sim, err := simapi.New(s.sim.Options)
	if err != nil {
		return nil, fmt.Errorf("starting the simulated cluster: %w", err)
	}
	s.kubeconfig = sim.Kubeconfig()
	return sim, nil
}

// exportLine is the line that the server prints for a simulated cluster: what a reader types, so that kubectl uses its kubeconfig.
func exportLine(sim *simapi.Server) string {
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
