package main

import (
	"fmt"
	"strings"

	"informerscope/core/words/cause"
)

const causesHead = `// @ts-check
// Made by go run ./tools/webtypes from the table of core/words/cause; not to be edited.

/**
 * The words of each cause, in English and 简体中文: two or three words, what is wrong, what to do, and what the API server did, if it answered. {c} is the
 * context, {w} where it is, {ns} the namespace, {res} the resource; web/kit/trouble.js fills these and the others in.
 * @type {Record<string, {name: [string, string], what: [string, string], remedy: [string, string], answer?: [string, string]}>}
 */
export const causes = {
`

// generateCauses returns web/kit/cause-table.js.
func generateCauses() []byte {
	var b strings.Builder
	b.WriteString(causesHead)
	for _, c := range cause.All() {
		fmt.Fprintf(&b, "  '%s': {\n", c.ID)
		for _, x := range []struct {
			member string
			words  cause.Words
		}{{"name", c.Name}, {"what", c.What}, {"remedy", c.Remedy}, {"answer", c.Answer}} {
			if x.words.EN != "" {
				writeWords(&b, x.member, x.words)
			}
		}
		b.WriteString("  },\n")
	}
	b.WriteString("};\n")
	return []byte(b.String())
}

// writeWords writes a text in both languages, each in a line of its own if they are long.
func writeWords(b *strings.Builder, member string, w cause.Words) {
	const most = 120
	gap, end := " ", ""
	if len(w.EN)+len(w.ZH) > most {
		gap, end = "\n      ", ",\n    "
	}
	fmt.Fprintf(b, "    %s: [%s,%s%s%s],\n", member, strings.TrimPrefix(gap, " ")+quote(w.EN), gap, quote(w.ZH), end)
}

// quote writes a text as the page's program has it.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
