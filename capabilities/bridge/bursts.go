package bridge

import (
	"io"
	"sync"
)

// burstBytes is what is read at once of a stream that has much to say.
const burstBytes = 64 << 10

// bigBuffers holds buffers of burstBytes, as *[burstBytes]byte.
var bigBuffers sync.Pool

// readBursts reads r to its end, which is its error, and hands over what comes. It waits with the small
// buffer, and takes a large one for as long as more comes than that holds: most streams
// are silent most of the time, and a bridge has many.
func readBursts(r io.Reader, small []byte, take func(chunk []byte)) error {
	for {
		n, err := r.Read(small)
		take(small[:n])
		if err == nil && n == len(small) {
			err = readBurst(r, take)
		}
		if err != nil {
			return err
		}
	}
}

// readBurst reads until less comes than there is room for.
func readBurst(r io.Reader, take func(chunk []byte)) error {
	big, ok := bigBuffers.Get().(*[burstBytes]byte)
	if !ok {
		big = new([burstBytes]byte)
	}
	defer bigBuffers.Put(big)
	for {
		n, err := r.Read(big[:])
		take(big[:n])
		if err != nil || n < len(big) {
			return err
		}
	}
}
