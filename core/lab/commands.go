package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Effect says what a command does to the experiment.
type Effect string

const (
	// Looks changes nothing, neither the experiment nor what is shown.
	Looks Effect = "looks"
	// Shows changes how the log is shown: which index groups the cells, which object is followed.
	Shows Effect = "shows"
	// Moves puts the view at another moment. It parts a follower from the speaker, and takes the speaker's followers there.
	Moves Effect = "moves"
	// Acts does something to the experiment or its cluster, and becomes a step of the story that a link tells.
	Acts Effect = "acts"
	// Begins ends the experiment that runs and begins another log.
	Begins Effect = "begins"
	// Talks is about a talk with an audience, and not about the experiment.
	Talks Effect = "talks"
)

// Command is something that a page, a script or a story can ask for. Commands returns all of them: the worker answers no others, and
// docs/protocol.md, links and stories are held against the same list.
type Command struct {
	Name string
	// Args are its arguments, in order. Those that may be left out come last.
	Args   []Arg
	Effect Effect
	// Story says whether a step of a story may use it.
	Story bool
	// Script says whether globalThis.informerscope has it.
	Script bool
	// Verbs are how what it did is written in the "do" of a link; none for what a link does not tell.
	Verbs []Verb
	// Does is what it does, and Answers what it returns, as docs/protocol.md has it, or docs/reference.md if Script is set.
	Does, Answers string
	// Patience bounds what waits for a cluster that may not answer; zero is no bound.
	Patience time.Duration

	run runner
}

// Verb is how something that was done is written in a link: the verb and its arguments, each of which may be left out at the end.
type Verb struct {
	Name string
	Args []Arg
	// Means is what docs/protocol.md adds to the arguments.
	Means string
	// play does it again. l.mu is held. What failed then fails now, so there is nothing to report.
	play func(l *Lab, s step)
}

// commands is the one list. init fills it, because what a command does leads back to the list when it reads a link.
var commands []Command

func init() {
	commands = slices.Concat(stateCommands(), experimentCommands(), viewCommands(), tellingCommands(), sourceCommands(), fileCommands(),
		talkCommands())
}

// Commands are all commands, in the order of docs/protocol.md.
func Commands() []Command { return slices.Clone(commands) }

// commandNamed is the command with a name; an error lists all.
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

// verbNamed is the verb of a link with a name, nil when there is none.
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

// CheckCall says in words what is wrong with a call that a story makes: no such command, none that a story may use, or other arguments
// than the command takes.
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
		return fmt.Errorf("%q is no command of a story; there are %s", name, strings.Join(all, ", "))
	}
	_, err = command.checked(given)
	return err
}
