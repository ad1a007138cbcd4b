package served

import "syscall"

// ownGroup puts the program into a group of processes of its own, so that a terminal's Ctrl-C reaches this one alone, which then ends both in order.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
