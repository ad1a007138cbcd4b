// Package redact takes copies of manifests out of Kubernetes JSON while it streams by. `kubectl apply` keeps the whole manifest in an
// annotation, environment variables and all. Other tools keep theirs in annotations of other names. None of it must leave the relay. There
// is one function for it, Redactor.Append, and every body of a LIST, a GET or a WATCH leaves through it. Beyond the chunk at hand it holds
// back only an annotation's value that the chunk cuts. So the frames of a watch keep their timing, and a slow reader is still felt
// upstream.
package redact
