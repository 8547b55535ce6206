package grant

// Statements are those that the package runs, by their names.
func Statements() map[string]string {
	all := map[string]string{
		"selectRequest": selectRequest, "selectPending": selectPending, "decideRequest": decideRequest, "selectGrants": selectGrants, "selectGrant": selectGrant,
		"selectLiving": selectLiving, "endGrant": endGrant,
	}
	desk := Holder{"seat", "desk"}
	for name, f := range map[string]Filter{"every request": {}, "of a status": {Status: Pending}, "of somebody": {Of: desk}, "of both": {desk, Pending}} {
		all[name], _ = f.query()
	}
	return all
}
