//go:build !js

package informer

import "testing"

// TestMutationDetectorByEnvironment checks that the detector is off by default, and that the environment variable switches it on.
func TestMutationDetectorByEnvironment(t *testing.T) {
	if mutationDetectorWanted || consistencyCheckWanted {
		t.Skip("switched on in the environment")
	}
	if _, off := NewCacheMutationDetector("c").(noMutationDetector); !off {
		t.Error("on by default")
	}
	for value, want := range map[string]bool{"true": true, "1": true, "no": false, "": false} {
		t.Setenv("INFORMERSCOPE_TEST", value)
		if environmentBool("INFORMERSCOPE_TEST") != want {
			t.Errorf("%q is not %v", value, want)
		}
	}
	mutationDetectorWanted = true
	defer func() { mutationDetectorWanted = false }()
	if _, on := NewCacheMutationDetector("c").(*mutationDetector); !on {
		t.Error("not on")
	}
	if inf := NewSharedIndexInformer(&ListWatch{}, &object{}, 0, nil).(*sharedIndexInformer); inf.mutations == nil {
		t.Error("the informer has no detector")
	}
}
