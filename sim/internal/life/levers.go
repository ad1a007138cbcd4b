package life

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"informerscope/core/cluster/simcluster"
)

// writers is how many requests are under way at the same time when there is much to write.
const writers = 24

// write calls do for each item, by several writers, and returns the first error. It ends with ctx.
func write[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan T)
	var running sync.WaitGroup
	for range min(writers, len(items)) {
		running.Go(func() {
			for item := range next {
				if err := do(ctx, item); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, item := range items {
		select {
		case next <- item:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	running.Wait()
	return context.Cause(ctx)
}

// Do implements levers.Target.
func (l *Life) Do(ctx context.Context, method, path string, body, answer any) error {
	req := l.client.CoreV1().RESTClient().Verb(method).RequestURI(path).SetHeader("Accept", runtime.ContentTypeJSON)
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		req.Body(text).SetHeader("Content-Type", runtime.ContentTypeJSON)
		if method == http.MethodPatch {
			req.SetHeader("Content-Type", string(types.MergePatchType))
		}
	}
	result := req.Do(ctx)
	if err := result.Error(); err != nil || answer == nil { // Raw has no error with the API's own words
		return err
	}
	text, err := result.Raw()
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// CreateDeployment implements levers.Target. It creates the namespace too, if there is none.
func (l *Life) CreateDeployment(ctx context.Context, namespace, name string, replicas int) error {
	if err := l.createNamespace(ctx, namespace); err != nil {
		return err
	}
	return l.createDeployment(ctx, namespace, simcluster.NewDeployment(namespace, name, replicas))
}

func (l *Life) createNamespace(ctx context.Context, name string) error {
	_, err := l.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func (l *Life) createDeployment(ctx context.Context, namespace string, object map[string]any) error {
	var d appsv1.Deployment
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, &d); err != nil {
		return err
	}
	_, err := l.client.AppsV1().Deployments(namespace).Create(ctx, &d, metav1.CreateOptions{})
	return err
}

// Scale implements levers.Target.
func (l *Life) Scale(ctx context.Context, namespace, name string, replicas int) error {
	_, err := l.client.AppsV1().Deployments(namespace).UpdateScale(ctx, name, &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: autoscalingv1.ScaleSpec{Replicas: int32(replicas)}}, metav1.UpdateOptions{})
	return err
}

// RestartDeployment implements levers.Target, as kubectl rollout restart does.
func (l *Life) RestartDeployment(ctx context.Context, namespace, name string) error {
	return l.annotateTemplate(ctx, namespace, name, "kubectl.kubernetes.io/restartedAt", time.Now().Format(time.RFC3339))
}

func (l *Life) annotateTemplate(ctx context.Context, namespace, name, key, value string) error {
	patch := fmt.Sprintf(`{"spec": {"template": {"metadata": {"annotations": {%q: %q}}}}}`, key, value)
	_, err := l.client.AppsV1().Deployments(namespace).Patch(ctx, name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

func (l *Life) deletePod(ctx context.Context, namespace, name string) error {
	return l.client.CoreV1().Pods(namespace).Delete(ctx, name, metav1.DeleteOptions{})
}

// DeleteRandomPod implements levers.Target.
func (l *Life) DeleteRandomPod(ctx context.Context) (namespace, name string, err error) {
	chosen := l.choose(l.livePods(), 1)
	if len(chosen) == 0 {
		return "", "", errors.New("no pod to delete")
	}
	return chosen[0].Namespace, chosen[0].Name, l.deletePod(ctx, chosen[0].Namespace, chosen[0].Name)
}

// LabelPod implements levers.Target. A label is set by "tier=backend", and removed by "tier-". An empty key is that of the first pod that is changed.
func (l *Life) LabelPod(ctx context.Context, key, label string) (string, error) {
	name, value, sets := strings.Cut(label, "=")
	if !sets {
		var removes bool
		if name, removes = strings.CutSuffix(label, "-"); !removes {
			return "", fmt.Errorf("%q sets no label and removes none: write tier=backend or tier-", label)
		}
	}
	if wrong := append(validation.IsQualifiedName(name), validation.IsValidLabelValue(value)...); len(wrong) > 0 {
		return "", fmt.Errorf("%q is no label: %s", label, strings.Join(wrong, "; "))
	}
	for _, pod := range l.livePods() {
		old, isSet := pod.Labels[name]
		if key != "" && keyOf(pod) != key || isSet == sets && old == value {
			continue
		}
		var set any // null removes it
		if sets {
			set = value
		}
		return keyOf(pod), l.mergePod(ctx, pod, map[string]any{"metadata": map[string]any{"labels": map[string]any{name: set}}})
	}
	return "", fmt.Errorf("no pod is changed by the label %s", label)
}

// mergePod merges a patch into a pod, or into one of its subresources.
func (l *Life) mergePod(ctx context.Context, pod *metav1.PartialObjectMetadata, patch map[string]any, subresources ...string) error {
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = l.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, text, metav1.PatchOptions{}, subresources...)
	return err
}

// AddFinalizers implements levers.Target, on the first n pods by name that have no finalizer.
func (l *Life) AddFinalizers(ctx context.Context, n int) error {
	free := slices.DeleteFunc(l.livePods(), func(pod *metav1.PartialObjectMetadata) bool { return len(pod.Finalizers) > 0 })
	if n > len(free) {
		return fmt.Errorf("a finalizer for %d pods: there are %d without one", n, len(free))
	}
	return write(ctx, free[:n], func(ctx context.Context, pod *metav1.PartialObjectMetadata) error {
		return l.mergePod(ctx, pod, map[string]any{"metadata": map[string]any{"finalizers": []string{simcluster.Finalizer}}})
	})
}

// RemoveFinalizers implements levers.Target.
func (l *Life) RemoveFinalizers(ctx context.Context) error {
	var held []*metav1.PartialObjectMetadata
	for _, object := range l.pods.GetStore().List() {
		if pod, ok := object.(*metav1.PartialObjectMetadata); ok && slices.Contains(pod.Finalizers, simcluster.Finalizer) {
			held = append(held, pod)
		}
	}
	return write(ctx, held, func(ctx context.Context, pod *metav1.PartialObjectMetadata) error {
		return ignoreGone(l.mergePod(ctx, pod, map[string]any{"metadata": map[string]any{"$deleteFromPrimitiveList/finalizers": []string{simcluster.Finalizer}}}))
	})
}

// ignoreGone is nil for an error that says that the object has gone meanwhile.
func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// Burst implements levers.Target: it writes n times into the status of pods chosen by chance, as fast as the API takes it.
func (l *Life) Burst(ctx context.Context, n int) error {
	chosen := l.choose(l.livePods(), n)
	if len(chosen) == 0 {
		return errors.New("no pod to update")
	}
	var done atomic.Int64
	err := write(ctx, chosen, func(ctx context.Context, pod *metav1.PartialObjectMetadata) error {
		err := l.touch(ctx, pod)
		if err == nil {
			done.Add(1)
		}
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%d of the %d updates were written in the time that a lever may take", done.Load(), n)
	}
	return err
}

// touch writes the time into a condition of a pod's status.
func (l *Life) touch(ctx context.Context, pod *metav1.PartialObjectMetadata) error {
	return ignoreGone(l.mergePod(ctx, pod, map[string]any{"status": map[string]any{"conditions": []map[string]any{
		{"type": "informerscope.dev/Probed", "status": "True", "message": time.Now().Format(time.RFC3339Nano)}}}}, "status"))
}

// Compact implements levers.Target. A watch that is open goes on: the API server has the history in its cache.
func (l *Life) Compact(ctx context.Context) (string, error) {
	if err := l.machine.Compact(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("compacted etcd up to version %d; an older watch gets 410 once the API server has started again", l.machine.Compacted()), nil
}

// Restart implements levers.Target. The API server starts again even if ctx ends.
func (l *Life) Restart(ctx context.Context) error {
	return l.machine.Restart(context.WithoutCancel(ctx))
}

// Expire implements levers.Target. An API server that has started again has no version from before the compaction.
func (l *Life) Expire(ctx context.Context) (string, error) {
	if err := l.machine.Compact(ctx); err != nil {
		return "", err
	}
	return "compacted etcd and restarted the API server: every watch has ended, and one from an older version gets 410 Expired", l.Restart(ctx)
}

// IgnoreShards implements levers.Target. It fails: this is Kubernetes' own API server, whose gates are chosen when it starts.
func (l *Life) IgnoreShards(context.Context, bool) error {
	return errors.New("this API server knows shards as its release does: take the page's own simulated cluster")
}

// FailOver implements levers.Target.
func (l *Life) FailOver(ctx context.Context, versions uint64) error {
	return l.machine.FailOver(context.WithoutCancel(ctx), versions)
}
