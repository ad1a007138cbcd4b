package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// foreignPackages matches packages of an API server's store, of its calls and of its traces, which no module that users link needs.
var foreignPackages = regexp.MustCompile(`^(go\.etcd\.io|google\.golang\.org/grpc|go\.opentelemetry\.io/otel/exporters)(/|$)`)

// apiServerPackages matches those of an API server: informerscope-sim links them, so that building these takes no minutes.
var apiServerPackages = regexp.MustCompile(`^k8s\.io/(apiserver|apiextensions-apiserver|kubernetes)(/|$)`)

// linked is what a module that users link may weigh.
type linked struct {
	folder      string
	maxPackages int // Go's own included
	isAPIServer bool
	// forcing are the imports through which alone it links foreign packages: what they do is kube-apiserver's own, and too much to write again.
	forcing []string
}

var allLinked = []linked{
	{folder: "server", maxPackages: 480},
	{folder: "probe", maxPackages: 335},
	{folder: "probe/metrics", maxPackages: 380},
	{folder: "probe/controllerruntime", maxPackages: 750},
	{folder: "simtest", maxPackages: 1160, isAPIServer: true, forcing: []string{
		"k8s.io/apiextensions-apiserver/pkg/registry/customresource",           // how a custom resource is written
		"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition", // how a definition is validated and written
		"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder",        // the types of its fields, for managedFields
	}},
}

// TestWhatUsersLinkIsSmall counts and lists what the modules link.
func TestWhatUsersLinkIsSmall(t *testing.T) {
	for _, m := range allLinked {
		t.Run(m.folder, func(t *testing.T) {
			folder := filepath.Join("..", filepath.FromSlash(m.folder))
			_, _ = os.ReadFile(filepath.Join(folder, "go.mod")) // so that the go command runs the test again when it changes
			imports := listImports(t, folder)
			if len(imports) > m.maxPackages {
				t.Errorf("it links %d packages, at most %d", len(imports), m.maxPackages)
			}
			foreign := slices.ContainsFunc(reachable(imports, nil), foreignPackages.MatchString)
			if foreign != (m.forcing != nil) {
				t.Errorf("it links foreign packages: %v", foreign)
			}
			for _, name := range reachable(imports, m.forcing) {
				if foreignPackages.MatchString(name) || !m.isAPIServer && apiServerPackages.MatchString(name) {
					t.Errorf("it links %s", name)
				}
			}
		})
	}
}

// listImports returns the imports of each package that the one in the folder links. It stands under "" itself.
func listImports(t *testing.T, folder string) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`, ".")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	var last string
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		last = names[0]
		imports[last] = names[1:]
	}
	imports[""] = imports[last] // go list names a package after those that it imports
	delete(imports, last)
	return imports
}

// reachable lists the packages that the one under "" links without the imports that are left out.
func reachable(imports map[string][]string, leftOut []string) []string {
	found := []string{""}
	seen := map[string]bool{}
	for i := 0; i < len(found); i++ {
		for _, name := range imports[found[i]] {
			if !seen[name] && !slices.Contains(leftOut, name) {
				seen[name] = true
				found = append(found, name)
			}
		}
	}
	return found
}
