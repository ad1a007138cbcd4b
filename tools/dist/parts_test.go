package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// checkParts holds the list of parts beside an archive to the program in it.
func checkParts(t *testing.T, name, version, program string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	type property struct{ Name, Value string }
	var doc struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Component struct {
				Version string
				Hashes  []struct{ Alg, Content string }
			}
		}
		Components []struct {
			Name, Version, PURL string
			Properties          []property
		}
		Dependencies []struct{ DependsOn []string }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := doc.Metadata.Component
	if doc.BOMFormat != "CycloneDX" || doc.SpecVersion != "1.6" || c.Version != version || len(c.Hashes) != 1 || c.Hashes[0].Content != sumText(program) {
		t.Errorf("%s is of %+v", name, doc.Metadata)
	}
	info, err := buildinfo.Read(strings.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	goVersion, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	want := map[string]string{"stdlib v" + goVersion: ""} // what is linked into the program → its sum
	for _, dep := range info.Deps {
		if dep.Replace != nil && strings.HasPrefix(dep.Replace.Path, ".") { // ours
			continue
		}
		want[dep.Path+" "+dep.Version] = dep.Sum
	}
	inPage := map[string]bool{}
	for _, c := range doc.Components {
		key := c.Name + " " + c.Version
		sum, isIn := want[key]
		if isIn != slices.Contains(c.Properties, property{"informerscope:linked-into", "server"}) ||
			isIn && sum != "" && !slices.Contains(c.Properties, property{"go:sum", sum}) {
			t.Errorf("%s: %+v; the program says %t, %q", name, c, isIn, sum)
		}
		delete(want, key)
		inPage[c.Name] = slices.Contains(c.Properties, property{"informerscope:linked-into", "page"})
		if len(doc.Dependencies) != 1 || !slices.Contains(doc.Dependencies[0].DependsOn, c.PURL) || !strings.HasPrefix(c.PURL, "pkg:golang/") {
			t.Errorf("%s: %s is no dependency", name, c.PURL)
		}
	}
	if len(want) > 0 || !inPage["stdlib"] || !inPage["github.com/hack-pad/safejs"] || inPage["k8s.io/client-go"] {
		t.Errorf("%s lacks %v; in the page are %v", name, want, inPage)
	}
}

// plugin is a manifest as krew documents it (https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest), field by
// field: what is not here is not known to krew either, and reading is strict.
type plugin struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Version          string       `json:"version"`
		ShortDescription string       `json:"shortDescription"`
		Description      string       `json:"description"`
		Caveats          string       `json:"caveats"`
		Platforms        []deployment `json:"platforms"`
	} `json:"spec"`
}

type deployment struct {
	Selector struct {
		MatchLabels map[string]string `json:"matchLabels"`
	} `json:"selector"`
	URI    string `json:"uri"`
	SHA256 string `json:"sha256"`
	Bin    string `json:"bin"`
	Files  []struct {
		From string `json:"from"`
		To   string `json:"to"`
	} `json:"files"`
}

// readPlugin reads a manifest and checks it by krew's rules.
func readPlugin(t *testing.T, dir, version string) (p plugin) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, krewManifest))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, &p); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if p.APIVersion != "krew.googlecontainertools.github.com/v1alpha2" || p.Kind != "Plugin" || p.Metadata.Name+".yaml" != krewManifest ||
		p.Spec.Version != version || p.Spec.ShortDescription == "" || len(p.Spec.ShortDescription) > 50 {
		t.Errorf("%+v", p)
	}
	return p
}

// install does what krew does with an archive: it takes out of it the files that the manifest names, and returns the names
// that they then have.
func (d deployment) install(t *testing.T, names []string, entries map[string]entry) map[string]entry {
	t.Helper()
	installed := map[string]entry{}
	for _, f := range d.Files {
		found := 0
		for _, name := range names {
			if ok, err := path.Match(f.From, name); err != nil || f.To != "." {
				t.Fatal(err, f)
			} else if ok {
				installed[path.Base(name)] = entries[name]
				found++
			}
		}
		if found != 1 {
			t.Errorf("%q names %d files of %q", f.From, found, names)
		}
	}
	return installed
}
