package main

import (
	"context"
)

func measureList(context.Context, *plan) (*table, error)   { return newTable("", ""), nil }
func measureBridge(context.Context, *plan) (*table, error) { return newTable("", ""), nil }
func measureStart(context.Context, *plan) (*table, error)  { return newTable("", ""), nil }
func measureMemory(context.Context, *plan) (*table, error) { return newTable("", ""), nil }
