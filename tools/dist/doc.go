// Command dist makes what people without Go get: the server with the page inside and, with -sim, informerscope-sim. For each of them and
// each platform it writes an archive and a list of what is linked into it (a CycloneDX SBOM). It adds a file of SHA-256 checksums and a
// manifest for krew, kubectl's plugin manager, which has the server alone. The same sources, the same version and the same Go release give
// the same bytes on every machine and at every time. No times, owners, paths or orders of the building machine go in.
package main
