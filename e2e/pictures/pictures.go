package main

import (
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"image"
	"time"

	"informerscope/e2e/camera"
)

// moving is the picture that moves, and movingRate how many frames it has a second.
const (
	movingPicture = "stage.webp"
	movingRate    = 20

	rideName = "ride.webp"
)

// rideTimes is where a ride shows measured times, which differ each time, and its hops on a scale of them.
var rideTimes = image.Rect(0, 1200, 2560, 1440)

// pictures are all that docs/img holds.
var pictures = []picture{
	{movingPicture, "source=sim&seed=7&rate=4&lang=en", 1280, 720, oneChange},
	{"stage-dark.webp", "source=sim&seed=7&rate=12&lang=en", 1280, 720, momentAfter(40 * time.Second)},
	{"stage-light.webp", "source=sim&seed=7&rate=12&lang=en&theme=light", 1280, 720, momentAfter(40 * time.Second)},
	{"stage-zh.webp", "source=sim&seed=7&rate=12&lang=zh", 1280, 720, momentAfter(40 * time.Second)},
	{"two-releases.webp", "source=sim&seed=7&rate=0&era=1.31,1.37&lang=en", 1280, 720, burst},
	{"presenter.webp", "story=ring&presenter=1&lang=en", 1280, 720, ringDoubled},
	{"question.webp", "story=ring&presenter=1&lang=en", 1280, 720, ringAsks},
	{"inspector.webp", "source=sim&seed=7&rate=4&lang=en", 1280, 720, inspectPod},
	{rideName, "source=sim&seed=7&rate=4&lang=en", 1280, 720, ride},
	{"factory.webp", "source=sim&seed=7&rate=12&resource=pods,nodes,replicasets.v1.apps,deployments.v1.apps&lang=en", 1280, 720, momentAfter(20 * time.Second)},
	{"probe.webp", "source=sim&seed=7&objects=1&rate=0&lang=en", 1280, 720, openRecording},
	{"phone.webp", "source=sim&seed=7&rate=12&lang=en", 390, 844, momentAfter(20 * time.Second)},
}

type play = func(context.Context, *camera.Scene, func() error) error

// momentAfter is the moment so long after the store was filled, and half a millisecond. Without the half, whole seconds of frames end where the page's clock
// turns to the next millisecond, and which one it shows depends on how often Go has looked at its clock.
func momentAfter(d time.Duration) play {
	return func(ctx context.Context, s *camera.Scene, _ func() error) error {
		if err := waitForSync(ctx, s); err != nil {
			return err
		}
		return s.Pass(ctx, d+time.Millisecond/2)
	}
}

func waitForSync(ctx context.Context, s *camera.Scene) error {
	return s.WaitUntil(ctx, "(await informerscope.state()).queue.synced", time.Minute)
}

// oneChange shoots a change of one pod on its way from the API server to a worker, and what the worker writes in answer. It is seen an eighth as
// fast as it happened, and followed.
func oneChange(ctx context.Context, s *camera.Scene, shoot func() error) error {
	if err := momentAfter(6*time.Second)(ctx, s, nil); err != nil {
		return err
	}
	for _, do := range []string{
		"informerscope.state().then((is) => { __clock.write = is.workqueue.lastWrite; })",
		"informerscope.seekTime(__clock.write.atMillis - 1)",
		"informerscope.ride(__clock.write.key).then((is) => { __clock.first = is.hops[0].seq; })",
		"informerscope.rideObject(__clock.write.key)", // from then on the page follows it
		"informerscope.seek(__clock.first - 1)",
	} {
		if err := s.Do(ctx, do); err != nil {
			return err
		}
	}
	if err := s.Keys(ctx, "Escape"); err != nil {
		return err
	}
	if err := s.Do(ctx, "informerscope.seek(__clock.first - 1)"); err != nil {
		return err
	}
	if err := s.Pass(ctx, time.Second); err != nil {
		return err
	}
	for frame := range 17 * movingRate / 2 {
		if frame == movingRate/2 {
			if err := s.Do(ctx, "informerscope.play(1 / 8)"); err != nil {
				return err
			}
		}
		if _, err := camera.Step[bool](ctx, s, 60/movingRate, "true"); err != nil {
			return err
		}
		if err := shoot(); err != nil {
			return err
		}
	}
	return nil
}

