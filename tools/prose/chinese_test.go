package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// term is a word that Chinese text must not use, and the one that stands for it. The table in CONTRIBUTING.md, "One word for one thing", has the
// right ones.
type term struct {
	wrong *regexp.Regexp
	right string
	why   string
	// The wrong word is wrong only where the English text has en, if that is set, or only where it has no unlike. English is known of texts in pairs.
	en, unlike *regexp.Regexp
}

// terms has the words of concepts, which are Chinese everywhere, so that a story says what the labels beside it say. Names stay English: informer,
// handler, listener, worker, key, watch, list, relist, resync, lister, Pop, delta, and all of the API.
var terms = []term{
	{wrong: english(`stores?`), right: "本地缓存"},
	{wrong: english(`index|indexes|indices`), right: "索引"},
	{wrong: english(`bookmarks?`), right: "书签", why: "Bookmark, as a delta, is a name"},
	{wrong: english(`tombstones?`), right: "墓碑"},
	{wrong: english(`reconcil(?:e|es|ed|ing)`), right: "调谐"},
	{wrong: regexp.MustCompile(`调和`), right: "调谐", why: "the documentation of Kubernetes says 调谐"},
	{wrong: english(`work ?queues?`), right: "工作队列"},
	{wrong: english(`enqueue[sd]?`), right: "入队"},
	{wrong: english(`pop(?:s|ped|ping)?`), right: "出队", why: "Pop is a function, and its name stays"},
	{wrong: english(`rings?`), right: "环形缓冲"},
	{wrong: english(`synced|syncs?`), right: "已同步", why: "HasSynced and Sync, a delta, are names"},
	{wrong: english(`backoffs?`), right: "退避"},
	{wrong: english(`jitter`), right: "抖动"},
	{wrong: english(`compacted`), right: "已清除"},
	{wrong: regexp.MustCompile(`遗忘|忘掉了?[^，。：]*(?:历史|版本)`), right: "已清除", why: "an API server drops history on purpose"},
	{wrong: regexp.MustCompile(`事件处理函数`), right: "handler", why: "nobody says it"},
	{wrong: regexp.MustCompile(`控制器`), right: "controller", why: "the page and the stories say controller"},
	{wrong: regexp.MustCompile(`演讲模式`), right: "演示模式"},
	{wrong: regexp.MustCompile(`步骤`), right: "步"},
	{wrong: regexp.MustCompile(`步`), en: regexp.MustCompile(`\bhops?\b`), right: "站", why: "步 is a part of a story"},
	{wrong: regexp.MustCompile(`故障(?:[^转]|$)`), unlike: regexp.MustCompile(`(?i)fault`), right: "异常", why: "故障 is what a person injects; 故障转移 is another word"},
	{wrong: regexp.MustCompile(`(?:无|没有|不再|未|及时)(?:应答|回应)|没有(?:谁|人)?(?:响应|回应)`), right: "无响应", why: "one word for no answer"},
}

// english matches an English word within Chinese text, unless it is a part of a name, a path or a flag.
func english(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\w./#-])(?:` + words + `)(?:[^\w./=-]|$)`)
}

// because is the reason, for the end of a message.
func (t term) because() string {
	if t.why == "" {
		return ""
	}
	return ": " + t.why
}

// text is one in Chinese, and the same in English where that is known.
type text struct {
	line   int
	zh, en string
}

var (
	han = regexp.MustCompile(`\p{Han}`)
	// notProse matches code, placeholders, targets of links, and an English word in round brackets after the Chinese one.
	notProse = regexp.MustCompile("`[^`]*`|" + `\{(?:[^{}]|\{[^{}]*\})*\}|\]\([^)]*\)|(\p{Han})（[a-z ]+）`)
)

// judge returns the terms that a text has wrong.
func judge(pair text) (wrong []term) {
	prose := notProse.ReplaceAllString(pair.zh, "$1·")
	for _, t := range terms {
		asEnglish := (t.en == nil || t.en.MatchString(pair.en)) && (t.unlike == nil || pair.en != "" && !t.unlike.MatchString(pair.en))
		if asEnglish && t.wrong.MatchString(prose) {
			wrong = append(wrong, t)
		}
	}
	return wrong
}

