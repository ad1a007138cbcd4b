package main

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestSamples holds what is found against what the samples say of themselves.
func TestSamples(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer, "samples")
}
