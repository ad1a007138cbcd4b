package event

import "testing"

// TestIsNewer compares resourceVersions as etcd numbers them. What is no number comes from another server, and is newer than no other.
func TestIsNewer(t *testing.T) {
	for _, x := range []struct {
		a, b string
		want bool
	}{{"100", "99", true}, {"99", "100", false}, {"7", "7", false}, {"", "", false}, {"1", "", true}, {"", "1", false}, {"1", "0", true}, {"0", "", false},
		{"0", "1", false}, {"x9", "1", false}, {"1", "x9", false},
		{"123456789012345678901234567890", "99", true}, {"-1", "1", false}, {"1\n", "1", false}} {
		if got := IsNewer(x.a, x.b); got != x.want {
			t.Errorf("%q is newer than %q: %v", x.a, x.b, got)
		}
	}
}
