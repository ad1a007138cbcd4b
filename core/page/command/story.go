package command

import (
	"context"
	"encoding/json"
	"errors"

	"informerscope/core/words/arg"
)

// Teller plays stories with this package's commands; see core/page/story.
type Teller interface {
	// List returns the stories for the chooser.
	List() any
	// Begin begins a story in a release ("" for the story's first), and resumes it at a step, from 0.
	Begin(ctx context.Context, id, release string, step int) error
	// BeginOn begins a story on the recording that it needs, and resumes it at a step.
	BeginOn(ctx context.Context, id string, step int, recording []byte) error
	// Add adds a story from its YAML file and returns its id.
	Add(file string, content []byte) (id string, err error)
	// Turn goes on, or a step back if n is negative. GoTo shows a step again that has begun.
	Turn(ctx context.Context, n int) error
	GoTo(ctx context.Context, step int) error
	// SetLevel says what the reader knows already, as a level from 1.
	SetLevel(level int) error
	// Ride notes that the page rides the object that the current step describes.
	Ride() error
	// Leave ends the story.
	Leave()
	// Follow shows the story of another page, as that page describes it; null ends that.
	Follow(state json.RawMessage) error
}

// MostLevels is how many levels of readers a story can have.
const MostLevels = 3

var errNoTeller = errors.New("this page has no stories")

// tell calls do on the page's Teller.
func (c *Console) tell(do func(Teller) error) (any, error) {
	if c.Stories == nil {
		return nil, errNoTeller
	}
	return true, do(c.Stories)
}

// storyCommands tell stories.
func storyCommands() []Command {
	return []Command{{
		Name: "stories", Effect: Looks, Answers: "the stories and their groups: `core/page/story.Library`",
		run: takeNone(func(_ context.Context, c *Console) (any, error) {
			if c.Stories == nil {
				return nil, errNoTeller
			}
			return c.Stories.List(), nil
		}),
	}, {
		Name: "storyAdd", Effect: Shows,
		Args:    []arg.Spec{{Name: "file", Type: arg.Text, Needed: true, Longest: longestName}, {Name: "content", Type: arg.Content, Needed: true}},
		Does:    "adds a story from a file, in place of an earlier one of the same name. An error names the line",
		Answers: "its id",
		run: func(_ context.Context, c *Console, given arg.Values) (any, error) {
			file, err := arg.Get(given, 0, "")
			if err != nil {
				return nil, err
			}
			content, err := given.Content(1)
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
		Args: []arg.Spec{{Name: "id", Type: arg.Text, Needed: true, Longest: longestName}, {Name: "era", Type: arg.Text, Longest: longestName},
			{Name: "step", Type: arg.Whole, Min: 0, Max: 1000}, {Name: "recording", Type: arg.Content}},
		Does: "begins a story on its own cluster, in one of its releases (`era`). With `step` it resumes there: the steps before it happen again, as " +
			"fast as possible. A story on a recording needs the file and ends the experiment",
		Answers: "`true`",
		run: func(ctx context.Context, c *Console, given arg.Values) (any, error) {
			step, err := arg.Get(given, 2, 0)
			if err != nil {
				return nil, err
			}
			recording, err := given.Content(3)
			if err != nil {
				return nil, err
			}
			if len(recording) > 0 {
				id, err := arg.Get(given, 0, "")
				if err != nil {
					return nil, err
				}
				return c.tell(func(t Teller) error { return t.BeginOn(ctx, id, step, recording) })
			}
			return takeTwo(func(ctx context.Context, c *Console, id, release string) (any, error) {
				return c.tell(func(t Teller) error { return t.Begin(ctx, id, release, step) })
			})(ctx, c, given)
		},
	}, {
		Name: "storyTurn", Effect: Moves, Args: []arg.Spec{{Name: "n", Type: arg.Whole, Min: -1, Max: 1}},
		Does: "goes on, or with -1 to the step before. Where a step's caption stands, the call begins its motion; a running step plays to its end, " +
			"as fast as it can; from there the call goes to the next step. If the step waits for the reader, the call acts in the reader's place",
		Answers: "`true`",
		run: takeOne(1, func(ctx context.Context, c *Console, n int) (any, error) {
			return c.tell(func(t Teller) error { return t.Turn(ctx, n) })
		}),
	}, {
		Name: "storyStep", Effect: Moves, Args: []arg.Spec{{Name: "step", Type: arg.Whole, Min: 0, Max: 1000}},
		Does: "shows again a step that has begun", Answers: "`true`",
		run: takeOne(0, func(ctx context.Context, c *Console, step int) (any, error) {
			return c.tell(func(t Teller) error { return t.GoTo(ctx, step) })
		}),
	}, {
		Name: "storyLevel", Effect: Shows, Args: []arg.Spec{{Name: "level", Type: arg.Whole, Needed: true, Min: 1, Max: MostLevels}},
		Does:    "sets what the reader of the story knows already, as one of its levels. The steps that are not new happen unseen, as fast as possible",
		Answers: "`true`",
		run: takeOne(1, func(_ context.Context, c *Console, level int) (any, error) {
			return c.tell(func(t Teller) error { return t.SetLevel(level) })
		}),
	}, {
		Name: "storyRide", Effect: Shows,
		Does:    "reports that the page rides the object of the frames' `story.ride`: the next `storyTurn` goes on. Without this call it opens the ride",
		Answers: "`true`",
		run: takeNone(func(_ context.Context, c *Console) (any, error) {
			return c.tell(func(t Teller) error { return t.Ride() })
		}),
	}, {
		Name: "storyEnd", Effect: Shows, Does: "leaves the story; the experiment and its time go on", Answers: "`true`",
		run: takeNone(func(_ context.Context, c *Console) (any, error) {
			return c.tell(func(t Teller) error {
				t.Leave()
				return nil
			})
		}),
	}, {
		Name: "storyFollow", Effect: Shows, Args: []arg.Spec{{Name: "state", Type: arg.Any}},
		Does: "shows a follower the speaker's story: the `story` of the speaker's frames, or none", Answers: "`true`",
		run: takeOne(json.RawMessage(nil), func(_ context.Context, c *Console, state json.RawMessage) (any, error) {
			return c.tell(func(t Teller) error { return t.Follow(state) })
		}),
	}}
}
