// Package vclock is virtual time that a Driver moves, so that what waits on
// it happens in the same order every time it is played.
//
// A Driver fires one timer, waits until everything that follows from it is done, and only then fires the next one. Its owner gives it the
// function that knows when all is done. In a browser, Go gives the thread back only when no goroutine can run; in a test, it is
// synctest.Wait. Between two timers time stands still, so how fast the machine is decides nothing.
package vclock
