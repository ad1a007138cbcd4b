package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// maxPackages is how many packages the program may link, Go's own included.
const maxPackages = 500

// foreignPackages matches packages of an API server or of its store: informerscope-sim links them, so that building this program takes no minutes.
var foreignPackages = regexp.MustCompile(`^(go\.etcd\.io|google\.golang\.org/grpc|go\.opentelemetry\.io/otel/exporters|` +
	`k8s\.io/(apiserver|apiextensions-apiserver|kubernetes))(/|$)`)

// TestTheProgramIsSmall lists what the program links.
func TestTheProgramIsSmall(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if len(packages) > maxPackages {
		t.Errorf("the program links %d packages, at most %d", len(packages), maxPackages)
	}
	for _, name := range packages {
		if foreignPackages.MatchString(name) {
			t.Errorf("the program links %s", name)
		}
	}
}
