package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientapi "k8s.io/client-go/tools/clientcmd/api"

	"informerscope/core/cluster/levers"
	"informerscope/core/cluster/simcluster"
	"informerscope/server/internal/served"
	"informerscope/server/internal/testkit"
)

// actVariable is the environment variable that makes the binary of these tests act as informerscope-sim. Its value says how.
const actVariable = "SERVER_TEST_SIM"

func init() {
	if act := os.Getenv(actVariable); act != "" && strings.HasPrefix(filepath.Base(os.Args[0]), "informerscope-sim") {
		os.Exit(actAsSim(act))
	}
}

// actAsSim acts as informerscope-sim, and returns its exit status.
func actAsSim(act string) int {
	switch act {
	case "fails":
		fmt.Fprintf(os.Stderr, "etcd: an earlier line, the token %q\ninformerscope-sim: --profile: %q is none of steady, rollout\n",
			os.Getenv("INFORMERSCOPE_TOKEN"), os.Args)
		return 1
	case "garbage":
		fmt.Println("export KUBECONFIG=/x")
	case "flood":
		go func() {
			for text := strings.Repeat("x", 1<<16); ; {
				fmt.Print(text)
				fmt.Fprint(os.Stderr, text)
			}
		}()
	case "hangs":
	case "serves":
		c := simcluster.New(simcluster.Options{Seed: 7, Objects: 30})
		api := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/end" {
				fmt.Fprintln(os.Stderr, "informerscope-sim: kube-apiserver: it has ended by itself")
				os.Exit(3)
			}
			c.ServeHTTP(w, r)
		}))
		api.EnableHTTP2 = true
		api.StartTLS()
		const token = "0123456789abcdef"
		door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+token {
				http.Error(w, "the token is wrong", http.StatusUnauthorized)
				return
			}
			levers.Handler(levers.Own(c)).ServeHTTP(w, r)
		}))
		dir, err := os.MkdirTemp("", "server-test-sim-")
		if err != nil {
			panic(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		config := clientapi.NewConfig()
		config.Clusters[served.Context] = &clientapi.Cluster{Server: api.URL,
			CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})}
		config.AuthInfos[served.Context] = &clientapi.AuthInfo{Token: token}
		config.Contexts[served.Context], config.CurrentContext = &clientapi.Context{Cluster: served.Context, AuthInfo: served.Context}, served.Context
		kubeconfig := filepath.Join(dir, "kubeconfig")
		if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
			panic(err)
		}
		fmt.Fprintf(os.Stderr, "the flags are %q\n", os.Args[1:])
		_ = json.NewEncoder(os.Stdout).Encode(map[string]string{"kubeconfig": kubeconfig, "door": door.URL, "token": token})
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// findSim puts a program that acts as informerscope-sim on PATH, in a directory whose name has spaces.
func findSim(t *testing.T, act string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a directory")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := "informerscope-sim"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(self, filepath.Join(dir, name))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(actVariable, act)
}

// kubeconfigOf is the file that a line for the shell names.
func kubeconfigOf(t *testing.T, lines string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^export KUBECONFIG='?([^'\n]+)'?$`).FindStringSubmatch(lines)
	if found == nil {
		t.Fatalf("no line for the shell in %q", lines)
	}
	return found[1]
}

// getWith asks the cluster of a kubeconfig for a path.
func getWith(t *testing.T, kubeconfig, path string) (*http.Response, error) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return client.Get(config.Host + path)
}

