package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// browsers are the oldest in which the page works, by the names of MDN's data. docs/install.md tells users the same.
var browsers = []struct {
	id, name string
	oldest   float64
}{{"chrome", "Chromium", 115}, {"firefox", "Firefox", 140}, {"safari", "Safari", 17}}

// compat is what MDN's data says of a feature and of its members.
type compat struct {
	About *struct {
		Support map[string]json.RawMessage `json:"support"`
	} `json:"__compat"`
	members map[string]*compat
}

func (c *compat) UnmarshalJSON(text []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	c.members = map[string]*compat{}
	for name, part := range raw {
		if name == "__compat" {
			if err := json.Unmarshal(part, &c.About); err != nil {
				return err
			}
			continue
		}
		c.members[name] = new(compat)
		if err := json.Unmarshal(part, c.members[name]); err != nil {
			return err
		}
	}
	return nil
}

// lacking returns the first browser that lacks a feature in its oldest version, empty if all have it.
func (c *compat) lacking() string {
	if c.About == nil {
		return ""
	}
	type statement struct {
		Added  any             `json:"version_added"`
		Flags  json.RawMessage `json:"flags"`
		Prefix string          `json:"prefix"`
		Other  string          `json:"alternative_name"`
		Part   bool            `json:"partial_implementation"`
	}
	for _, b := range browsers {
		raw, all := c.About.Support[b.id], []statement{{}}
		if json.Unmarshal(raw, &all) != nil && json.Unmarshal(raw, &all[0]) != nil {
			return b.name + ": unknown"
		}
		if !slices.ContainsFunc(all, func(s statement) bool {
			added, _ := s.Added.(string)
			version, err := strconv.ParseFloat(strings.TrimPrefix(added, "≤"), 64)
			return err == nil && version <= b.oldest && s.Flags == nil && s.Prefix == "" && s.Other == ""
		}) {
			added := ""
			if s := all[0]; s.Added != nil {
				added = fmt.Sprint(s.Added)
			}
			return fmt.Sprintf("%s %g has it from %s on", b.name, b.oldest, added)
		}
	}
	return ""
}

var (
	// access is a member of something, unless it is called only where it is there.
	access = regexp.MustCompile(`\.([a-zA-Z]\w+)\b(\?\.)?`)
	made   = regexp.MustCompile(`\bnew ([A-Z]\w+)`)
	noCode = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|'(?:[^'\\\n]|\\.)*'`)
	// own are names that the page gives to something of its own.
	own = regexp.MustCompile(`(?:^|[^.\w])([a-zA-Z]\w*)`)
	// field is one of an object of the page, in its code or in the comments that declare types.
	field = regexp.MustCompile(`(?:@property \{.*?\} \[?|\bthis\.)(\w+)`)
)

// TestThePageUsesWhatItsBrowsersHave compares the members of the browser's objects that the page names with MDN's data. A name that several interfaces have
// passes if one of them is old enough, and so does one that the page gives to something of its own.
func TestThePageUsesWhatItsBrowsersHave(t *testing.T) {
	tscForTest(t) // npm installs the data with it
	var data struct {
		API        compat                    `json:"api"`
		JavaScript struct{ Builtins compat } `json:"javascript"`
	}
	text, err := os.ReadFile(filepath.Join("node_modules", "@mdn", "browser-compat-data", "data.json"))
	if err == nil {
		err = json.Unmarshal(text, &data)
	}
	if err != nil {
		t.Fatal(err)
	}
	lacks, supports := map[string]string{}, map[string]bool{}
	for _, part := range []compat{data.API, data.JavaScript.Builtins} {
		for name, x := range part.members {
			if strings.HasPrefix(name, "CSS") { // an element's style has all properties
				continue
			}
			if why := x.lacking(); why != "" {
				lacks["new "+name] = why
			}
			for member, y := range x.members {
				member = strings.TrimSuffix(member, "_static")
				if why := y.lacking(); why != "" {
					lacks[member] = why
				} else {
					supports[member] = true
				}
			}
		}
	}
	if lacks["checkVisibility"] == "" || !supports["querySelector"] {
		t.Fatal("the data do not say that Safari 17 lacks checkVisibility and has querySelector")
	}
	named := map[string]bool{}
	for _, text := range page(t, ".js") {
		for _, m := range field.FindAllStringSubmatch(text, -1) {
			named[m[1]] = true
		}
		for _, m := range own.FindAllStringSubmatch(noCode.ReplaceAllString(text, ""), -1) {
			named[m[1]] = true
		}
	}
	doc, err := os.ReadFile("../../docs/install.md")
	for _, b := range browsers {
		if err != nil || !strings.Contains(string(doc), fmt.Sprintf("%s %g", b.name, b.oldest)) {
			t.Errorf("docs/install.md does not say %s %g: %v", b.name, b.oldest, err)
		}
	}
	looked := 0
	for file, text := range page(t, ".js") {
		code := noCode.ReplaceAllString(text, "")
		for _, m := range access.FindAllStringSubmatch(code, -1) {
			looked++
			if why := lacks[m[1]]; why != "" && !supports[m[1]] && !named[m[1]] && m[2] == "" {
				t.Errorf("%s: .%s: %s", file, m[1], why)
			}
		}
		for _, m := range made.FindAllStringSubmatch(code, -1) {
			if why := lacks["new "+m[1]]; why != "" {
				t.Errorf("%s: new %s: %s", file, m[1], why)
			}
		}
	}
	if looked < 1000 {
		t.Errorf("%d members were looked at", looked)
	}
}
