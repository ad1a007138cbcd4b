// Package size leaves out of the page's program what a page never does. That is TLS, dialling, HTTP/1, internationalised host names,
// Unicode classes in regular expressions, CBOR, schemes of types, logs, and conversion between unstructured and typed objects. The download
// is a third smaller. It removes the ways that lead there, in copies of the sources that are built, and the linker drops the rest.
package size
