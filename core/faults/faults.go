package faults

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// MaxAnswers is how many requests at most get the answer of one fault.
	MaxAnswers = 100
	// defaultDelay is the length of "delay" when none is given, and longestDelay the most that it can be.
	defaultDelay = 400 * time.Millisecond
	longestDelay = time.Minute
)

// Names are the faults that there are. "refuse", "delay", "nobookmarks", "noendmark" and "forbidden" stay on until they are switched off.
var Names = []string{"cut", "refuse", "410", "429", "500", "delay", "nobookmarks", "noendmark", "forbidden"}

// Args are the arguments of a fault; each may be left out.
type Args struct {
	// On sets a fault that stays on; nil switches it.
	On *bool `json:"on"`
	// Millis is the length of "delay"; 0 means 400.
	Millis int `json:"millis"`
	// Count is how many requests get the answer of "410", "429" or "500"; 0 means 1.
	Count int `json:"count"`
}

// Strike is what happened of a fault.
type Strike struct {
	Name string
	// On says whether a fault that stays on is on now.
	On bool
	// Delay is the length of "delay".
	Delay time.Duration
	// Struck is how many requests, watches or connections it struck.
	Struck int
}

// Faults are the faults of one client. Its methods are safe for concurrent use.
type Faults struct {
	say func(Strike)

	mu          sync.Mutex
	clock       clock.Clock
	made        uint64 // connections and bodies, ever
	refuse      bool
	noBookmarks bool
	noEndMark   bool
	forbidden   bool // to list and to watch: what is open goes on, as a right is asked for when a request comes
	delay       time.Duration
	answers     []int            // status codes that the next LISTs and WATCHes get
	refusal     int              // the one that the next write gets
	conns       map[*conn]uint64 // by when they were made
	bodies      map[*watchBody]uint64
}

// New returns Faults of which none is on. What happens of them is told to say, in the order in which it happens to each request.
func New(c clock.Clock, say func(Strike)) *Faults {
	return &Faults{clock: c, say: say, conns: map[*conn]uint64{}, bodies: map[*watchBody]uint64{}}
}

// Make makes a fault happen, or switches one that stays on. It reports whether the fault is on now.
func (f *Faults) Make(name string, args Args) (on bool, err error) {
	switch name {
	case "cut":
		f.mu.Lock()
		struck := f.struckByCut()
		f.mu.Unlock()
		f.say(Strike{Name: name, Struck: struck})
		f.cutAll()
		return false, nil
	case "refuse", "nobookmarks", "noendmark", "forbidden":
		return f.toggle(name, args.On), nil
	case "delay":
		return f.toggleDelay(args), nil
	case "410", "429", "500":
		code, err := strconv.Atoi(name)
		if err != nil {
			return false, err
		}
		f.answer(code, max(1, min(args.Count, MaxAnswers)))
		return false, nil
	}
	return false, fmt.Errorf("unknown fault %q: choose one of %s", name, strings.Join(Names, ", "))
}

// toggle switches a fault that stays on, or sets it to what on says.
func (f *Faults) toggle(name string, on *bool) (now bool) {
	f.mu.Lock()
	held := map[string]*bool{"refuse": &f.refuse, "nobookmarks": &f.noBookmarks, "noendmark": &f.noEndMark, "forbidden": &f.forbidden}[name]
	now = !*held
	if on != nil {
		now = *on
	}
	*held = now
	refuses, struck := now && name == "refuse", 0
	if refuses {
		struck = f.struckByCut()
	}
	f.mu.Unlock()
	f.say(Strike{Name: name, On: now, Struck: struck})
	if refuses {
		f.cutAll()
	}
	return now
}

func (f *Faults) toggleDelay(args Args) (now bool) {
	f.mu.Lock()
	now = f.delay == 0
	if args.On != nil {
		now = *args.On
	}
	f.delay = 0
	if now {
		f.delay = defaultDelay
		if args.Millis > 0 {
			f.delay = min(time.Duration(args.Millis)*time.Millisecond, longestDelay)
		}
	}
	d := f.delay
	f.mu.Unlock()
	f.say(Strike{Name: "delay", On: now, Delay: d})
	return now
}

// struckByCut is how many open watches break with their connections, and at least each connection. f.mu is held.
func (f *Faults) struckByCut() int { return max(len(f.bodies), len(f.conns)) }

// Begin goes on with another clock: what was to strike the next requests is forgotten, and what is on stays on.
func (f *Faults) Begin(c clock.Clock) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock, f.answers, f.refusal = c, nil, 0
}

// On are the faults that are on, always in the same order.
func (f *Faults) On() (on []Strike) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range []struct {
		name string
		on   bool
	}{{"refuse", f.refuse}, {"nobookmarks", f.noBookmarks}, {"noendmark", f.noEndMark}, {"forbidden", f.forbidden}} {
		if h.on {
			on = append(on, Strike{Name: h.name, On: true})
		}
	}
	if f.delay > 0 {
		on = append(on, Strike{Name: "delay", On: true, Delay: f.delay})
	}
	return on
}

// cutAll cuts every open connection.
func (f *Faults) cutAll() {
	f.mu.Lock()
	conns := byAge(f.conns)
	f.mu.Unlock()
	for _, c := range conns {
		c.cut()
	}
}

// answer gives code to the open watches as an ERROR frame. If there are fewer
// watches than count, it gives code to the next requests too. The next write
// gets it as well, unless it is 410.
func (f *Faults) answer(code, count int) {
	f.mu.Lock()
	bodies := byAge(f.bodies)
	if len(bodies) > 0 {
		count--
	}
	if code != http.StatusGone {
		f.refusal = code
	}
	for range count {
		f.answers = append(f.answers, code)
	}
	f.mu.Unlock()
	f.say(Strike{Name: strconv.Itoa(code), Struck: len(bodies)})
	frame := append(append([]byte(`{"type":"ERROR","object":`), statusJSON(code)...), "}\n"...)
	for _, b := range bodies {
		b.end(frame)
	}
}

// byAge are the keys of m, oldest first.
func byAge[K comparable](m map[K]uint64) []K {
	//maporder:free no two were made as the same one
	return slices.SortedFunc(maps.Keys(m), func(a, b K) int { return cmp.Compare(m[a], m[b]) })
}
