package redact

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"example.org/informerscope/probe/manifests"
)

// TestTheProbeRedactsAlike gives the same documents to the relay's redaction, which reads text that streams, and to the probe's, which has decoded
// objects. The results must be equal. The documents are random trees with names and values that matter.
func TestTheProbeRedactsAlike(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString
	names := []string{"a", "annotations", "annotations", "annotations", Key, "x/applied", "kapp.k14s.io/original", "original", "original-x", "aboriginal",
		"e/last-applied", "e/lastHandledConfig", "e/applied.state", "kind", "metadata", "x/LAST_APPLIED", "deployment.kubernetes.io/revision", "世界", `quo"te\`, strings.Repeat("n", manifests.MaxName),
		strings.Repeat("n", manifests.MaxName+1), "e/applies"}
	manifest := `{"apiVersion":"v1","kind":"Secret","data":{"password":"aHVudGVyMg=="}}`
	packed := b64([]byte(gzipText(t, manifest)))
	values := []string{"", "x", "plain words", manifest, b64([]byte(manifest)), b64([]byte(b64([]byte(manifest)))), packed, b64([]byte(packed)),
		"apiVersion: v1\nkind: Secret\n", `{"\u0061piVersion":"v1","\u006bind":"x"}`, b64([]byte(zlibText(t, manifest))), b64([]byte("PK\x03\x04 zip")), "BZh9 text",
		strings.Repeat("y", manifests.MaxValue), strings.Repeat("y", manifests.MaxValue+1), strings.Repeat(`"`, manifests.MaxValue/2), strings.Repeat(`"`, manifests.MaxValue/2+1), "kind apiVersion", "kind only",
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "名前 \u2028", "x^y", b64([]byte("thirty-two bytes of some digest!"))}
	rnd := rand.New(rand.NewPCG(7, 7))
	var tree func(depth int) any
	tree = func(depth int) any {
		switch n := rnd.IntN(10); {
		case depth > 5 || n < 3:
			return values[rnd.IntN(len(values))]
		case n == 3:
			return float64(rnd.IntN(1000))
		case n == 4:
			return nil
		case n == 5:
			list := make([]any, rnd.IntN(4))
			for i := range list {
				list[i] = tree(depth + 1)
			}
			return list
		}
		m := map[string]any{}
		for range rnd.IntN(5) {
			m[names[rnd.IntN(len(names))]] = tree(depth + 1)
		}
		return m
	}
	redacted := 0
	check := func(doc map[string]any) {
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		var r Redactor
		out := r.Append(nil, text)
		redacted += int(r.Count())
		var relays, probes any
		if err := errors.Join(json.Unmarshal(out, &relays), json.Unmarshal(text, &probes)); err != nil {
			t.Fatal(err)
		}
		manifests.Redact(probes)
		if place := differ(relays, probes); place != "" {
			t.Fatalf("%.300s: %s", text, place)
		}
	}
	for _, name := range names {
		for _, value := range values {
			check(map[string]any{"metadata": map[string]any{"annotations": map[string]any{name: value}}, name: value})
		}
	}
	for range 3000 {
		check(map[string]any{"metadata": map[string]any{"annotations": tree(1)}, "spec": tree(1)})
	}
	if redacted < 1000 {
		t.Errorf("only %d values went", redacted)
	}
}

// differ returns where two documents differ, with the relay's first; "" if they are equal.
func differ(a, b any) string {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok && len(x) == len(y) {
			for name := range x {
				if place := differ(x[name], y[name]); place != "" {
					return fmt.Sprintf("%.60q.%s", name, place)
				}
			}
			return ""
		}
	case []any:
		if y, ok := b.([]any); ok && len(x) == len(y) {
			for i := range x {
				if place := differ(x[i], y[i]); place != "" {
					return fmt.Sprintf("[%d].%s", i, place)
				}
			}
			return ""
		}
	}
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return fmt.Sprintf("%.80q by the relay, %.80q by the probe", fmt.Sprint(a), fmt.Sprint(b))
}
