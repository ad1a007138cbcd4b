package main

import (
	"maps"
	"testing"
)

func TestTextsAreThoseThatPeopleRead(t *testing.T) {
	for _, x := range []struct {
		ext, content string
		want         map[int]string
	}{
		{".yaml", "title: {en: A name, zh: 名字}\nsteps:\n  - caption:\n      en: \"{queue.depth} deltas, said \\\"so\\\".\"\n      zh: 队列\n",
			map[int]string{1: "A name", 4: `7 deltas, said "so".`}},
		{".js", "addWords({\n  'a.b': ['{n} [n:waits|wait], it isn\\'t lost', '等待'],\n  c: [\n    'two ' +\n      'parts', '两'],\n  d: ['x', 'y'],\n});\n",
			map[int]string{2: "7 wait, it isn't lost", 4: "two parts", 6: "x"}},
	} {
		if got := readTexts(x.ext, x.content); !maps.Equal(got, x.want) {
			t.Errorf("%s: %v, want %v", x.ext, got, x.want)
		}
	}
	if got := placeOf("/tmp/x", "/tmp/x/stories/a.yaml.md:14:3:Plain.Tics:no"); got != "stories/a.yaml:7:3:Plain.Tics:no" {
		t.Error(got)
	}
}
