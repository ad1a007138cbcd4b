package stage_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"informerscope/e2e/internal/layout"
)

// colourRoles are the colours of the page, in the order of docs/dev/stage.md, with the least contrast of each on both grounds. It is 4.5 for text and 3
// for what must be visible. It is 0 for decoration, or where the difference from its neighbour is the datum.
var colourRoles = []struct {
	name, words string
	least       float64
}{
	{"t1", "text 1", 4.5},
	{"t2", "text 2, labels", 4.5},
	{"t3", "text 3, axis and asides", 4.5},
	{"rail", "rail, borders of controls", 3},
	{"line", "hairline, decorative", 0},
	{"add", "Added +", 4.5},
	{"upd", "Updated ~", 4.5},
	{"del", "Deleted −", 4.5},
	{"rep", "Replaced ⟲", 4.5},
	{"syn", "Sync ↻", 4.5},
	{"bmk", "Bookmark ⚑", 4.5},
	{"warn", "warning, fault held", 4.5},
	{"err", "error", 4.5},
	{"h0", "cells, a minute old and older", 0},
	{"h4", "cells, changed now", 3},
}

var colourThemes = []struct{ name, selector string }{
	{"dark", ":root"}, {"light", ":root.is-light"}, {"contrast", ":root.is-contrast"}, {"contrast, light", ":root.is-contrast.is-light"},
}

var (
	cssBlock    = regexp.MustCompile(`(?s)(:root[.\w-]*)\s*\{(.*?)\}`)
	cssVariable = regexp.MustCompile(`--([\w-]+):\s*(#[0-9A-Fa-f]{3,6})\b`)
)

// palettes reads the colours of each theme from style.css: as in the cascade, a theme inherits what it does not set from those before it.
func palettes(css string) map[string]map[string]string {
	said := map[string]map[string]string{}
	for _, m := range cssBlock.FindAllStringSubmatch(css, -1) {
		if said[m[1]] == nil {
			said[m[1]] = map[string]string{}
		}
		for _, v := range cssVariable.FindAllStringSubmatch(m[2], -1) {
			said[m[1]][v[1]] = strings.ToUpper(v[2])
		}
	}
	out := map[string]map[string]string{}
	for _, th := range colourThemes {
		all := map[string]string{}
		for _, selector := range []string{":root", ":root.is-light", ":root.is-contrast", ":root.is-contrast.is-light"} {
			if selector != ":root" && selector != th.selector && !(th.selector == ":root.is-contrast.is-light") {
				continue
			}
			for k, v := range said[selector] {
				all[k] = v
			}
		}
		out[th.name] = all
	}
	return out
}

// contrast is the contrast of two colours as WCAG 2 defines it.
func contrast(a, b string) (float64, error) {
	x, err := luminance(a)
	if err != nil {
		return 0, err
	}
	y, err := luminance(b)
	if err != nil {
		return 0, err
	}
	return (max(x, y) + 0.05) / (min(x, y) + 0.05), nil
}

func luminance(colour string) (float64, error) {
	hex := strings.TrimPrefix(colour, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 6 {
		return 0, fmt.Errorf("%q is no colour", colour)
	}
	linear := func(v uint64) float64 {
		s := float64(v&0xff) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n), nil
}

// TestStageColours compares the table of colours in docs/dev/stage.md with style.css, and both with the required contrast.
func TestStageColours(t *testing.T) {
	t.Parallel()
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	css, err := os.ReadFile(filepath.Join(root, "web", "style.css"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join(root, "docs", "dev", "stage.md"))
	if err != nil {
		t.Fatal(err)
	}
	themes := palettes(string(css))
	table := []string{"| role | dark | light | contrast | contrast, light |", "|-|-|-|-|-|"}
	grounds := "| `bg`, `panel` |"
	for _, th := range colourThemes {
		grounds += fmt.Sprintf(" %s, %s |", themes[th.name]["bg"], themes[th.name]["panel"])
	}
	table = append(table, grounds)
	for _, role := range colourRoles {
		line := fmt.Sprintf("| `%s` %s |", role.name, role.words)
		for _, th := range colourThemes {
			p := themes[th.name]
			bg, err := contrast(p[role.name], p["bg"])
			if err != nil {
				t.Fatalf("--%s in %s: %v", role.name, th.name, err)
			}
			panel, err := contrast(p[role.name], p["panel"])
			if err != nil {
				t.Fatal(err)
			}
			if min(bg, panel) < role.least {
				t.Errorf("--%s (%s) in the theme %s is %s, %.2f on bg and %.2f on panel, want %.1f at least", role.name, role.words, th.name, p[role.name], bg, panel,
					role.least)
			}
			line += fmt.Sprintf(" %s %.1f/%.1f |", p[role.name], bg, panel)
		}
		table = append(table, line)
	}
	// The glyph on a filled chip is drawn in ink on the delta type's colour.
	for _, th := range colourThemes {
		for _, kind := range []string{"add", "upd", "del", "rep", "syn", "bmk"} {
			if r, err := contrast(themes[th.name]["ink"], themes[th.name][kind]); err != nil || r < 3 {
				t.Errorf("ink on --%s in the theme %s has %.2f, want 3 (%v)", kind, th.name, r, err)
			}
		}
	}
	if want := strings.Join(table, "\n"); !strings.Contains(string(doc), want) {
		t.Errorf("docs/dev/stage.md does not hold the table of style.css as it is:\n%s", want)
	}
}
