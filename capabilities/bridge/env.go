package bridge

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// childEnv builds the whole environment of a child from four layers, the last
// wins: what any program needs of the host; where its user keeps things; for
// docker and podman alone, what tells them where their containers are; and what
// the configuration says. Nothing else of ours is inherited, above all no
// credential: the address of a proxy goes without who logs in there, which a server
// that is trusted with it is given by the configuration.
//
// host is the environment of this process as "NAME=value". The result is sorted.
// It is no isolation: a child runs with our rights.
func childEnv(command string, host []string, own map[string]string) []string {
	container := runsContainers(command)
	env := map[string]string{}
	for _, kv := range host {
		name, value, ok := strings.Cut(kv, "=")
		if ok && (slices.Contains(hostVariables(), name) || container && isContainerVariable(name)) {
			env[name] = value
			if isProxy(name) {
				env[name] = withoutLogin(value)
			}
		}
	}
	maps.Copy(env, own)
	all := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		all = append(all, name+"="+env[name])
	}
	return all
}

// hostVariables are the first two layers.
func hostVariables() []string {
	return []string{
		"PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_NUMERIC", "TERM", "TZ",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",

		"HOME", "USER", "LOGNAME", "TMPDIR",
		"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	}
}

// isProxy reports whether a variable holds the address of a proxy, in either case.
func isProxy(name string) bool {
	switch strings.ToUpper(name) {
	case "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY":
		return true
	}
	return false
}

// withoutLogin leaves out of an address, with or without a scheme, what stands before
// the host: a name and a password, or a token.
func withoutLogin(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		scheme, rest = "", address
	} else {
		scheme += "://"
	}
	host, path := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host, path = rest[:end], rest[end:]
	}
	return scheme + host[strings.LastIndex(host, "@")+1:] + path
}

// withheldLogins answers the names of the variables of the host that children get
// without the login in them, sorted.
func withheldLogins(host []string) []string {
	var names []string
	for _, kv := range host {
		if name, value, _ := strings.Cut(kv, "="); isProxy(name) && withoutLogin(value) != value {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func isContainerVariable(name string) bool {
	for _, prefix := range []string{"DOCKER_", "CONTAINER_", "CONTAINERS_", "PODMAN_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "REGISTRY_AUTH_FILE" || name == "DBUS_SESSION_BUS_ADDRESS"
}

func runsContainers(command string) bool {
	switch filepath.Base(command) {
	case "docker", "podman":
		return true
	}
	return false
}

// isRunner reports whether a command fetches what it runs at its first start,
// which takes a while.
func isRunner(command string) bool {
	switch filepath.Base(command) {
	case "npx", "pnpx", "bunx", "uvx", "uv", "pipx", "pnpm", "yarn", "deno", "docker", "podman":
		return true
	}
	return false
}