// TestChineseHasOneWordForOneThing reads all Chinese that people see: the stories, the page's words, those that Go has, and the documents.
func TestChineseHasOneWordForOneThing(t *testing.T) {
	root := filepath.Join("..", "..")
	counts := map[string]int{}
	for _, dir := range []string{"stories", "web", "core", "server", "probe", "sim", "wasm", "tools", "docs", "README.md", "README.zh.md", "CHANGELOG.md"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && slices.Contains([]string{"testdata", "node_modules", "bundle", "img"}, d.Name()) {
				return fs.SkipDir
			}
			ext := filepath.Ext(path)
			read := map[string]func(string) []text{".yaml": yamlTexts, ".js": jsTexts, ".go": goTexts, ".md": englishDocument}[ext]
			if err != nil || d.IsDir() || read == nil || strings.HasSuffix(path, "_test.go") {
				return err
			}
			if strings.HasSuffix(path, ".zh.md") {
				read = chineseDocument
			}
			content, err := os.ReadFile(path)
			if err != nil || !han.Match(content) {
				return err
			}
			name, err := filepath.Rel(root, path)
			for _, pair := range read(string(content)) {
				counts[ext]++
				for _, wrong := range judge(pair) {
					t.Errorf("%s:%d: %q: write %s%s", filepath.ToSlash(name), pair.line, pair.zh, wrong.right, wrong.because())
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for ext, least := range map[string]int{".yaml": 900, ".js": 900, ".go": 250, ".md": 80} {
		if counts[ext] < least {
			t.Errorf("found %d texts in %s files; Chinese is read otherwise than it is written", counts[ext], ext)
		}
	}
}

// TestContributingHasTheTerms holds the table of CONTRIBUTING.md against the terms.
func TestContributingHasTheTerms(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "..", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(content)) {
		if cells := strings.Split(line, "|"); len(cells) == 6 {
			for _, word := range regexp.MustCompile(`[；，]`).Split(cells[3], -1) {
				found = append(found, strings.TrimSpace(regexp.MustCompile(`（.*）`).ReplaceAllString(word, "")))
			}
		}
	}
	for _, want := range terms {
		if !slices.Contains(found, want.right) {
			t.Errorf("the table of CONTRIBUTING.md has no %s", want.right)
		}
	}
}

// TestJudge tries texts with a word of each kind, and some that a term must not find.
func TestJudge(t *testing.T) {
	for pair, want := range map[text]string{
		{zh: "lister 读的是 store：不发请求"}: "本地缓存",
		{zh: "tombstone"}:                                          "墓碑",
		{zh: "会 pop 出五个"}:                                          "出队",
		{zh: "informer 已 synced，"}:                                 "已同步",
		{zh: "集群已遗忘历史"}:                                            "已清除",
		{zh: "{name} · 故障", en: "{name} · trouble"}:                "异常",
		{zh: "第 {i} 步", en: "hop {i}"}:                             "站",
		{zh: "服务器没有应答"}:                                            "无响应",
		{zh: "本地缓存（store）里，`store` 里，{store.count} 个"}:             "",
		{zh: "[说明](docs/store.md) 与 cache.Store、store.go、--store"}: "",
		{zh: "Pop 取走 Bookmark 和 Sync，HasSynced 为 true"}:            "",
		{zh: "故障转移", en: "failover"}:                               "",
		{zh: "故障 {name} 已打开", en: "The fault {name} is on"}:        "",
		{zh: "第 {i} 步", en: "step {i}"}:                            "",
	} {
		got := ""
		for _, wrong := range judge(pair) {
			got += wrong.right
		}
		if got != want {
			t.Errorf("%q: %q, want %q", pair.zh, got, want)
		}
	}
}

// zhValue matches a value in YAML: quoted, a line of its own, or a part of {en: ..., zh: ...}.
var zhValue = regexp.MustCompile(`(?m)^ *zh: (.+)$|\bzh: ("(?:[^"\\]|\\.)*"|[^,}\n]+)`)

func yamlTexts(content string) (all []text) {
	for _, m := range zhValue.FindAllStringSubmatchIndex(content, -1) {
		from, to := max(m[2], m[4]), max(m[3], m[5])
		en := "" // the English before it
		if before := englishValue.FindAllStringSubmatch(content[max(0, from-600):from], -1); len(before) > 0 {
			en = before[len(before)-1][1] + before[len(before)-1][2]
		}
		all = append(all, text{lineOf(content, from), strings.Trim(content[from:to], `"`), en})
	}
	return all
}

const quoted = `'(?:[^'\\\n]|\\.)*'`

var (
	// pair matches two texts of a dictionary of the page: its key, then ['English', '中文'].
	pair    = regexp.MustCompile(`(?:'[\w.-]+'|\b\w+): \[\s*(` + quoted + `(?:\s*\+\s*` + quoted + `)*),\s*(` + quoted + `(?:\s*\+\s*` + quoted + `)*),?\s*\]`)
	literal = regexp.MustCompile(quoted)
)

func jsTexts(content string) (all []text) {
	pairs := pair.FindAllStringSubmatchIndex(content, -1)
	for _, m := range pairs {
		all = append(all, text{lineOf(content, m[4]), content[m[4]:m[5]], content[m[2]:m[3]]})
	}
	for _, m := range literal.FindAllStringIndex(content, -1) {
		inPair := slices.ContainsFunc(pairs, func(p []int) bool { return p[0] <= m[0] && m[0] < p[1] })
		if zh := content[m[0]:m[1]]; !inPair && han.MatchString(zh) {
			all = append(all, text{line: lineOf(content, m[0]), zh: zh})
		}
	}
	return all
}

// goTexts returns the Chinese texts of a Go file; what stands before one in a call or a composite literal is the English one.
func goTexts(content string) (all []text) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", content, parser.SkipObjectResolution)
	if err != nil {
		return []text{{zh: err.Error()}}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var list []ast.Expr
		switch n := n.(type) {
		case *ast.CompositeLit:
			list = n.Elts
		case *ast.CallExpr:
			list = n.Args
		}
		before := ""
		for _, x := range list {
			got := value(x)
			if han.MatchString(got) {
				all = append(all, text{files.Position(x.Pos()).Line, got, before})
			}
			before = got
		}
		return true
	})
	return all
}

