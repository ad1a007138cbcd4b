package command

import (
	"bytes"
	"context"
	"io"
	"math"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/lab/action"
	"informerscope/core/lab/selection"
	"informerscope/core/log/tracefile"
	"informerscope/core/words/arg"
	"informerscope/core/words/event"
)

// selectionCommands choose what is watched, and say what is.
func selectionCommands() []Command {
	return []Command{{
		Name: "state", Effect: Looks, Script: true, Answers: "State (`core/log/fold.State`) at the view's moment",
		run: takeNone(func(_ context.Context, c *Console) (any, error) { return c.View.State(), nil }),
	}, {
		Name: "select", Effect: Begins, Script: true, Patience: clusterPatience,
		Args: []arg.Spec{{Name: "change", Type: arg.Object, Members: []arg.Spec{
			{Name: "source", Type: arg.Text, OneOf: []string{"sim", "live", event.SourceProbe}}, {Name: "context", Type: arg.Text}, {Name: "group", Type: arg.Text},
			{Name: "version", Type: arg.Text}, {Name: "resource", Type: arg.Text}, {Name: "kind", Type: arg.Text}, {Name: "namespace", Type: arg.Text},
			{Name: "era", Type: arg.Text}, {Name: "seed", Type: arg.Whole, Min: 0, Max: math.MaxUint64},
			{Name: "objects", Type: arg.Whole, Min: 0, Max: simcluster.MaxObjects}, {Name: "rate", Type: arg.Number, Min: 0, Max: simcluster.MaxRate},
			{Name: "do", Type: arg.Text, Longest: action.MaxText}, {Name: "from", Type: arg.Whole, Min: 0, Max: float64(action.Farthest.Milliseconds())},
			{Name: "at", Type: arg.Whole, Min: 0, Max: most}, transformArg(false),
			{Name: "selector", Type: arg.Text, Longest: selection.LongestSelector}, {Name: "fork", Type: arg.Text, Longest: action.MaxText},
		}}},
		Does: "ends the experiment and watches something else, with an empty log. Members that are left out keep their value, except `namespace`: " +
			"a newly chosen live context begins in its own (`\"\"` means all), and `selector`: another source, context or resource begins without. " +
			"`selector` is the label selector of every LIST and WATCH, such as `tier=backend`. `era` is a release, or two with a comma between them. " +
			"`resource` is one resource, or up to eight with commas between them; a factory then has an informer of each. " +
			"The source `probe` is the attached process: `resource` names its informers, or is empty for all, and nothing else can be chosen. " +
			"`do`, `from`, `at` and `fork` play recorded actions (see *Actions in a link*). Other calls go on while `select` asks a cluster; " +
			"a later `select` or `load` replaces it, and it returns an error",
		Answers: "the selection that runs",
		run: takeOne(selection.Change{}, func(ctx context.Context, c *Console, change selection.Change) (any, error) {
			return c.choose(ctx, change)
		}),
	}, {
		Name: "transform", Effect: Begins, Script: true, Patience: clusterPatience, Args: []arg.Spec{transformArg(true)},
		Does: "sets the TransformFunc that changes every object before the informer queues it. `off` is none, `managedFields` drops " +
			"`metadata.managedFields`, `metadata` keeps apiVersion, kind and the rest of `metadata` only. client-go takes a transform " +
			"before an informer starts, so the watch starts over, as with `select({transform})`",
		Answers: "as `select`",
		run: takeOne("", func(ctx context.Context, c *Console, transform string) (any, error) {
			return c.choose(ctx, selection.Change{Transform: &transform})
		}),
	}, {
		Name: "fork", Effect: Begins, Script: true, Args: []arg.Spec{{Name: "do", Type: arg.Text, Longest: action.MaxText}},
		Does: "forks the simulated cluster at the moment shown. It is played again to there, twice, with one seed and one virtual time. Then only the second " +
			"lane does what `do` says, as in a link but without times: `fault:cut`, `hold:pop`, `pace:3:500` (a slow handler), `shutdown,start::1.31` " +
			"(another release), `unlisten:2,listen:metrics` (no resync). Later actions happen to both. Without `do` the fork ends, and the first lane goes on " +
			"alone. `state().fork` has what differs",
		Answers: "as `select`; an error on a live cluster, a probe or a recording",
		run:     takeOne("", func(ctx context.Context, c *Console, do string) (any, error) { return c.fork(ctx, do) }),
	}, {
		Name: "story", Effect: Looks, Args: []arg.Spec{{Name: "seq", Type: arg.Whole, Min: 0, Max: most}},
		Answers: "what replays the simulated log up to that event: `{seed, objects, rate, era, selector, from, do, fork}`",
		run:     takeOne(uint64(0), func(_ context.Context, c *Console, seq uint64) (any, error) { return c.Lab.Story(seq) }),
	}, {
		Name: "attached", Effect: Looks, Script: true, Patience: clusterPatience,
		Does: "asks the server which informers the attached process has", Answers: "Attached (`core/wire/attached.Process`)",
		run: takeNone(func(ctx context.Context, c *Console) (any, error) { return c.Lab.Attached(ctx), nil }),
	}, {
		Name: "checkStory", Effect: Looks, Args: []arg.Spec{{Name: "do", Type: arg.Text}},
		Answers: "`true`, or an error that names the part of `do` that cannot be read",
		run: takeOne("", func(_ context.Context, _ *Console, do string) (any, error) {
			_, err := action.Read(do)
			return true, err
		}),
	}, {
		Name: "arrive", Effect: Looks, Does: "waits until the replay has reached `at`, or cannot",
		Answers: "whether the page can show that event",
		run:     takeNone(func(ctx context.Context, c *Console) (any, error) { return c.Lab.Arrive(ctx), nil }),
	}}
}

