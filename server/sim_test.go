package main

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// TestSim starts "sim", reads what it prints, and reaches the cluster with the kubeconfig. The link opens the page on that cluster, and no flag of another
// cluster is taken.
func TestSim(t *testing.T) {
	r := start(t, parse(t, "sim", "--listen=127.0.0.1:0", "--objects=30", "--seed=9", "--rate=0"))
	lines := r.out()
	if !strings.Contains(lines, "&source=live&context=informerscope-sim\n") {
		t.Errorf("the link is not that of the cluster: %q", lines)
	}
	found := regexp.MustCompile(`(?m)^export KUBECONFIG='?([^'\n]+)'?$`).FindStringSubmatch(lines)
	if found == nil {
		t.Fatalf("no line for the shell in %q", lines)
	}
	config, err := clientcmd.BuildConfigFromFlags("", found[1])
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	pods, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(pods.Items) < 25 || len(pods.Items) > 35 {
		t.Errorf("%d pods, %v, want about 30", len(pods.Items), err)
	}
}

// TestSimTakesNoOtherCluster gives "sim" flags of other clusters, and an argument.
func TestSimTakesNoOtherCluster(t *testing.T) {
	for _, args := range [][]string{{"sim", "--context=x"}, {"sim", "--kubeconfig=x"}, {"sim", "--attach=http://localhost:1"}, {"sim", "pods"}} {
		err := run(t.Context(), args, io.Discard, io.Discard)
		if usage := (*usageError)(nil); !errors.As(err, &usage) {
			t.Errorf("%v: %v", args, err)
		}
	}
	s := parse(t, "sim", "--objects=0")
	if !s.sim.on || s.context != "informerscope-sim" || len(s.contexts) != 1 || s.sim.Objects != 0 || s.sim.Seed != simulatedSeed {
		t.Errorf("the settings are %+v", s)
	}
}

func TestSetKubeconfig(t *testing.T) {
	for _, x := range []struct{ path, system, want string }{
		{"/sim-1/kubeconfig", "linux", "export KUBECONFIG=/sim-1/kubeconfig"},
		{"/a b/it's", "linux", `export KUBECONFIG='/a b/it'\''s'`},
		{`C:\Temp\kubeconfig`, "windows", `$env:KUBECONFIG = "C:\Temp\kubeconfig"`},
	} {
		if is := setKubeconfig(x.path, x.system); is != x.want {
			t.Errorf("%q on %s: %s, want %s", x.path, x.system, is, x.want)
		}
	}
}
