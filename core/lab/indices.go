package lab

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/informer"
	"informerscope/core/lab/action"
	"informerscope/core/log/fold"
	"informerscope/core/words/object"
)

// noValue is an object's value in an index whose path does not exist in it.
const noValue = fold.NoValue

// maxIndices bounds the indices of an informer; each one slows every write.
const maxIndices = 12

// indexersLocked returns the indices of a new experiment: by namespace, for pods also by node and phase, and those added since.
func (l *Lab) indexersLocked(gvr schema.GroupVersionResource) informer.Indexers {
	in := informer.Indexers{informer.NamespaceIndex: informer.MetaNamespaceIndexFunc}
	if gvr.Group == "" && gvr.Resource == "pods" {
		in["node"] = pathIndex("spec.nodeName")
		in["phase"] = pathIndex("status.phase")
	}
	//maporder:free copied into a map
	for name, expression := range l.indices {
		if path, err := indexPath(expression); err == nil && in[name] == nil {
			in[name] = pathIndex(path)
		}
	}
	return in
}

// AddIndex adds an index to the informer and to later ones: by a label ("label:app"), or by a JSONPath (".spec.nodeName",
// "{.metadata.labels['app.kubernetes.io/name']}", ".spec.containers[*].image").
func (i Informer) AddIndex(name, expression string) error {
	l := i.lab
	return l.act(func() (action.Step, error) {
		if l.exp == nil {
			return action.Step{}, errors.New("nothing is running that could have an index")
		}
		err := l.addIndexLocked(name, expression, i.lane)
		if err != nil {
			return action.Step{}, err
		}
		return action.New("index", name, expression, i.lane), nil
	})
}

// addIndexLocked carries out AddIndex.
func (l *Lab) addIndexLocked(name, expression string, lane int) error {
	name = strings.TrimSpace(name)
	if name == "" {
		return errors.New("give the index a name")
	}
	path, err := indexPath(expression)
	if err != nil {
		return err
	}
	if l.exp != nil {
		lanes, err := l.exp.running(lane)
		if err != nil {
			return err
		}
		if len(lanes[0].informer.GetIndexer().GetIndexers()) >= maxIndices {
			return fmt.Errorf("an informer can have at most %d indices", maxIndices)
		}
		for _, ln := range lanes {
			if err := ln.informer.AddIndexers(informer.Indexers{name: pathIndex(path)}); err != nil {
				return err
			}
		}
	}
	if l.indices == nil {
		l.indices = map[string]string{}
	}
	l.indices[name] = expression
	return nil
}

// pathIndex indexes by the value at a path; every element of an array counts.
func pathIndex(path string) informer.IndexFunc {
	return func(obj any) ([]string, error) {
		o, ok := obj.(*object.Object)
		if !ok {
			return nil, fmt.Errorf("%T is not an object", obj)
		}
		r := o.Get(path)
		if r.IsArray() {
			var values []string
			r.ForEach(func(_, v gjson.Result) bool {
				if s := v.String(); s != "" {
					values = append(values, s)
				}
				return true
			})
			if len(values) > 0 {
				return values, nil
			}
		} else if s := r.String(); s != "" {
			return []string{s}, nil
		}
		return []string{noValue}, nil
	}
}

// indexPath turns a user's expression into a path of core/words/object.
func indexPath(expression string) (string, error) {
	e := strings.TrimSpace(expression)
	if label, ok := strings.CutPrefix(e, "label:"); ok {
		if label == "" {
			return "", errors.New("name the label, as in label:app")
		}
		return "metadata.labels." + escapePath(label), nil
	}
	bad := fmt.Errorf("%q is not a path; a path looks like label:app, .spec.nodeName or .metadata.labels['app.kubernetes.io/name']", expression)
	if inner, ok := strings.CutPrefix(e, "{"); ok {
		if e, ok = strings.CutSuffix(inner, "}"); !ok {
			return "", bad
		}
	}
	e = strings.TrimPrefix(e, "$")
	var steps []string
	for e != "" {
		switch {
		case strings.HasPrefix(e, "['"):
			name, rest, ok := strings.Cut(e[2:], "']")
			if !ok || name == "" {
				return "", bad
			}
			steps, e = append(steps, escapePath(name)), rest
		case strings.HasPrefix(e, "[*]"):
			steps, e = append(steps, "#"), e[3:]
		case e[0] == '[':
			number, rest, ok := strings.Cut(e[1:], "]")
			if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
				return "", bad
			}
			steps, e = append(steps, number), rest
		case e[0] == '.':
			end := strings.IndexAny(e[1:], ".[")
			if end < 0 {
				end = len(e) - 1
			}
			name := e[1 : 1+end]
			if name == "" || strings.ContainsAny(name, "*@?() '\"{}") {
				return "", bad
			}
			steps, e = append(steps, escapePath(name)), e[1+end:]
		default:
			return "", bad
		}
	}
	if len(steps) == 0 || steps[len(steps)-1] == "#" {
		return "", bad
	}
	return strings.Join(steps, "."), nil
}

// escapePath escapes characters that have a meaning in a path of core/words/object.
func escapePath(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`.*?|#@!{}[]()=<>%"\\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