// TestSim starts "sim", reads what it prints, reaches the cluster with the kubeconfig, and pulls a lever as a page does. The link opens the page on that
// cluster. The kubeconfig goes with the command.
func TestSim(t *testing.T) {
	findSim(t, "serves")
	r := start(t, parse(t, "sim", "--listen=127.0.0.1:0", "--objects=30", "--seed=9", "--controllers=a,b", "--log-level=debug"))
	lines := r.out()
	if !strings.Contains(lines, "&source=live&context=informerscope-sim\n") {
		t.Errorf("the link is not that of the cluster: %q", lines)
	}
	kubeconfig := kubeconfigOf(t, lines)
	answer, err := getWith(t, kubeconfig, "/api/v1/pods")
	if err != nil {
		t.Fatal(err)
	}
	var pods metav1.PartialObjectMetadataList
	err = json.NewDecoder(answer.Body).Decode(&pods)
	_ = answer.Body.Close()
	if err != nil || len(pods.Items) < 25 || len(pods.Items) > 35 {
		t.Errorf("%d pods, %v, want about 30", len(pods.Items), err)
	}
	shared := levers.Shared{Transport: r.page().Transport}
	if words, err := shared.Pull(t.Context(), "create", levers.Args{Name: "web", Replicas: 2}); err != nil || !strings.Contains(words, "default/web") {
		t.Errorf("a lever: %q, %v", words, err)
	}
	if stats, err := shared.Stats(t.Context()); err != nil || len(stats.Objects) == 0 {
		t.Errorf("the counts: %+v, %v", stats, err)
	}
	const flags = `the flags are [\"--beside\" \"--profile=steady\" \"--seed=9\" \"--objects=30\" \"--rate=6\" \"--speed=1\" \"--controllers=a,b\" \"--data=\"]`
	if !strings.Contains(r.log.String(), flags) {
		t.Errorf("the log does not have what the program prints: %s", r.log)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(kubeconfig)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the kubeconfig is left: %v", err)
	}
}

// TestSimFails starts "sim" with programs that do not serve. Each error says what to do, or has the program's own last words. The program does not see the
// token of the launch.
func TestSimFails(t *testing.T) {
	for act, says := range map[string][]string{
		"missing": {"make sim", "the archive informerscope-sim of the same version", "nor on PATH"},
		"fails":   {"exit status 1", "an earlier line, the token \"\"\n", "--profile=nothing", "is none of steady, rollout"},
		"garbage": {`printed "export KUBECONFIG=/x"`, "another version"},
		"flood":   {`printed "xxx`, "another version"}, // a line without an end
	} {
		t.Run(act, func(t *testing.T) {
			if act == "missing" {
				t.Setenv("PATH", t.TempDir())
			} else {
				findSim(t, act)
			}
			t.Setenv("INFORMERSCOPE_TOKEN", fileToken)
			err := run(t.Context(), []string{"sim", "--listen=127.0.0.1:0", "--profile=nothing"}, io.Discard, io.Discard)
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range says {
				if !strings.Contains(message(err), part) {
					t.Errorf("%q does not say %q", message(err), part)
				}
			}
		})
	}
}

// TestSimEndsWhileItWaits ends the command while the program does not get ready.
func TestSimEndsWhileItWaits(t *testing.T) {
	findSim(t, "hangs")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := run(ctx, []string{"sim", "--listen=127.0.0.1:0"}, io.Discard, io.Discard); err != nil {
		t.Error(err)
	}
}

// TestSimEndsWithItsProgram lets the program end by itself while the page is served.
func TestSimEndsWithItsProgram(t *testing.T) {
	findSim(t, "serves")
	ended := make(chan error, 1)
	var out, log testkit.Log
	go func() { ended <- serve(t.Context(), parse(t, "sim", "--listen=127.0.0.1:0"), page, &out, &log) }()
	for deadline := time.Now().Add(patience); !strings.Contains(log.String(), "msg=serving"); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("it does not serve: %s", log.String())
		}
	}
	if answer, err := getWith(t, kubeconfigOf(t, out.String()), "/end"); err == nil { // the answer does not come
		t.Errorf("it answered %s", answer.Status)
	}
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "it has ended by itself") {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(patience):
		t.Fatal("it goes on without its cluster")
	}
}

// TestSimTakesNoOtherCluster gives "sim" flags of other clusters, and an argument.
func TestSimTakesNoOtherCluster(t *testing.T) {
	for _, args := range [][]string{{"sim", "--context=x"}, {"sim", "--kubeconfig=x"}, {"sim", "--attach=http://localhost:1"}, {"sim", "pods"},
		{"sim", "--speed=x"}} {
		err := run(t.Context(), args, io.Discard, io.Discard)
		if usage := (*usageError)(nil); !errors.As(err, &usage) {
			t.Errorf("%v: %v", args, err)
		}
	}
	s := parse(t, "sim", "--objects=0", "--data=a directory")
	if !s.sim.isOn || s.context != "informerscope-sim" || len(s.contexts) != 1 || !slices.Contains(s.sim.flags, "--objects=0") ||
		!slices.Contains(s.sim.flags, fmt.Sprintf("--seed=%d", simulatedSeed)) || !slices.Contains(s.sim.flags, "--data=a directory") {
		t.Errorf("the settings are %+v", s)
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
