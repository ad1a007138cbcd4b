package doctor

import (
	"maps"
	"slices"
	"strings"

	"informerscope/core/log/fold"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

// shownKeys is how many keys a finding names.
const shownKeys = 3

// List is what a plain list of an informer's resource said, which was sent while the log was recorded: the list's version, and that of each object by its
// key. Err is why there is none.
type List struct {
	RV       string
	Versions map[string]string
	Err      error
}

// Opinion is what a plain list says of an informer's store.
type Opinion struct {
	Informer string `json:"informer"`
	Lane     int    `json:"lane"` // of the informer, in the log
	// Request is the list's path and query, "" if none was sent. Objects are those of the list, and RV its version.
	Request string `json:"request"`
	Objects int    `json:"objects"`
	RV      string `json:"rv"`
	// IsSynced says whether the informer has synced; else nothing is compared.
	IsSynced bool `json:"isSynced"`
	// Apart is the number of objects in which list and store differ, Moving that of those of which nothing is said: they changed while the log was recorded.
	Apart  int `json:"apart"`
	Moving int `json:"moving"`
	// Error is what the list was answered, or why it was not read. "" for nothing.
	Error string `json:"error"`
}

// ListRequests returns the first page of a plain list for each informer at the end of a log: path and query, with its namespace and its selectors. It is ""
// for an informer that has stopped, and for one whose requests were not seen. The path is the recording's: check it before it is sent.
func (x *Examination) ListRequests() []string {
	head, _ := x.Log.Head()
	f := x.Log.FoldAt(head)
	requests := make([]string, f.Lanes())
	for i := range requests {
		s := f.LaneState(i)
		path, _, _ := strings.Cut(s.Reflector.LastRequest, "?")
		if x.doctor.lane(i).hasStopped || fold.FidelityOf(s.Fidelity, "reflector").How == "unseen" || path == "" {
			continue
		}
		requests[i] = path + "?limit=500"
		if _, selectors := fold.ScopeOf(s.Reflector.LastRequest); selectors != "" {
			requests[i] += "&" + selectors
		}
	}
	return requests
}

// Compare adds what plain lists say, one for each informer; requests are as [Examination.ListRequests] returned them. An object that changed while the
// recording was made, or after the log was examined, says nothing: the list may be of a moment before or after.
func (x *Examination) Compare(requests []string, lists []List) {
	head, _ := x.Log.Head()
	f := x.Log.FoldAt(head)
	changed := changedKeys(x.Log, x.seen+1, f.Lanes())
	r := &report{doctor: x.doctor, fold: f, end: moment{f.Seq(), f.At()}}
	for i := range min(f.Lanes(), len(lists)) {
		r.lane, r.state = x.doctor.lane(i), f.LaneState(i)
		opinion := Opinion{Informer: r.name(), Lane: i, Request: requests[i], Objects: len(lists[i].Versions), RV: lists[i].RV, IsSynced: r.state.Synced}
		switch {
		case opinion.Request == "":
		case lists[i].Err != nil:
			opinion.Error = lists[i].Err.Error()
			r.reportRefusedList(lists[i].Err)
		case opinion.IsSynced:
			opinion.Apart, opinion.Moving = r.reportParting(&lists[i], changed[i])
		}
		x.Opinions = append(x.Opinions, opinion)
	}
	x.Findings = append(x.Findings, r.findings...)
	sortFindings(x.Findings)
}

// changedKeys returns the keys of each informer that an event of the log names on their way into the store, from an event on. "" stands for all: the informer
// listed, or events are lost.
func changedKeys(log *trace.Recorder, from uint64, lanes int) []map[string]bool {
	changed := make([]map[string]bool, lanes)
	for i := range changed {
		changed[i] = map[string]bool{}
	}
	head, _ := log.Head()
	first, events := log.Retain(from, head)
	if from > 1 && first > from {
		for i := range changed {
			changed[i][""] = true
		}
	}
	for e := range events {
		if int(e.Lane) >= lanes {
			continue
		}
		switch event.SubjectOf(e.Kind) {
		case event.AboutReflector, event.AboutQueue, event.AboutStore:
			if key := e.Key(); key != "" || e.Kind == event.KindStoreReplaced {
				changed[e.Lane][key] = true
			}
		}
	}
	return changed
}

// reportRefusedList reports that the plain list of the lane's informer was not answered.
func (r *report) reportRefusedList(err error) {
	why, advice := r.explain(failureOf(err, r.end))
	r.find(refusedList, Warning, r.end.at, r.end, say("A plain list of %[1]s gets this too: %[2]s", "单独 list 一次 %[1]s 也得到：%[3]s",
		r.name(), why.EN, why.ZH), advice)
}

// reportParting reports where the lane's store and a list differ, and returns how many objects differ, and how many were left out.
func (r *report) reportParting(list *List, changed map[string]bool) (apart, moving int) {
	store := map[string]string{}
	r.fold.Objects(r.lane.index).Range(func(c *fold.Cell) bool {
		store[c.Key] = c.RV
		return true
	})
	var onlyStore, onlyCluster, other []string
	for _, key := range slices.Sorted(maps.Keys(store)) {
		version, isListed := list.Versions[key]
		switch {
		case changed[""] || changed[key]:
			moving++
		case !isListed:
			onlyStore = append(onlyStore, key)
		case version != store[key]:
			other = append(other, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(list.Versions)) {
		if _, isStored := store[key]; isStored {
			continue
		}
		if changed[""] || changed[key] {
			moving++
		} else {
			onlyCluster = append(onlyCluster, key)
		}
	}
	if apart = len(onlyStore) + len(onlyCluster) + len(other); apart == 0 {
		return 0, moving
	}
	r.find(storeApart, Critical, r.end.at, r.end, say("Only in the store: %[1]d; only in the cluster: %[2]d; in another version: %[3]d (%[4]s). "+
		"The store is at version %[5]s, and a list of %[6]s at %[7]s.",
		"只在本地缓存里：%[1]d；只在集群里：%[2]d；版本不同：%[3]d（%[4]s）。本地缓存的版本是 %[5]s，%[6]s 的 list 是 %[7]s。", len(onlyStore), len(onlyCluster),
		len(other), firstKeys(onlyStore, onlyCluster, other), r.state.Reflector.ResourceVersion, r.name(), list.RV), Words{})
	return apart, moving
}

// firstKeys are the first keys of some sorted lists.
func firstKeys(lists ...[]string) string {
	all := slices.Concat(lists...)
	text := strings.Join(all[:min(len(all), shownKeys)], ", ")
	if len(all) > shownKeys {
		text += " …"
	}
	return text
}
