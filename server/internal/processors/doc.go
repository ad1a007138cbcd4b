// Package processors keeps the server on one processor while it has little to
// do. Passing on a watch event is a chain of goroutines that wake each other,
// and with each wake-up Go's scheduler sets a thread of another processor
// searching for work; where there is none to be found, that is a tenth of what
// the event costs. Under load the other processors have work, and get it.
package processors
