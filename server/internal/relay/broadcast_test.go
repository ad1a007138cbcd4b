package relay

import (
	"strings"
	"testing"
)

// TestHallObject checks what is removed from a whole object that is broadcast.
func TestHallObject(t *testing.T) {
	for _, x := range []struct{ raw, keeps string }{
		{`{"kind":"Pod","metadata":{"name":"a","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"canary"}},"spec":{"nodeName":"n"}}`,
			`"nodeName":"n"`},
	} {
		out := string(HallObject([]byte(x.raw)))
		if strings.Contains(out, "canary") || !strings.Contains(out, x.keeps) {
			t.Errorf("%s became %s", x.raw, out)
		}
	}
}
