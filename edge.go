package holotype

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// insecureFlag is the flag that takes the risk of an unprotected network.
const insecureFlag = "insecure-listen"

// checkExposure refuses to listen where others on the network could read every token that
// is sent.
func checkExposure(listen string, c *config.Config, insecure bool) error {
	if insecure || c.TLS != (config.TLS{}) || c.Proxy.Trusted != nil || config.Loopback(listen) {
		return nil
	}
	return fmt.Errorf("%s can be reached from other machines, and tokens would cross the network for anybody to read: give a certificate under tls in the configuration, "+
		"or name the reverse proxy in front under proxy, or listen on %s; with --%s it is served all the same", listen, config.DefaultListen, insecureFlag)
}

// proxyOf answers the proxy of a configuration; nil is none.
func proxyOf(c *config.Config, insecure bool) *httpapi.Proxy {
	if c.Proxy.Trusted == nil {
		return nil
	}
	return &httpapi.Proxy{Trusted: c.Proxy.Trusted, Standard: c.Proxy.Standard, Open: insecure}
}

// address answers the URL that a browser gets to a listener by: by the first of the names
// where it is asked for a name, else from this machine.
func address(listen string, c *config.Config) string {
	local := reachable(listen)
	switch {
	case c.TLS != (config.TLS{}) && len(c.Hosts) > 0:
		if _, port, err := net.SplitHostPort(local); err == nil && !strings.Contains(c.Hosts[0], ":") && port != "443" {
			return "https://" + net.JoinHostPort(c.Hosts[0], port)
		}
		return "https://" + c.Hosts[0]
	case c.TLS != (config.TLS{}):
		return "https://" + local
	}
	return "http://" + local
}

// certificates serve a certificate from its files, and the next one when they change.
type certificates struct {
	files config.TLS
	log   *slog.Logger
	now   func() time.Time

	mu     sync.Mutex
	served *tls.Certificate
	looks  [2]look // at the files, from before they were read
	looked time.Time
}

// certificateEvery is how often the files are looked at, while somebody connects.
const certificateEvery = 2 * time.Second

// openCertificates reads the certificate of a configuration; nil is none.
func openCertificates(files config.TLS, log *slog.Logger, now func() time.Time) (*certificates, error) {
	if files == (config.TLS{}) {
		return nil, nil
	}
	c := &certificates{files: files, log: log, now: now, looked: now()}
	return c, c.read()
}

// read reads the files. mu is held, or nobody else knows the certificates yet.
func (c *certificates) read() error {
	c.looks = [2]look{lookAt(c.files.CertFile), lookAt(c.files.KeyFile)}
	pair, err := tls.LoadX509KeyPair(c.files.CertFile, c.files.KeyFile)
	if err != nil {
		return fmt.Errorf("reading the certificate of tls in the configuration: %w", err)
	}
	c.served = &pair
	if leaf := pair.Leaf; leaf != nil && c.now().After(leaf.NotAfter) {
		c.log.Warn("certificate_expired", "expired_at", leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	return nil
}

// certificate answers the certificate for a connection. A change that cannot be read, such
// as one of which half is written, leaves the one there was.
func (c *certificates) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.looked).Abs() >= certificateEvery {
		c.looked = now
		if !c.looks[0].same(lookAt(c.files.CertFile)) || !c.looks[1].same(lookAt(c.files.KeyFile)) {
			if err := c.read(); err != nil {
				c.log.Error("certificate_not_read", "error", err.Error())
			} else {
				c.log.Info("certificate_read")
			}
		}
	}
	return c.served, nil
}

// over answers a listener of TLS connections on another; c may be nil, for none.
func (c *certificates) over(ln net.Listener) net.Listener {
	if c == nil {
		return ln
	}
	return tls.NewListener(ln, &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: c.certificate})
}
