// Package levers changes a simulated cluster by the verbs that the page's menus, its links and the stories use. The cluster is in this process, or in a
// server that the relay reaches.
package levers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"informerscope/core/words/arg"
)

// Lever is a way to change a simulated cluster. All and Find return the entries of the one table of them, from which the command `cluster`, links, the rail of
// a story, the page's menus and the documents are made.
type Lever struct {
	Name   string
	Params []Param
	// Does describes it for docs/reference.md.
	Does string
	// LinkVerb is its verb in a link, if that is not its name, and LinkMeans describes for docs/dev/protocol.md what the arguments there leave open.
	LinkVerb, LinkMeans string
	// Breaks: it breaks something at the API server.
	Breaks bool
	// Strikes is the fault that the log has of it; empty for none.
	Strikes string
	// Holds: with n it stays on, until it is pulled with an n of 0.
	Holds bool
	// IsFault: the command `fault` has it, by the name that Strikes is, and `cluster` has not.
	IsFault bool
	// Menu is the menu of the page that offers it; empty for none. It has a button for each n of Offers.
	Menu   Menu
	Offers []int

	pull func(ctx context.Context, c Target, a Args) (string, error)
}

// Menu is a menu of the page.
type Menu string

const (
	// ClusterMenu hangs from the API server, and FaultMenu from the faults.
	ClusterMenu Menu = "cluster"
	FaultMenu   Menu = "faults"
)

// Args are the arguments of a lever; its Params are which of them it reads.
type Args struct {
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Key       string  `json:"key"`
	Replicas  int     `json:"replicas"`
	N         int     `json:"n"`
	PerSecond float64 `json:"perSecond"`
	Label     string  `json:"label"`
}

// Target is a cluster that levers act on. Its errors are those of the API.
type Target interface {
	// Do sends a request to the API, which is answered even while the API server is away. body is sent as JSON, for PATCH as a merge patch, and the answer
	// is decoded into answer; both may be nil.
	Do(ctx context.Context, method, path string, body, answer any) error

	CreateDeployment(ctx context.Context, namespace, name string, replicas int) error
	Scale(ctx context.Context, namespace, name string, replicas int) error
	RestartDeployment(ctx context.Context, namespace, name string) error
	DeleteRandomPod(ctx context.Context) (namespace, name string, err error)
	LabelPod(ctx context.Context, key, label string) (string, error)
	AddFinalizers(ctx context.Context, n int) error
	RemoveFinalizers(ctx context.Context) error
	Burst(ctx context.Context, n int) error
	SetRate(rate float64)
	Crowd(ctx context.Context, n int) error
	// Compact and Expire return a sentence about what they did.
	Compact(ctx context.Context) (string, error)
	Expire(ctx context.Context) (string, error)
	FailOver(ctx context.Context, versions uint64) error
	IgnoreShards(ctx context.Context, ignores bool) error
	Restart(ctx context.Context) error
}

// All returns all levers, in the order of the documents and menus. The caller owns the list.
func All() []Lever { return slices.Clone(table) }

// Find returns the lever with a name, nil if there is none.
func Find(name string) *Lever {
	if i := slices.IndexFunc(table, func(l Lever) bool { return l.Name == name }); i >= 0 {
		return &table[i]
	}
	return nil
}

// Names returns the names of the levers that are no faults. The caller owns the list.
func Names() (names []string) {
	for _, l := range table {
		if !l.IsFault {
			names = append(names, l.Name)
		}
	}
	return names
}

// Pull changes the cluster and returns a sentence about what it did. Even a failed Pull may have changed something.
func Pull(ctx context.Context, c Target, name string, a Args) (string, error) {
	l := Find(name)
	if l == nil {
		return "", fmt.Errorf("unknown verb %q: choose one of %s", name, strings.Join(Names(), ", "))
	}
	if err := l.Check(a); err != nil {
		return "", err
	}
	return l.pull(ctx, c, a)
}

// Check returns an error for arguments with which the lever does nothing.
func (l *Lever) Check(a Args) error {
	for _, p := range l.Params {
		if p.check == nil {
			continue
		}
		if err := p.check(a); err != nil {
			return err
		}
	}
	return nil
}

// Verb returns the lever's verb in a link.
func (l *Lever) Verb() string {
	if l.LinkVerb != "" {
		return l.LinkVerb
	}
	return l.Name
}

// Write returns the arguments as a link writes them.
func (l *Lever) Write(a Args) []any {
	var words []any
	for _, p := range l.Params {
		words = append(words, p.write(a))
	}
	return words
}

// Read returns the arguments that Write wrote; word returns one of them, "" if the link has left it out.
func (l *Lever) Read(word func(i int) string) (a Args) {
	for i, p := range l.Params {
		p.read(&a, word(i))
	}
	return a
}

// Members returns the members of the lever's arguments.
func (l *Lever) Members() (all []arg.Spec) {
	for _, p := range l.Params {
		all = append(all, p.Members...)
	}
	return all
}

// Members returns the members of the arguments of all levers, each once.
func Members() (all []arg.Spec) {
	for _, l := range table {
		for _, m := range l.Members() {
			if !slices.ContainsFunc(all, func(s arg.Spec) bool { return s.Name == m.Name }) {
				all = append(all, m)
			}
		}
	}
	return all
}
