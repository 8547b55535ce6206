package openapi

// sameValue answers the schemas that judge the same value as n.
func (u *unit) sameValue(n *node) []*node {
	var all []*node
	if t, _ := u.index.target(n); t != nil {
		all = append(all, t)
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		if list := n.get(word); list != nil {
			all = append(all, list.items...)
		}
	}
	return all
}

// elements answers the schemas of an array's elements.
func elements(n *node) []*node {
	var all []*node
	for _, word := range []string{"items", "prefixItems"} {
		switch v := n.get(word); {
		case v == nil:
		case v.kind == kindArray:
			all = append(all, v.items...)
		default:
			all = append(all, v)
		}
	}
	return all
}

// cycles finds, below the given schemas, those that lead back to themselves
// without a step into the value, by which nothing could ever be judged, and the
// arrays whose elements lead back to them by unions and arrays alone. Both are
// fine as a property of an object: generators write a name there.
func (u *unit) cycles(from []*node) (endless, selfLists map[*node]bool) {
	var inside []*node
	for _, n := range from {
		inside = below(n, u.index.draft, inside)
	}
	endless, selfLists = map[*node]bool{}, map[*node]bool{}
	groups := groupsOf(inside, u.sameValue)
	for _, n := range inside {
		for _, next := range u.sameValue(n) {
			if groups[n] == groups[next] {
				endless[n] = true
			}
		}
	}
	groups = groupsOf(inside, func(n *node) []*node { return append(u.sameValue(n), elements(n)...) })
	for _, n := range inside {
		for _, next := range elements(n) {
			if groups[n] == groups[next] {
				selfLists[n] = true
			}
		}
	}
	return endless, selfLists
}

// below appends n and every schema it holds.
func below(n *node, d draft, all []*node) []*node {
	all = append(all, n)
	held(n, d, func(_, _ string, child *node) { all = below(child, d, all) })
	return all
}

// groupsOf numbers the strongly connected groups of a graph (Tarjan 1972): two
// nodes have one number when each leads to the other.
func groupsOf(nodes []*node, edges func(*node) []*node) map[*node]int {
	group, order, low := map[*node]int{}, map[*node]int{}, map[*node]int{}
	var open []*node
	var visit func(n *node)
	visit = func(n *node) {
		order[n] = len(order) + 1
		low[n] = order[n]
		open = append(open, n)
		for _, next := range edges(n) {
			switch {
			case order[next] == 0:
				visit(next)
				low[n] = min(low[n], low[next])
			case group[next] == 0:
				low[n] = min(low[n], order[next])
			}
		}
		if low[n] != order[n] {
			return
		}
		for done := false; !done; {
			last := open[len(open)-1]
			open = open[:len(open)-1]
			group[last] = order[n]
			done = last == n
		}
	}
	for _, n := range nodes {
		if order[n] == 0 {
			visit(n)
		}
	}
	return group
}
