package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"informerscope/core/page/story"
	"informerscope/e2e/camera"
)

// tableRate is how many frames a second are looked at for a table.
const tableRate = 10

// press is a press and what follows it. All but pressAt is from the press on.
type press struct {
	step          int
	pressAt       time.Duration
	motion, stop  time.Duration // of the first event that showed, -1 for none, and of the last one
	sentenceTimes []time.Duration
	sentence      string
	seq           uint64
}

// printTable plays a story, and prints for each press when motion and sentences follow, and for how long all stands before the next press.
func printTable(ctx context.Context, s *camera.Scene, c *clicker, tale *story.Story) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s\tpress at\tmotion after\tuntil\tsentences after\tnext press after\tlast sentence\n", tale.ID)
	p := &press{motion: -1}
	printRow := func(next time.Duration) {
		motion, stop := "-", "-"
		if p.motion >= 0 {
			motion, stop = seconds(p.motion), seconds(p.stop)
		}
		times := ""
		for _, t := range p.sentenceTimes {
			times += seconds(t) + " "
		}
		fmt.Fprintf(out, "%d %s\t%s\t%s\t%s\t%s\t%s\t%s\n", p.step+1, tale.Steps[min(p.step, len(tale.Steps)-1)].Name.EN, seconds(p.pressAt), motion, stop, times,
			seconds(next-p.pressAt), p.sentence)
	}
	err := play(ctx, s, tableRate, c, func(at time.Duration, frame seen, turns bool) error {
		after := at - p.pressAt
		if p.seq != 0 && frame.Seq != p.seq {
			if p.motion < 0 {
				p.motion = after
			}
			p.stop = after
		}
		if frame.Said != p.sentence && frame.Said != "" {
			p.sentence = frame.Said
			p.sentenceTimes = append(p.sentenceTimes, after)
		}
		p.step, p.seq = frame.Story.Step, frame.Seq
		if turns {
			printRow(at)
			p = &press{pressAt: at, motion: -1, sentence: p.sentence, step: p.step, seq: p.seq}
		}
		return nil
	})
	if err == nil {
		printRow(p.pressAt + p.stop)
	}
	return errors.Join(err, out.Flush())
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }
