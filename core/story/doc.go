// Package story plays stories about the informer that cannot lie. A story is one YAML file: its selection, its actions and its sentences. A Player carries it
// out with the lab's own commands. Each step ends by a condition on the State that the log folds to, never by a clock. So a step does not end before what it
// describes has happened. Between two steps time passes only as long as the step allows, and then stands still, so that what a later step describes is not
// over before.
//
// Each sentence has a claim, a condition in the same language, and shows only at moments at which the claim is true. The sentence depends only on the moment
// shown: after a step back or a jump, and on an audience's page, it is that of the moment.
//
// docs/stories.md describes the files.
package story