// burst makes the burst of changes of the page's button, behind a held Pop, and releases it.
func burst(ctx context.Context, s *camera.Scene, _ func() error) error {
	const button = "[...document.querySelectorAll('.sbtn')].find((b) => !b.hidden && ['burst', 'release'].includes(b.textContent))"
	if err := waitForSync(ctx, s); err != nil {
		return err
	}
	if err := s.Pass(ctx, time.Second); err != nil {
		return err
	}
	if err := s.Click(ctx, button); err != nil {
		return err
	}
	if err := s.WaitUntil(ctx, "(await informerscope.state()).lanes.every((lane) => lane.queue.depth >= 6)", time.Minute); err != nil {
		return err
	}
	if err := s.Pass(ctx, time.Second); err != nil {
		return err
	}
	if err := s.Click(ctx, button); err != nil {
		return err
	}
	return s.Pass(ctx, 4*time.Second)
}

// ringAsks is the moment of the story at which it asks what a full ring does.
func ringAsks(ctx context.Context, s *camera.Scene, _ func() error) error {
	for step := range 3 {
		if err := s.WaitUntil(ctx, fmt.Sprintf("__clock.story?.step === %d && (__clock.story.waits || __clock.story.done)", step), 2*time.Minute); err != nil {
			return err
		}
		if step < 2 {
			if err := s.Keys(ctx, "PageDown"); err != nil {
				return err
			}
		}
	}
	return s.Pass(ctx, 2*time.Second)
}

// ringDoubled is the moment at which mailer's ring has grown.
func ringDoubled(ctx context.Context, s *camera.Scene, _ func() error) error {
	if err := ringAsks(ctx, s, nil); err != nil {
		return err
	}
	if err := s.Keys(ctx, "3"); err != nil {
		return err
	}
	if err := s.WaitUntil(ctx, "__clock.story.done", time.Minute); err != nil {
		return err
	}
	return s.Pass(ctx, 3*time.Second)
}

// waitForWrite waits until a controller has written, pauses, and notes the object.
func waitForWrite(ctx context.Context, s *camera.Scene) error {
	if err := momentAfter(6*time.Second)(ctx, s, nil); err != nil {
		return err
	}
	if err := s.Do(ctx, "informerscope.state().then((is) => { __clock.key = is.workqueue.lastWrite.key; })"); err != nil {
		return err
	}
	return s.Do(ctx, "informerscope.pause()")
}

// inspectPod shows a pod that a controller wrote, with its journey.
func inspectPod(ctx context.Context, s *camera.Scene, _ func() error) error {
	if err := waitForWrite(ctx, s); err != nil {
		return err
	}
	if err := s.Do(ctx, "informerscope.selectObject(__clock.key)"); err != nil {
		return err
	}
	return s.Pass(ctx, 3*time.Second)
}

// ride is the hop of a ride at which the store has taken the change.
func ride(ctx context.Context, s *camera.Scene, _ func() error) error {
	if err := waitForWrite(ctx, s); err != nil {
		return err
	}
	if err := s.Do(ctx, "informerscope.rideObject(__clock.key)"); err != nil {
		return err
	}
	return s.Pass(ctx, 12*time.Second)
}

// controller is the recording of a controller with a probe in it, which testdata/controller makes: client-go 0.37 on a simulated cluster.
//
//go:embed testdata/controller.trace.gz
var controller []byte

// openRecording opens that recording, and goes to a moment at which a slow handler and the work queue are behind.
func openRecording(ctx context.Context, s *camera.Scene, _ func() error) error {
	for _, do := range []string{
		"informerscope.load(Uint8Array.from(atob('" + base64.StdEncoding.EncodeToString(controller) + "'), (c) => c.charCodeAt(0)).buffer)",
		"informerscope.seekTime(14000)",
		"informerscope.play(1)",
	} {
		if err := s.Do(ctx, do); err != nil {
			return err
		}
	}
	return s.Pass(ctx, 4*time.Second)
}
