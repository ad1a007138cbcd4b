package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
)

// module is the path of this module, whose types have comments that can be read.
const module = "informerscope/"

// comments are those of one struct type: its own, and by the fields' names theirs.
type comments struct {
	own    string
	fields map[string]string
}

// sources reads the comments of types from the module's sources, a package at a time.
type sources struct {
	root     string
	packages map[string]map[string]comments // by package and name of the type
}

// commentOf returns the comments of a type; one without a name, or from elsewhere, has none.
func (s *sources) commentOf(t reflect.Type) (comments, error) {
	in, ok := strings.CutPrefix(t.PkgPath(), module)
	if t.PkgPath() == "main" || strings.HasSuffix(t.PkgPath(), "tools/webtypes") { // a test's main is named by its path
		in, ok = "tools/webtypes", true
	}
	if !ok {
		return comments{}, nil
	}
	if s.packages[in] == nil {
		read, err := readComments(filepath.Join(s.root, filepath.FromSlash(in)))
		if err != nil {
			return comments{}, err
		}
		if s.packages == nil {
			s.packages = map[string]map[string]comments{}
		}
		s.packages[in] = read
	}
	return s.packages[in][t.Name()], nil
}

// readComments reads the comments of all struct types of the package in a directory.
func readComments(dir string) (map[string]comments, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there are no Go files in %s; run webtypes in the module's root", dir)
	}
	out := map[string]comments{}
	fset := token.NewFileSet()
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				ts := spec.(*ast.TypeSpec)
				c := comments{own: words(ts.Doc), fields: map[string]string{}}
				if c.own == "" && len(gen.Specs) == 1 {
					c.own = words(gen.Doc)
				}
				if st, ok := ts.Type.(*ast.StructType); ok {
					for _, field := range st.Fields.List {
						for _, name := range field.Names {
							c.fields[name.Name] = strings.TrimSpace(words(field.Doc) + " " + words(field.Comment))
						}
					}
				}
				out[ts.Name.Name] = c
			}
		}
	}
	return out, nil
}

// words are those of a comment, in one line.
func words(g *ast.CommentGroup) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(g.Text()), " "), "*/", "* /")
}
