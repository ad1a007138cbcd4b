package releases

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"k8s.io/client-go/features"
)

// TestGates writes down which of the release's gates are on.
func TestGates(t *testing.T) {
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "KUBE_FEATURE_") {
			t.Errorf("%s is set: a release is judged with its default gates", v)
		}
	}
	write := writer(t, "gates.txt")
	sort.Slice(gates, func(i, j int) bool { return gates[i] < gates[j] })
	for _, g := range gates {
		write(fmt.Sprintf("%s %v\n", g, features.FeatureGates().Enabled(g)))
	}
}
