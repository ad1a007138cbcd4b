package levers

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/words/arg"
)

// Param is what a lever acts on, or how much it does: some members of its arguments, which a link writes as one.
type Param struct {
	// Name is its name in the page's menus.
	Name    string
	Members []arg.Spec
	// Link is its name in a link, for docs/dev/protocol.md.
	Link string

	write func(a Args) string        // as in a link
	read  func(a *Args, text string) // what write wrote
	check func(a Args) error         // nil: the lever brings it within its limits
}

const (
	// longestName bounds the name of an object, and longestLabel a label with its value: a prefix, a name and a value; in bytes.
	longestName  = 253
	longestLabel = longestName + 1 + 63 + 1 + 63
)

var (
	deployment = Param{
		Name:    "deployment",
		Members: []arg.Spec{{Name: "namespace", Type: arg.Text, Longest: longestName}, {Name: "name", Type: arg.Text, Longest: longestName}},
		Link:    "namespace/name",
		write:   Args.deployment,
		read:    func(a *Args, text string) { a.Namespace, a.Name, _ = strings.Cut(text, "/") },
	}
	replicas = Param{
		Name: "replicas", Members: []arg.Spec{{Name: "replicas", Type: arg.Whole, Min: 0, Max: simcluster.MaxObjects}}, Link: "replicas",
		write: func(a Args) string { return strconv.Itoa(a.Replicas) },
		read:  func(a *Args, text string) { a.Replicas = whole(text) },
		check: func(a Args) error {
			if a.Replicas < 0 || a.Replicas > simcluster.MaxObjects {
				return fmt.Errorf("a deployment has from 0 to %d replicas", simcluster.MaxObjects)
			}
			return nil
		},
	}
	pod = Param{
		Name: "pod", Members: []arg.Spec{{Name: "key", Type: arg.Text, Longest: 2*longestName + 1}}, Link: "namespace/name",
		write: func(a Args) string {
			if a.Key == "" && a.Name != "" {
				return a.deployment()
			}
			return a.Key
		},
		read: func(a *Args, text string) { a.Key = text },
	}
	number = Param{
		Name: "n", Members: []arg.Spec{{Name: "n", Type: arg.Whole, Min: 0, Max: simcluster.MaxRate}}, Link: "n",
		write: func(a Args) string { return strconv.Itoa(max(a.N, 0)) },
		read:  func(a *Args, text string) { a.N = whole(text) },
	}
	label = Param{
		Name: "label", Members: []arg.Spec{{Name: "label", Type: arg.Text, Longest: longestLabel}}, Link: "label",
		write: func(a Args) string { return a.Label },
		read:  func(a *Args, text string) { a.Label = text },
	}
	perSecond = Param{
		Name: "perSecond", Members: []arg.Spec{{Name: "perSecond", Type: arg.Number, Min: 0, Max: simcluster.MaxRate}}, Link: "perSecond",
		write: func(a Args) string { return fmt.Sprint(a.PerSecond) },
		read:  func(a *Args, text string) { a.PerSecond, _ = strconv.ParseFloat(text, 64) },
		check: func(a Args) error {
			if !(a.PerSecond >= 0 && a.PerSecond <= simcluster.MaxRate) {
				return fmt.Errorf("the rate must be from 0 to %d events a second", simcluster.MaxRate)
			}
			return nil
		},
	}
)

// whole returns a whole number of a link, 0 if it was left out.
func whole(text string) int {
	n, _ := strconv.Atoi(text) // it was checked when the link was read
	return n
}

// deployment returns the key of the deployment that Namespace and Name are about.
func (a Args) deployment() string { return a.namespace() + "/" + a.Name }

func (a Args) namespace() string { return cmp.Or(a.Namespace, "default") }
