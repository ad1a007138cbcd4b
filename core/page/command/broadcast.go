package command

import (
	"context"
	"encoding/json"

	"informerscope/core/page/audience"
	"informerscope/core/words/arg"
)

// broadcastCommands concern a broadcast: the speaker's page and its followers.
func broadcastCommands() []Command {
	return []Command{{
		Name: "broadcast", Effect: Talks, Script: true, Does: "asks the server how the broadcast goes", Answers: "as `onAir`",
		run: takeNone(func(ctx context.Context, c *Console) (any, error) {
			s, err := c.needSpeaker()
			if err != nil {
				return nil, err
			}
			return s.Look(ctx)
		}),
	}, {
		Name: "broadcastBegin", Effect: Talks, Script: true,
		Args: []arg.Spec{{Name: "how", Type: arg.Object, Members: []arg.Spec{{Name: "take", Type: arg.Switch}}}},
		Does: "starts a broadcast; `take` takes over from another page", Answers: "as `onAir`",
		run: takeOne(talk{}, func(ctx context.Context, c *Console, how talk) (any, error) {
			s, err := c.needSpeaker()
			if err != nil {
				return nil, err
			}
			c.Link.Retry()
			err = s.Begin(ctx, how.Take)
			return s.OnAir(), err
		}),
	}, {
		Name: "broadcastEnd", Effect: Talks, Script: true, Does: "ends the broadcast", Answers: "as `onAir`",
		run: takeNone(func(ctx context.Context, c *Console) (any, error) {
			s, err := c.needSpeaker()
			if err != nil {
				return nil, err
			}
			err = s.End(ctx)
			return s.OnAir(), err
		}),
	}, {
		Name: "page", Effect: Talks, Args: []arg.Spec{{Name: "page", Type: arg.Any, Needed: true}},
		Does: "sets what the broadcast says of the speaker's page beside its position, at most 7 KiB", Answers: "`true`",
		run: takeOne(json.RawMessage(nil), func(_ context.Context, c *Console, page json.RawMessage) (any, error) {
			s, err := c.needSpeaker()
			if err != nil {
				return nil, err
			}
			return true, s.Page(page)
		}),
	}, {
		Name: "apart", Effect: Talks, Does: "lets a follower leave the speaker and look around", Answers: "as `hearing`",
		run: takeNone(func(_ context.Context, c *Console) (any, error) {
			return c.changeFollowing((*audience.Following).LeaveSpeaker)
		}),
	}, {
		Name: "along", Effect: Talks, Script: true, Does: "takes a follower back to the speaker", Answers: "as `hearing`",
		run: takeNone(func(_ context.Context, c *Console) (any, error) {
			return c.changeFollowing((*audience.Following).RejoinSpeaker)
		}),
	}}
}

// talk has the options of a new broadcast.
type talk struct {
	Take bool `json:"take"`
}
