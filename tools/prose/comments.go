package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// comment is a comment of a source: its lines, without the marks that make them comments.
type comment struct {
	line  int // of its first line
	lines []string
}

// comments returns those of a Go or JavaScript source, or the texts of a story.
func comments(name string, src []byte) ([]comment, error) {
	switch filepath.Ext(name) {
	case ".go":
		return goComments(name, src)
	case ".js":
		return jsComments(string(src)), nil
	case ".yaml":
		return storyTexts(name, src)
	}
	return nil, fmt.Errorf("%s: only Markdown, stories and the comments of Go and JavaScript are checked", name)
}

// storyTexts returns the English texts of a story: each value of a key "en".
func storyTexts(name string, src []byte) ([]comment, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(src, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var all []comment
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for i, child := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "en" && child.Kind == yaml.ScalarNode {
				all = append(all, comment{line: child.Line, lines: strings.Split(child.Value, "\n")})
			}
			walk(child)
		}
	}
	walk(&document)
	return all, nil
}

// goComments parses a source and returns its comments. Lines that follow each other are one comment.
func goComments(name string, src []byte) ([]comment, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []comment
	for _, group := range file.Comments {
		c := comment{line: files.Position(group.Pos()).Line}
		for _, part := range group.List {
			text, block := strings.CutPrefix(part.Text, "/*")
			if !block {
				c.lines = append(c.lines, strings.TrimPrefix(part.Text, "//"))
				continue
			}
			for line := range strings.Lines(strings.TrimSuffix(text, "*/")) {
				c.lines = append(c.lines, strings.TrimSpace(line))
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// slash matches what follows a slash that begins no regular expression, because the slash divides: a value, or the end of one.
var slash = regexp.MustCompile(`(?:[\w$)\]}]|\+\+|--)\s*$`)

// keyword matches a word after which a regular expression may stand, though it looks like a value.
var keyword = regexp.MustCompile(`(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)\s*$`)

// jsComments scans a source for comments outside of strings, templates and regular expressions. Lines of comments that follow each other,
// with nothing else on them, are one comment.
func jsComments(src string) []comment {
	var all []comment
	alone := -1 // the line of the last comment that had its line to itself
	line := 1
	lineBegins := 0
	braces := []int{} // of templates around this place: how many braces are open in each
	skip := func(i, n int) int {
		line += strings.Count(src[i:i+n], "\n")
		if at := strings.LastIndexByte(src[i:i+n], '\n'); at >= 0 {
			lineBegins = i + at + 1
		}
		return i + n
	}
	// template skips the text of a template, from i to its end or to a "${".
	template := func(i int) int {
		for i < len(src) {
			switch {
			case src[i] == '\\' && i+1 < len(src):
				i = skip(i, 2)
			case src[i] == '`':
				return i + 1
			case strings.HasPrefix(src[i:], "${"):
				braces = append(braces, 0)
				return i + 2
			default:
				i = skip(i, 1)
			}
		}
		return i
	}
	for i := 0; i < len(src); {
		rest := src[i:]
		switch c := src[i]; {
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			text := rest[2:n]
			if strings.TrimSpace(src[lineBegins:i]) != "" {
				all = append(all, comment{line, []string{text}})
			} else if alone == line-1 && len(all) > 0 {
				all[len(all)-1].lines = append(all[len(all)-1].lines, text)
				alone = line
			} else {
				all = append(all, comment{line, []string{text}})
				alone = line
			}
			i += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				n = len(rest) - 4
			}
			all = append(all, comment{line, docLines(rest[2 : n+2])})
			i = skip(i, n+4)
		case c == '"' || c == '\'':
			n := 1
			for n < len(rest) && rest[n] != c && rest[n] != '\n' {
				if rest[n] == '\\' {
					n++
				}
				n++
			}
			i = skip(i, min(n+1, len(rest)))
		case c == '`':
			i = template(i + 1)
		case c == '{' && len(braces) > 0:
			braces[len(braces)-1]++
			i++
		case c == '}' && len(braces) > 0:
			if braces[len(braces)-1]--; braces[len(braces)-1] < 0 {
				braces = braces[:len(braces)-1]
				i = template(i + 1)
			} else {
				i++
			}
		case c == '/':
			before := src[lineBegins:i]
			if slash.MatchString(before) && !keyword.MatchString(before) {
				i++
				break
			}
			n, class := 1, false
			for n < len(rest) && rest[n] != '\n' && (rest[n] != '/' || class) {
				switch rest[n] {
				case '\\':
					n++
				case '[':
					class = true
				case ']':
					class = false
				}
				n++
			}
			i = skip(i, min(n+1, len(rest)))
		default:
			i = skip(i, 1)
		}
	}
	return all
}

var (
	// docTag matches a tag of JSDoc and what follows it that is no prose: a type, or a name.
	docTag = regexp.MustCompile(`@(?:typedef|type|param|returns?|template|property|prop|extends|implements|callback|this|satisfies|import)\b`)
	star   = regexp.MustCompile(`^\s*\*+ ?`)
	// paramName matches the name of a parameter and the dash after it.
	paramName = regexp.MustCompile(`^\s*(?:\[[^\]]*\]|[\w$.]+)?\s*(?:-\s+)?`)
)

// docLines are the lines of a block comment without stars, tags, types and parameters' names. Each tag's words are a paragraph.
func docLines(text string) []string {
	var out []string
	depth := 0 // of the braces of a type that goes over several lines
	for i, line := range strings.Split(text, "\n") {
		if line = star.ReplaceAllString(line, ""); i == 0 {
			line = strings.TrimLeft(line, "*")
		}
		if depth > 0 {
			n := 0
			for n < len(line) && depth > 0 {
				depth += delta(line[n])
				n++
			}
			line = line[n:]
		}
		for {
			at := docTag.FindStringIndex(line)
			if at == nil {
				break
			}
			before, tag, after := line[:at[0]], line[at[0]:at[1]], strings.TrimLeft(line[at[1]:], " ")
			if strings.HasPrefix(after, "{") {
				n := 0
				for n < len(after) {
					depth += delta(after[n])
					n++
					if depth == 0 {
						break
					}
				}
				after = after[n:]
			}
			if tag != "@returns" && tag != "@return" && tag != "@type" && depth == 0 {
				after = paramName.ReplaceAllString(after, "")
			}
			if strings.TrimSpace(before) != "" {
				out = append(out, before+"\x00") // on the same line of the source as the next one
			}
			line = "\x01" + after
		}
		out = append(out, line)
	}
	return out
}

// delta is what a character adds to the depth of braces.
func delta(c byte) int {
	switch c {
	case '{':
		return 1
	case '}':
		return -1
	}
	return 0
}

var (
	directive = regexp.MustCompile(`^\s*(?:[a-z0-9]+:[a-z]|@ts-|nolint\b|#nosec|[-=*─—]{3,})`)
	allow     = regexp.MustCompile(`^\s*prose:allow\s+([A-Za-z]+\.[A-Za-z]+)`)
	item      = regexp.MustCompile(`^\s+(?:[-*+•]|\d+[.)])\s+`)
	indented  = regexp.MustCompile(`^(?:\t| {3,}| ?\t)`)
	// link matches a link of Go's doc comments, which is a name and so code.
	link = regexp.MustCompile(`\[(\*?[A-Za-z_][\w./]*)\]`)
	// qualifiedName matches a name with its package, which is code too: lab.Lab is no word twice.
	qualifiedName = regexp.MustCompile("(^|[^\\w.`/])(\\*?[a-z][a-z0-9]*\\.[A-Z]\\w*)")
	// angle hides what Markdown would take for HTML or for a link.
	angle = strings.NewReplacer("<", "‹", ">", "›")
)

// markdown makes a document of comments, and returns for each of its lines the line of the source.
func markdown(all []comment) (text []byte, lines []int) {
	var out bytes.Buffer
	put := func(at int, line string) {
		line = qualifiedName.ReplaceAllString(link.ReplaceAllString(line, "`$1`"), "$1`$2`")
		out.WriteString(line + "\n")
		lines = append(lines, at)
	}
	for _, c := range all {
		var allowed []string
		for _, line := range c.lines {
			if m := allow.FindStringSubmatch(line); m != nil {
				allowed = append(allowed, m[1])
			}
		}
		for _, rule := range allowed {
			put(c.line, "<!-- vale "+rule+" = NO -->\n")
			lines = append(lines, c.line)
		}
		at, inItem := c.line, false
		for _, line := range c.lines {
			here := at
			line, same := strings.CutSuffix(line, "\x00")
			if !same {
				at++
			}
			if tagged, ok := strings.CutPrefix(line, "\x01"); ok {
				put(here, "")
				line, inItem = tagged, false
			}
			line = strings.TrimRight(line, " \t\r")
			switch {
			case strings.TrimSpace(line) == "":
				put(here, "")
			case directive.MatchString(line):
				put(here, "")
			case item.MatchString(line):
				inItem = true
				put(here, "- "+angle.Replace(item.ReplaceAllString(line, "")))
			case indented.MatchString(line) && !inItem:
				put(here, "") // code
			default:
				if !indented.MatchString(line) {
					inItem = false
				}
				put(here, angle.Replace(strings.TrimSpace(line)))
			}
		}
		put(at-1, "")
		for _, rule := range allowed {
			put(at-1, "<!-- vale "+rule+" = YES -->\n")
			lines = append(lines, at-1)
		}
	}
	return out.Bytes(), lines
}
