package fold

import "testing"

// TestLaterRV compares resourceVersions as etcd numbers them.
func TestLaterRV(t *testing.T) {
	if !laterRV("100", "99") || laterRV("99", "100") || laterRV("", "") || !laterRV("1", "") || laterRV("x9", "1") {
		t.Error("laterRV")
	}
}
