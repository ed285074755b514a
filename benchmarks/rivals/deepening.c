/* Rival of the compiled search: plain iterative deepening on Hoppers, in C.
   Argument: number of runs. Reads the jumps, one per line (origin, middle, target), counts nodes and solutions
   of limits 2 to 7 after the jump 0 -> 6, and prints: nodes solutions seconds-per-run. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t mask[128], pegs[128];
static int origin[128], target[128], jumps;
static long nodes, solutions;

static void descend(uint64_t state, int active, int spent, int limit) {
    nodes++;
    if (spent > limit) return;
    if (state == 1u << 6) { solutions++; return; }
    for (int j = 0; j < jumps; j++)
        if ((state & mask[j]) == pegs[j])
            descend(state ^ mask[j], target[j], spent + (origin[j] != active), limit);
}

int main(int argc, char **argv) {
    int a, b, c, runs = argc > 1 ? atoi(argv[1]) : 1;
    struct timespec start, end;
    while (scanf("%d %d %d", &a, &b, &c) == 3) {
        mask[jumps] = 1ull << a | 1ull << b | 1ull << c;
        pegs[jumps] = 1ull << a | 1ull << b;
        origin[jumps] = a, target[jumps++] = c;
    }
    uint64_t root = ((1ull << 13) - 1) ^ (1ull << 0) ^ (1ull << 3);
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int run = 0; run < runs; run++) {
        nodes = solutions = 0;
        for (int limit = 2; limit <= 7; limit++) descend(root, 6, 1, limit);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%ld %ld %.9f\n", nodes, solutions, seconds / runs);
    return 0;
}
