// Package sweep looks for secrets in everything that a server says. Canaries, texts that
// are like nothing else, are planted where a secret may stand: in the environment, the
// configuration, the store, in what others were sent. [Run] then asks the server whatever
// can be asked, as each of its principals and over every surface, well and badly, and
// looks for the canaries in all that comes back, in whatever way a text may be written
// there.
//
// What is called follows from what the server lists: its OpenAPI documents, its lists of
// tools and of everything else that MCP has, the links of its pages. So a capability that
// is added is swept without a line of a test.
package sweep
