package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// child is what this program does when it was started by itself:
//
//	product DATA serve|mcp ...   the product with the measured packs
//	sdk http TOKEN | stdio       the protocol library's own server of the same tools
//	sdklist TOKEN N              the same with N tools, to be listed
//	bridge TOKEN N               a plain bridge, the library's client behind its server
//	copy TOKEN FILE...           the pages of a list, written from memory
//	wide N ...                   a program with N capabilities
//	fake N [SLOW [HEARD]]        a server of N tools on the standard streams, that takes the time SLOW to shake
//	                             hands, and writes a byte to the file HEARD for every message
func child(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("child of what?")
	}
	kind, args := args[0], args[1:]
	arg := func(i int) string { // a missing one reads as an empty one
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	switch kind {
	case "product":
		os.Exit(product(arg(0), true).Command().Run(ctx, args[min(1, len(args)):], os.Stdin, out, os.Stderr))
	case "sdk":
		s, err := sdkServer()
		if err != nil {
			return err
		}
		if arg(0) == "stdio" {
			return s.Run(ctx, &mcp.StdioTransport{})
		}
		return listen(ctx, out, behindBearer(arg(1), sdkHandler(s)))
	case "sdklist":
		n, err := strconv.Atoi(arg(1))
		if err != nil {
			return err
		}
		s, err := sdkOf(n)
		if err != nil {
			return err
		}
		return listen(ctx, out, behindBearer(arg(0), sdkHandler(s)))
	case "bridge":
		s, err := sdkBridge(ctx, arg(1))
		if err != nil {
			return err
		}
		return listen(ctx, out, behindBearer(arg(0), sdkHandler(s)))
	case "copy":
		h, err := pageCopy(args[min(1, len(args)):])
		if err != nil {
			return err
		}
		return listen(ctx, out, behindBearer(arg(0), h))
	case "wide":
		n, err := strconv.Atoi(arg(0))
		if err != nil {
			return err
		}
		os.Exit(wide(n).Command().Run(ctx, args[min(1, len(args)):], os.Stdin, out, os.Stderr))
	case "fake":
		f, err := newFake(arg(0), arg(1), arg(2))
		if err != nil {
			return err
		}
		return f.serve(os.Stdin, out)
	}
	return fmt.Errorf("there is no child %q", kind)
}

// listen serves on a free port and says where.
func listen(ctx context.Context, out io.Writer, h http.Handler) error {
	var config net.ListenConfig
	ln, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "http://%s\n", ln.Addr()); err != nil {
		return err
	}
	return http.Serve(ln, h)
}
