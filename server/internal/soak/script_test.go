package soak

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"informerscope/core/words/releases"
)

// Script is one play: the cluster and the pages, and then one op after another.
type Script struct {
	Seed     int64
	Resource string // the resource that all pages watch
	Objects  int    // the number at the beginning
	Room     int    // how many viewers the relay admits
	Bulk     bool   // objects of some ten thousand bytes
	Renews   bool   // the kubeconfig names a file with the token; otherwise it contains the token
	Pages    []Page
	Ops      []Op

	hasty bool // wait a minute at most for recovery
}

// Page is a page as it is opened.
type Page struct {
	Releases  string // one, or two separated by a comma
	Namespace string // "" for all
}

// Op is one thing that happens. Name decides what the fields mean; see Generate.
type Op struct {
	After time.Duration // since the previous op
	Name  string
	On    string
	Who   int
	N     int
	For   time.Duration
}

// String is the script for people.
func (s *Script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d %s, room for %d viewers", s.Seed, s.Objects, s.Resource, s.Room)
	if s.Bulk {
		b.WriteString(", each of many bytes")
	}
	if s.Renews {
		b.WriteString(", token in a file")
	}
	for i, p := range s.Pages {
		fmt.Fprintf(&b, "\n  page %d: release %s, namespace %q", i, p.Releases, p.Namespace)
	}
	for _, o := range s.Ops {
		fmt.Fprintf(&b, "\n  %s", o)
	}
	return b.String()
}

func (o Op) String() string {
	text := fmt.Sprintf("+%v %s", o.After, o.Name)
	if o.On != "" {
		text += " " + o.On
	}
	if o.Who != 0 {
		text += fmt.Sprintf(" who=%d", o.Who)
	}
	if o.N != 0 {
		text += fmt.Sprintf(" n=%d", o.N)
	}
	if o.For != 0 {
		text += fmt.Sprintf(" for %v", o.For)
	}
	return text
}

// dice are the generator's random choices.
type dice struct{ *rand.Rand }

func (d dice) chance(in int) bool          { return d.IntN(in) == 0 }
func (d dice) pick(words ...string) string { return words[d.IntN(len(words))] }

// span is a time up to most, more often short than long.
func (d dice) span(most time.Duration) time.Duration {
	x := d.Float64()
	return time.Duration(x*x*float64(most)).Truncate(time.Millisecond) + time.Millisecond
}

var (
	namespaces = []string{"shop", "web"}
	allNames   = releases.Names()
	// answers are the faults of a request's answer.
	answers = []string{"410", "429", "500", "503", "504", "html", "login", "plain",
		"redirect", "garbage", "empty", "abort", "truncated", "slow", "silent"}
	// endings are the faults of a watch's end; close is a normal end.
	endings = []string{"close", "garbage", "truncated", "expired", "internal", "odd", "break"}
)

// Generate makes a script. The same seed always gives the same one.
func Generate(seed int64) *Script {
	d := dice{rand.New(rand.NewPCG(uint64(seed), 0x736f616b))}
	s := &Script{Seed: seed, Resource: d.pick("pods", "pods", "configmaps"), Objects: d.IntN(24), Room: 32, Bulk: d.chance(16), Renews: d.chance(3)}
	first := d.IntN(len(allNames))
	for i := range 2 + d.IntN(3) {
		p := Page{Releases: allNames[(first+i)%len(allNames)]}
		if d.chance(3) {
			p.Releases += "," + allNames[(first+i+1+d.IntN(3))%len(allNames)]
		}
		if d.chance(4) {
			p.Namespace = d.pick(namespaces...)
		}
		s.Pages = append(s.Pages, p)
	}
	if d.chance(6) {
		s.Room = len(s.Pages)
	}
	n := 5 + d.IntN(20)
	storm := d.chance(10) // many ops in a short time
	if storm {
		n *= 3
	}
	for range n {
		o := d.op(s)
		if storm {
			o.After /= 8
		}
		s.Ops = append(s.Ops, o)
	}
	return s
}

