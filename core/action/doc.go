// Package action is how a link writes what the user did to a simulated cluster and the experiments on it: steps, each with a time, a verb and arguments.
// core/lab makes steps and plays them again.
package action
