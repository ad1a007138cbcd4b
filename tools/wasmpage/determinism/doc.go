// Package determinism takes chance and real time out of the runtime's scheduler, in copies of its sources. So on virtual time a seed plays
// one story, and a link is exactly a moment.
package determinism
