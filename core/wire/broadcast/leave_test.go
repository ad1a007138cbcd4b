package broadcast

import (
	"fmt"
	"strings"
	"testing"

	"informerscope/core/log/trace"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/event"
)

// leaves is what Check leaves of lines, in a segment that completes so many events.
func leaves(t *testing.T, bodies bool, events int, lines string) string {
	t.Helper()
	out, err := checkUnchanged(segmentOf(t, events, lines), bodies)
	if err != nil {
		t.Fatalf("%.300s: %v", lines, err)
	}
	return unpackSegment(t, out)
}

// TestObjectsThatGoOutWhole: with bodies, those that say that they are of a kind that may; of all others nothing but what Strip leaves.
func TestObjectsThatGoOutWhole(t *testing.T) {
	const rest = `"metadata":{"name":"a","labels":{"x":"canary-1"},"annotations":{"y":"canary-2"}},"data":{"z":"canary-3"}}`
	for raw, whole := range map[string]bool{
		`{"apiVersion":"v1","kind":"Pod",` + rest:                                          true,
		`{"apiVersion":"v1","kind":"ConfigMap",` + rest:                                    true,
		`{"apiVersion":"apps/v1","kind":"Deployment",` + rest:                              true,
		`{"apiVersion":"example.com/v1alpha1","kind":"Widget",` + rest:                     true,
		`{"apiVersion":"v1","kind":"Secret",` + rest:                                       false,
		`{"apiVersion":"v1","k\u0069nd":"S\u0065cret",` + rest:                             false,
		`{"apiVersion":"v1","kind":"secret",` + rest:                                       false,
		`{"apiVersion":"v1","Kind":"Pod",` + rest:                                          false,
		`{"apiVersion":"v1","kind":"Secret","Kind":"Pod",` + rest:                          false,
		`{"apiVersion":"v2","kind":"Secret",` + rest:                                       false,
		`{"apiVersion":"x/v1","kind":"Secret",` + rest:                                     false,
		`{"apiVersion":"/v1","kind":"Pod",` + rest:                                         false,
		`{"apiVersion":"v1","kind":"SecretList","items":[{` + rest + `]}`:                  false,
		`{"apiVersion":"v1","kind":"Pod","items":[{` + rest + `]}`:                         false,
		`{"apiVersion":"apps/v1","kind":"DeploymentList","items":[{` + rest + `]}`:         false,
		`{"apiVersion":"v1","kind":"Anything",` + rest:                                     false,
		`{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata",` + rest:            false,
		`{"apiVersion":"meta.k8s.io/v1beta1","kind":"PartialObjectMetadata",` + rest:       false,
		`{"apiVersion":"meta.k8s.io/v1","kind":"Table","rows":[{"object":{` + rest + `}]}`: false,
		`{"kind":"Pod",` + rest:                                                            false,
		`{"apiVersion":"v1",` + rest:                                                       false,
		`{"apiVersion":["v1"],"kind":["Pod"],` + rest:                                      false,
		`{` + rest:                 false,
		`["canary",{` + rest + `]`: false,
		`"canary"`:                 false,
	} {
		text := leaves(t, true, 1, `{"s":1,"t":0,"k":"StoreAdded","key":"a","obj":{"id":1,"raw":`+raw+"}}\n")
		if got := strings.Contains(text, "canary-1") && strings.Contains(text, "canary-2") && strings.Contains(text, "canary-3"); got != whole {
			t.Errorf("%s: whole %v: %s", raw, got, text)
		}
		if !whole && strings.Contains(text, "canary") {
			t.Errorf("%s left %s", raw, text)
		}
	}
}

