package config

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// judge says what is wrong with the values of an entry whoever it runs for, once.
func (dec declaration) judge() {
	who := "server " + strconv.Quote(dec.name)
	for _, v := range append(dec.values(), dec.signIn.values()...) {
		path := dec.path + "." + v.place
		if dec.path == "" {
			path = v.place
		}
		dec.d.judge(v, path, who)
	}
	if dec.http() {
		path := strings.TrimPrefix(dec.path+".url", ".")
		dec.d.lookalikes(dec.line, path, dec.url)
		dec.judgeURL(path)
	}
}

var beginsLikeURL = regexp.MustCompile(`^(?i:https?)://[^\s/?#]\S*$`)

// judgeURL reports an address in which no variable stands and which is none: it waits for nothing. What does not even begin like one was reported
// when it was read.
func (dec declaration) judgeURL(path string) {
	names, problems := references(dec.url)
	if len(names)+len(problems) > 0 || dec.d.foreign || !beginsLikeURL.MatchString(dec.url) {
		return
	}
	address, _ := expand(dec.url, nil) // no variable is asked for
	if words := reachable(address); words != "" {
		dec.d.fault(dec.line, path, "%s", words)
	}
}

// judge reports what looks like a variable and is none, and says what is probably not meant. who is whose value it is.
func (d *decoder) judge(v value, path, who string) {
	d.lookalikes(v.line, path, v.text)
	switch names, _ := references(v.text); {
	case v.text == "":
		d.notice(v.line, "%s: %s is an empty string", who, v.place)
	case len(names) == 0 && !d.foreign && saysSecret(v.key) && !saysNothing(v.text):
		d.notice(v.line, "%s: %s looks like a credential and is written out; put it in a variable and write ${NAME}", who, v.place)
	}
}

// lookalikes reports what only looks like a variable. A client's own file may be right for that client: it is held back later.
func (d *decoder) lookalikes(line int, path, text string) {
	if d.foreign {
		return
	}
	_, problems := references(text)
	for _, p := range problems {
		d.fault(line, path, "%s", p.words)
	}
}

// saysSecret reports whether a key is that of a credential by its name.
func saysSecret(key string) bool {
	key = strings.ToLower(strings.ReplaceAll(key, "-", "_"))
	for _, end := range []string{"_file", "_path", "_dir", "_url", "_name", "_id"} {
		if strings.HasSuffix(key, end) {
			return false
		}
	}
	if key == "key" || strings.HasSuffix(key, "_key") || strings.HasSuffix(key, "_pat") {
		return true
	}
	return slices.ContainsFunc([]string{"token", "secret", "passw", "credential", "apikey", "api_key", "authorization", "cookie"}, func(word string) bool {
		return strings.Contains(key, word)
	})
}

// saysNothing reports a value that is no credential whatever its key is called: a number, a truth value.
func saysNothing(text string) bool {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return true
	}
	return strings.EqualFold(text, "true") || strings.EqualFold(text, "false")
}
