package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// maxPackages is how many packages this program may link, those of Go's own library included: who builds it waits for each.
const maxPackages = 500

// TestDependencies names what may not come into this program: the served cluster is a program of its own.
func TestDependencies(t *testing.T) {
	text, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(text))
	if len(packages) > maxPackages {
		t.Errorf("%d packages, want at most %d", len(packages), maxPackages)
	}
	heavy := regexp.MustCompile(`^(go\.etcd\.io/|google\.golang\.org/grpc|go\.opentelemetry\.io/otel/exporters/|k8s\.io/(kubernetes|apiserver|apiextensions-apiserver|kube-openapi/pkg/builder))`)
	for _, name := range packages {
		if heavy.MatchString(name) {
			t.Errorf("%s is linked; go list -deps -json says by what", name)
		}
	}
}