// sourceCommands ask the sources what can be watched.
func sourceCommands() []Command {
	return []Command{{
		Name: "sources", Effect: Looks, Script: true, Patience: clusterPatience,
		Answers: "`{sim: true, live: {contexts: [{name, cluster, server, user, namespace, error}], current, selected, error, cause}}`",
		run:     takeNone(func(ctx context.Context, c *Console) (any, error) { return c.Lab.Sources(ctx), nil }),
	}, {
		Name: "token", Effect: Begins, Patience: clusterPatience, Args: []arg.Spec{{Name: "token", Type: arg.Text, Needed: true}},
		Does:    "uses the token of a newer start of the server, and starts a refused live watch over",
		Answers: "as `sources`",
		run:     takeOne("", func(ctx context.Context, c *Console, token string) (any, error) { return c.useToken(ctx, token) }),
	}, {
		Name: "resources", Effect: Looks, Script: true, Patience: clusterPatience,
		Does: "lists the resources that discovery finds in the running source. `unwatchable` says why the page cannot watch a resource. " +
			"If a group version does not answer, its entry has no resource",
		Answers: "`[{group, version, resource, kind, namespaced, unwatchable}]`",
		run: takeNone(func(ctx context.Context, c *Console) (any, error) {
			found, err := c.Lab.Resources(ctx)
			if len(found) > 0 { // one group that is down must not hide the others
				err = nil
			}
			return found, err
		}),
	}, {
		Name: "namespaces", Effect: Looks, Script: true, Patience: clusterPatience,
		Answers: "`{items: [\"default\", …], error, reason}`; `reason` is `forbidden`, `not-served` (by the server's `--resources`), " +
			"`unreachable` or empty",
		run: takeNone(func(ctx context.Context, c *Console) (any, error) { return c.Lab.Namespaces(ctx) }),
	}}
}

// fileCommands write and read files.
func fileCommands() []Command {
	return []Command{{
		Name: "record", Effect: Looks, Script: true, Args: []arg.Spec{{Name: "objects", Type: arg.Text, OneOf: []string{"whole", tracefile.Names}}},
		Does:    "`names` leaves of each object its kind, names, versions, times and phase; without it objects are whole",
		Answers: "the log so far as a recording: `{name, parts}`, the parts being buffers, in order; for a script `{name, text}`",
		run: takeOne("whole", func(_ context.Context, c *Console, objects string) (any, error) {
			return File{func(w io.Writer) (string, error) { return c.Lab.Record(w, objects == tracefile.Names) }}, nil
		}),
	}, {
		Name: "export", Effect: Looks, Answers: "the log in the Chrome trace-event format, which Perfetto opens: `{name, parts}`",
		run: takeNone(func(_ context.Context, c *Console) (any, error) { return File{c.Lab.Export}, nil }),
	}, {
		Name: "load", Effect: Begins, Script: true, Args: []arg.Spec{{Name: "file", Type: arg.Content, Needed: true}},
		Does: "ends the experiment and shows a recording instead. Other calls go on while it is read; a later `select` or `load` replaces it, and it " +
			"returns an error. docs/dev/trace.md has the limits of a file",
		Answers: "`{events, warning, namesOnly}`",
		run: func(_ context.Context, c *Console, given arg.Values) (any, error) {
			content, err := given.Content(0)
			if err != nil {
				return nil, err
			}
			c.reportSimulated(false)
			loaded, err := c.Lab.Load(bytes.NewReader(content))
			if err != nil {
				c.reportSimulated(c.Lab.Selection().Source == "sim")
				return nil, err
			}
			c.View.Reset()
			return loaded, nil
		},
	}}
}
