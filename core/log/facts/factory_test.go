package facts

import "testing"

// TestASentenceNamesWhatIsWrongWithAController: it comes after what is wrong between the informers and their cluster, and before what is well.
func TestASentenceNamesWhatIsWrongWithAController(t *testing.T) {
	synced := []FactoryStage{{Release: "1.37", Stage: "synced"}}
	say := func(l *Lens, more ...FactoryRow) Sentence {
		x := Factory{Factories: synced, Rows: append([]FactoryRow{{Running: true, Lens: l}}, more...)}
		return x.ChooseSentence()
	}
	for _, x := range []struct {
		got, want Sentence
	}{
		{say(nil), Sentence{ID: "factory.synced", N: 1}},
		{say(&Lens{}), Sentence{ID: "factory.synced", N: 1}},
		{say(&Lens{Loop: "a/web", AMinute: 412}), Sentence{ID: "factory.loop", Key: "a/web", N: 412}},
		{say(&Lens{Twice: "a/web", Duplicate: "a/web-2", Earlier: "a/web-1"}), Sentence{ID: "factory.duplicate", Key: "a/web", Name: "web-2", Other: "web-1"}},
		{say(&Lens{Starved: "a/web", Overtaken: 90}), Sentence{ID: "factory.starved", Key: "a/web", N: 90}},
		{say(&Lens{Loop: "a/web"}, FactoryRow{Running: true, Phase: "backoff"}), Sentence{ID: "factory.backoff", N: 1, M: 2}},
		{say(nil, FactoryRow{Phase: "backoff"}, FactoryRow{Resource: "pods", Phase: "backoff", Why: "pods is forbidden"}),
			Sentence{ID: "factory.backoffWhy", N: 2, M: 3, Name: "pods", Why: "pods is forbidden"}},
	} {
		if x.got != x.want {
			t.Errorf("%+v, want %+v", x.got, x.want)
		}
	}
}

// TestInformersOfSeveralNamespacesShare: an informer for each namespace, as controller-runtime makes them, or with another selector, asks for something else.
func TestInformersOfSeveralNamespacesShare(t *testing.T) {
	for _, x := range []struct {
		own, shared FactoryRow
		twice       bool
	}{
		{FactoryRow{}, FactoryRow{}, true},
		{FactoryRow{Namespace: "a"}, FactoryRow{Namespace: "a"}, true},
		{FactoryRow{Namespace: "a"}, FactoryRow{Namespace: "b"}, false},
		{FactoryRow{Namespace: "a"}, FactoryRow{}, false},
		{FactoryRow{Selectors: "app=a"}, FactoryRow{Selectors: "app=b"}, false},
	} {
		x.own.Unshared, x.own.Running = true, true
		f := Factory{Rows: []FactoryRow{x.shared, x.own}}
		f.Pair()
		if got := len(f.API.Twice) == 1; got != x.twice || f.Rows[0].Twice != x.twice || f.Rows[1].Twice != x.twice {
			t.Errorf("%+v and %+v: %+v", x.shared, x.own, f.API.Twice)
		}
	}
}
