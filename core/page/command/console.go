package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/page/audience"
	"informerscope/core/page/view"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/arg"
	"informerscope/core/words/event"
)

// ErrNotOffered is returned if a page without a relay asks to broadcast.
var ErrNotOffered = errors.New("this page was opened without a server, so it cannot broadcast; " +
	"start informerscope's server with --broadcast and open the address that it prints")

// Console carries out commands. Its methods are safe for concurrent use.
type Console struct {
	Lab  *lab.Lab
	View *view.View
	// Link is the connection to the relay, nil without one.
	Link *relayclient.Link
	// Speaker is set on a page with a relay, Following on an audience's page; otherwise they are nil.
	Speaker   *audience.Speaker
	Following *audience.Following
	// Stories plays stories; nil without any.
	Stories Teller
	// Idle returns when nothing else in the program can run; nil where that is not known. The laboratory needs it.
	Idle func()
	// Simulated, if not nil, is called before and after an experiment begins, with whether it is simulated.
	Simulated func(bool)
}

// File is the answer to a command that returns a file. The file is written while it is sent, and never held in memory as a whole.
type File struct {
	// Write writes the file and returns its name.
	Write func(io.Writer) (name string, err error)
}

// Do carries out the command with a name.
func (c *Console) Do(ctx context.Context, name string, given []arg.Value) (any, error) {
	command, err := findCommand(name)
	if err != nil {
		return nil, err
	}
	args, err := arg.Check(command.Name, command.Args, given)
	if err != nil {
		return nil, err
	}
	if command.Patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, command.Patience)
		defer cancel()
	}
	if command.Effect == Moves {
		c.noteMove()
	}
	return command.run(ctx, c, args)
}

// noteMove notes that the user moves the view: that separates a follower from the speaker, and takes a speaker's followers along.
func (c *Console) noteMove() {
	switch {
	case c.Following != nil:
		c.Following.LeaveSpeaker()
	case c.Speaker != nil:
		c.Speaker.Moved()
	}
}

// choose selects, and shows the new selection from its beginning.
func (c *Console) choose(ctx context.Context, change selection.Change) (any, error) {
	if c.Link != nil {
		c.Link.Retry()
	}
	source := c.Lab.Selection().Source
	if change.Source != nil {
		source = *change.Source
	}
	if source == event.SourceProbe {
		informers, err := change.Informers()
		if err != nil {
			return nil, err
		}
		sel, err := c.Lab.Attach(ctx, informers)
		c.reportSimulated(sel.Source == "sim")
		if err != nil {
			return nil, err
		}
		c.View.Reset()
		return sel, nil
	}
	if source != "live" {
		c.reportSimulated(true)
	}
	sel, err := c.Lab.Select(ctx, change)
	c.reportSimulated(sel.Source == "sim")
	if err != nil {
		return nil, err
	}
	c.View.Reset()
	return sel, nil
}

// fork begins a fork at the moment shown, or ends one.
func (c *Console) fork(ctx context.Context, do string) (any, error) {
	seq, at := c.View.Moment()
	sel, err := c.Lab.Fork(ctx, seq, at, do)
	if err != nil {
		return nil, err
	}
	c.View.Reset()
	return sel, nil
}

func (c *Console) reportSimulated(on bool) {
	if c.Simulated != nil {
		c.Simulated(on)
	}
}

// needSpeaker returns the page's Speaker, or why it has none.
func (c *Console) needSpeaker() (*audience.Speaker, error) {
	switch {
	case c.Speaker != nil:
		return c.Speaker, nil
	case c.Following != nil:
		return nil, lab.ErrAudience
	}
	return nil, ErrNotOffered
}

// useToken sets the token of another launch, and restarts a watch that did not work with the old one.
func (c *Console) useToken(ctx context.Context, token string) (any, error) {
	if c.Link == nil {
		return nil, errors.New("this page was opened without a server; open the address that the server printed")
	}
	if err := c.Link.Use(token); err != nil {
		return nil, err
	}
	sources := c.Lab.Sources(ctx)
	if sources.Live.Cause != "" {
		return sources, nil
	}
	begun, err := c.Lab.RestartIfTroubled(ctx)
	if begun {
		c.View.Reset()
	}
	if err != nil {
		return nil, fmt.Errorf("the new token is used, but the watch cannot start again: %w", err)
	}
	return sources, nil
}

// changeFollowing calls do on the page's Following, and returns its new state.
func (c *Console) changeFollowing(do func(*audience.Following)) (any, error) {
	if c.Following == nil {
		return nil, errors.New("this page follows no speaker")
	}
	do(c.Following)
	return c.Following.Hearing(), nil
}