// wait is the time before an op.
func (d dice) wait() time.Duration {
	switch d.IntN(8) {
	case 0, 1:
		return 0
	case 2, 3:
		return d.span(time.Second)
	case 4, 5, 6:
		return d.span(20 * time.Second)
	}
	return d.span(3 * time.Minute)
}

func (d dice) op(s *Script) Op {
	o := Op{After: d.wait(), Who: d.IntN(len(s.Pages))}
	hop := d.pick("page", "upstream")
	switch x := d.IntN(100); {
	case x < 26: // N writes
		o.Name, o.N, o.Who = "write", 1+d.IntN(1+d.IntN(12)), d.IntN(1<<16)
	case x < 31: // every wire of a hop is cut, or the one of index Who
		o.Name, o.On = d.pick("cut", "cutone"), hop
	case x < 37: // the wire of index Who of a hop is cut N bytes later, counted from the server's side
		o.Name, o.On, o.N = "cutlater", hop, 1+d.IntN([]int{64, 2048, 20000}[d.IntN(3)])
	case x < 42: // nothing passes on a hop
		o.Name, o.On, o.For = "hole", hop, d.span(2*time.Minute)
	case x < 44: // end N of the wire of index Who is gone, and the other end does not notice
		o.Name, o.On, o.N = "halfopen", hop, d.IntN(2)
	case x < 45: // both ends of all wires exist, and the network between has dropped their state
		o.Name, o.On = "forget", hop
	case x < 48:
		o.Name, o.On, o.N, o.For = "slow", hop, 1+d.IntN(1500), d.span(time.Minute)
	case x < 51:
		o.Name, o.On, o.For = "refuse", hop, d.span(time.Minute)
	case x < 63: // N requests get an answer
		o.Name, o.On, o.N = d.pick("list", "watch"), d.pick(answers...), 1+d.IntN(4)
	case x < 70:
		o.Name, o.On = "watches", d.pick(endings...)
	case x < 73:
		o.Name = "compact"
	case x < 75: // something is missed: the watches end, objects change, history is compacted
		o.Name, o.N, o.Who = "miss", 1+d.IntN(6), d.IntN(1<<16)
	case x < 78: // the API server is down
		o.Name, o.For = "restart", d.span(time.Minute)
	case x < 81: // the relay restarts after a time, with the same token or another one; killed or ended
		o.Name, o.On, o.N, o.For = d.pick("relay", "relay", "newtoken"), d.pick("ended", "killed"), 0, d.span(30*time.Second)
	case x < 82:
		o.Name, o.For = "pause", d.span(time.Minute)
	case x < 85:
		o.Name, o.For = "stall", d.span(8*time.Minute)
	case x < 87: // the credentials expire, and are renewed
		o.Name, o.For = "expire", d.span(90*time.Second)
	case x < 88:
		o.Name, o.For = "nobookmarks", d.span(2*time.Minute)
	case x < 89:
		o.Name, o.For = "nowatchlist", d.span(2*time.Minute)
	case x < 91:
		o.Name, o.N, o.For = "short", 1+d.IntN(8), d.span(2*time.Minute)
	case x < 93:
		o.Name, o.For = "forbid", d.span(time.Minute)
	case x < 96: // what a page itself may do to its informers
		o.Name, o.On, o.N = "fault", d.pick("cut", "refuse", "410", "429", "500", "delay", "nobookmarks", "noendmark", "slow", "panic"), 1+d.IntN(3)
	case x < 98:
		o.Name, o.N = d.pick("handler", "handler", "nohandler"), d.IntN(4)
	case x < 99: // a page watches something else, or the same again
		o.Name, o.On, o.N = "select", d.pick(allNames...), d.IntN(3)
	case d.chance(2): // N tries with a wrong token
		o.Name, o.N = "stranger", 1+d.IntN(10)
	default:
		o.Name = "reload"
	}
	if o.Name == "miss" {
		o.After += time.Second
	}
	return o
}
