// Package redact takes secrets out of Kubernetes JSON while it streams by. `kubectl apply` keeps a copy of the whole
// manifest in an annotation, environment variables and all, and so the annotation's value must not leave the relay. There
// is one function for it, Redactor.Append, and every body of a LIST, a GET or a WATCH leaves through it; nothing is
// buffered beyond the chunk at hand, so the frames of a watch keep their timing and a slow reader is still felt upstream.
package redact
