package metrics

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestDocumented: deploy/operations.md names every metric, with its labels, and no other.
func TestDocumented(t *testing.T) {
	var s Set
	s.SetBuild("v1.2.3", "abc")
	s.SetPluginCount(func() int { return 0 })
	descriptions := make(chan *prometheus.Desc)
	go func() {
		defer close(descriptions)
		s.registry.Describe(descriptions)
	}()
	name := regexp.MustCompile(`fqName: "(informerscope_\w+)".*constLabels: \{([^}]*)\}, variableLabels: \{([^}]*)\}`)
	label := regexp.MustCompile(`(\w+)="[^"]*"`)
	have := []string{"informerscope_audit_lost_total"} // the audit log's own, see TestAuditLog in package main
	for d := range descriptions {
		match := name.FindStringSubmatch(d.String())
		if match == nil { // Go's and the process's
			continue
		}
		labels := match[3]
		if constant := label.FindAllStringSubmatch(match[2], -1); len(constant) > 0 {
			var names []string
			for _, c := range constant {
				names = append(names, c[1])
			}
			slices.Sort(names)
			labels = strings.Join(names, ",")
		}
		if labels != "" {
			labels = "{" + labels + "}"
		}
		have = append(have, match[1]+labels)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "deploy", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, match := range regexp.MustCompile("`(informerscope_\\w+(?:\\{[^}]*\\})?)`").FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, match[1])
	}
	slices.Sort(have)
	slices.Sort(documented)
	if !slices.Equal(have, documented) {
		t.Errorf("there are\n%q\nand deploy/operations.md names\n%q", have, documented)
	}
}
