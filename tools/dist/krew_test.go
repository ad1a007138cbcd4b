package main

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

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
		Homepage         string       `json:"homepage"`
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
func readPlugin(t *testing.T, text []byte) plugin {
	t.Helper()
	var p plugin
	if err := yaml.UnmarshalStrict(text, &p); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if p.APIVersion != "krew.googlecontainertools.github.com/v1alpha2" || p.Kind != "Plugin" || p.Metadata.Name+".yaml" != krewManifest {
		t.Errorf("it is a %s %s %q", p.APIVersion, p.Kind, p.Metadata.Name)
	}
	if !versions.MatchString(p.Spec.Version) || p.Spec.ShortDescription == "" || strings.ContainsAny(p.Spec.ShortDescription, "\r\n") ||
		len(p.Spec.ShortDescription) > 50 || len(p.Spec.Platforms) == 0 {
		t.Errorf("%+v", p.Spec)
	}
	seen := map[string]bool{}
	for _, d := range p.Spec.Platforms {
		labels := d.Selector.MatchLabels
		name := labels["os"] + "/" + labels["arch"]
		if got, err := parsePlatforms(name); err != nil || len(got) != 1 || len(labels) != 2 || seen[name] {
			t.Errorf("the selector %v", labels)
		}
		seen[name] = true
		if !strings.HasPrefix(d.URI, "https://") || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(d.SHA256) || d.Bin == "" || len(d.Files) == 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
	return p
}

// install does what krew does with an archive: it takes out of it the files that the manifest names, and returns the names
// that they then have.
func (d deployment) install(t *testing.T, packed []byte) map[string]entry {
	t.Helper()
	names, entries := unpack(t, packed)
	installed := map[string]entry{}
	for _, f := range d.Files {
		if f.To != "." || strings.Contains(f.From, "..") {
			t.Errorf("%q goes to %q", f.From, f.To)
		}
		found := 0
		for _, name := range names {
			if ok, err := path.Match(f.From, name); err != nil {
				t.Fatal(err)
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

func TestKrew(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(krewTemplate)))
	if err != nil {
		t.Fatal(err)
	}
	sum := strings.Repeat("0123456789abcdef", 4)
	archives := []archive{
		{platform: platform{"linux", "arm64"}, name: "a_linux_arm64.tar.gz", sum: sum, size: 1},
		{platform: platform{"windows", "amd64"}, name: "a_windows_amd64.zip", sum: sum, size: 1},
	}
	manifest, err := krew(string(text), "v1.2.3-rc.1", "https://example.com/releases/v1.2.3/", archives)
	if err != nil {
		t.Fatal(err)
	}
	p := readPlugin(t, manifest)
	if len(p.Spec.Platforms) != 2 || p.Spec.Version != "v1.2.3-rc.1" {
		t.Fatalf("%+v", p)
	}
	if d := p.Spec.Platforms[0]; d.URI != "https://example.com/releases/v1.2.3/a_linux_arm64.tar.gz" || d.SHA256 != sum || d.Bin != "kubectl-informerscope" ||
		d.Selector.MatchLabels["os"] != "linux" || d.Selector.MatchLabels["arch"] != "arm64" {
		t.Errorf("%+v", d)
	}
	if d := p.Spec.Platforms[1]; d.URI != "https://example.com/releases/v1.2.3/a_windows_amd64.zip" || d.Bin != "kubectl-informerscope.exe" {
		t.Errorf("%+v", d)
	}
	if bytes.Contains(manifest, []byte(placeholderURL)) || bytes.Contains(manifest, []byte("lead nowhere")) {
		t.Errorf("it speaks of no address, though one was given:\n%s", manifest)
	}
	manifest, err = krew(string(text), "v1.2.3", "", archives)
	if err != nil {
		t.Fatal(err)
	}
	if p := readPlugin(t, manifest); !strings.HasPrefix(p.Spec.Platforms[0].URI, placeholderURL+"/v1.2.3/") || !bytes.Contains(manifest, []byte("--archive=")) {
		t.Errorf("without an address:\n%s", manifest)
	}
	for _, bad := range []string{"http://example.com/", "example.com/x", "https://", "https://me:secret@example.com/", "https://example.com/?x=1",
		"https://example.com/#x", "%"} {
		if _, err := krew(string(text), "v1.2.3", bad, archives); err == nil || !strings.Contains(err.Error(), "https://example.com/informerscope") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
