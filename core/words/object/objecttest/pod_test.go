package objecttest

import (
	"bytes"
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

func TestPod(t *testing.T) {
	uids := map[string]bool{}
	for i := range 1000 {
		pod := Pod(i)
		if !json.Valid(pod) || !bytes.Equal(pod, Pod(i)) {
			t.Fatalf("pod %d: %s", i, pod)
		}
		if len(pod) < 3600 || len(pod) > 3800 {
			t.Fatalf("pod %d has %d bytes", i, len(pod))
		}
		if errs := validation.IsDNS1123Subdomain(Name(i)); len(errs) > 0 || len(UID(i)) != 36 || uids[UID(i)] {
			t.Fatalf("pod %d: name %s %v, uid %s", i, Name(i), errs, UID(i))
		}
		uids[UID(i)] = true
	}
}

func TestOptions(t *testing.T) {
	var pod struct {
		Kind     string
		Metadata struct {
			ResourceVersion string
			Labels          map[string]string
		}
		Spec struct{ NodeName string }
	}
	if err := json.Unmarshal(Pod(1, WithoutType(), ResourceVersion("7"), NodeName(""), Label("a", "b")), &pod); err != nil {
		t.Fatal(err)
	}
	if pod.Kind != "" || pod.Metadata.ResourceVersion != "7" || pod.Metadata.Labels["a"] != "b" || len(pod.Metadata.Labels) != 4 || pod.Spec.NodeName != "" {
		t.Errorf("%+v", pod)
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(PodList(3, Label("a", "b")), &list); err != nil || len(list.Items) != 3 ||
		!bytes.Equal(list.Items[2], Pod(2, WithoutType(), Label("a", "b"))) {
		t.Errorf("%v %s", err, list.Items)
	}
	if !json.Valid(WatchEvent("ADDED", Pod(1))) {
		t.Error("the watch event is no JSON")
	}
}
