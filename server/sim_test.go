package main

import (
	"errors"
	"io"
	"slices"
	"testing"
)

// TestSimTakesNoOtherCluster gives "sim" flags of other clusters, and an argument.
func TestSimTakesNoOtherCluster(t *testing.T) {
	for _, args := range [][]string{{"sim", "--context=x"}, {"sim", "--kubeconfig=x"}, {"sim", "--attach=http://localhost:1"}, {"sim", "pods"}} {
		err := run(t.Context(), args, io.Discard, io.Discard)
		if usage := (*usageError)(nil); !errors.As(err, &usage) {
			t.Errorf("%v: %v", args, err)
		}
	}
	s := parse(t, "sim", "--objects=0", "--profile=rollout", "--data=/a b")
	if !s.sim.on || s.context != "informerscope-sim" || len(s.contexts) != 1 {
		t.Errorf("the settings are %+v", s)
	}
	for _, want := range []string{"--objects=0", "--profile=rollout", "--data=/a b", "--seed=7", "--rate=6", "--controllers=all", "--speed=1"} {
		if !slices.Contains(s.sim.arguments, want) {
			t.Errorf("%s is not among %q", want, s.sim.arguments)
		}
	}
}

func TestSetKubeconfig(t *testing.T) {
	for _, x := range []struct{ path, system, want string }{
		{"/sim-1/kubeconfig", "linux", "export KUBECONFIG=/sim-1/kubeconfig"},
		{"/a b/it's", "linux", `export KUBECONFIG='/a b/it'\''s'`},
		{`C:\Temp\kubeconfig`, "windows", `$env:KUBECONFIG = "C:\Temp\kubeconfig"`},
	} {
		if got := setKubeconfig(x.path, x.system); got != x.want {
			t.Errorf("%q on %s: %s, want %s", x.path, x.system, got, x.want)
		}
	}
}
