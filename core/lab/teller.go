package lab

import (
	"context"
	"encoding/json"
	"errors"
)

// Teller tells stories by this package's commands; see core/story.
type Teller interface {
	// List is what the chooser shows.
	List() any
	// Begin begins a story in an era, "" for the first in which it is told, and takes it up at a step, from 0.
	Begin(ctx context.Context, id, era string, step int) error
	// BeginOn begins a story on the recording that it plays on, and takes it up at a step.
	BeginOn(ctx context.Context, id string, step int, recording []byte) error
	// Add adds a story from its file, a YAML, and answers with its id.
	Add(file string, content []byte) (id string, err error)
	// Turn turns a page, or one back, and GoTo shows a step that has begun again.
	Turn(ctx context.Context, n int) error
	GoTo(ctx context.Context, step int) error
	// Ride notes that the page rides what the step that is shown tells of.
	Ride() error
	// Leave ends the story.
	Leave()
	// Follow tells what another page tells, as it says it of itself; null ends that.
	Follow(told json.RawMessage) error
}

var errNoTeller = errors.New("no stories are told here")

// teller carries out what is about stories.
func (c *Console) teller(do func(Teller) error) (any, error) {
	if c.Stories == nil {
		return nil, errNoTeller
	}
	return true, do(c.Stories)
}

func tellingCommands() []Command {
	return []Command{{
		Name: "stories", Effect: Looks, Answers: "the stories and their groups: `core/story.Library`",
		run: nothing(func(_ context.Context, c *Console) (any, error) {
			if c.Stories == nil {
				return nil, errNoTeller
			}
			return c.Stories.List(), nil
		}),
	}, {
		Name: "storyAdd", Effect: Shows,
		Args: []Arg{{Name: "file", Type: Text, Needed: true, Longest: longestName}, {Name: "content", Type: Content, Needed: true}},
		Does: "adds a story to those of the page, from a file as docs/stories.md has it; a later one of the same name takes its place. An error says the " +
			"line, and what was expected there",
		Answers: "its id",
		run: func(_ context.Context, c *Console, given arguments) (any, error) {
			file, err := argument(given, 0, "")
			if err != nil {
				return nil, err
			}
			content, err := given.content(1)
			if err != nil {
				return nil, err
			}
			if c.Stories == nil {
				return nil, errNoTeller
			}
			return c.Stories.Add(file, content)
		},
	}, {
		Name: "storyBegin", Effect: Begins, Patience: clusterPatience,
		Args: []Arg{{Name: "id", Type: Text, Needed: true, Longest: longestName}, {Name: "era", Type: Text, Longest: longestName},
			{Name: "step", Type: Whole, Min: 0, Max: 1000}, {Name: "recording", Type: Content}},
		Does: "begins a story on a cluster of its own, in one of its eras. From then on frames carry what is told. With `step`, from 0, a story " +
			"that was left is taken up there: the steps before it happen again, as fast as they can. A story on a recording is given the file of that, " +
			"and ends what runs", Answers: "`true`",
		run: func(ctx context.Context, c *Console, given arguments) (any, error) {
			step, err := argument(given, 2, 0)
			if err != nil {
				return nil, err
			}
			recording, err := given.content(3)
			if err != nil {
				return nil, err
			}
			if len(recording) > 0 {
				id, err := argument(given, 0, "")
				if err != nil {
					return nil, err
				}
				return c.teller(func(t Teller) error { return t.BeginOn(ctx, id, step, recording) })
			}
			return two(func(ctx context.Context, c *Console, id, era string) (any, error) {
				return c.teller(func(t Teller) error { return t.Begin(ctx, id, era, step) })
			})(ctx, c, given)
		},
	}, {
		Name: "storyTurn", Effect: Moves, Args: []Arg{{Name: "n", Type: Whole, Min: -1, Max: 1}},
		Does: "turns a page, with -1 one back. The step that runs comes to its end first, faster than it would; asked for twice it is " +
			"not shown, but happens all the same. Where it waits for the reader, what is asked is done in the reader's place",
		Answers: "`true`",
		run: one(1, func(ctx context.Context, c *Console, n int) (any, error) {
			return c.teller(func(t Teller) error { return t.Turn(ctx, n) })
		}),
	}, {
		Name: "storyStep", Effect: Moves, Args: []Arg{{Name: "step", Type: Whole, Min: 0, Max: 1000}},
		Does: "shows a step that has begun, from 0, as it happened", Answers: "`true`",
		run: one(0, func(ctx context.Context, c *Console, step int) (any, error) {
			return c.teller(func(t Teller) error { return t.GoTo(ctx, step) })
		}),
	}, {
		Name: "storyRide", Effect: Shows,
		Does: "notes that the page rides the object that `ride` of the story's frames names: the next `storyTurn` is past it. Without, the first " +
			"`storyTurn` after the end of such a step opens the ride, and turns no page", Answers: "`true`",
		run: nothing(func(_ context.Context, c *Console) (any, error) {
			return c.teller(func(t Teller) error { return t.Ride() })
		}),
	}, {
		Name: "storyEnd", Effect: Shows, Does: "leaves the story: the experiment goes on, and time with it", Answers: "`true`",
		run: nothing(func(_ context.Context, c *Console) (any, error) {
			return c.teller(func(t Teller) error {
				t.Leave()
				return nil
			})
		}),
	}, {
		Name: "storyFollow", Effect: Shows, Args: []Arg{{Name: "told", Type: Any}},
		Does: "of a follower: tells what the speaker's page tells, from the `story` of its frames; nothing when it is left out", Answers: "`true`",
		run: one(json.RawMessage(nil), func(_ context.Context, c *Console, told json.RawMessage) (any, error) {
			return c.teller(func(t Teller) error { return t.Follow(told) })
		}),
	}}
}
