package facts

import "testing"

// TestASentenceNamesWhatIsWrongWithAController: it comes after what is wrong between the informers and their cluster, and before what is well.
func TestASentenceNamesWhatIsWrongWithAController(t *testing.T) {
	synced := []FactoryStage{{Release: "1.37", Stage: "synced"}}
	of := func(l *Lens, more ...FactoryRow) Sentence {
		x := Factory{Factories: synced, Rows: append([]FactoryRow{{Running: true, Lens: l}}, more...)}
		return x.ChooseSentence()
	}
	for _, x := range []struct {
		got, want Sentence
	}{
		{of(nil), Sentence{ID: "factory.synced", N: 1}},
		{of(&Lens{}), Sentence{ID: "factory.synced", N: 1}},
		{of(&Lens{Loop: "a/web", AMinute: 412}), Sentence{ID: "factory.loop", Key: "a/web", N: 412}},
		{of(&Lens{Twice: "a/web", Duplicate: "a/web-2", Had: "a/web-1"}), Sentence{ID: "factory.duplicate", Key: "a/web", Name: "web-2", Why: "web-1"}},
		{of(&Lens{Starved: "a/web", Overtaken: 90}), Sentence{ID: "factory.starved", Key: "a/web", N: 90}},
		{of(&Lens{Loop: "a/web"}, FactoryRow{Running: true, Phase: "backoff"}), Sentence{ID: "factory.backoff", N: 1, M: 2}},
	} {
		if x.got != x.want {
			t.Errorf("%+v, want %+v", x.got, x.want)
		}
	}
}
