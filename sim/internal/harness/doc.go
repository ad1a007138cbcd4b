// Package harness starts the program informerscope-sim for tests, and kubectl against it. The tests link nothing of Kubernetes but its client.
//
// What lies where:
//
//	bin/informerscope-sim       the program, beside the module's directory; or the file that INFORMERSCOPE_SIM names
//	$TMPDIR/sim-test-*          one directory for a test binary, removed by Main
//	    assets/                 kube-apiserver, etcd and kubectl, as `informerscope-sim assets` writes them
//	    home/                   HOME of each program that the tests start
//	    run*/                   TMPDIR of one program: it makes its directory informerscope-sim-* there
//
// A package that uses it has a TestMain that calls Main. Each process has an owner: the test that called Start, or Main for that of Shared.
package harness
