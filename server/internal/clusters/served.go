package clusters

import (
	"fmt"
	"slices"
)

// NotServedError is returned for a context that the loader does not serve, whether the kubeconfig has it or not.
type NotServedError struct{ Context string }

// Error implements error. The text is the same for a context that exists and for one that does not.
func (e *NotServedError) Error() string {
	return fmt.Sprintf("this server does not serve the context %.200q; it serves the contexts that --context and --contexts named when it "+
		"was started", e.Context)
}

// ServeOnly limits the loader to contexts of these names: others are not listed and have no Upstream. Without a call all are served; with no names
// none is. Call it before anything else.
func (l *Loader) ServeOnly(names []string) { l.servedContexts = append([]string{}, names...) }

// Serves reports whether the context may be used if it exists. It reads no file.
func (l *Loader) Serves(contextName string) bool {
	return l.servedContexts == nil || slices.Contains(l.servedContexts, contextName)
}

// missingContexts are the contexts of --contexts that the kubeconfig does not have.
func (l *Loader) missingContexts() []string {
	var out []string
	for _, name := range l.servedContexts {
		if l.config.Contexts[name] == nil && name != l.initialContext && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
