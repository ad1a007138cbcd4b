package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"informerscope/core/page/story"
	"informerscope/e2e/camera"
)

// tableRate is how many frames a second are looked at for a table.
const tableRate = 10

// turned is what follows a press: when it was made, and from then on, when the first event showed, and when each other sentence stood.
type turned struct {
	step         int
	at           time.Duration
	motion       time.Duration // -1 for none
	sentences    []time.Duration
	words        string
	seq, lastSeq uint64
	still        time.Duration // when the last event showed, from the press on
}

// printTable plays a story, and prints for each press when motion and sentences follow, and for how long all stands before the next press.
func printTable(ctx context.Context, s *camera.Scene, c *clicker, tale *story.Story) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s\tpress at\tmotion after\tuntil\tsentences after\tnext press after\tlast sentence\n", tale.ID)
	now := &turned{motion: -1}
	row := func(next time.Duration) {
		moves, until := "-", "-"
		if now.motion >= 0 {
			moves, until = seconds(now.motion), seconds(now.still)
		}
		said := ""
		for _, at := range now.sentences {
			said += seconds(at) + " "
		}
		fmt.Fprintf(out, "%d %s\t%s\t%s\t%s\t%s\t%s\t%s\n", now.step+1, tale.Steps[min(now.step, len(tale.Steps)-1)].Name.EN, seconds(now.at), moves, until, said,
			seconds(next-now.at), now.words)
	}
	err := play(ctx, s, tableRate, c, func(at time.Duration, is seen, turns bool) error {
		since := at - now.at
		if now.seq == 0 {
			now.seq, now.lastSeq = is.Seq, is.Seq
		}
		if is.Seq != now.lastSeq {
			if now.motion < 0 {
				now.motion = since
			}
			now.lastSeq, now.still = is.Seq, since
		}
		if is.Said != now.words && is.Said != "" {
			now.words = is.Said
			now.sentences = append(now.sentences, since)
		}
		now.step = is.Story.Step
		if turns {
			row(at)
			now = &turned{step: is.Story.Step, at: at, motion: -1, words: is.Said, seq: is.Seq, lastSeq: is.Seq}
		}
		return nil
	})
	if err == nil {
		row(now.at + now.still)
	}
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }
