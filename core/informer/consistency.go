package informer

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

// checkWatchList compares the objects of a WatchList with a LIST of exactly the same version, and panics if they differ, because the server is at
// fault. The check is on if consistencyCheckWanted is set. A LIST that fails is repeated every second until ctx is done; then nothing is compared.
// Mirrors client-go util/consistencydetector.CheckDataConsistency (v0.37.2).
func checkWatchList(ctx context.Context, identity, resourceVersion string, lister ListerWithContext, transform TransformFunc, streamed []any) {
	logger := klog.LoggerWithName(klog.FromContext(ctx), identity)
	if resourceVersion == "0" {
		logger.V(4).Info("Data consistency check skipped, a LIST of exactly version 0 is not valid")
		return
	}
	logger.Info("Warning: data consistency check is enabled, this is one more call to the API server")
	got := metaObjects(streamed)
	var list runtime.Object
	err := wait.PollUntilContextCancel(ctx, time.Second, true, func(context.Context) (bool, error) {
		var err error
		list, err = lister.ListWithContext(ctx, metav1.ListOptions{ResourceVersion: resourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		if err != nil {
			logger.Info("LIST for the data consistency check failed, trying again", "err", err)
		}
		return err == nil, nil
	})
	if err != nil {
		logger.Error(err, "The data consistency check was not made")
		return
	}
	items, err := meta.ExtractListWithAlloc(list)
	if err != nil {
		panic(err)
	}
	listed := make([]any, len(items))
	for i, item := range items {
		listed[i] = item
		if transform != nil {
			if listed[i], err = transform(item); err != nil {
				panic(err)
			}
		}
	}
	want := metaObjects(listed)
	if reflect.DeepEqual(want, got) {
		return
	}
	logger.Info("A WatchList and a LIST of the same version returned different data", "difference", firstInconsistency(want, got))
	panic(fmt.Sprintf("data inconsistency detected for %s, panicking!", identity))
}

// metaObjects returns objs sorted by UID.
func metaObjects(objs []any) []metav1.Object {
	sorted := make([]metav1.Object, len(objs))
	for i, obj := range objs {
		m, err := meta.Accessor(obj)
		if err != nil {
			panic(err)
		}
		sorted[i] = m
	}
	slices.SortFunc(sorted, func(a, b metav1.Object) int { return strings.Compare(string(a.GetUID()), string(b.GetUID())) })
	return sorted
}

// firstInconsistency describes the first difference between two lists that are sorted by UID.
func firstInconsistency(listed, streamed []metav1.Object) string {
	for i := range min(len(listed), len(streamed)) {
		l, s := listed[i], streamed[i]
		if !reflect.DeepEqual(l, s) {
			return fmt.Sprintf("listed %s@%s, streamed %s@%s", MetaObjectToName(l), l.GetResourceVersion(), MetaObjectToName(s), s.GetResourceVersion())
		}
	}
	return fmt.Sprintf("listed %d objects, streamed %d", len(listed), len(streamed))
}
