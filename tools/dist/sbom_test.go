package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// checkParts holds the list of parts beside an archive to the program in it.
func checkParts(t *testing.T, dir, line, name string, source identity, p platform, program string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if line != sumText(text)+"  "+name {
		t.Errorf("the checksum of %s is %q", name, line)
	}
	var doc cycloneDX
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	root := doc.Metadata.Component
	if doc.Format != "CycloneDX" || doc.SpecVersion != "1.6" || doc.Version != 1 || doc.Metadata.Timestamp != source.time.UTC().Format(time.RFC3339) ||
		root.Type != "application" || root.Version != source.version || len(root.Hashes) != 1 || root.Hashes[0] != (hash{"SHA-256", sumText([]byte(program))}) {
		t.Errorf("%s is of %+v", name, doc.Metadata)
	}
	info, err := buildinfo.Read(strings.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(doc.Metadata.Properties, []property{{"informerscope:platform", p.String()}, {"informerscope:commit", source.commit},
		{"informerscope:toolchain", info.GoVersion}}) {
		t.Errorf("%s says %+v", name, doc.Metadata.Properties)
	}
	into := map[string][]string{} // "path version" → what it is linked into
	sums := map[string]string{}
	var refs []string
	for _, c := range doc.Components {
		key := c.Name + " " + c.Version
		if into[key] != nil || c.Type != "library" || c.Version == "" || c.PURL != purl(c.Name, c.Version) || c.Ref != c.PURL {
			t.Errorf("%s: %+v", name, c)
		}
		refs = append(refs, c.Ref)
		for _, property := range c.Properties {
			switch property.Name {
			case "informerscope:linked-into":
				into[key] = append(into[key], property.Value)
			case "go:sum":
				sums[key] = property.Value
			}
		}
	}
	if len(doc.Dependencies) != 1 || doc.Dependencies[0].Ref != root.Ref || !slices.Equal(doc.Dependencies[0].DependsOn, refs) || !slices.IsSorted(refs) {
		t.Errorf("%s: the dependencies are %+v", name, doc.Dependencies)
	}
	linked := 0
	for key, where := range into {
		if slices.Contains(where, "server") {
			linked++
		}
		if sum := sums[key]; !strings.HasPrefix(key, "stdlib ") && (!strings.HasPrefix(sum, "h1:") || len(sum) < 40) {
			t.Errorf("%s: the sum of %s is %q", name, key, sum)
		}
	}
	for _, dep := range info.Deps {
		if key := dep.Path + " " + dep.Version; !slices.Contains(into[key], "server") || sums[key] != dep.Sum {
			t.Errorf("%s: %s is linked into the program and not in the list, or with the sum %q", name, key, sums[key])
		}
	}
	goVersion, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	if std := into["stdlib v"+goVersion]; linked != len(info.Deps)+1 || !slices.Equal(std, []string{"server", "page"}) {
		t.Errorf("%s: %d parts are said to be in the program, which has %d and Go's own library (%q)", name, linked, len(info.Deps), std)
	}
	page := 0
	for key, where := range into {
		if slices.Contains(where, "page") {
			page++
			if strings.HasPrefix(key, "k8s.io/client-go ") {
				t.Errorf("%s: the page is said to have %s", name, key)
			}
		}
	}
	if page < 5 || !slices.ContainsFunc(doc.Components, func(c component) bool {
		return c.Name == "github.com/hack-pad/safejs" && slices.Equal(into[c.Name+" "+c.Version], []string{"page"})
	}) {
		t.Errorf("%s: what the page is made of is not in the list: %v", name, into)
	}
}

func TestPURL(t *testing.T) {
	for want, module := range map[string][2]string{
		"pkg:golang/k8s.io/client-go@v0.37.2":                   {"k8s.io/client-go", "v0.37.2"},
		"pkg:golang/github.com/azure/go-ansiterm@v1.0.0":        {"github.com/Azure/go-ansiterm", "v1.0.0"},
		"pkg:golang/github.com/evan/patch@v4.12.0%2Bincompat":   {"github.com/evan/patch", "v4.12.0+incompat"},
		"pkg:golang/gopkg.in/yaml.v3@v3.0.1":                    {"gopkg.in/yaml.v3", "v3.0.1"},
		"pkg:golang/sigs.k8s.io/structured-merge-diff/v6@v6.4.": {"sigs.k8s.io/structured-merge-diff/v6", "v6.4."},
	} {
		if got := purl(module[0], module[1]); got != want {
			t.Errorf("%v: %s, want %s", module, got, want)
		}
	}
	if sum := sumOf("a v1 h1:x=\na v1/go.mod h1:y=\nb v2 h1:z=\n", "b", "v2"); sum != "h1:z=" || sumOf("a v1/go.mod h1:y=\n", "a", "v1") != "" {
		t.Errorf("the sum is %q", sum)
	}
}
