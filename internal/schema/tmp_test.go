package schema_test
import ("testing";"strings";"time";"fmt")
func TestTmpStress(t *testing.T){
 keys := func(n int) string { var b strings.Builder; b.WriteString("{"); for i:=0;i<n;i++ { if i>0 {b.WriteByte(',')}; fmt.Fprintf(&b,`"k%06d":1`,i) }; return b.String()+"}" }
 for _, c := range []struct{n, s, d string}{
  {"unknown fields", `{"properties":{"title":{},"kind":{},"k00000":{}},"additionalProperties":false}`, keys(340000)},
  {"type errors", `{"items":{"type":"string"}}`, "["+strings.Repeat("1,",2000000)+"1]"},
  {"type errors 700k", `{"items":{"type":"string"}}`, "["+strings.Repeat("1,",700000)+"1]"},
  {"union errors", `{"items":{"anyOf":[{"const":"a"},{"const":"b"},{"type":"string","maxLength":2}]}}`, "["+strings.Repeat("1,",300000)+"1]"},
  {"unique", `{"uniqueItems":true}`, "["+strings.Repeat("[1,2],",400000)+"1]"},
  {"objects missing", `{"items":{"required":["a","b"],"additionalProperties":false}}`, "["+strings.Repeat(`{"c":1},`,400000)+"1]"},
  {"e400", `{"items":{"type":"integer"}}`, "["+strings.Repeat("1e-400,",500000)+"1]"},
  {"names", `{"propertyNames":{"maxLength":2}}`, keys(340000)},
  {"valid floats", `{"items":{"type":"number"}}`, "["+strings.Repeat("0.123456,",400000)+"1]"},
 } {
  s := mustCompile(t, c.s); b := []byte(c.d)
  t0 := time.Now(); v := s.Validate(b)
  t.Logf("%s: %d bytes %v, %d violations: %.150v", c.n, len(b), time.Since(t0), len(v), v)
 }
}
