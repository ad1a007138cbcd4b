// Package story tells stories about the informer that cannot lie. A story is one YAML file: what is selected, what is done, what is said. A
// Player acts it out with the lab's own commands. It ends each step by a condition on the State that the log folds to, never by a clock. So
// a step does not end before what it describes has happened. Between two steps time goes on only as long as the step allows and then stands
// still, so that what a later step describes is not over before.
//
// Each sentence carries a claim, a condition of the same language, and shows only at moments of which the claim is true. Where a story
// stands is a function of the moment shown: after a step back or a jump, and in an audience's page, the sentence is that of the moment.
//
// docs/stories.md describes the files.
package story
