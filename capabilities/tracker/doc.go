// Package tracker is the pack of projects, their work items and their files.
//
// A project has a key, such as WEB; its work items have keys, such as WEB-12. A key
// is given out once: it stays the item's when the item moves to another project and
// gets a key there, and nobody else's when the item is gone. Everything that takes a
// work item takes a key it has or had, or its id.
//
// An item has a version, which counts what was changed of the item itself: its
// texts, its fields, its labels and links, whether it is in the trash. A comment is a
// record of its own and leaves the version alone, so that writing one only adds.
//
// What a call is about and does not exist is refused as not_found; an argument that
// merely names something missing is invalid, with the field it stands in. What is in
// the trash counts as missing everywhere but in what is about the trash.
package tracker
