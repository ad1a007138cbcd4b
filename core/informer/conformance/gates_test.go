package conformance

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	clientfeatures "k8s.io/client-go/features"

	"informerscope/core/words/releases"
)

// gatesText lists which of the gates that define a release are on.
func gatesText() string {
	var b strings.Builder
	for _, g := range []clientfeatures.Feature{clientfeatures.InOrderInformers, clientfeatures.InOrderInformersBatchProcess, clientfeatures.WatchListClient,
		clientfeatures.AtomicFIFO, clientfeatures.UnlockWhileProcessingFIFO} {
		line(&b, "gate %s %v", g, clientfeatures.FeatureGates().Enabled(g))
	}
	return b.String()
}

// TestGates checks that setRelease sets the gates that a program gets from its KUBE_FEATURE_... variables, and that release 1.37 has the defaults.
// InOrderInformers is locked in v0.37.2, so no program of that version can behave as release 1.31.
func TestGates(t *testing.T) {
	for _, tc := range []struct {
		release releases.Release
		env     []string
	}{
		{releases.V133, []string{"KUBE_FEATURE_InOrderInformersBatchProcess=false", "KUBE_FEATURE_WatchListClient=false", "KUBE_FEATURE_AtomicFIFO=false",
			"KUBE_FEATURE_UnlockWhileProcessingFIFO=false"}},
		{releases.V135, []string{"KUBE_FEATURE_AtomicFIFO=false", "KUBE_FEATURE_UnlockWhileProcessingFIFO=false"}},
		{releases.V137, nil},
	} {
		t.Run(tc.release.String(), func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self, "-test.run=^TestGatesOfAProgram$", "-test.v")
			cmd.Env = append(append(os.Environ(), "CONFORMANCE_GATES=1"), tc.env...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			setRelease(t, tc.release)
			if want := gatesText(); !strings.Contains(string(out), want) {
				t.Errorf("a program has\n%s\nwant\n%s", out, want)
			}
		})
	}
}

// TestGatesOfAProgram prints the gates for TestGates.
func TestGatesOfAProgram(t *testing.T) {
	if os.Getenv("CONFORMANCE_GATES") == "" {
		t.Skip("run by TestGates")
	}
	_, _ = os.Stdout.WriteString(gatesText())
}
