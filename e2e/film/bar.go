package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"informerscope/core/page/story"
)

// bar says how far a film has come: over itself on a terminal, else with a line for each step.
type bar struct {
	story    *story.Story
	language string
	terminal bool
	begun    time.Time
	at       time.Duration
	frames   int
	last     string
	said     time.Time
}

func newBar(s *story.Story, language string) *bar {
	info, err := os.Stdout.Stat()
	return &bar{story: s, language: language, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0, begun: time.Now()}
}

// show says that the film has come to a moment of a step, from 0.
func (b *bar) show(at time.Duration, step int) {
	b.at = at
	b.frames++
	n := len(b.story.Steps)
	name := b.story.Steps[min(step, n-1)].Name.EN
	if b.language == "zh" {
		name = b.story.Steps[min(step, n-1)].Name.ZH
	}
	words := fmt.Sprintf("%d of %d: %s", step+1, n, name)
	if !b.terminal {
		if words != b.last {
			fmt.Printf("%s  %s\n", b.length(), words)
		}
		b.last = words
		return
	}
	if time.Since(b.said) < 200*time.Millisecond {
		return
	}
	b.said = time.Now()
	const wide = 30
	full := wide * (step + 1) / (n + 1)
	b.say(fmt.Sprintf("%s%s  %s  %s  (%.1f frames a second)", strings.Repeat("█", full), strings.Repeat("░", wide-full), b.length(), words,
		float64(b.frames)/time.Since(b.begun).Seconds()))
}

// length is how long the film is by now.
func (b *bar) length() string {
	return fmt.Sprintf("%d:%02d", int(b.at.Minutes()), int(b.at.Seconds())%60)
}

// say puts words in place of the last ones.
func (b *bar) say(words string) {
	if b.terminal {
		fmt.Print("\r\x1b[K")
	}
	fmt.Print(words)
	if !b.terminal {
		fmt.Println()
	}
}
