package probe

import (
	"strings"

	"example.org/informerscope/probe/internal/joints"
)

// sourceName returns the name of a handler of controller-runtime: "pod · For", "pod · Owns ConfigMap", "pod · Watches Node"; otherwise "". A handler of
// Watches that the user wrapped with WithLowPriorityWhenUnchanged counts as that of Owns; a For is a Watches if the controller is not called after its kind.
func (l *lane) sourceName(h interface{}) (name string) {
	defer func() {
		if recover() != nil {
			name = ""
		}
	}()
	src, ok := joints.SourceOf[workView](h)
	if !ok {
		return ""
	}
	controller, informer := src.Queue.names()
	kind := l.kind
	if kind == "" {
		kind = l.name
	}
	how := "Watches " + kind
	switch typ := withoutTypeArguments(src.Type); {
	case strings.HasSuffix(typ, ".TypedEnqueueRequestForObject") && (l.isNamed(controller, informer) || strings.EqualFold(kind, controller)):
		how = "For"
	case strings.HasSuffix(typ, ".enqueueRequestForOwner"), strings.HasSuffix(typ, ".TypedFuncs") && isWrapped(src.CreateFunc):
		how = "Owns " + kind
	}
	return controller + " · " + how
}

// isWrapped reports whether a function is the method of another handler. Owns wraps its handler so, to lower a priority.
func isWrapped(function string) bool {
	return strings.HasSuffix(withoutTypeArguments(function), ".TypedEventHandler.Create-fm")
}
