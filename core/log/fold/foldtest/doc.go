// Package foldtest has what tests of logs and folds share: events, a model that writes consistent logs, and ways to compare folds.
package foldtest
