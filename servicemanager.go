package holotype

import (
	"fmt"
	"net"
)

// notifyVariable names the socket of the service manager that started the program and waits
// to hear that it serves (sd_notify(3)).
const notifyVariable = "NOTIFY_SOCKET"

// tellManager says to the service manager, if there is one that listens, what state the
// program is in, such as "READY=1".
func (s *Server) tellManager(state string) error {
	path, _ := s.o.Lookup(notifyVariable)
	if path == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err == nil {
		_, err = conn.Write([]byte(state))
		_ = conn.Close()
	}
	if err != nil {
		return fmt.Errorf("telling the service manager %s over the socket that %s names: %w", state, notifyVariable, err)
	}
	return nil
}
