package httpapi

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// hosts decides which values of the Host header are ours. A page of another site
// whose DNS name was rebound to our address still names its own host, and is
// refused here before it can read or do anything.
type hosts struct {
	usual string          // what most requests say
	any   map[string]bool // host, whatever the port
	exact map[string]bool // host:port
}

func newHosts(listen string, more []string) (hosts, error) {
	h := hosts{any: map[string]bool{"localhost": true}, exact: map[string]bool{}}
	if host, _, err := net.SplitHostPort(listen); err == nil {
		if ip, err := netip.ParseAddr(host); host != "" && (err != nil || !ip.IsUnspecified()) {
			h.any[strings.ToLower(host)] = true
		}
	}
	for _, value := range more {
		host, port := splitHost(value)
		if host == "" || strings.ContainsAny(value, "/*@ ") {
			return hosts{}, fmt.Errorf("host %q is neither a name nor name:port", value)
		}
		if port == "" {
			h.any[host] = true
		} else {
			h.exact[host+":"+port] = true
		}
	}
	if h.ours(listen) {
		h.usual = listen
	}
	return h, nil
}

// ours reports whether a Host header names this server.
func (h *hosts) ours(value string) bool {
	if value == h.usual && value != "" {
		return true
	}
	host, port := splitHost(value)
	switch host {
	case "127.0.0.1", "localhost", "::1":
		return true
	case "":
		return false
	}
	if h.any[host] || port != "" && h.exact[host+":"+port] {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// splitHost answers the lower-case host without brackets and the port; a
// malformed value has no host.
func splitHost(value string) (host, port string) {
	host = value
	if i := strings.LastIndexByte(value, ':'); i >= 0 && !strings.HasSuffix(value, "]") {
		host, port = value[:i], value[i+1:]
		if port == "" || strings.Trim(port, "0123456789") != "" {
			return "", ""
		}
	}
	if strings.HasPrefix(host, "[") {
		inner, ok := strings.CutSuffix(host[1:], "]")
		if !ok {
			return "", ""
		}
		host = inner
	} else if strings.IndexByte(host, ':') >= 0 {
		return "", "" // an address of version 6 without brackets
	}
	return strings.ToLower(host), port
}

// newOrigins checks the configured origins: scheme://host[:port], nothing more.
func newOrigins(list []string) (map[string]bool, error) {
	all := make(map[string]bool, len(list))
	for _, value := range list {
		u, err := url.Parse(value)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != value || value != strings.ToLower(value) {
			return nil, fmt.Errorf("origin %q is not of the form scheme://host[:port] in lower case", value)
		}
		all[value] = true
	}
	return all, nil
}
