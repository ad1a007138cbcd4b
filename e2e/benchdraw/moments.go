package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
)

// moment is what the panel shows: the queue, how many deltas the next Pop takes, and the curve of the queue's depth.
type moment struct {
	Queue fold.Queue `json:"queue"`
	Next  int        `json:"next"`
	Curve []int      `json:"curve"`
}

const (
	framesPerSecond = 60
	// curvePoints is how many points the curve has.
	curvePoints = 76
	// holdTime is how long the queue is held, and then released, in turn: its depth goes up and down through all that the panel shows.
	holdTime = time.Second
)

// recordMoments runs an experiment for so long and returns what there was to draw in each sixtieth of a second, as JSON.
func recordMoments(ctx context.Context, objects, rate int, length time.Duration) ([]byte, error) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	v := view.New(rec, clock.RealClock{})
	l := lab.New(lab.Options{Recorder: rec})
	defer l.Close()
	var change selection.Change
	if err := json.Unmarshal(fmt.Appendf(nil, `{"source":"sim","seed":7,"objects":%d,"rate":%d,"era":"1.37"}`, objects, rate), &change); err != nil {
		return nil, err
	}
	if _, err := l.Select(ctx, change); err != nil {
		return nil, err
	}
	tick := time.NewTicker(time.Second / framesPerSecond)
	defer tick.Stop()
	for !v.State().Queue.Synced {
		select {
		case <-tick.C:
			v.Frame()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	var out []moment
	curve := make([]int, curvePoints)
	held := false
	begun := time.Now()
	for n := 0; len(out) < int(length.Seconds()*framesPerSecond); n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if should := int(time.Since(begun)/holdTime)%2 == 1; should != held {
			var err error
			if held = should; held {
				err = l.Informer(0).Hold("pop", 0)
			} else {
				err = l.Informer(0).Release("pop", 0, 0)
			}
			if err != nil {
				return nil, err
			}
		}
		v.Frame()
		s := v.State()
		curve = append(curve[1:], s.Queue.Depth)
		m := moment{Queue: s.Queue, Curve: append([]int(nil), curve...)}
		if held {
			m.Next = min(1, len(s.Queue.Items))
		}
		out = append(out, m)
	}
	return json.Marshal(out)
}
