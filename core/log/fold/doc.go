// Package fold has the state after a prefix of a log. A Fold costs a constant for each event, and cloning one is cheap however many objects it holds: that
// makes stepping back and scrubbing instant. State is its JSON projection: what the panels show. Baseline writes it as events from which a log can go on.
//
// The package's central invariant: the Fold of all events of an informer equals what is inside that informer.
package fold
