package main

import (
	"encoding/json"
	"reflect"

	"informerscope/core/ask/analysis"
	"informerscope/core/ask/doctor"
	"informerscope/core/client/restwatch"
	"informerscope/core/lab"
	"informerscope/core/lab/action"
	"informerscope/core/lab/ownwrites"
	"informerscope/core/log/facts"
	"informerscope/core/log/fold"
	"informerscope/core/log/tracks"
	"informerscope/core/page/audience"
	"informerscope/core/page/story"
	"informerscope/core/page/view"
	"informerscope/core/wire/attached"
	"informerscope/core/wire/relayclient"
	"informerscope/core/words/event"
)

// typeNames are the types whose name another package has too, or which would say too little outside of their package.
var typeNames = map[reflect.Type]string{
	reflect.TypeFor[fold.Frame]():          "WireFrame",
	reflect.TypeFor[view.StateChange]():    "State",
	reflect.TypeFor[view.State]():          "WholeState",
	reflect.TypeFor[doctor.Words]():        "TwoWords",
	reflect.TypeFor[view.Playback]():       "ViewState",
	reflect.TypeFor[view.Position]():       "View",
	reflect.TypeFor[view.Lane]():           "LaneFrame",
	reflect.TypeFor[view.Timeline]():       "TimelineFrame",
	reflect.TypeFor[view.Object]():         "ObjectView",
	reflect.TypeFor[relayclient.Context](): "KubeContext",
	reflect.TypeFor[restwatch.Resource]():  "ServedResource",
	reflect.TypeFor[story.Listed]():        "Story",
	reflect.TypeFor[story.Page]():          "StoryPage",
	reflect.TypeFor[story.Home]():          "StoryTake",
	reflect.TypeFor[story.Group]():         "StoryGroup",
	reflect.TypeFor[story.Level]():         "StoryLevel",
	reflect.TypeFor[story.Stop]():          "StoryStop",
	reflect.TypeFor[story.Words]():         "StoryWords",
	reflect.TypeFor[action.Story]():        "ReplayedStory",
	reflect.TypeFor[calls]():               "Calls",
	reflect.TypeFor[facts.Calls]():         "HandlerCallCounts",
	reflect.TypeFor[file]():                "MadeFile",
	reflect.TypeFor[ownwrites.Result]():    "LabResult",
	reflect.TypeFor[ownwrites.Lane]():      "LabLane",
	reflect.TypeFor[ownwrites.Reconcile](): "LabReconcile",
	reflect.TypeFor[ownwrites.Moment]():    "LabMoment",
}

// roots are the types that the page reads, with all that they reach.
var roots = []reflect.Type{reflect.TypeFor[view.Frame](), reflect.TypeFor[calls]()}

// file is one that the worker made.
type file struct {
	Name  string   `json:"name"`
	Parts []buffer `json:"parts"` // in order
}

// buffer is one of the browser's own, which is handed over with a message.
type buffer struct{}

// calls is what each call of the worker answers; docs/dev/protocol.md and docs/reference.md describe them.
type calls struct {
	State      view.State       `json:"state"`
	Select     event.Selection  `json:"select"`
	Transform  event.Selection  `json:"transform"`
	Fork       event.Selection  `json:"fork"`
	Story      action.Story     `json:"story"`
	Attached   attached.Process `json:"attached"`
	CheckStory bool             `json:"checkStory"`
	Arrive     bool             `json:"arrive"`
	Fault      struct {
		Name string `json:"name"`
		On   bool   `json:"on"`
	} `json:"fault"`
	Hold           bool                 `json:"hold"`
	Release        bool                 `json:"release"`
	Play           view.Playback        `json:"play"`
	Pause          view.Playback        `json:"pause"`
	Step           view.Playback        `json:"step"`
	Seek           view.Playback        `json:"seek"`
	Live           view.Playback        `json:"live"`
	SeekTime       view.Playback        `json:"seekTime"`
	Mark           view.Playback        `json:"mark"`
	Stories        story.Library        `json:"stories"`
	StoryAdd       string               `json:"storyAdd"`
	StoryBegin     bool                 `json:"storyBegin"`
	StoryTurn      bool                 `json:"storyTurn"`
	StoryStep      bool                 `json:"storyStep"`
	StoryLevel     bool                 `json:"storyLevel"`
	StoryRide      bool                 `json:"storyRide"`
	StoryEnd       bool                 `json:"storyEnd"`
	StoryFollow    bool                 `json:"storyFollow"`
	Record         file                 `json:"record"`
	Load           lab.Loaded           `json:"load"`
	Export         file                 `json:"export"`
	AddIndex       string               `json:"addIndex"`
	Panic          bool                 `json:"panic"`
	Writes         bool                 `json:"writes"`
	Sources        lab.Sources          `json:"sources"`
	Token          lab.Sources          `json:"token"`
	Resources      []restwatch.Resource `json:"resources"`
	Namespaces     lab.Namespaces       `json:"namespaces"`
	Object         view.Object          `json:"object"`
	Ride           analysis.Ride        `json:"ride"`
	Diagnose       []doctor.Finding     `json:"diagnose"`
	Compare        lab.Comparison       `json:"compare"`
	Laboratory     ownwrites.Result     `json:"laboratory"`
	Index          view.IndexContents   `json:"index"`
	Follow         string               `json:"follow"`
	Window         bool                 `json:"window"`
	Entries        []tracks.Entry       `json:"entries"`
	Cluster        string               `json:"cluster"`
	AddListener    int32                `json:"addListener"`
	RemoveListener bool                 `json:"removeListener"`
	Pace           bool                 `json:"pace"`
	Shutdown       bool                 `json:"shutdown"`
	Start          bool                 `json:"start"`
	Shard          bool                 `json:"shard"`
	Unshared       bool                 `json:"unshared"`
	Show           int                  `json:"show"`
	Broadcast      audience.OnAir       `json:"broadcast"`
	BroadcastBegin audience.OnAir       `json:"broadcastBegin"`
	BroadcastEnd   audience.OnAir       `json:"broadcastEnd"`
	Page           bool                 `json:"page"`
	Apart          audience.Hearing     `json:"apart"`
	Along          audience.Hearing     `json:"along"`
}

// anyJSON is what is passed on as it came; marshaler is what writes its own JSON.
var (
	anyJSON   = reflect.TypeFor[json.RawMessage]()
	marshaler = reflect.TypeFor[json.Marshaler]()
)
