package action

import (
	"math"
	"slices"

	"informerscope/core/cluster/levers"
	"informerscope/core/words/arg"
)

// Verb is how an action is written in a link: the verb and its arguments. Trailing arguments are optional.
type Verb struct {
	Name string
	// Command is the command whose actions it writes.
	Command string
	Args    []arg.Spec
	// Means describes, for docs/dev/protocol.md, what the arguments leave open.
	Means string
}

// Verbs returns all verbs, by command in the order of docs/dev/protocol.md. The caller owns the list.
func Verbs() []Verb { return slices.Clone(verbs) }

// findVerb returns a verb by name, nil if there is none.
func findVerb(name string) *Verb {
	for i := range verbs {
		if verbs[i].Name == name {
			return &verbs[i]
		}
	}
	return nil
}

// The arguments in a link. An old link must work whatever today's limits are, so only the types are checked.

func text(name string) arg.Spec { return arg.Spec{Name: name, Type: arg.Text} }

func wholeNumber(name string) arg.Spec {
	return arg.Spec{Name: name, Type: arg.Whole, Min: 0, Max: math.MaxInt32}
}

func number(name string) arg.Spec {
	return arg.Spec{Name: name, Type: arg.Number, Min: 0, Max: math.Nextafter(1e9, 0)}
}

var verbs = append([]Verb{
	{Name: "watch", Command: "select", Args: []arg.Spec{text("eras"), text("group"), text("version"), text("resource"), text("kind"),
		text("namespace"), text("transform"), text("selector")}, Means: "an earlier experiment begins"},
	{Name: "halt", Command: "select", Means: "it ends"},
	{Name: "fault", Command: "fault", Args: []arg.Spec{text("name"), text("on or off"), wholeNumber("millis"), wholeNumber("count"), wholeNumber("lane")},
		Means: "`on` or `off` for a held fault"},
	{Name: "hold", Command: "hold", Args: []arg.Spec{text("stage"), wholeNumber("listener"), wholeNumber("lane")}},
	{Name: "release", Command: "release", Args: []arg.Spec{text("stage"), wholeNumber("n"), wholeNumber("listener"), wholeNumber("lane")}},
	{Name: "listen", Command: "addListener", Args: []arg.Spec{text("name"), number("paceMillis"), number("resyncMillis"), wholeNumber("lane")}},
	{Name: "unlisten", Command: "removeListener", Args: []arg.Spec{wholeNumber("listener"), wholeNumber("lane")}},
	{Name: "pace", Command: "pace", Args: []arg.Spec{wholeNumber("listener"), number("millis"), wholeNumber("lane")}},
	{Name: "panic", Command: "panic", Args: []arg.Spec{wholeNumber("listener"), wholeNumber("lane")}},
	{Name: "index", Command: "addIndex", Args: []arg.Spec{text("name"), text("expression"), wholeNumber("lane")}},
	{Name: "writes", Command: "writes", Args: []arg.Spec{text("on or off"), text("children")}},
	{Name: "shutdown", Command: "shutdown"},
	{Name: "start", Command: "start", Args: []arg.Spec{text("late"), text("era"), text("selector")}},
	{Name: "shard", Command: "shard", Args: []arg.Spec{text("shard")}},
	{Name: "unshared", Command: "unshared", Args: []arg.Spec{wholeNumber("lane"), text("on or off")}},
}, leverVerbs()...)

// leverVerbs returns the verbs of the levers.
func leverVerbs() (all []Verb) {
	for _, l := range levers.All() {
		v := Verb{Name: l.Verb(), Command: "cluster", Means: l.LinkMeans}
		if l.IsFault {
			v.Command = "fault"
		}
		for _, p := range l.Params {
			switch p.Members[0].Type {
			case arg.Whole:
				v.Args = append(v.Args, wholeNumber(p.Link))
			case arg.Number:
				v.Args = append(v.Args, number(p.Link))
			default:
				v.Args = append(v.Args, text(p.Link))
			}
		}
		all = append(all, v)
	}
	return all
}
