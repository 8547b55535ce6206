package prose

import (
	"strconv"
	"strings"
)

// numberOf reads a number as it is written in a sentence: digits, with commas between
// the thousands, or an English word up to ninety-nine.
func numberOf(word string) (int, bool) {
	if word == "" {
		return 0, false
	}
	if isDigit(word[0]) {
		plain := word
		if head, tail, ok := strings.Cut(word, ","); ok {
			if len(head) > 3 || len(tail)%4 != 3 {
				return 0, false
			}
			plain = strings.ReplaceAll(word, ",", "")
		}
		n, err := strconv.Atoi(plain)
		return n, err == nil
	}
	tens, unit, composed := strings.Cut(word, "-")
	n := small(tens)
	if !composed {
		return n, n >= 0
	}
	one := small(unit)
	return n + one, n >= 20 && one >= 1 && one <= 9
}

// small is the number of a word up to twenty, or of a multiple of ten; -1 for none.
func small(word string) int {
	switch word {
	case "one":
		return 1
	case "two":
		return 2
	case "three":
		return 3
	case "four":
		return 4
	case "five":
		return 5
	case "six":
		return 6
	case "seven":
		return 7
	case "eight":
		return 8
	case "nine":
		return 9
	case "ten":
		return 10
	case "eleven":
		return 11
	case "twelve", "dozen":
		return 12
	case "thirteen":
		return 13
	case "fourteen":
		return 14
	case "fifteen":
		return 15
	case "sixteen":
		return 16
	case "seventeen":
		return 17
	case "eighteen":
		return 18
	case "nineteen":
		return 19
	case "twenty":
		return 20
	case "thirty":
		return 30
	case "forty":
		return 40
	case "fifty":
		return 50
	case "sixty":
		return 60
	case "seventy":
		return 70
	case "eighty":
		return 80
	case "ninety":
		return 90
	}
	return -1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
