# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Where fuzzers begin: inputs of the targets fuzz/*.c.  recorded() is the caller's: it prints a
# recording of the stand-in for the kernel.

# seed NAME: standard input is where the fuzzer begins, once for each way to use it.
seed() {
	local mode

	cat > "$corpus.seed"
	for mode in {0..9} a b; do
		{ printf '%b' "\\x0$mode"; cat "$corpus.seed"; } > "$corpus/$1-$mode"
	done
}

# seeds TARGET: its inputs, as files of the directory $corpus
seeds() {
	case $1 in
	recording)
		recorded --past --timeout 10 | seed cpus
		recorded --timeout 50 -I 10 -- sleep 0.03 | seed tasks
		recorded --timeout 250 -I 100 --latency all | seed latency
		recorded --timeout 120 -I 50 --by cgroup | seed owners ;;
	words)
		printf -- '-a\n-A\n-I\n500ms\n--count\n3\n-C\n0-3,8\n-x\n;\n-e\nALL' | seed options
		printf 'tma_memory_bound>60\n--hold\n10s\nretiring<20' | seed thresholds
		printf 'application/openmetrics-text;version=1.0.0;q=0.8,text/*;q=0.1,gzip;q=0' |
			seed accept ;;
	counts)
		printf '1.0,CPU0,100,,topdown/slots/,5,99.0,,\n1.0,CPU0,20,,topdown/tma_retiring/,5,100.00,,\n' |
			seed stat
		printf 'a 1.5: 100 topdown/slots/: main\na 1.5: 30 topdown/tma_retiring/: main\n' |
			seed script ;;
	device)
		head -c 2000 /dev/zero | seed zeros
		seq 1000 | seed numbers ;;
	esac
}