// value is that of string literals, which may be added up, or empty.
func value(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			unquoted, err := strconv.Unquote(x.Value)
			if err == nil {
				return unquoted
			}
		}
	case *ast.BinaryExpr:
		return value(x.X) + value(x.Y)
	case *ast.KeyValueExpr:
		return value(x.Value)
	}
	return ""
}

// chineseDocument returns the lines of a document outside of its blocks of code.
func chineseDocument(content string) (all []text) {
	inCode, i := false, 0
	for line := range strings.Lines(content) {
		i++
		if strings.HasPrefix(line, "```") {
			inCode = !inCode
		} else if !inCode && han.MatchString(line) {
			all = append(all, text{line: i, zh: strings.TrimSpace(line)})
		}
	}
	return all
}

// englishDocument returns what is Chinese in an English document: cells of tables, and the values of stories.
func englishDocument(content string) []text {
	all := yamlTexts(content)
	for _, row := range chineseDocument(content) {
		for cell := range strings.SplitSeq(row.zh, "|") {
			if strings.HasPrefix(row.zh, "|") && han.MatchString(cell) {
				all = append(all, text{line: row.line, zh: strings.TrimSpace(cell)})
			}
		}
	}
	return all
}

// lineOf is the number of the line at a place of a text.
func lineOf(content string, at int) int {
	return 1 + strings.Count(content[:at], "\n")
}
