// Package simtest runs the tests of a controller against a simulated cluster in the test's own process: no binary, no port, no certificate. Start takes
// milliseconds. Under testing/synctest the cluster and the controller run on virtual time.
//
// The cluster answers like kube-apiserver: custom resources with their schemas, server-side apply, protobuf, watches with bookmarks and 410. A test breaks it
// by calls, asks whether the controller has read versions older than its own writes, and when it fails, leaves a recording that the page of informerscope
// opens. docs/simtest.md in the repository has the rest.
package simtest
