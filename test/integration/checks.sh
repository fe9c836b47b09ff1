#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Each check can fail: a copy of the tree gets one planted fault at a time, and the check that
# watches for it must name the file and the fault and end with a failure. What the check says of
# the copy before is its own business (scripts/check), so only the planted file is looked at.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

for tool in git clang-format-14 ctags python3; do
	if ! command -v "$tool" >/dev/null; then
		echo "SKIP: $tool is missing (scripts/install-deps check)"
		exit 77
	fi
done

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git -c safe.directory="$root" -C "$root" ls-files -z --cached --others --exclude-standard |
	(cd "$root" && xargs -0 ls -d 2>/dev/null) |
	tar -C "$root" -cf - -T - | tar -C "$copy" -xf -
cd "$copy" || exit 1
git() { command git -c user.name=test -c user.email=test@localhost "$@"; }
git init -q .
git add -A
git commit -q -m 'tree: copy for the checks' -m 'A body says why.'

failed=0
n=0
c_head='/* SPDX-License-Identifier: BSD-3-Clause */'
hot_head='/* hot: no malloc, no syscall, no log, no lock */'

# expect CHECK PATTERN ARGUMENT...: the check fails and prints a line that matches.
expect() {
	local check=$1 pattern=$2 output status
	shift 2
	output=$("scripts/$check" "$@" 2>&1)
	status=$?
	n=$((n + 1))
	if [ $status -ne 1 ] || ! grep -Eq -- "$pattern" <<<"$output"; then
		echo "FAILED: $check should say '$pattern' and end with 1; it ended with $status:"
		sed 's/^/    /' <<<"$output"
		failed=1
	fi
}

# plant CHECK FILE PATTERN LINE...: the file gets these lines at its end (it may be new).
plant() {
	local check=$1 file=$2 pattern=$3
	shift 3
	mkdir -p "$(dirname "$file")"
	printf '%s\n' "$@" >>"$file"
	expect "$check" "^$file:[0-9]+: .*$pattern" "$file"
	git checkout -q -- . && git clean -fdq
}

# In C, with its head; body lines follow.
plant_c() {
	local check=$1 file=$2 pattern=$3
	shift 3
	plant "$check" "$file" "$pattern" "$c_head" "$@"
}

# passes CHECK FILE LINE...: the near miss is no finding.
passes() {
	local check=$1 file=$2 output
	shift 2
	mkdir -p "$(dirname "$file")"
	printf '%s\n' "$@" >>"$file"
	n=$((n + 1))
	if ! output=$("scripts/$check" "$file" 2>&1); then
		echo "FAILED: $check should find nothing in $file:"
		sed 's/^/    /' <<<"$output"
		failed=1
	fi
	git checkout -q -- . && git clean -fdq
}

# Layout
plant_c check-format lib/mem/planted.c 'clang-format-14' 'int  planted;'
plant_c check-format lib/mem/planted.c 'blank at the end' 'int planted; '
plant_c check-format lib/mem/planted.c 'longer than 100' "/* $(printf 'x%.0s' {1..100}) */"
plant check-format lib/mem/planted.h 'no SPDX line' 'int planted;'
plant check-format scripts/planted 'no SPDX line' '#!/bin/bash' 'true'
plant check-format lib/planted/meson.build 'no SPDX line' 'sources = []'
plant check-format README.md 'empty line at the end' 'text' ''
printf '%s' "$c_head" >lib/mem/planted.c
expect check-format '^lib/mem/planted.c:1: no newline' lib/mem/planted.c
rm lib/mem/planted.c

# Layers
plant_c check-layers lib/mem/planted.c 'upward include' '#include "agg/flush.h"'
plant_c check-layers lib/mem/planted.c 'without its folder' '#include "arena.h"'
plant_c check-layers lib/mem/planted.c 'foreign private header' '#include "base/planted_priv.h"'
plant_c check-layers test/unit/mem/test_planted.c 'foreign private' '#include "base/planted_priv.h"'
plant_c check-layers lib/mem/planted.c 'does not log' '#include "base/log.h"'
plant_c check-layers lib/mem/planted.c 'not of a layer' '#include "penstockd/options.h"'
plant_c check-layers lib/planted/planted.c 'not in the list' '#include "base/span.h"'
plant_c check-layers lib/agg/planted.c 'rte_mbuf.h outside' '#include <rte_mbuf.h>'
plant_c check-layers test/fuzz/fuzz_planted.c 'rte_mbuf.h outside' '#include <rte_mbuf.h>'
plant_c check-layers drivers/input/planted.c 'includes a program' '#include "penstockd/options.h"'
plant_c check-layers lib/mem/utils.c 'a name that says nothing' '#include "base/span.h"'
sed -i "s/^inputs = \[/&\n  'planted',/" drivers/input/meson.build
plant_c check-layers drivers/input/other.c 'includes another driver' '#include "input/planted.h"'
passes check-layers lib/mem/planted.c "$c_head" '#include "base/span.h"' '#include <stdio.h>'
passes check-layers lib/dpdk/planted.c "$c_head" '#include <rte_mbuf.h>'