// TestNamesThatStandTwice are refused wherever they stand: what decides and what is shown could go by another one of them.
func TestNamesThatStandTwice(t *testing.T) {
	for _, line := range []string{
		`{"s":1,"t":0,"k":"StoreAdded","obj":{"id":1,"raw":{"apiVersion":"v1","kind":"Pod","kind":"Secret","data":{"a":"canary"}}}}`,
		`{"s":1,"t":0,"k":"StoreAdded","obj":{"id":1,"raw":{"apiVersion":"v1","kind":"Pod","k\u0069nd":"Secret","data":{"a":"canary"}}}}`,
		`{"s":1,"t":0,"k":"StoreAdded","old":{"id":1,"raw":{"metadata":{"annotations":{},"annotations":{"a":"canary"}}}}}`,
		`{"s":1,"t":0,"k":"StoreAdded","obj":{"id":1,"raw":{"spec":[{"a":[{"b":1,"b":2}]}]}}}`,
		`{"s":1,"t":0,"k":"StoreReplaced","items":[{"key":"a","obj":{"id":1,"raw":{"a":1},"raw":{"b":1}}}]}`,
		`{"s":1,"t":0,"k":"Note","k":"Mutated","txt":"a"}`,
		`{"s":1,"t":0,"k":"Mutated","txt":"{\"label\":\"a\",\"label\":\"b\"}"}`,
		`{"s":1,"t":0,"k":"Met","txt":"{\"label\":\"a\",\"l\\u0061bel\":\"b\"}"}`,
		`{"s":0,"t":0,"k":"Restored","txt":"{\"indexer\":{\"mutations\":[{\"was\":\"a\",\"was\":\"b\"}]}}"}`,
		`{"s":1,"t":0,"pos":{"page":{"object":"a","object":"b"}}}`,
		`{"s":1,"t":0,"pos":{},"pos":{}}`,
	} {
		if _, err := checkUnchanged(segmentOf(t, 1, line+"\n"), true); err == nil || !strings.Contains(err.Error(), "twice") {
			t.Errorf("%s: %v", line, err)
		}
	}
	head := `{"format":"informerscope-segment","version":1,"n":1,"n":1,"checkpoint":true,"fresh":true,"end":false,"seq":1,"head":0,"at":1}` + "\n"
	if _, err := checkUnchanged(packLines(t, head), true); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("the first line: %v", err)
	}
}

// TestWhatHandlersWroteStaysIn: without bodies neither the label nor its values go out, of events and of a State that is restored.
func TestWhatHandlersWroteStaysIn(t *testing.T) {
	s := newSpeaker(3, trace.RecorderOptions{})
	s.emitSelected("1.37")
	const change = `{"label":"canary-label","was":"canary-was","is":"canary-is"}`
	s.emitReplaced(0, 3, 10)
	s.rec.Emit(0, event.Mutated{Key: "ns/p1", RV: "1", Listener: 1, Stored: true, Change: change, Obj: s.thing("p1", 5)}.Event())
	s.rec.Emit(0, event.Met{Key: "ns/p1", RV: "1", Listener: 1, Change: change}.Event())
	for _, bodies := range []bool{false, true} {
		for _, history := range []int{1, 0} { // restored, and event by event
			c := NewCutter(s.rec, CutterOptions{Bodies: true, History: history})
			f := NewFollower(trace.NewRecorder(trace.RecorderOptions{}), decodeThing)
			for _, seg := range cutAll(t, c) {
				out, err := checkUnchanged(seg.Bytes, bodies)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(unpackSegment(t, out), "canary") != bodies {
					t.Errorf("bodies=%v: %s", bodies, unpackSegment(t, out))
				}
				if _, err := f.Apply(out); err != nil {
					t.Fatal(err)
				}
			}
			head, _ := f.rec.Head()
			state := f.rec.FoldAt(head).State()
			m, met := state.Indexer.Mutations[0], state.Listeners[0].LastMet
			want := [3]string{tracefile.LeftOut, tracefile.LeftOut, tracefile.LeftOut}
			if bodies {
				want = [3]string{"canary-label", "canary-was", "canary-is"}
			}
			if [3]string{m.Label, m.OldValue, m.Value} != want || met.Label != want[0] || met.Value != want[2] || m.Key != "ns/p1" || state.Listeners[0].Met != 1 {
				t.Errorf("bodies=%v: %+v, %+v", bodies, m, met)
			}
		}
	}
}

