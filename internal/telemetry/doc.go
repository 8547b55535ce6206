// Package telemetry sends what a server does to a collector of OpenTelemetry: a span for
// every call and one for what a bridged server did for it, and the metrics. It speaks
// OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/) in its binary form, which
// every collector takes, and follows the conventions for MCP.
//
// No argument, no result, no name of a caller and no credential is in what it sends. No
// call waits for it: spans stand in a queue of bounded size, and what has no room, or
// what nobody takes, is counted.
package telemetry
