package config

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// Loopback reports whether an address, as host:port, is reachable from this machine alone: localhost, 127.0.0.0/8 or ::1. An empty host means
// every interface, so it is not. Use it on the address that is really listened on, after flags.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// LoopbackOnly returns nil when an address fits auth: none, which it does when it is [Loopback].
func LoopbackOnly(listen string) error {
	if _, _, err := net.SplitHostPort(listen); err != nil {
		return fmt.Errorf("listen address %q is not host:port: %w", listen, err)
	}
	if Loopback(listen) {
		return nil
	}
	return fmt.Errorf("auth: none works on a loopback address only, and %q can be reached from elsewhere; listen on %s, or remove auth: none", listen, DefaultListen)
}
