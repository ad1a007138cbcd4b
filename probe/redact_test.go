package probe

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// TestRedactsLines redacts the JSON documents in a file, a line each, for a test of the relay's own redaction, which compares
// (server/internal/redact, TestTheProbeRedactsAlike). By itself it holds the shortest of examples.
func TestRedactsLines(t *testing.T) {
	path := os.Getenv("INFORMERSCOPE_REDACT")
	if path == "" {
		tree := map[string]interface{}{"annotations": map[string]interface{}{"a": "b", "x/applied": "c"}, appliedKey: "d"}
		redactTree(tree)
		if b, _ := json.Marshal(tree); string(b) != `{"annotations":{"a":"b","x/applied":"[redacted]"},"`+appliedKey+`":"[redacted]"}` {
			t.Errorf("redacted to %s", b)
		}
		return
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(path + ".out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	enc := json.NewEncoder(out)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var tree interface{}
		if err := json.Unmarshal(lines.Bytes(), &tree); err != nil {
			t.Fatal(err)
		}
		if m, ok := tree.(map[string]interface{}); ok && mayHaveSecrets(lines.Bytes()) {
			redactTree(m)
		}
		if err := enc.Encode(tree); err != nil {
			t.Fatal(err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
