package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"informerscope/core/cluster/simcluster"
	"informerscope/sim/internal/controlplane"
)

// settings are the flags.
type settings struct {
	profile, controllers, data string
	seed                       uint64
	objects                    int
	rate, speed                float64
	beside, verbose            bool
}

func (s *settings) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.profile, "profile", "steady", "what the cluster does by itself, besides --rate, as a `name`: "+strings.Join(simcluster.Profiles(), ", "))
	flags.Uint64Var(&s.seed, "seed", 42, "`number` that decides what the cluster is at first, and what the background writes")
	flags.IntVar(&s.objects, "objects", 100, "`number` of objects at first, at most 100000")
	flags.Float64Var(&s.rate, "rate", 0, "writes a second in the background, a `number` up to 10000")
	flags.Float64Var(&s.speed, "speed", 1, "how many times as fast as the clock containers start and the profile acts, a `number` from 0.01 to 100")
	flags.StringVar(&s.controllers, "controllers", "all",
		"`names` of the controllers that run, separated by commas; all, or none for your own.\nkube-scheduler and kubelet are names too")
	flags.StringVar(&s.data, "data", "", "`directory` that keeps the cluster over a restart. If it has one, --objects and --seed have no effect")
	flags.BoolVar(&s.beside, "beside", false, "print a line of JSON for the program that started this one, and end with standard input")
	flags.BoolVar(&s.verbose, "verbose", false, "print what the components log")
}

// check checks the flags, but for the names of controllers.
func (s *settings) check() error {
	switch {
	case !slices.Contains(simcluster.Profiles(), s.profile):
		return fmt.Errorf("--profile: %q is none of %s", s.profile, strings.Join(simcluster.Profiles(), ", "))
	case s.controllers == "none" && s.profile != "steady":
		return fmt.Errorf("--profile %s needs controllers: leave out --controllers=none", s.profile)
	case s.objects < 0 || s.objects > simcluster.MaxObjects:
		return fmt.Errorf("--objects: %d is not between 0 and %d", s.objects, simcluster.MaxObjects)
	case !(s.rate >= 0 && s.rate <= simcluster.MaxRate):
		return fmt.Errorf("--rate: %g is not between 0 and %d", s.rate, simcluster.MaxRate)
	case !(s.speed >= 0.01 && s.speed <= 100):
		return fmt.Errorf("--speed: %g is not between 0.01 and 100", s.speed)
	}
	if names := parseControllers(s.controllers); len(names) > 0 {
		if err := (controlplane.Options{Controllers: names}).Check(); err != nil {
			return fmt.Errorf("--controllers: %w", err)
		}
	}
	return nil
}

// parseControllers reads the names of controllers, as --controllers has them; nil for all.
func parseControllers(text string) []string {
	switch text {
	case "all":
		return nil
	case "none", "":
		return []string{}
	}
	return strings.Split(text, ",")
}
