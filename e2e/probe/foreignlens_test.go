package probe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"informerscope/core/ask/doctor"
	"informerscope/core/log/fold"
	"informerscope/core/words/event"
	"informerscope/e2e/cluster"
)

// kuberay watches KubeRay's operator. No kubelet runs here, so the test says of its Pods that they are ready.
func kuberay(t *testing.T) {
	dir := sourcesOf(t, kuberayModule, kuberaySum)
	diff := diffOf(t, "docs/dev/controllers.md", "controllers/ray/raycluster_controller.go")
	binary, address := buildForeign(t, "ray-operator", dir, ".", diff, 15, "controllerruntime")

	cp := cluster.StartForTest(t, cluster.Options{})
	client := cp.Client()
	untyped, err := dynamic.NewForConfig(cp.Config())
	if err != nil {
		t.Fatal(err)
	}
	applyCRDs(t, cp, dir)
	p := startForeign(t, binary, address, "--kubeconfig="+cp.Kubeconfig, "--metrics-addr=0", "--health-probe-bind-address=0", "--enable-leader-election=false")
	ray := schema.GroupVersionResource{Group: "ray.io", Version: "v1", Resource: "rayclusters"}
	f := follow(t, p, cp, map[string]schema.GroupVersionResource{"rayclusters": ray, "pods": {Version: "v1", Resource: "pods"},
		"services": {Version: "v1", Resource: "services"}})

	ctx, clusters, pods := t.Context(), untyped.Resource(ray).Namespace("default"), client.CoreV1().Pods("default")
	name := func(i int) string { return fmt.Sprintf("%s-%d", foreignPrefix, i) }
	// running waits until a RayCluster is ready with so many Pods. Each Pod that is new becomes ready.
	running := func(i, n int) {
		t.Helper()
		waitUntil(t, fmt.Sprintf("%s is ready with %d Pods", name(i), n), func() bool {
			all, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "ray.io/cluster=" + name(i)})
			if err != nil {
				t.Fatal(err)
			}
			for _, pod := range all.Items {
				if pod.Status.Phase != corev1.PodRunning && pod.DeletionTimestamp == nil {
					patch := []byte(`{"status":{"phase":"Running","podIP":"192.0.2.1","conditions":[{"type":"Ready","status":"True"}]}}`)
					_, _ = pods.Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status") // it may be gone
				}
			}
			got, err := clusters.Get(ctx, name(i), metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			state, _, _ := unstructured.NestedString(got.Object, "status", "state")
			workers, _, _ := unstructured.NestedInt64(got.Object, "status", "readyWorkerReplicas")
			return state == "ready" && len(all.Items) == n && int(workers) == n-1
		})
	}
	scale := func(i, workers int) {
		t.Helper()
		patch := fmt.Appendf(nil, `[{"op":"replace","path":"/spec/workerGroupSpecs/0/replicas","value":%d}]`, workers)
		if _, err := clusters.Patch(ctx, name(i), types.JSONPatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	const n = 6
	for i := range n {
		template := func(container string) map[string]any {
			return map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": container, "image": "none"}}}}
		}
		_, err := clusters.Create(ctx, &unstructured.Unstructured{Object: map[string]any{"apiVersion": "ray.io/v1", "kind": "RayCluster",
			"metadata": map[string]any{"name": name(i)}, "spec": map[string]any{"rayVersion": "2.46.0",
				"headGroupSpec": map[string]any{"rayStartParams": map[string]any{}, "template": template("head")},
				"workerGroupSpecs": []any{map[string]any{"groupName": "workers", "replicas": int64(2), "minReplicas": int64(0), "maxReplicas": int64(9),
					"rayStartParams": map[string]any{}, "template": template("worker")}}}}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		running(i, 3)
	}
	for round := range 3 {
		for i := range n {
			scale(i, 1+round)
		}
		for i := range n {
			running(i, 2+round)
		}
	}
	workers := metav1.ListOptions{LabelSelector: "ray.io/cluster=" + name(0) + ",ray.io/node-type=worker"}
	if err := pods.DeleteCollection(ctx, metav1.DeleteOptions{}, workers); err != nil {
		t.Fatal(err)
	}
	running(0, 4)
	if err := clusters.Delete(ctx, name(1), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	f.expect(map[string]int{"rayclusters": 6 * n, "pods": 8 * n, "services": n})
	f.expectKeys("rayclusters", n)
	f.expectCauses("rayclusters", func(string) bool { return false })
}

// expectCauses holds that each reconcile of an informer's work queue has its causes, but for keys of unseen sources, and that the doctor finds nothing of
// weight but reads that conflicts followed. It logs what the lens has.
func (f *foreign) expectCauses(name string, isUnseen func(key string) bool) {
	f.t.Helper()
	text := f.r.bytes()
	_, events := readRecording(f.t, text)
	folded := fold.NewFold()
	l := folded.Lens()
	waiting := map[string]bool{} // keys that came before the recording
	causes, writes, runs, unseen, reads, older, conflicts := map[string]int{}, map[string]int{}, 0, 0, 0, 0, 0
	for i := range events {
		e := &events[i]
		folded.Apply(e)
		lane := int(e.Lane)
		if e.Kind == event.KindRestored {
			var s fold.State
			if err := json.Unmarshal([]byte(e.Restored().State), &s); err != nil {
				f.t.Fatal(err)
			}
			for _, key := range s.WaitingKeys() {
				waiting[key] = true
			}
		}
		if e.Kind == event.KindClusterWritten && folded.LaneState(lane).Resource.Resource == name {
			if r := l.Last(lane); r != nil && len(r.Writes) > 0 {
				last := r.Writes[len(r.Writes)-1]
				what := strings.Trim(last.Verb+" "+last.Resource+"/"+last.Subresource, "/")
				if last.Same {
					what += ", without a change"
				}
				if last.Code == http.StatusConflict {
					conflicts++
				}
				if last.Code != 0 {
					what += fmt.Sprintf(", answered %d", last.Code)
				}
				writes[what]++
			}
		}
		if e.Kind != event.KindWorkDone || folded.LaneState(lane).Resource.Resource != name {
			continue
		}
		r := l.Last(lane)
		if r == nil || r.Key != e.Key() {
			continue // a worker had the key before the recording
		}
		runs, reads, older = runs+1, reads+r.ReadCount, older+r.Older
		isKnown := len(r.Causes) > 0
		for _, c := range r.Causes {
			isKnown = isKnown && c.Why != ""
			why := c.Why
			if why == "event" {
				state := folded.LaneState(max(c.Lane, 0))
				why += " of " + state.Resource.Resource
				for _, x := range state.Listeners {
					if x.ID == c.Listener {
						why += " through " + x.Name
					}
				}
			}
			causes[why]++
		}
		switch {
		case isKnown || waiting[r.Key]:
		case isUnseen(r.Key):
			unseen++
		default:
			f.t.Errorf("the reconcile of %s at event %d has causes %+v", r.Key, r.Seq, r.Causes)
		}
	}
	f.t.Logf("%d reconciles, %d of an unseen source; %d reads, %d of them older than an own write", runs, unseen, reads, older)
	for _, why := range slices.Sorted(maps.Keys(causes)) {
		f.t.Logf("%d causes: %s", causes[why], why)
	}
	for _, what := range slices.Sorted(maps.Keys(writes)) {
		f.t.Logf("%d writes: %s", writes[what], what)
	}
	if runs == 0 || reads == 0 || len(writes) == 0 {
		f.t.Error("there is nothing to judge")
	}
	x, err := doctor.Read(bytes.NewReader(text))
	if err != nil {
		f.t.Fatal(err)
	}
	for _, finding := range x.Findings {
		f.t.Logf("the doctor: %s %s (%s): %s", finding.Weight, finding.Rule, finding.Informer, finding.What.EN)
		// A read older than an own write, and then a conflict: that is so, and comes and goes with the machine's load.
		isTrue := finding.Rule == "reads-before-own-writes" && conflicts > 0
		if finding.Weight != doctor.Hint && !isTrue {
			f.t.Error("the doctor finds something of weight that is not so")
		}
	}
}
