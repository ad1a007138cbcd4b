// Package action is what the user did to a simulated cluster and the experiments on it: steps, each with a time, a verb and arguments. A History keeps
// them, and a link writes them as text. core/lab makes steps and plays them again.
package action
