package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// spoken are the files whose English texts are checked, as patterns of git: the stories, and the page's dictionaries.
var spoken = []string{"stories/*.yaml", "web/*.js", ":!web/kit/commands.js", ":!web/kit/cause-table.js", ":!*.test.mjs"}

var (
	// englishValue matches a value in YAML: a line of its own, or a part of {en: ..., zh: ...}.
	englishValue = regexp.MustCompile(`(?m)^ *en: (.+)$|\ben: ("(?:[^"\\]|\\.)*"|[^,}\n]+)`)
	// entry matches an entry of a dictionary of the page: a key, then ['English', '中文'].
	entry = regexp.MustCompile(`(?:'[\w.-]+'|\b\w+): \[\s*('(?:[^'\\\n]|\\.)*'(?:\s*\+\s*'(?:[^'\\\n]|\\.)*')*),\s*'`)
	// joint matches what joins the literals of a text.
	joint = regexp.MustCompile(`'\s*\+\s*'`)
	// choice matches a word that follows a number, such as [n:wait|waits], and filler what the page or a story puts in.
	choice = regexp.MustCompile(`\[\w+:[^|\]]*\|([^\]]*)\]`)
	filler = regexp.MustCompile(`\{[^}]*\}`)
)

// writeTexts writes the English texts of files below dir as Markdown that Vale reads, a paragraph each, and returns the names of what it wrote. A text of line
// n stands on line 2n there, so that places can be told as those of the files.
func writeTexts(dir string, files []string) (written []string, err error) {
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts := readTexts(filepath.Ext(name), string(content))
		if len(texts) == 0 {
			continue
		}
		lines := make([]string, 2*strings.Count(string(content), "\n")+4)
		for at, text := range texts {
			lines[2*at-1] = text
		}
		to := filepath.Join(dir, name+".md")
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(to, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			return nil, err
		}
		written = append(written, to)
	}
	return written, nil
}

// readTexts returns the English texts of a file by their lines.
func readTexts(ext, content string) map[int]string {
	match := englishValue
	if ext == ".js" {
		match = entry
	}
	texts := map[int]string{}
	for _, m := range match.FindAllStringSubmatchIndex(content, -1) {
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		text := strings.Trim(strings.TrimSpace(content[from:to]), `'"`)
		text = strings.NewReplacer(`\'`, "'", `\"`, `"`).Replace(joint.ReplaceAllString(text, ""))
		text = filler.ReplaceAllString(choice.ReplaceAllString(text, "$1"), "7")
		line := 1 + strings.Count(content[:from], "\n")
		texts[line] = strings.TrimSpace(texts[line] + " " + strings.Join(strings.Fields(text), " "))
	}
	return texts
}

// placeOf returns an alert of Vale's with the place in the file from which writeTexts took the text.
func placeOf(dir, alert string) string {
	rest, ok := strings.CutPrefix(alert, dir+string(filepath.Separator))
	f := strings.SplitN(rest, ":", 3)
	if !ok || len(f) < 3 {
		return alert
	}
	line, err := strconv.Atoi(f[1])
	if err != nil {
		return alert
	}
	return fmt.Sprintf("%s:%d:%s", strings.TrimSuffix(f[0], ".md"), line/2, f[2])
}
