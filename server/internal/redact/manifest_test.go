package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"example.org/informerscope/probe/manifests"
)

const manifestOfASecret = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"db"},"data":{"password":"aHVudGVyMg=="}}`

func gzipText(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return out.String()
}

func zlibText(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return out.String()
}

// redactAnnotation returns what Append makes of an object with one annotation.
func redactAnnotation(t *testing.T, name, value string) (got string) {
	t.Helper()
	object := map[string]any{"metadata": map[string]any{"name": "x", "annotations": map[string]string{name: value}}}
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var r Redactor
	out := r.Append(nil, raw)
	var back struct {
		Metadata struct{ Annotations map[string]string }
	}
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return back.Metadata.Annotations[name]
}

// TestManifestsInAnnotations: copies of manifests that tools keep are replaced, under any name and in any encoding.
func TestManifestsInAnnotations(t *testing.T) {
	yaml := "apiVersion: v1\nkind: Secret\ndata:\n  password: aHVudGVyMg==\n"
	b64 := base64.StdEncoding.EncodeToString
	for name, value := range map[string]string{
		// By name, whatever the value.
		"kubectl.kubernetes.io/last-applied-configuration": "x",
		"kapp.k14s.io/original":                            "x",
		"kapp.k14s.io/original-diff":                       "- x",
		"kapp.k14s.io/original-diff-full":                  "x",
		"objectset.rio.cattle.io/applied":                  "x",
		"banzaicloud.com/last-applied":                     "x",
		"cisco.com/last-applied-configuration":             "x",
		"metacontroller.k8s.io/last-applied-configuration": "x",
		"kopf.zalando.org/last-handled-configuration":      `{"spec":{"password":"hunter2"}}`,
		"configmanagement.gke.io/declared-config":          "x",
		"example.com/lastAppliedConfig":                    "x",
		"example.com/last_applied":                         "x",
		"example.com/LAST-APPLIED":                         "x",
		"original":                                         "x",
		// By value, whatever the name.
		"a/json":             manifestOfASecret,
		"a/json-indented":    "{\n  \"kind\" : \"Secret\",\n  \"apiVersion\" : \"v1\"\n}",
		"a/json-list":        "[" + manifestOfASecret + "]",
		"a/json-escaped":     `{"\u0061piVersion":"v1","\u006bind":"Secret"}`,
		"a/json-in-json":     `"{\"apiVersion\":\"v1\",\"kind\":\"Secret\"}"`,
		"a/json-wrapped":     `{"object":` + manifestOfASecret + `}`,
		"a/yaml":             yaml,
		"a/yaml-documents":   "---\n" + yaml + "---\n",
		"a/base64-json":      b64([]byte(manifestOfASecret)),
		"a/base64-yaml":      b64([]byte(yaml)),
		"a/base64-url":       base64.RawURLEncoding.EncodeToString([]byte("??>>~~" + manifestOfASecret)),
		"a/base64-lines":     b64([]byte(manifestOfASecret))[:40] + "\n" + b64([]byte(manifestOfASecret))[40:] + "\n",
		"a/base64-twice":     b64([]byte(b64([]byte(manifestOfASecret)))),
		"a/base64-gzip":      b64([]byte(gzipText(t, manifestOfASecret))),
		"a/base64-gzip-url":  base64.URLEncoding.EncodeToString([]byte(gzipText(t, manifestOfASecret))),
		"a/base64-b64-gzip":  b64([]byte(b64([]byte(gzipText(t, manifestOfASecret))))),
		"a/base64-zlib":      b64([]byte(zlibText(t, manifestOfASecret))),
		"a/base64-zip":       b64([]byte("PK\x03\x04 and what a zip archive has")),
		"a/longer-than-seen": strings.Repeat("prose ", manifests.MaxValue/6+1),
	} {
		if got := redactAnnotation(t, name, value); got != Replacement {
			t.Errorf("%s: %.200q goes out as %.200q", name, value, got)
		}
	}
	for name, value := range map[string]string{
		"deployment.kubernetes.io/revision":                "3",
		"volume.beta.kubernetes.io/storage-provisioner":    "kubernetes.io/no-provisioner",
		"kubernetes.io/config.hash":                        "0123456789abcdef0123456789abcdef",
		"checksum/config":                                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"checksum/base64":                                  b64([]byte("thirty-two bytes of some digest!")),
		"prometheus.io/scrape":                             "true",
		"description":                                      "What kind of thing this is.",
		"sidecar.istio.io/status":                          `{"containers":["istio-proxy"],"revision":"default"}`,
		"nginx.ingress.kubernetes.io/rewrite-target":       `/\u0041$2\`,
		"control-plane.alpha.kubernetes.io/leader":         `{"holderIdentity":"a","leaseDurationSeconds":15}`,
		"pv.kubernetes.io/bound-by-controller":             "yes",
		"endpoints.kubernetes.io/last-change-trigger-time": "2026-11-22T00:00:00Z",
		"aboriginal.example.com/applies":                   "x",
		"meta.helm.sh/release-name":                        "web",
		"operator.prometheus.io/controller-id":             "a/b",
		"cni.projectcalico.org/podIPs":                     "10.0.0.1/32",
		"seccomp.security.alpha.kubernetes.io/pod":         "runtime/default",
		"a/short":   "eJw",
		"a/unicode": "名前 \u2028",
		strings.Repeat("a", 100) + "/" + strings.Repeat("b", 60):       "long, but a name",
		"autoscaling.alpha.kubernetes.io/conditions":                   `[{"type":"AbleToScale","status":"True"}]`,
		"kubernetes.io/description-of-a-value-with-quotes-and-slashes": `"a\\\"b"`,
	} {
		if got := redactAnnotation(t, name, value); got != value {
			t.Errorf("%s: %q goes out as %q", name, value, got)
		}
	}
	if got := redactAnnotation(t, strings.Repeat("\u0001", 400), "x"); got != Replacement {
		t.Errorf("of a name that no API server takes: %q", got)
	}
}

// TestAnAnnotationIsCutAnywhere: a chunk's edge inside a name or a value changes nothing.
func TestAnAnnotationIsCutAnywhere(t *testing.T) {
	value := base64.StdEncoding.EncodeToString([]byte(gzipText(t, manifestOfASecret)))
	in := `{"annotations":{"a":"plain \\\" one","b":"` + value + `","kapp.k14s.io/original":"` + strings.Repeat("x", 50) + `","c":"` + strings.Repeat("y", manifests.MaxValue+1) + `","d":"e"}}`
	want := `{"annotations":{"a":"plain \\\" one","b":"[redacted]","kapp.k14s.io/original":"[redacted]","c":"[redacted]","d":"e"}}`
	for cut := 0; cut <= len(in); cut++ {
		var r Redactor
		if out := r.Append(r.Append(nil, []byte(in[:cut])), []byte(in[cut:])); string(out) != want || r.Count() != 3 {
			t.Fatalf("cut at %d: %s", cut, out)
		}
	}
}
