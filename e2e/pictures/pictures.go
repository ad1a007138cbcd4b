package main

import (
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"time"

	"informerscope/e2e/camera"
)

// movingPicture is the picture that moves, and movingRate how many frames it has a second.
const (
	movingPicture = "stage.webp"
	movingRate    = 10
)

// pictures are all that docs/img holds.
var pictures = []picture{
	{movingPicture, "source=sim&seed=7&rate=4&lang=en", 1280, 720, holdAndRelease},
	{"stage-dark.webp", "source=sim&seed=7&rate=6&lang=en", 1280, 720, popHeld},
	{"stage-light.webp", "source=sim&seed=7&rate=6&lang=en&theme=light", 1280, 720, popHeld},
	{"stage-zh.webp", "source=sim&seed=7&rate=6&lang=zh", 1280, 720, popHeld},
	{"gone.webp", "source=sim&seed=7&rate=6&lang=en", 1280, 720, listAgain},
	{"zoom.webp", "source=sim&seed=7&objects=1&rate=0&lang=en", 1280, 720, zoomToOneChange},
	{"two-releases.webp", "source=sim&seed=7&objects=12&rate=6&era=1.31,1.37&lang=en", 1280, 720, popHeld},
	{"presenter.webp", "story=ring&presenter=1&lang=en", 1280, 720, ringDoubled},
	{"inspector.webp", "source=sim&seed=7&rate=4&lang=en", 1280, 720, inspectPod},
	{"factory.webp", "source=sim&seed=7&rate=12&resource=pods,nodes,replicasets.v1.apps,deployments.v1.apps&lang=en", 1280, 720, momentAfter(7 * time.Second)},
	{"probe.webp", "source=sim&seed=7&objects=1&rate=0&lang=en", 1280, 720, openRecording},
	{"phone.webp", "source=sim&seed=7&rate=6&lang=en", 390, 844, popHeld},
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

// holdAndRelease shoots what a held Pop makes of the stage: changes wait, two are let through, and then all.
func holdAndRelease(ctx context.Context, s *camera.Scene, shoot func() error) error {
	if err := momentAfter(7*time.Second)(ctx, s, nil); err != nil {
		return err
	}
	acts := map[int]string{1: "hold('pop')", 6: "release('pop', 1)", 7: "release('pop', 1)", 8: "release('pop', 0)"}
	for frame := range 10 * movingRate {
		if act := acts[frame/movingRate]; act != "" && frame%movingRate == 0 {
			if err := s.Do(ctx, "informerscope."+act); err != nil {
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

// popHeld is the moment five seconds after Pop was held, with the queue open.
func popHeld(ctx context.Context, s *camera.Scene, _ func() error) error {
	if err := momentAfter(7*time.Second)(ctx, s, nil); err != nil {
		return err
	}
	if err := s.Do(ctx, "informerscope.hold('pop')"); err != nil {
		return err
	}
	if err := s.Pass(ctx, 5*time.Second); err != nil {
		return err
	}
	// While time runs the sentence counts once a second, and a picture would show it beside the row's newer number.
	if err := s.Do(ctx, "informerscope.pause()"); err != nil {
		return err
	}
	return s.Pass(ctx, time.Second/10)
}

// listAgain makes the watch answer 410, and goes to two seconds after the list that follows.
func listAgain(ctx context.Context, s *camera.Scene, _ func() error) error {
	if err := momentAfter(7*time.Second)(ctx, s, nil); err != nil {
		return err
	}
	if err := s.Do(ctx, "informerscope.fault('410')"); err != nil {
		return err
	}
	if err := s.WaitUntil(ctx, "(await informerscope.state()).reflector.relists > 0", time.Minute); err != nil {
		return err
	}
	return s.Pass(ctx, 2*time.Second)
}

// oneChange is a recording of the page's own informer with a real clock, in a browser: informerscope.record() after seven seconds of
// `objects=12&rate=2`. The camera's clock counts looks at it, so what it says of microseconds is no measure.
//
//go:embed testdata/onechange.trace.gz
var oneChange []byte

// zoomToOneChange is the way of one change in that recording, a millisecond wide, when the last handler has got it.
func zoomToOneChange(ctx context.Context, s *camera.Scene, _ func() error) error {
	if err := s.Do(ctx, load(oneChange)); err != nil {
		return err
	}
	if err := s.Pass(ctx, time.Second); err != nil {
		return err
	}
	for _, act := range []string{
		"informerscope.seekTime(3100)",
		"informerscope.state().then((is) => { __clock.key = is.workqueue.lastRead.key; })",
		"informerscope.rideObject(__clock.key)",
		"informerscope.ride(__clock.key).then((is) => { __clock.steps = is.hops.findIndex((hop) => hop.kind === 'WorkTaken'); })",
	} {
		if err := s.Do(ctx, act); err != nil {
			return err
		}
	}
	for {
		there, err := camera.Step[bool](ctx, s, 30, "__clock.steps-- <= 0")
		if err != nil || there {
			return err
		}
		if err := s.Keys(ctx, "ArrowRight"); err != nil {
			return err
		}
	}
}

// load is the call that opens a recording.
func load(recording []byte) string {
	return "informerscope.load(Uint8Array.from(atob('" + base64.StdEncoding.EncodeToString(recording) + "'), (c) => c.charCodeAt(0)).buffer)"
}

// ringAsks is the moment of the story at which it asks what a full ring does.
func ringAsks(ctx context.Context, s *camera.Scene, _ func() error) error {
	for step := range 2 {
		for _, comes := range []string{"awaitsPress", "done"} {
			if err := s.WaitUntil(ctx, fmt.Sprintf("__clock.story?.step === %d && __clock.story.%s", step, comes), 2*time.Minute); err != nil {
				return err
			}
			if err := s.Keys(ctx, "PageDown"); err != nil {
				return err
			}
		}
	}
	if err := s.WaitUntil(ctx, "__clock.story?.step === 2 && __clock.story.waits", 2*time.Minute); err != nil {
		return err
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

// controller is the recording of a controller with a probe in it, which testdata/controller makes: client-go 0.37 on a simulated cluster.
//
//go:embed testdata/controller.trace.gz
var controller []byte

// openRecording opens that recording, and goes to a moment at which a slow handler and the work queue are behind.
func openRecording(ctx context.Context, s *camera.Scene, _ func() error) error {
	for _, act := range []string{
		load(controller),
		"informerscope.seekTime(14000)",
		"informerscope.play(1)",
	} {
		if err := s.Do(ctx, act); err != nil {
			return err
		}
	}
	return s.Pass(ctx, 4*time.Second)
}
