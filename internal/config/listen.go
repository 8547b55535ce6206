package config

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// LoopbackOnly returns nil when an address, as host:port, is reachable from this machine alone: localhost, 127.0.0.0/8 or ::1. An empty
// host means every interface, so it is not. Use it on the address that is really listened on, after flags.
func LoopbackOnly(listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("listen address %q is not host:port: %w", listen, err)
	}
	if strings.EqualFold(host, "localhost") {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Unmap().IsLoopback() {
		return nil
	}
	return fmt.Errorf("auth: none works on a loopback address only, and %q can be reached from elsewhere; listen on %s, or remove auth: none", listen, DefaultListen)
}
