// Package vclock is virtual time that a Driver moves, so that everything that waits on it happens in the same order in each run.
//
// A Driver fires one timer, waits until everything that follows from it is done, and only then fires the next one. The caller supplies the function
// that waits for that. In a browser, Go gives the thread back only when no goroutine can run; in a test, the function is synctest.Wait. Between two
// timers time stands still, so the machine's speed decides nothing.
package vclock
