package doctor

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
	"informerscope/core/words/object"
)

// Thresholds of the rules about the store; see rule.go for what they mean.
const (
	storeWorth    = 1 << 20
	savingWorth   = 0.2
	managedHeavy  = 64 << 20
	measuredMost  = 1024
	bytesPerMiB   = 1 << 20
	bytesPerKiB   = 1 << 10
	percentFactor = 100

	unownedTooLong = 10 * time.Second // a watch that somebody waits with is shorter
)

// mutations are the objects of a store that a handler changed.
type mutations struct {
	count    int
	first    moment
	key      string
	listener int32
}

func (m *mutations) see(e *event.Entry) {
	x := e.Mutated()
	if m.count++; m.count == 1 {
		m.first, m.key, m.listener = moment{e.Seq, e.At}, x.Key, x.Listener
	}
}

// reportStore reports what is wrong with the store of a lane.
func (r *report) reportStore() {
	if m := &r.lane.mutations; m.count > 0 {
		r.find(mutatedObjects, Critical, m.first.at, m.first, say("%[1]s changed %[2]s, which it shares with the store; such changes: %[3]d.",
			"%[1]s 修改了与本地缓存共享的 %[2]s；这样的修改有 %[3]d 次。", r.listenerName(m.listener), m.key, m.count), Words{})
	}
	r.reportMemory()
}

// reportMemory reports what a transform would save.
func (r *report) reportMemory() {
	objects := r.fold.Objects(r.lane.index)
	every := max((objects.Len()+measuredMost-1)/measuredMost, 1)
	var i, all, managed, rest int
	objects.Range(func(c *fold.Cell) bool {
		if i++; i%every != 0 {
			return true
		}
		if o, ok := c.Obj.(*object.Object); ok {
			size := o.Size()
			all += size * every
			managed += (size - o.WithoutManagedFields().Size()) * every
			rest += (size - o.MetadataOnly().Size()) * every
		}
		return true
	})
	switch {
	case all < storeWorth:
	case float64(managed) >= savingWorth*float64(all):
		weight := Hint
		if managed >= managedHeavy {
			weight = Warning
		}
		r.find(memory, weight, r.lane.beginning.at, r.end, say("The store holds %[1]s of JSON. Without managedFields it would be %[2]s less (%[3]d %%), "+
			"with only metadata %[4]s less.",
			"本地缓存里有 %[1]s 的 JSON。去掉 managedFields 可省 %[2]s（%[3]d %%），只留 metadata 可省 %[4]s。", size(all), size(managed),
			managed*percentFactor/all, size(rest)), Words{})
	case float64(rest) >= savingWorth*float64(all):
		r.find(memory, Hint, r.lane.beginning.at, r.end, say("The store holds %[1]s of JSON. With only metadata it would be %[2]s less (%[3]d %%).",
			"本地缓存里有 %[1]s 的 JSON。只留 metadata 可省 %[2]s（%[3]d %%）。", size(all), size(rest), rest*percentFactor/all), Words{})
	}
}

func size(n int) string {
	if n >= bytesPerMiB {
		return fmt.Sprintf("%.1f MiB", float64(n)/bytesPerMiB)
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/bytesPerKiB)
}

// reportUnshared reports resources that several informers watch in the same way.
func (r *report) reportUnshared() {
	byRequest := map[string][]int{}
	var order []string
	for i := range r.fold.Lanes() {
		s, l := r.fold.LaneState(i), r.doctor.lane(i)
		if s.Shard != "" || l.hasStopped || !l.hasStarted || s.Reflector.LastRequest == "" {
			continue
		}
		path, _, _ := strings.Cut(s.Reflector.LastRequest, "?")
		id := strings.Join([]string{informerName(s), s.Resource.Version, s.Release, path, l.refl.options}, "\n")
		if byRequest[id] == nil {
			order = append(order, id)
		}
		byRequest[id] = append(byRequest[id], i)
	}
	for _, id := range order {
		lanes := byRequest[id]
		if len(lanes) < 2 {
			continue
		}
		last := lanes[len(lanes)-1]
		r.lane, r.state = r.doctor.lane(last), r.fold.LaneState(last)
		what := say("%[1]d informers watch %[2]s; each has a watch of its own, and a store of %[3]d objects.", "有 %[1]d 个 informer watch %[2]s；"+
			"每个都有自己的 watch 和 %[3]d 个对象的本地缓存。",
			len(lanes), cmp.Or(informerName(r.state), "the resource"), r.state.Indexer.Count)
		r.find(unsharedInformers, Warning, r.lane.beginning.at, r.lane.beginning, what, Words{})
	}
	r.reportUnowned()
}

// reportUnowned reports open watches beside those of the informers.
func (r *report) reportUnowned() {
	seen := map[uint32]bool{}
	for i := range r.fold.Lanes() {
		s := r.fold.LaneState(i)
		for _, request := range s.API.Requests {
			since := time.Duration(request.SentMillis * float64(time.Millisecond))
			if !request.Open || !request.Unowned || seen[request.ID] || r.end.at-since < unownedTooLong {
				continue
			}
			seen[request.ID] = true
			r.lane, r.state = r.doctor.lane(i), s
			what := say("A further watch of %[1]s is open, which none of the informers seen here has: %[2]s.", "还有一个对 %[1]s 的 watch 开着，"+
				"它不属于这里看到的任何 informer：%[2]s。", informerName(s), request.URL)
			r.find(unsharedInformers, Warning, since, r.end, what, Words{})
		}
	}
}
