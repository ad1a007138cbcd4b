package story

import (
	"informerscope/core/cluster/levers"
	"informerscope/core/lab"
)

// Stop is a station on the small rail that the chooser draws beside a story.
type Stop struct {
	Station string `json:"station"`
	// Share is the share of the story's steps that look at it, of those that look at the station seen most: from 0 to 1.
	Share float64 `json:"share"`
	// Breaks: the story breaks something there.
	Breaks bool `json:"breaks,omitempty"`
}

// rail returns where a story happens: all stations, in their order.
func (s *Story) rail() []Stop {
	looks, breaks := map[string]int{}, map[string]bool{}
	most := 1
	for i := range s.Steps {
		for _, station := range s.Steps[i].Look {
			looks[station]++
			most = max(most, looks[station])
		}
		for _, c := range s.Steps[i].Calls {
			breaks[c.breaks()] = true
		}
	}
	out := make([]Stop, len(Stations))
	for i, station := range Stations {
		out[i] = Stop{station, float64(looks[station]) / float64(most), breaks[station]}
	}
	return out
}

// breaks returns the station at which a call breaks something; "" if it does not.
func (c *Call) breaks() string {
	first := ""
	if len(c.Args) > 0 {
		first, _ = c.Args[0].(string)
	}
	switch c.Name {
	case "panic":
		return "listeners"
	case "fault":
		if f := lab.FindFault(first); f != nil {
			return f.Station
		}
	case "cluster":
		if v := levers.Find(first); v != nil && v.Breaks {
			return "api"
		}
	}
	return ""
}
