package grant

// Statements are those that the package runs, by their names.
func Statements() map[string]string {
	all := map[string]string{
		"selectRequest": selectRequest, "selectPending": selectPending, "decideRequest": decideRequest, "selectGrants": selectGrants, "selectGrant": selectGrant,
		"selectLiving": selectLiving, "endGrant": endGrant, "countWaiting": countWaiting,
	}
	desk := Holder{"seat", "desk"}
	for name, f := range map[string]Filter{
		"every request": {}, "of a status": {Status: Pending}, "of somebody": {Of: desk}, "of both": {Of: desk, Status: Pending},
		"every request, newest first": {NewestFirst: true}, "of a status, newest first": {Status: Pending, NewestFirst: true}, "of somebody, newest first": {Of: desk, NewestFirst: true},
		"of both, newest first": {Of: desk, Status: Pending, NewestFirst: true},
	} {
		all[name], _ = f.query()
	}
	return all
}
