package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"
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

// Command is what a page, a script or a story can request. Commands returns all of them. The worker answers no others, and docs/protocol.md, links and
// stories are checked against the list.
type Command struct {
	Name string
	// Args are its arguments, in order; optional ones come last.
	Args   []Arg
	Effect Effect
	// Story: a step of a story may use it.
	Story bool
	// Script: globalThis.informerscope has it.
	Script bool
	// Verbs are how its action is written in the "do" of a link; none if a link does not record it.
	Verbs []Verb
	// Does describes the command, and Answers its answer, for docs/protocol.md, or for docs/reference.md if Script is set.
	Does, Answers string
	// Patience bounds a command that waits for a cluster; zero is no bound.
	Patience time.Duration

	run runner
}

// Verb is how an action is written in a link: the verb and its arguments. Trailing arguments are optional.
type Verb struct {
	Name string
	Args []Arg
	// Means describes, for docs/protocol.md, what the arguments leave open.
	Means string
	// play repeats the action. l.mu is held. An action that failed then fails again, so there is no error to return.
	play func(l *Lab, s step)
}

// commands are all commands. init fills the list, because commands that read a link refer back to it.
var commands []Command

func init() {
	commands = slices.Concat(stateCommands(), experimentCommands(), viewCommands(), tellingCommands(), sourceCommands(), fileCommands(),
		talkCommands())
}

// Commands returns all commands, in the order of docs/protocol.md.
func Commands() []Command { return slices.Clone(commands) }

// commandNamed returns the command with a name; its error lists all names.
func commandNamed(name string) (*Command, error) {
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

// verbNamed returns a link's verb by name, nil if there is none.
func verbNamed(name string) *Verb {
	for i := range commands {
		for j := range commands[i].Verbs {
			if v := &commands[i].Verbs[j]; v.Name == name {
				return v
			}
		}
	}
	return nil
}

// CheckCall returns an error for a call that a story must not make: an unknown command, one that stories may not use, or wrong arguments.
func CheckCall(name string, given []Argument) error {
	command, err := commandNamed(name)
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
	_, err = command.checked(given)
	return err
}
