// Package ownwrites compares what controllers do about reads that are older than their own writes.
//
// A store (the cache) lags behind the API server. A controller that created children a moment ago may not find them there, and creates them again. Run
// lets the same small controller work in three lanes, each on a simulated cluster of its own, while a user changes the same objects at the same moments:
//
//   - Unguarded: nothing protects the controller.
//   - Store: a consistency store sends a key back to the work queue until the stores have the controller's writes for it, as in kube-controller-manager
//     1.36 (KEP-5647).
//   - Reads: each read waits until the store has the controller's writes, as in a client of controller-runtime 0.25 with
//     EnableReadYourWritesConsistency.
//
// The three begin alike: the same seed gives the same writes and the same jitter on the way, until the first read that lacks an own write. From there on
// they differ, and Result says how: duplicates created, reconciles held back, and time waited.
//
// The informers, the API servers and client-go's work queue are those of this program. The guards are written after the released code, and a test plays the
// same load to that code (TestLaboratoryDecidesAsTheReleasedCode in e2e/cluster). Everything waits on virtual time, so a run takes no longer than its work.
package ownwrites
