// Package tests tries the program informerscope-sim as those who use it do: with kubectl, with a client, and with requests that mean harm.
package tests
