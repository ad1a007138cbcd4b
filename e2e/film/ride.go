package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"informerscope/e2e/camera"
)

// Before a ride the film shows the stage for so long, and after it the whole way.
const lookTime = 3 * time.Second

// shootRide films the way of the change that a worker had read last at a moment of a recording. The axis is zoomed until its waits are wide, and each hop
// stays as long as it takes to be read. A recording has the times of a real clock, which the camera's is not.
func shootRide(ctx context.Context, s *camera.Scene, film *camera.Film, rate int, recording []byte, at int, b *bar) error {
	load := "informerscope.load(Uint8Array.from(atob('" + base64.StdEncoding.EncodeToString(recording) + "'), (c) => c.charCodeAt(0)).buffer)"
	for _, step := range []string{
		load, fmt.Sprintf("informerscope.seekTime(%d)", at),
		"informerscope.state().then((is) => { __clock.key = is.workqueue.lastRead.key; })",
	} {
		if err := s.Do(ctx, step); err != nil {
			return err
		}
	}
	frame, hop := 0, ""
	// add films so long.
	add := func(d time.Duration) error {
		for range int(d * time.Duration(rate) / time.Second) {
			now, err := camera.Step[seen](ctx, s, 60/rate, script)
			if err != nil {
				return err
			}
			picture, err := s.Picture(ctx)
			if err != nil {
				return err
			}
			if err := film.Add(picture); err != nil {
				return err
			}
			hop, frame = now.Hop, frame+1
			b.show(time.Duration(frame)*time.Second/time.Duration(rate), 0)
		}
		return nil
	}
	if err := add(lookTime); err != nil {
		return err
	}
	if err := s.Do(ctx, "informerscope.rideObject(__clock.key)"); err != nil {
		return err
	}
	// A ride goes on by itself until a key is pressed.
	if err := s.Keys(ctx, "Home"); err != nil {
		return err
	}
	for last := "-"; hop != last; {
		last = hop
		if err := add(max(aHop, time.Duration(float64(readingTime(hop))/speedup))); err != nil {
			return err
		}
		if err := s.Keys(ctx, "ArrowRight"); err != nil {
			return err
		}
		if err := add(time.Second / 5); err != nil {
			return err
		}
	}
	return add(lookTime)
}
