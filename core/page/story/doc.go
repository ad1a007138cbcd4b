// Package story plays stories about the informer that cannot lie. A story is one YAML file with a cluster, calls and sentences. A Player makes the calls with
// the lab's own commands. A condition on the log's State ends each step, never a clock: so a step cannot end before the events that it describes. After a step
// time passes only as long as the step allows, and then stands still: so the events of a later step cannot happen before it begins.
//
// Each sentence has a claim, a condition in the same language, and shows only at moments at which the claim is true. The Player chooses the sentence by the
// moment shown alone: also after a step back or a jump, and on an audience's page.
//
// docs/stories.md describes the files.
package story
