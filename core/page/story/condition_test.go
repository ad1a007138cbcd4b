package story

import (
	"strings"
	"testing"

	"informerscope/core/log/fold"
	"informerscope/core/page/view"
)

// sample returns a State with something in each part that conditions use.
func sample() *view.State {
	return &view.State{State: fold.State{
		Synced:    true,
		Reflector: fold.Reflector{Phase: "watching", ResourceVersion: "120", Events: 40, Backoffs: []float64{800, 1700}},
		API:       fold.API{ResourceVersion: "1020", Writes: 9},
		Queue: fold.Queue{Kind: "RealFIFO", Depth: 3, Mix: map[string]int{"Updated": 2, "Deleted": 1}, Items: []fold.QueueItem{
			{Op: "Updated", Key: "a"}, {Op: "Updated", Key: "b"}, {Op: "Deleted", Key: "a", Tombstone: true},
		}},
		Listeners: []fold.Listener{{ID: 1, Name: "printer", Capacity: 1024, Handled: 7, Synced: true}, {ID: 2, Name: "mailer", Capacity: 2048, Pending: 1100}},
		Holds:     []fold.Hold{{Stage: "pop"}},
	}}
}

func TestConditions(t *testing.T) {
	base := sample()
	base.Reflector.Events = 10
	base.Listeners = base.Listeners[:1]
	for src, want := range map[string]bool{
		`queue.depth >= 3`:                                                true,
		`queue.depth > 3 or synced`:                                       true,
		`not synced`:                                                      false,
		`not (queue.depth == 3 and synced)`:                               false,
		`not not synced`:                                                  true,
		`queue.kind == "RealFIFO"`:                                        true,
		`queue.kind != 'RealFIFO'`:                                        false,
		`any(listeners, capacity > 1024)`:                                 true,
		`all(listeners, synced)`:                                          false,
		`count(listeners) == 2`:                                           true,
		`count(queue.items, tombstone) == 1`:                              true,
		`count(listeners, pending > queue.depth) == 1`:                    true, // a name that an element lacks is State's
		`listeners["mailer"].pending == 1100`:                             true,
		`listeners["nobody"].pending >= 0`:                                false, // a missing value equals nothing
		`not listeners["nobody"].pending >= 0`:                            true,
		`listeners[7].pending >= 0`:                                       false,
		`listeners[1].name == "mailer"`:                                   true,
		`queue.mix["Deleted"] == 1`:                                       true,
		`queue.mix["Sync"] == 0`:                                          false,
		`holds["pop"].stage == "pop"`:                                     true,
		`count(reflector.backoffs) == 2`:                                  true,
		`number(api.resourceVersion) > number(reflector.resourceVersion)`: true, // as numbers; as texts, 1020 comes before 120
		`number(reflector.lastError) > 0`:                                 false,
		`since(reflector.events) == 30`:                                   true,
		`since(listeners["mailer"].handled) == 0`:                         true, // it did not exist
		`since(reflector.events) - 2 * 5 == 20`:                           true,
		`reflector.events / 4 == 10`:                                      true,
		`reflector.events / 0 == 0`:                                       false,
		`contains(reflector.phase, "watch")`:                              true,
		`workqueue.depth == 0`:                                            false, // there is none
		`queue.depth >= -1`:                                               true,
		`true and synced == true`:                                         true,
	} {
		c, err := ParseCondition(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := c.Holds(sample(), base); got != want {
			t.Errorf("%s is %v, want %v", src, got, want)
		}
	}
}

func TestConditionsThatCannotBeReadSayWhere(t *testing.T) {
	for src, want := range map[string]string{
		``:                                           `column 1: the condition ends where a path, a number or a text is expected`,
		`queue.dephts > 3`:                           `column 7: there is no "dephts" here; there are batch, batchSize, closed, depth,`,
		`quue.depth > 3`:                             `column 1: there is no "quue"; State has api, atMillis,`,
		`queue.depth`:                                `column 1: this is a number, and a condition is true or false`,
		`queue.depth > "3"`:                          `column 13: a number cannot be compared with a text`,
		`queue.kind > "A"`:                           `column 12: a text has no order`,
		`queue.depth >`:                              `column 14: the condition ends where a path`,
		`queue.depth > 3 queue.depth`:                `column 17: "queue" is not expected here`,
		`synced and queue.depth`:                     `column 8: and joins conditions`,
		`queue == queue`:                             `column 7: only numbers, texts, true and false`,
		`any(queue, depth > 3)`:                      `column 5: "queue" is not a list`,
		`any(listeners, pendig > 3)`:                 `column 16: there is no "pendig"; State has capacities,`,
		`any(listeners, pending)`:                    `column 16: a condition on the elements is expected here`,
		`any(listeners`:                              `column 14: the condition ends where "," is expected`,
		`most(listeners, synced)`:                    `column 1: there is no function "most"; there are all, any, contains, count, number, since`,
		`queue.depth & 3`:                            `column 13: "&" has no meaning here`,
		`queue.kind == "Real`:                        `column 15: this text is not closed`,
		`listeners["a"].pending.x > 1`:               `column 24: there is no "x" in a number`,
		`queue.depth[0] > 1`:                         `column 13: only a list or a map has [ ]`,
		`queue.mix[0] > 1`:                           `column 11: the key of a map needs quotes`,
		`since(queue.kind) > 1`:                      `column 7: since takes a number`,
		`number(queue.depth) > 1`:                    `column 8: number takes a text`,
		`not queue.depth > 1 > 2`:                    `column 21: ">" is not expected here`,
		strings.Repeat("(", 60) + "synced":           `column 41: the condition is nested deeper than 40`,
		strings.Repeat("not ", 60) + "synced":        `column 157: the condition is nested deeper than 40`,
		"synced" + strings.Repeat(" or synced", 200): `column 1: this is longer than 1000 characters`,
		`“synced”`:                                   `column 1: "“" has no meaning here`,
	} {
		_, err := ParseCondition(src)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s: %v\nwant %s", src, err, want)
		}
	}
}

