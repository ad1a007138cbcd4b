package lab

import (
	"context"
	"errors"
	"fmt"
	"io"

	"informerscope/core/view"
)

// ErrNotOffered is the answer to a page that wants to broadcast and has no relay.
var ErrNotOffered = errors.New("this page was opened without a server, so there is nobody to broadcast through; " +
	"start informerscope's server with --broadcast and open the address that it prints")

// Console carries out commands. Its methods are safe for concurrent use.
type Console struct {
	Lab  *Lab
	View *view.View
	// Link is the connection to the relay, nil when there is none.
	Link *Link
	// Speaker is what a page with a relay broadcasts with, and Following what an audience's page follows with; else nil.
	Speaker   *Speaker
	Following *Following
	// Stories tells stories; nil where there are none.
	Stories Teller
	// Simulated is told, before an experiment begins and after, whether a simulated one runs. It may be nil.
	Simulated func(bool)
}

// File is the answer to a command that gives a file. It is written as it is sent, so that it never stands in memory as a whole.
type File struct {
	// Write writes it and returns its name.
	Write func(io.Writer) (name string, err error)
}

// Do carries out the command with a name.
func (c *Console) Do(ctx context.Context, name string, given []Argument) (any, error) {
	command, err := commandNamed(name)
	if err != nil {
		return nil, err
	}
	args, err := command.checked(given)
	if err != nil {
		return nil, err
	}
	if command.Patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, command.Patience)
		defer cancel()
	}
	if command.Effect == Moves {
		c.moved()
	}
	return command.run(ctx, c, args)
}

// moved notes that the person of this page puts the view somewhere: a follower is apart then, and a speaker is followed there.
func (c *Console) moved() {
	switch {
	case c.Following != nil:
		c.Following.Apart()
	case c.Speaker != nil:
		c.Speaker.Moved()
	}
}

// choose selects, and shows what is selected from its beginning.
func (c *Console) choose(ctx context.Context, change Change) (any, error) {
	if c.Link != nil {
		c.Link.Retry()
	}
	source := c.Lab.Selection().Source
	if change.Source != nil {
		source = *change.Source
	}
	if source == SourceProbe {
		informers, err := change.attachTo()
		if err != nil {
			return nil, err
		}
		sel, err := c.Lab.Attach(ctx, informers)
		c.simulated(sel.Source == "sim")
		if err != nil {
			return nil, err
		}
		c.View.Reset()
		return sel, nil
	}
	if source != "live" {
		c.simulated(true)
	}
	sel, err := c.Lab.Select(ctx, change)
	c.simulated(sel.Source == "sim")
	if err != nil {
		return nil, err
	}
	c.View.Reset()
	return sel, nil
}

func (c *Console) simulated(on bool) {
	if c.Simulated != nil {
		c.Simulated(on)
	}
}

// speaker is what this page broadcasts with.
func (c *Console) speaker() (*Speaker, error) {
	switch {
	case c.Speaker != nil:
		return c.Speaker, nil
	case c.Following != nil:
		return nil, ErrAudience
	}
	return nil, ErrNotOffered
}

// token takes the token of another launch, and begins anew what could not be watched with the old one.
func (c *Console) token(ctx context.Context, token string) (any, error) {
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
		return nil, fmt.Errorf("the new token is used, but what was watched cannot begin anew: %w", err)
	}
	return sources, nil
}

// follower does something to what this page follows, and says how that goes.
func (c *Console) follower(do func(*Following)) (any, error) {
	if c.Following == nil {
		return nil, errors.New("this page follows nobody")
	}
	do(c.Following)
	return c.Following.Hearing(), nil
}
