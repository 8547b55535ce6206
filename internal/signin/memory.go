package signin

import (
	"fmt"
	"io"
	"sync"
)

// memory is a [Sealed] that ends with the process.
type memory struct {
	Turns
	mu     sync.Mutex
	values map[string]string
}

// NewMemory answers a [Sealed] that keeps everything in memory and nothing longer than this process.
func NewMemory() Sealed {
	return &memory{values: map[string]string{}}
}

// Load answers what is kept.
func (m *memory) Load(name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.values[name], nil
}

// Store keeps it.
func (m *memory) Store(name, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value == "" {
		delete(m.values, name)
	} else {
		m.values[name] = value
	}
	return nil
}

// Format writes what it is, whatever the verb.
func (m *memory) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "sign-ins in memory") }
