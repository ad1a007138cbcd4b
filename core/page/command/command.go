package command

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"informerscope/core/words/arg"
)

// Effect is what a command does to the experiment.
type Effect string

const (
	// Looks changes neither the experiment nor the view.
	Looks Effect = "looks"
	// Shows changes how the log is shown, such as the index that groups the cells.
	Shows Effect = "shows"
	// Moves means that the view goes to another moment. That separates a follower from the speaker, and takes the speaker's followers along.
	Moves Effect = "moves"
	// Acts changes the experiment or its cluster, and becomes a step of the story in a link.
	Acts Effect = "acts"
	// Begins ends the running experiment and begins another log.
	Begins Effect = "begins"
	// Talks concerns a broadcast, not the experiment.
	Talks Effect = "talks"
)

// Command is what a page, a script or a story can request. Commands returns all of them. The worker answers no others, and docs/dev/protocol.md, links and
// stories are checked against the list.
type Command struct {
	Name string
	// Args are its arguments, in order; optional ones come last.
	Args   []arg.Spec
	Effect Effect
	// Story: a step of a story may use it.
	Story bool
	// Script: globalThis.informerscope has it.
	Script bool
	// Does describes the command, and Answers its answer, for docs/dev/protocol.md, or for docs/reference.md if Script is set.
	Does, Answers string
	// Patience bounds a command that waits for a cluster; zero is no bound.
	Patience time.Duration

	run runner
}

// commands are all commands, in the order of docs/dev/protocol.md.
var commands = slices.Concat(selectionCommands(), faultCommands(), listenerCommands(), programCommands(), clusterCommands(), timeCommands(),
	objectCommands(), storyCommands(), sourceCommands(), fileCommands(), broadcastCommands())

// Commands returns all commands, in the order of docs/dev/protocol.md.
func Commands() []Command { return slices.Clone(commands) }

// findCommand returns the command with a name; its error lists all names.
func findCommand(name string) (*Command, error) {
	for i := range commands {
		if commands[i].Name == name {
			return &commands[i], nil
		}
	}
	names := make([]string, len(commands))
	for i := range commands {
		names[i] = commands[i].Name
	}
	slices.Sort(names)
	return nil, fmt.Errorf("there is no command %q; there are %s", name, strings.Join(names, ", "))
}

// CheckCall returns an error for a call that a story must not make: an unknown command, one that stories may not use, or wrong arguments.
func CheckCall(name string, given []arg.Value) error {
	command, err := findCommand(name)
	if err != nil || !command.Story || command.Effect != Acts && command.Effect != Shows {
		var all []string
		for i := range commands {
			if c := &commands[i]; c.Story && (c.Effect == Acts || c.Effect == Shows) {
				all = append(all, c.Name)
			}
		}
		slices.Sort(all)
		return fmt.Errorf("%q is not a command for stories; there are %s", name, strings.Join(all, ", "))
	}
	_, err = arg.Check(command.Name, command.Args, given)
	return err
}
