package fold_test

import (
	"reflect"
	"regexp"
	"testing"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
)

var regexpFidelity = regexp.MustCompile(`,"fidelity":.*$`)

// TestWorstInformerFirst: a probed process's informers are sorted by how urgently they need a look.
func TestWorstInformerFirst(t *testing.T) {
	const selected = `{"source":"probe","group":"","version":"v1","resource":"calm","namespace":"","eras":["1.37"],"resources":[` +
		`{"group":"","version":"v1","resource":"calm"},{"group":"","version":"v1","resource":"full"},{"group":"","version":"v1","resource":"cut"},` +
		`{"group":"","version":"v1","resource":"grown"},{"group":"","version":"v1","resource":"new"},{"group":"","version":"v1","resource":"blind"},` +
		`{"group":"","version":"v1","resource":"refused"}]}`
	const open = `"api":{"objects":-1,"requests":[{"id":1,"open":true}]},"running":true`
	ring := func(n, capacity string) string {
		return `"synced":true,` + open + `,"listeners":[{"id":1,"name":"h","ring":` + n + `,"capacity":` + capacity + `,"distributed":` + n + `}]`
	}
	seen := `,"fidelity":{"api":{"how":"exact"}}}`
	restored := func(lane uint8, text string) event.Entry {
		return event.Entry{Lane: lane, Event: event.Restored{State: text}.Event()}
	}
	events := []event.Entry{
		{Event: event.Selected{Selection: selected}.Event()},
		restored(0, `{`+ring("3", "1024")+seen),
		restored(1, `{`+ring("900", "1024")+seen),
		restored(2, `{"synced":true,"running":true,"api":{"objects":-1}`+seen),
		restored(3, `{`+ring("3", "4096")+seen),
		restored(4, `{`+open+seen),
		restored(5, `{"synced":true,"running":true,"api":{"objects":-1},"fidelity":{"api":{"how":"unseen","why":"no transport"}}}`),
		restored(6, `{"synced":true,`+open+`,"source":{"kind":"probe","trouble":"It does not answer.","cause":"refused"}`+seen),
	}
	names := func(f *fold.Fold) (out []string) {
		for _, r := range f.Factory(0).Rows {
			out = append(out, r.Resource)
		}
		return out
	}
	f := fold.NewFold()
	for i := range events {
		events[i].Seq = uint64(i + 1)
		f.Apply(&events[i])
	}
	if got, want := names(f), []string{"new", "refused", "cut", "full", "grown", "calm", "blind"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	// Our own informers stay in place, except one that has not synced.
	f = fold.NewFold()
	for i := range events {
		m := events[i].Members()
		m.Text = string(regexpFidelity.ReplaceAll([]byte(m.Text), []byte(`}`)))
		events[i].Event = event.New(events[i].Kind, m)
		f.Apply(&events[i])
	}
	if got, want := names(f), []string{"new", "calm", "full", "cut", "grown", "blind", "refused"}; !reflect.DeepEqual(got, want) {
		t.Errorf("without fidelity: %v", got)
	}
}
