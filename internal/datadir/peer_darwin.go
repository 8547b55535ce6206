package datadir

import "golang.org/x/sys/unix"

// peerUID returns the user at the other end of a Unix socket, as the kernel knows it.
func peerUID(fd int) (uint32, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return cred.Uid, nil
}
