package main

import (
	"slices"
	"testing"
	"time"

	"informerscope/core/page/view"
)

func TestReading(t *testing.T) {
	for words, want := range map[string]time.Duration{
		"":                      0,
		"The ring has doubled.": 4 * aWord,
		"ring 翻倍了。":             2*aWord + 3*aCharacter, // the full stop stands alone
	} {
		if got := readingTime(words); got != want {
			t.Errorf("%q takes %s to be read, want %s", words, got, want)
		}
	}
}

// TestClicker tells a story of two steps, the second with a question and a ride, and holds the moments at which pages are turned against what is
// to be read.
func TestClicker(t *testing.T) {
	say := func(s string) *view.Saying { return &view.Saying{EN: s} }
	c := &clicker{language: "en"}
	shown := []struct {
		seen seen
		want time.Duration // after so long the page is turned; 0: it is not
		over bool
	}{
		{seen: seen{}},
		{seen: seen{Story: &view.StoryState{Starting: true}}},
		{seen: seen{Story: &view.StoryState{AwaitsPress: true, Caption: say("look here")}}, want: searchTime + 2*aWord},
		{seen: seen{Story: &view.StoryState{Caption: say("look here")}}},
		{seen: seen{Story: &view.StoryState{Done: true, Caption: say("one two three")}}, want: searchTime + 3*aWord},
		{seen: seen{Story: &view.StoryState{Step: 1, Waits: true, Asks: say("what now")}, Answers: "this that"}, want: searchTime + 4*aWord},
		{seen: seen{Story: &view.StoryState{Step: 1, Done: true, Caption: say("so")}}, want: searchTime + aWord},
		{seen: seen{Story: &view.StoryState{Step: 1, Done: true}, Hop: "here"}, want: aHop},
		{seen: seen{Story: &view.StoryState{Step: 1, Done: true}, Hop: "and then a long way over there, and still on"}, want: 10 * aWord / 3 * 2},
		{seen: seen{Story: &view.StoryState{Step: 1, Done: true, Caption: say("so")}}, want: aHop},
		{seen: seen{Story: &view.StoryState{Step: 1, Done: true}, Home: "take this"}, want: searchTime + 2*aWord + code, over: true},
	}
	at := time.Duration(0)
	for i, s := range shown {
		var turned []time.Duration
		over := false
		for d := time.Duration(0); d < 10*time.Second; d += 10 * time.Millisecond {
			turn, end := c.look(at+d, s.seen)
			if over = end; turn || end {
				turned = append(turned, d)
			}
			if len(turned) > 0 {
				break
			}
		}
		at += 10 * time.Second
		var want []time.Duration
		if s.want > 0 {
			want = append(want, (s.want+9*time.Millisecond)/(10*time.Millisecond)*(10*time.Millisecond))
		}
		if !slices.Equal(turned, want) || over != s.over {
			t.Errorf("%d: the page is turned after %v, over %v; want %v, %v", i, turned, over, want, s.over)
		}
	}
}

func TestWindow(t *testing.T) {
	for _, tt := range []struct {
		width, height, w, h int64
		scale               float64
	}{{1920, 1080, 1280, 720, 1.5}, {640, 360, 1280, 720, 0.5}, {1024, 768, 960, 720, 768.0 / 720}, {1170, 2532, 390, 844, 3}} {
		if w, h, scale := window(tt.width, tt.height); w != tt.w || h != tt.h || scale != tt.scale {
			t.Errorf("%dx%d: a window of %dx%d, %v, want %dx%d, %v", tt.width, tt.height, w, h, scale, tt.w, tt.h, tt.scale)
		}
	}
}
