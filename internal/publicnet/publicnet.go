// Package publicnet knows which addresses the whole network can reach. Whoever names a URL to this program must not look into the network of its
// machine by it.
package publicnet

import "net/netip"

// Contains reports whether an address is one that the whole network can reach: none of this machine, of a network of its own or of a special use
// (RFC 6890), in whatever form it is written.
func Contains(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Zone() != "" {
		return false
	}
	for _, special := range specialNetworks() {
		if special.Contains(ip) {
			return false
		}
	}
	return true
}

// specialNetworks are those of RFC 6890 and its successors that are not covered by the
// words of package netip, with those that lead to an address of version 4.
func specialNetworks() []netip.Prefix {
	var all []netip.Prefix
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}
