// Command mistaken does not compile.
package main

func main() { theMoon() }
