// Package lens joins what a log says of all reconciles: what woke a key, what its reconcile read and wrote, and which of its own writes woke it again. It keeps
// what a panel and the doctor need of each key, and little more. A Lens that is asked for one key keeps its newest reconciles in full.
package lens
