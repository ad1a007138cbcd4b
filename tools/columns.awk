# Names lines that are longer than 160 columns, which neither a window beside another nor a review shows whole. Not those of generated files, and not
# Go's raw strings, in which a break would be another text. A tab counts as one column, as each other character does.
#
#   LC_ALL=C awk -f tools/columns.awk FILE...

FNR == 1 { generated = raw = 0 }
FNR < 3 && /^\/\/ (Code generated .* DO NOT EDIT\.|Made by go run )/ { generated = 1 }
{
	line = $0
	gsub(/[\200-\277]/, "", line) # what follows the first byte of a character
	columns = length(line)
	isRaw = raw
	if (/^(func|type) /) raw = 0 # where the backticks before it were miscounted, as within a string
	if (FILENAME ~ /\.go$/ && (raw || line !~ /^[ \t]*\/\//)) {
		gsub(/"`"|'`'/, "", line)
		ticks = gsub(/`/, "", line)
		isRaw = raw || ticks
		raw = (raw + ticks) % 2
	}
	if (columns > 160 && !generated && !isRaw) { print FILENAME ":" FNR ": " columns " columns"; bad = 1 }
}
END { exit bad }
