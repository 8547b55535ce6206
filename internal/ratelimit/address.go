package ratelimit

import (
	"net/http"
	"net/netip"
)

// AddressOf answers where a request comes from, for counting: of an address of version 6
// the network, all of whose addresses are one caller's to choose from. All requests whose
// address cannot be read are of one, the zero address.
func AddressOf(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	addr := at.Addr().Unmap().WithZone("")
	const network = 64
	if prefix, err := addr.Prefix(network); addr.Is6() && err == nil {
		return prefix.Addr()
	}
	return addr
}
