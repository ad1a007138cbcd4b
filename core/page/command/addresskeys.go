package command

import (
	"slices"
	"strings"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/action"
	"informerscope/core/lab/ownwrites"
	"informerscope/core/lab/selection"
	"informerscope/core/words/releases"
)

// maxExact is the largest whole number that a page represents exactly.
const maxExact = most - 1

// AddressKey is a key of the URL fragment, which selects what a page shows. AddressKeys returns all of them. The page's types allow no other
// (web/wire/types.js), web/kit/commands.js has the limits, and docs/reference.md lists the keys.
type AddressKey struct {
	Name string
	// Takes describes its values, for docs/reference.md. If Max is set, the value is a number from 0 to Max.
	Takes string
	Max   uint64
	// Means describes what it selects, for docs/reference.md.
	Means string
}

// addressKeys are all keys, in the order of docs/reference.md.
var addressKeys = []AddressKey{
	{Name: "source", Takes: "`sim` (default), `live` or `probe`", Means: "where objects come from: the simulated cluster, a context of your kubeconfig, " +
		"or the controller of `--attach`"},
	{Name: "context", Takes: "a name", Means: "the context of your kubeconfig, with `source=live`"},
	{Name: "resource", Takes: "`pods` (default), `deployments.apps`, `foos.v1.samplecontroller.k8s.io`; up to eight, with commas between them",
		Means: "what is watched. Several resources run in one SharedInformerFactory"},
	{Name: "namespace", Takes: "a name", Means: "the namespace. `namespace=` is all namespaces; without the key a live context uses its own"},
	{Name: "era", Takes: releaseNames() + "; two, with a comma between them, run side by side",
		Means: "the release of client-go whose behaviour the informer has. The default is `" + releases.Standard.String() + "`"},
	{Name: "transform", Takes: codes(selection.Transforms()), Means: "the informer’s TransformFunc: none (default), one that drops `metadata.managedFields`, " +
		"or one that keeps only `apiVersion`, `kind` and the rest of `metadata`"},
	{Name: "selector", Takes: "a label selector, such as `tier=backend`", Means: "the label selector of every LIST and WATCH. The default selects all " +
		"objects"},
	{Name: "seed", Max: maxExact, Means: "the simulated cluster’s random seed: the same seed gives the same events"},
	{Name: "objects", Max: simcluster.MaxObjects, Means: "how many pods the simulated cluster has"},
	{Name: "rate", Takes: "events a second", Max: simcluster.MaxRate, Means: "how much happens in the simulated cluster"},
	{Name: "do", Takes: "`2210:hold:pop,2877:release:pop`", Means: "what was done by hand to the simulated cluster, and when " +
		"([protocol.md](dev/protocol.md#actions-in-a-link))"},
	{Name: "fork", Takes: "`12345:fault:cut`", Means: "what only the second of two lanes knows, which are one simulated cluster twice. Without `at` the page " +
		"plays to there as fast as it can"},
	{Name: "from", Takes: "milliseconds", Max: uint64(action.Farthest.Milliseconds()),
		Means: "when the experiment began, if others ran on the same cluster before"},
	{Name: "at", Takes: "an event’s number", Max: maxExact, Means: "the moment that shows. The page plays a simulated cluster up to it as fast as it can"},
	{Name: "go", Takes: "a release of Go", Means: "the release that built the page from which the link comes. A page that another release built warns that " +
		"its moment may differ"},
	{Name: "speed", Takes: "1/32 to 8", Means: "how fast the page plays; `1/8` is understood"},
	{Name: "lane", Takes: "a number, from 0", Means: "which informer is on the stage, if several resources are watched"},
	{Name: "story", Takes: "an id, such as `ring`", Means: "the story to tell; it selects its own cluster"},
	{Name: "level", Max: MostLevels, Means: "what the story’s reader knows already: a level from 1, if the story has levels. Steps that are not new are skipped"},
	{Name: "tour", Means: "short for `story=tour`"},
	{Name: "laboratory", Takes: "milliseconds", Max: uint64(ownwrites.MaxLag.Milliseconds()), Means: "opens the laboratory, with watch events that are late " +
		"by so much ([laboratory.md](dev/laboratory.md))"},
	{Name: "presenter", Takes: "`1`", Means: "presenter mode"},
	{Name: "embed", Takes: codes(strings.Fields("api reflector queue indexer listeners controller")), Means: "one station alone, for a frame of at least " +
		"320 × 240 pixels. This works from the static site; pages of a server cannot be framed"},
	{Name: "embedder", Takes: "origins, such as `https://slides.example`, with commas between them", Means: "the pages that show this page in a frame and " +
		"may drive it ([present.md](present.md))"},
	{Name: "theme", Takes: codes(strings.Fields("dark light contrast contrast-light")), Means: "colours. The default is `dark`, or `contrast` if the " +
		"system asks for contrast"},
	{Name: "lang", Takes: "`en` or `zh`", Means: "language. The default is the browser’s"},
	{Name: "token", Takes: "16 characters or more", Means: "the server’s token for this launch. The page sends it to this server alone, and a shared link " +
		"never has it"},
	{Name: "broadcast", Takes: "`1`", Means: "the server allows a broadcast: the page asks it at once, and offers one"},
	{Name: "audience", Takes: "a token", Means: "in the audience’s link: the token of the broadcast. The page sends it to its server alone"},
}

// AddressKeys returns all keys of the URL fragment. The caller owns the list.
func AddressKeys() []AddressKey { return slices.Clone(addressKeys) }

func releaseNames() string {
	var names []string
	for _, r := range slices.Backward(releases.All()) {
		names = append(names, r.String())
	}
	return codes(names)
}

// codes returns names in code style, separated by commas, with "or" before the last.
func codes(names []string) string {
	all := "`" + strings.Join(names, "`, `") + "`"
	if i := strings.LastIndex(all, ", "); i > 0 {
		all = all[:i] + " or" + all[i+1:]
	}
	return all
}