// TestMembersOfOtherKindsStayIn: of an event nothing goes out but what its kind has, and of a text that is JSON nothing but what it is read as.
func TestMembersOfOtherKindsStayIn(t *testing.T) {
	const all = `"op":"Added","verb":"LIST","f":true,"li":77,"req":77,"n":77,"m":77,"d":77,"key":"canary","rv":"canary","srv":"canary","txt":"%s",` +
		`"era":"1.31","obj":{"id":1,"raw":{"apiVersion":"v1","kind":"Pod","x":"canary"}},"old":{"id":2,"raw":{"x":"canary"}},"err":{"msg":"canary"},` +
		`"opts":{"labelSelector":"canary"},"items":[{"key":"canary"}],"ix":[{"i":"canary","v":["canary"]}],"unknown":"canary"`
	if text := leaves(t, true, 1, `{"s":1,"t":0,"k":"QueueSynced",`+fmt.Sprintf(all, "canary")+"}\n"); strings.Contains(text, "canary") ||
		strings.Contains(text, "77") || strings.Contains(text, "1.31") || strings.Contains(text, "LIST") {
		t.Errorf("QueueSynced: %s", text)
	}
	if text := leaves(t, true, 1, `{"s":1,"t":0,"k":"Note",`+fmt.Sprintf(all, "my words")+"}\n"); strings.Contains(text, "canary") ||
		!strings.Contains(text, "my words") {
		t.Errorf("Note: %s", text)
	}
	for kind, text := range map[string]string{
		"Selected": `{\"source\":\"sim\",\"x\":\"canary\"}`,
		"Lane":     `{\"group\":\"apps\",\"x\":\"canary\"}`,
		"Sampled":  `{\"resourceVersion\":\"1\",\"x\":{\"y\":\"canary\"}}`,
		"Crowd":    `{\"clients\":1,\"x\":\"canary\"}`,
		"Mutated":  `{\"label\":\"a\",\"x\":\"canary\"}`,
		"Met":      `{\"label\":\"a\",\"x\":\"canary\"}`,
		"Restored": `{\"seq\":1,\"x\":\"canary\",\"view\":{\"mode\":\"canary\"},\"facts\":{\"sentence\":{\"x\":\"canary\"}},\"Facts\":[],` +
			`\"lanes\":[{\"era\":\"canary\"}],\"LANES\":[{\"era\":\"canary\"}],\"compare\":{\"x\":\"canary\"},\"factory\":{\"x\":\"canary\"}}`,
	} {
		seq, events := 1, 1
		if kind == "Selected" || kind == "Restored" {
			seq, events = 0, 0
		}
		if left := leaves(t, true, events, fmt.Sprintf(`{"s":%d,"t":0,"k":%q,"txt":"%s"}`+"\n", seq, kind, text)); strings.Contains(left, "canary") {
			t.Errorf("%s: %s", kind, left)
		}
		if _, err := checkUnchanged(segmentOf(t, events, fmt.Sprintf(`{"s":%d,"t":0,"k":%q,"txt":"no JSON"}`+"\n", seq, kind)), true); err == nil {
			t.Errorf("%s takes words", kind)
		}
	}
}

// TestLongTexts: words are cut, and JSON, of which a part means nothing, goes.
func TestLongTexts(t *testing.T) {
	s := newSpeaker(3, trace.RecorderOptions{})
	s.emitSelected("1.37")
	long := strings.Repeat("x", 2*maxText)
	s.rec.Emit(0, event.Note{Text: long}.Event())
	s.rec.Emit(0, event.Sampled{Sample: `{"resourceVersion":"` + long + `"}`}.Event())
	out, err := checkUnchanged(cutAll(t, NewCutter(s.rec, CutterOptions{}))[0].Bytes, false)
	if err != nil {
		t.Fatal(err)
	}
	if text := unpackSegment(t, out); strings.Count(text, "x") < maxText || strings.Count(text, "xx") > maxText || !strings.Contains(text, `"k":"Sampled"`) {
		t.Errorf("%d bytes: %.300s", len(text), text)
	}
}
