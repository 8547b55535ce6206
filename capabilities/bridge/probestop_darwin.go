package bridge

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"
)

// processes reads the table of processes from the kernel.
func processes() []process {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	const zombie = 5 // SZOMB of sys/proc.h
	all := make([]process, 0, len(table))
	for i := range table {
		k := &table[i]
		name, _, _ := bytes.Cut(k.Proc.P_comm[:], []byte{0})
		all = append(all, process{
			pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid), name: processName(string(name)),
			started: fmt.Sprintf("%d.%d", k.Proc.P_starttime.Sec, k.Proc.P_starttime.Usec),
			ended:   k.Proc.P_stat == zombie,
		})
	}
	return all
}