// FuzzCondition parses invalid conditions without a panic, and evaluates valid ones.
func FuzzCondition(f *testing.F) {
	for _, src := range []string{`any(listeners, capacity > 1024) and not synced`, `since(queue.depth) >= 3`, `lanes[0].queue.items[1].deltas`,
		`queue.mix["Deleted"] - 1 == 2 * (3 / 0)`, `count(lanes, any(listeners, all(lanes, synced)))`, `number("1e999") > 0`, `facts.depths.max[0] > 1`} {
		f.Add(src)
	}
	s := sample()
	two := sample()
	two.Lanes = []*view.State{s, nil}
	f.Fuzz(func(t *testing.T, src string) {
		c, err := parse(src)
		if err != nil {
			if e, ok := err.(*ConditionError); !ok || e.Column < 1 || e.Text == "" {
				t.Errorf("%q: %v", src, err)
			}
			return
		}
		for _, st := range []*view.State{s, two, {}} {
			c.eval(st, nil)
			c.eval(st, s)
		}
	})
}

// crowdState returns a State with as many listeners as a fold keeps.
func crowdState() *view.State {
	s := sample()
	for i := len(s.Listeners); i < 1024; i++ {
		s.Listeners = append(s.Listeners, fold.Listener{ID: int32(i + 1), Name: "more", Synced: true})
	}
	s.Listeners[1].Synced = true
	return s
}

// nestConditions returns a condition with lists nested to a depth.
func nestConditions(deep int) string {
	return strings.Repeat("all(listeners, ", deep) + "synced" + strings.Repeat(")", deep)
}

// TestNestedListsAreBounded: a condition with lists nested too deep is refused when it is parsed. A short condition that looks at many elements ends after a
// bounded number of steps, with an error.
func TestNestedListsAreBounded(t *testing.T) {
	if _, err := ParseCondition(nestConditions(30)); err == nil || !strings.Contains(err.Error(), "at most 3 deep") {
		t.Errorf("thirty deep: %v", err)
	}
	s := crowdState()
	for _, src := range []string{nestConditions(2), nestConditions(3), `all(listeners, listeners["nobody"].pending >= 0 or true)`,
		`since(count(listeners, count(listeners, synced) > 0)) == 0`, `not ` + nestConditions(3)} {
		c, err := ParseCondition(src)
		if err != nil {
			t.Fatal(err)
		}
		steps := mostElements
		v, err := c.try(s, s, &steps)
		if !v.isMissing || err == nil || !strings.Contains(err.Error(), "20000") || steps < -1 {
			t.Errorf("%s: %+v, %v, with %d steps left", src, v, err, steps)
		}
		if c.Holds(s, s) {
			t.Errorf("%s holds", src)
		}
	}
	c, err := ParseCondition(nestConditions(1))
	if err != nil || !c.Holds(s, s) {
		t.Errorf("one list: %v", err)
	}
}
