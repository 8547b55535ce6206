package openapi_test
import ("testing";"os")
func TestDump(t *testing.T) {
	os.WriteFile("/tmp/oa/big.json", document(t, append(wired(t), hostile(t)...)...), 0o644)
	os.WriteFile("/tmp/oa/small.json", document(t), 0o644)
}