# Words
plant_c check-tokens lib/mem/planted.c 'does not print' 'void f(void) { printf("x"); }'
plant_c check-tokens lib/mem/planted.c 'does not end' 'void f(void) { exit(1); }'
plant_c check-tokens lib/mem/planted.c 'does not end' 'void f(void) { rte_panic("x"); }'
plant_c check-tokens app/planted.c 'not volatile' 'volatile int x;'
plant_c check-tokens app/planted.c 'not __sync_' 'void f(int *x) { __sync_fetch_and_add(x, 1); }'
plant_c check-tokens app/planted.c 'without bounds' 'int f(char *x) { return atoi(x); }'
plant_c check-tokens app/planted.c 'no typedefs' 'typedef struct x x;'
plant_c check-tokens app/planted.c 'no constructors' '__attribute__((constructor)) void f(void);'
plant_c check-tokens app/planted.c 'comments are' 'int x; // y'
plant check-tokens README.md 'unfinished work' "TO""DO: more"
plant check-tokens README.md "somebody's own" "see /ho""me/somebody/notes"
plant check-tokens README.md 'outside the repository' "see sha""red/notes.md"
plant check-tokens lib/mem/planted.c 'no malloc' "$c_head" "$hot_head" 'void f(void *x) { free(x); }'
plant check-tokens lib/mem/planted.c 'no syscall' "$c_head" "$hot_head" 'void f(void) { read(0, 0, 0); }'
plant check-tokens lib/mem/planted.c 'no log' "$c_head" "$hot_head" 'void f(void) { log_info("x"); }'
plant check-tokens lib/mem/planted.c 'no lock' "$c_head" "$hot_head" \
	'void f(void) { pthread_mutex_lock(0); }'
plant check-tokens lib/mem/planted.c 'a hot file says' "$c_head" '/* hot: fast */'
passes check-tokens lib/mem/planted.c "$c_head" "$hot_head" \
	'/* free(x), printf(x) */' 'const char *x = "exit(1)";' \
	'void f(struct ops *ops) { ops->read(0); assert(1); }' \
	'void' 'planted_done(void *x)' '{' $'\tfree(x);' '}'
passes check-tokens lib/mem/planted.c "$c_head" 'void f(char *x) { snprintf(x, 1, "x"); }'

# Size
plant check-functions lib/mem/planted.c 'f has 10[0-9] lines' "$c_head" \
	'int f(void)' '{' "$(printf 'int x%d;\n' {1..99})" '}'
plant_c check-functions lib/mem/planted.c 'f has 7 parameters' \
	'int f(int a, int b, int c, int d, int e, int g, int h)' '{' '}'
passes check-functions lib/mem/planted.c "$c_head" \
	'int f(int a, int (*b)(int x, int y), int c, int d, int e, int g)' '{' '}'

# Documentation
plant check-docs doc/planted.md 'leads nowhere' '[a page](nowhere.md)'
plant check-docs doc/planted.md 'has no heading' '# One' '[a heading](#two)'
plant check-docs doc/planted.md 'there is no lib/planted' 'See `lib/planted/planted.c`.'
passes check-docs doc/planted.md '# One' '[here](#one) [up](../meson.build) `lib/<layer>/x.c`'
plant check-docs doc/penstockctl.1 'no manual penstock-none\(1\)' '.Xr penstock-none 1'
plant check-docs doc/planted.8 'no .Xr penstockd 8' '.\" SPDX-License-Identifier: BSD-3-Clause'
if command -v mandoc >/dev/null; then
	plant check-docs doc/planted.1 '.' '.TH'
fi
printf '%s\n' '#!/bin/sh' 'echo "doc/metrics.md:1: planted"; exit 1' >scripts/gen-docs
chmod +x scripts/gen-docs
expect check-docs '^doc/metrics.md:1: planted'
git checkout -q -- . && git clean -fdq

# Scripts
plant check-scripts scripts/planted 'syntax error|unexpected' '#!/bin/bash' 'if'
plant check-scripts scripts/planted.py '[Ss]yntax|EOF|parenthes|closed' 'f(('
plant check-scripts scripts/planted 'not executable' '#!/bin/bash' 'true'

# Commits: title, body, pattern
commit() {
	git commit -q --allow-empty -m "$1" ${2:+-m "$2"}
	expect check-commits "$3" -1
	git reset -q --hard HEAD~1
}
commit 'no area here' 'why' 'not "area: title"'
commit 'Area: title' 'why' 'not "area: title"'
commit 'area: Title' 'why' 'starts lower-case'
commit 'area: title.' 'why' 'ends in a period'
commit "area: $(printf 'x%.0s' {1..60})" 'why' 'characters, more than 60'
commit 'area: title' '' 'no body'
commit 'area: title' 'Signed-off-by: someone' 'no body'

# All of them together: one fault anywhere fails the one command.
printf '%s\n' "$c_head" 'int  planted;' >lib/mem/planted.c
expect check '^lib/mem/planted.c:2: clang-format-14'
expect check '^scripts/check: findings in .*check-format'

echo "$n expectations"
exit $failed
