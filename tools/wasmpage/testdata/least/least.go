// Command least is a program that needs nothing of the toolchain but its runtime.
package main

func main() {}
