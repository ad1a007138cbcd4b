package main

import (
	"fmt"
	"strings"

	"informerscope/core/cluster/levers"
	"informerscope/core/lab"
	"informerscope/core/page/command"
	"informerscope/core/words/arg"
	"informerscope/core/words/releases"
)

const commandsHead = `// @ts-check
// Made by go run ./tools/webtypes from the tables of core/page/command and the releases of core/informer; not to be edited.

/** What a command does to the experiment; see docs/dev/protocol.md. @typedef {%s} Effect */

/** The effect of each command. @type {Record<keyof import('../wire/types.js').Calls, Effect>} */
export const effects = {
`

// fixedSpace stands for a space at which no line may end.
const fixedSpace = "\x00"

// effects are all that a command can have.
var effects = []command.Effect{command.Looks, command.Shows, command.Moves, command.Acts, command.Begins, command.Talks}

// generateCommands returns web/kit/commands.js.
func generateCommands() []byte {
	words := make([]string, len(effects))
	for i, e := range effects {
		words[i] = string(e)
	}
	var b strings.Builder
	fmt.Fprintf(&b, commandsHead, union(words))
	for _, c := range command.Commands() {
		fmt.Fprintf(&b, "  %s: '%s',\n", c.Name, c.Effect)
	}
	b.WriteString("};\n\n/** The greatest number that a key of the address takes. */\nexport const limits = {\n")
	for _, k := range command.AddressKeys() {
		if k.Max > 0 {
			fmt.Fprintf(&b, "  %s: %d,\n", k.Name, k.Max)
		}
	}
	b.WriteString("};\n\n/** The releases of client-go, the newest first: how people write each, and its queue. */\nexport const releases = [\n")
	for _, release := range releases.All() {
		queue := "DeltaFIFO"
		if release.Features().KeepsOrder {
			queue = "RealFIFO"
		}
		fmt.Fprintf(&b, "  { era: '%s', label: '%s', queue: '%s' },\n", release, release.Label(), queue)
	}
	b.WriteString("];\n\n/** What the releases changed, the oldest change first: since which one, in words, and the story that shows it. */\n")
	b.WriteString("export const changes = [\n")
	for _, c := range releases.Changes(releases.V131, releases.All()[0]) {
		fmt.Fprintf(&b, "  {\n    since: '%s', story: '%s',\n    en: '%s',\n    zh: '%s',\n  },\n", c.Since(), c.Story, c.EN, c.ZH)
	}
	fmt.Fprintf(&b, "];\n\n/** The release of a page that names none. */\nexport const standard = '%s';\n", releases.Standard)
	writeFaults(&b)
	writeLevers(&b)
	return []byte(b.String())
}

const faultsHead = `
/**
 * A fault. A held one stays on until it is switched off; verb is that of its lever in a link, if the fault is one; and millis is the length that the menus ask
 * for. cluster is 'own' for one that only the page's own cluster has, and 'simulated' for one that any simulated cluster has.
 * @typedef {{name: import('../wire/types.js').CallArgs['fault'][0], held?: true, cluster?: 'own' | 'simulated', verb?: string, millis?: number}} Fault
 */

/** The faults, in the order of the menus. @type {Fault[]} */
export const faults = [
`

// writeFaults writes the faults of core/lab.
func writeFaults(b *strings.Builder) {
	b.WriteString(faultsHead)
	for _, f := range lab.Faults() {
		fmt.Fprintf(b, "  { name: '%s'", f.Name)
		if f.Held {
			b.WriteString(", held: true")
		}
		if f.OwnCluster {
			b.WriteString(", cluster: 'own'")
		}
		if f.Lever != "" {
			fmt.Fprintf(b, ", cluster: 'simulated', verb: '%s'", levers.Find(f.Lever).Verb())
		}
		if f.Millis > 0 {
			fmt.Fprintf(b, ", millis: %d", f.Millis)
		}
		b.WriteString(" },\n")
	}
	b.WriteString("];\n")
}

const leversHead = `
/**
 * What a person fills in for a lever: it gives some members of the lever's arguments. looks is how it is written. It is a number up to max, or a
 * text without that.
 * @typedef {{name: string, looks: string, members: string[], max?: number}} Param
 */

/**
 * A lever that a menu offers. A held one stays on until it is pulled with an n of 0, and strikes is the fault that the log then has. offers are the numbers n
 * that have a button each.
 * @typedef {object} Lever
 * @property {import('../wire/types.js').CallArgs['cluster'][0]} name
 * @property {'%s'} menu
 * @property {true} [held]
 * @property {string} [strikes]
 * @property {number[]} [offers]
 * @property {Param[]} [params]
 */

/** The levers, in the order of the menus. @type {Lever[]} */
export const levers = [
`

