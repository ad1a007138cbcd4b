package lab

import (
	"bytes"
	"encoding/json"
	"informerscope/core/words/releases"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/object"
)

// applyTransform returns a JSON object after a transform, computed independently of the transform's code.
func applyTransform(t *testing.T, raw []byte, transform string) []byte {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	if transform == selection.MetadataOnly {
		m = map[string]any{"apiVersion": m["apiVersion"], "kind": m["kind"], "metadata": m["metadata"]}
	}
	if transform != "" {
		delete(m["metadata"].(map[string]any), "managedFields")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// recount counts the bytes of a store again.
func recount(t *testing.T, f *fold.Fold, lane int) (held, came int64) {
	t.Helper()
	f.Objects(lane).Range(func(c *fold.Cell) bool {
		o := c.Obj.(*object.Object)
		held += int64(len(o.Raw()))
		_, before := o.Weight()
		came += int64(before)
		return true
	})
	return held, came
}

// TestTheStoreIsAsLargeAsItsTransformLeavesIt compares the bytes of a store in State with the cluster's list when idle, and with a recount at random moments,
// also of the recording.
func TestTheStoreIsAsLargeAsItsTransformLeavesIt(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for _, transform := range []string{"", selection.ManagedFields, selection.MetadataOnly} {
		for _, release := range append(releases.Names(), "1.31,1.37") {
			t.Run(transform+"/"+release, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l, rec := start(t, selection.Change{Release: &release, Rate: ptr(20.0), Transform: &transform})
					pass(3 * time.Second)
					if _, err := l.Informer(0).Fault("410", FaultArgs{}); err != nil {
						t.Fatal(err)
					}
					pass(5 * time.Second)
					if _, err := l.Cluster("rate", ClusterArgs{}); err != nil { // let it become idle
						t.Fatal(err)
					}
					pass(time.Minute)

					listed, err := l.src.client().List(t.Context(), schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "",
						metav1.ListOptions{})
					if err != nil {
						t.Fatal(err)
					}
					raw := map[string][]byte{}
					var held, came int64
					for _, o := range listed.Items {
						raw[o.GetNamespace()+"/"+o.GetName()] = o.Raw()
						came += int64(len(o.Raw()))
						held += int64(len(applyTransform(t, o.Raw(), transform)))
					}
					s := state(rec)
					lanes := s.Lanes
					if len(lanes) == 0 {
						lanes = []*fold.State{s}
					}
					head, _ := rec.Head()
					for i, lane := range lanes {
						x := lane.Indexer
						if x.Transform != transform || x.Count != len(raw) || x.Bytes != held || x.CameBytes != came {
							t.Errorf("the store of lane %d has %d objects of %d bytes that came as %d, through %q; they are %d of %d and %d, through %q",
								i, x.Count, x.Bytes, x.CameBytes, x.Transform, len(raw), held, came, transform)
						}
						if smaller := held < came; smaller != (transform != "") {
							t.Errorf("%d bytes came and %d are held", came, held)
						}
						rec.FoldAt(head).Objects(i).Range(func(c *fold.Cell) bool {
							var got, want any
							if json.Unmarshal(c.Obj.(*object.Object).Raw(), &got) != nil || json.Unmarshal(applyTransform(t, raw[c.Key], transform), &want) != nil {
								t.Fatal("no JSON")
							}
							a, _ := json.Marshal(got)
							if b, _ := json.Marshal(want); !bytes.Equal(a, b) {
								t.Errorf("%s is %s\nwant %s", c.Key, a, b)
							}
							return true
						})
					}

					var file bytes.Buffer
					if _, err := l.Record(&file, false); err != nil {
						t.Fatal(err)
					}
					loaded := trace.NewRecorder(trace.RecorderOptions{})
					again := New(Options{Recorder: loaded})
					t.Cleanup(again.Close)
					if _, err := again.Load(&file); err != nil {
						t.Fatal(err)
					}
					if got := again.Selection().Transform; got != transform {
						t.Errorf("the recording says that the transform was %q", got)
					}
					r := rand.New(rand.NewPCG(1, 2))
					for range 40 {
						seq := 1 + r.Uint64N(head)
						live, recorded := rec.FoldAt(seq), loaded.FoldAt(seq)
						for i := range lanes {
							x, y := live.State().Indexer, recorded.State().Indexer
							if len(lanes) > 1 {
								x, y = live.State().Lanes[i].Indexer, recorded.State().Lanes[i].Indexer
							}
							if held, came := recount(t, live, i); x.Bytes != held || x.CameBytes != came {
								t.Fatalf("event %d, lane %d: %d bytes that came as %d; counted again %d and %d", seq, i, x.Bytes, x.CameBytes, held, came)
							}
							if y.Bytes != x.Bytes || y.CameBytes != x.CameBytes || y.Transform != x.Transform {
								t.Fatalf("event %d, lane %d: %d, %d bytes, through %q; of the recording %d, %d, %q",
									seq, i, x.Bytes, x.CameBytes, x.Transform, y.Bytes, y.CameBytes, y.Transform)
							}
						}
					}
				})
			})
		}
	}
}
