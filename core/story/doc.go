// Package story tells stories about the informer that cannot lie. A story is
// one YAML file: what is selected, what is done, what is said. A Player acts
// it out with the lab's own commands, and ends each of its steps by a
// condition on the State that the log folds to, never by a clock: a page does
// not turn before what it tells has happened, and between two pages time goes
// on only as long as the step allows and stands still then, so that what a
// later step tells is not over before.
//
// Each sentence carries a claim, a condition of the same language, and shows
// only at moments of which the claim is true. Where a story stands is a
// function of the moment shown: a step back, a jump and an audience that
// follows see the sentence of that moment.
//
// docs/stories.md describes the files.
package story
