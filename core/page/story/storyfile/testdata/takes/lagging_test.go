package take

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestMustAskWithoutVersion: a server that is behind says so in a cause of its Timeout.
func TestMustAskWithoutVersion(t *testing.T) {
	behind := apierrors.NewTimeoutError("Too large resource version: 9, current: 7", 1)
	behind.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	for err, want := range map[error]bool{behind: true, apierrors.NewTimeoutError("slow", 1): false, errors.New("reset"): false} {
		if got := mustAskWithoutVersion(err); got != want {
			t.Errorf("%v: %t", err, got)
		}
	}
}
