// Package objecttest makes objects to test and measure with: pods as a real cluster has them, the same for the same number on every machine.
package objecttest