// writeLevers writes the levers of core/cluster/levers that a menu offers.
func writeLevers(b *strings.Builder) {
	fmt.Fprintf(b, leversHead, levers.ClusterMenu+"' | '"+levers.FaultMenu)
	for _, l := range levers.All() {
		if l.Menu == "" {
			continue
		}
		fmt.Fprintf(b, "  { name: '%s', menu: '%s'", l.Name, l.Menu)
		if l.Holds {
			b.WriteString(", held: true")
		}
		if l.Strikes != "" {
			fmt.Fprintf(b, ", strikes: '%s'", l.Strikes)
		}
		switch {
		case l.Offers != nil:
			fmt.Fprintf(b, ", offers: %s", strings.ReplaceAll(fmt.Sprint(l.Offers), " ", ", "))
		case l.Params != nil:
			b.WriteString(",\n    params: [")
			for i, p := range l.Params {
				if i > 0 {
					b.WriteString(",\n      ")
				}
				writeParam(b, p)
			}
			b.WriteString("]")
		}
		b.WriteString(" },\n")
	}
	b.WriteString("];\n")
}

func writeParam(b *strings.Builder, p levers.Param) {
	names := make([]string, len(p.Members))
	for i, m := range p.Members {
		names[i] = m.Name
	}
	fmt.Fprintf(b, "{ name: '%s', looks: '%s', members: ['%s']", p.Name, p.Link, strings.Join(names, "', '"))
	if limit := p.Members[0].Max; limit > 0 {
		fmt.Fprintf(b, ", max: %s", arg.Decimal(limit))
	}
	b.WriteString(" }")
}

// writeAddressKeys writes the keys that the page's address has.
func (g *generator) writeAddressKeys() {
	names := []string{}
	for _, k := range command.AddressKeys() {
		names = append(names, k.Name)
	}
	g.out.WriteString("\n/**\n")
	g.comment(" * ", " * ", "AddressKey is a key of the URL fragment; docs/reference.md says what each means.")
	g.comment(" * ", " *   ", "@typedef {"+union(names)+"} AddressKey")
	g.out.WriteString(" */\n")
}

// writeArguments writes what each call takes. Arguments that may be left out may be null.
func (g *generator) writeArguments() error {
	g.out.WriteString("\n/**\n * CallArgs is what each call of the worker takes, in order; the table of commands says within which limits.\n")
	g.out.WriteString(" * @typedef {object} CallArgs\n")
	for _, c := range command.Commands() {
		args := make([]string, len(c.Args))
		for i, a := range c.Args {
			typ, err := argumentType(a)
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
			args[i] = label(a.Name) + mark(a) + ": " + typ
		}
		// Lines end behind a comma: a type cannot go on after any other word.
		words := strings.ReplaceAll(fmt.Sprintf("@property {[%s]} %s", strings.Join(args, ", "), c.Name), " ", fixedSpace)
		g.comment(" * ", " *   ", strings.ReplaceAll(words, ","+fixedSpace, ", "))
	}
	text := strings.ReplaceAll(g.out.String(), fixedSpace, " ")
	g.out.Reset()
	g.out.WriteString(text)
	g.out.WriteString(" */\n")
	return nil
}

// label is the name of an argument where a word of the language cannot stand.
func label(name string) string {
	if name == "do" {
		return "what"
	}
	return name
}

// mark marks what may be left out.
func mark(a arg.Spec) string {
	if a.Needed {
		return ""
	}
	return "?"
}

// argumentType is the page's type of an argument.
func argumentType(a arg.Spec) (string, error) {
	typ := ""
	switch {
	case len(a.OneOf) > 0:
		typ = union(a.OneOf)
	case a.Type == arg.Text:
		typ = "string"
	case a.Type == arg.Whole || a.Type == arg.Number:
		typ = "number"
	case a.Type == arg.Switch:
		typ = "boolean"
	case a.Type == arg.Any:
		typ = "object"
	case a.Type == arg.Content:
		typ = "string | ArrayBuffer"
	case a.Type == arg.Object:
		members := make([]string, len(a.Members))
		for i, m := range a.Members {
			inner, err := argumentType(m)
			if err != nil {
				return "", err
			}
			members[i] = m.Name + mark(m) + ": " + inner
		}
		typ = "{" + strings.Join(members, ", ") + "}"
	default:
		return "", fmt.Errorf("webtypes knows nothing of the type %q of the argument %s", a.Type, a.Name)
	}
	if !a.Needed {
		typ += " | null"
	}
	return typ, nil
}

// union is the type of what can be one of some texts.
func union(texts []string) string { return "'" + strings.Join(texts, "' | '") + "'" }
