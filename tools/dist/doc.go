// Command dist makes what is given away to people who have no Go: the server with the page inside, for each platform an
// archive and a list of what is linked into it (a CycloneDX SBOM), with a file of SHA-256 checksums and a manifest for krew,
// kubectl's plugin manager. The same sources, the same
// version and the same Go release give the same bytes, whoever builds, whenever and wherever: no times, owners, paths or
// orders of the building machine go in.
package main
