package main

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"informerscope/core/page/view"
)

// seen is what a page shows, as script returns it.
type seen struct {
	Story *view.StoryState // nil before the story begins
	// Hop is the sentence of the hop while a ride shows. Home is the text of what the story offers at its end, while that shows, without the code.
	// Answers are those of an open question. Otherwise they are empty.
	Hop, Home, Answers string
	// Said is the sentence that stands over the stage, and Seq the event that shows.
	Said string
	Seq  uint64
}

// script is the expression that returns what is seen.
const script = `({
	story: __clock.story,
	hop: document.querySelector('.ride:not([hidden]) .tells span')?.textContent ?? '',
	home: [...document.querySelectorAll('.home:not([hidden]) p')].map((el) => el.textContent).join(' '),
	said: document.querySelector('.cap .say')?.textContent ?? '', seq: __clock.seq,
	answers: document.querySelector('.quiz:not([hidden])')?.textContent ?? '',
})`

const (
	// searchTime is how long an eye looks for what is new before it reads.
	searchTime = 2500 * time.Millisecond
	// aWord and aCharacter are how long one takes to be read.
	aWord      = 330 * time.Millisecond
	aCharacter = 200 * time.Millisecond
	// aHop is how long a hop of a ride stays at least, as on the page. Its sentence stands where the last one stood, and is read faster.
	aHop    = 1800 * time.Millisecond
	speedup = 1.5
	// code is how long code is looked at.
	code = 5 * time.Second
	// retryTime is after how long a press that changed nothing is made again.
	retryTime = 3 * time.Second
)

// readingTime is how long words take to be read: Chinese by its characters, the rest by words.
func readingTime(words string) (d time.Duration) {
	plain := func(r rune) rune {
		if unicode.Is(unicode.Han, r) {
			d += aCharacter
			return ' '
		}
		return r
	}
	return time.Duration(len(strings.Fields(strings.Map(plain, words))))*aWord + d
}

// clicker goes through a story as a person does who reads each sentence to the end.
type clicker struct {
	language string
	shows    string        // what is read now
	since    time.Duration // when that came
	pressed  time.Duration // when the page was turned last; 0 before
	read     string        // what has been read to the end
}

func (c *clicker) say(s *view.Saying) string {
	if s == nil {
		return ""
	}
	if c.language == "zh" {
		return s.ZH
	}
	return s.EN
}

// look returns whether to go to the next step now, and whether the film is over.
func (c *clicker) look(at time.Duration, s seen) (turn, over bool) {
	t := s.Story
	if t == nil || t.Starting {
		return false, false
	}
	shows, stays := "", time.Duration(0)
	switch {
	case s.Home != "":
		shows, stays = "home", searchTime+readingTime(s.Home)+code
	case s.Hop != "":
		shows, stays = s.Hop, max(aHop, time.Duration(float64(readingTime(s.Hop))/speedup))
	case t.Waits:
		shows, stays = "asks", searchTime+readingTime(c.say(t.Asks)+" "+s.Answers)
	case t.AwaitsPress:
		shows, stays = "stands", searchTime+readingTime(c.say(t.Caption))
	case t.Done && !t.Hurry:
		shows, stays = "done", searchTime+readingTime(c.say(t.Caption))
	default:
		shows = "runs"
	}
	if shows += strconv.Itoa(t.Step); shows != c.shows {
		c.shows, c.since, c.pressed = shows, at, 0
	}
	if shows == c.read { // a ride was between
		stays = aHop
	}
	if stays == 0 {
		return false, false
	}
	if at < c.since+stays || c.pressed > 0 && at < c.pressed+retryTime {
		return false, false
	}
	if s.Home != "" {
		return false, true
	}
	if c.pressed = at; t.Done && s.Hop == "" {
		c.read = shows
	}
	return true, false
}
