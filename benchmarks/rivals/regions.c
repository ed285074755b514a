/* Rival of the bounded search: iterative deepening with the bound by disjoint full Merson regions, in C.
   Arguments: root, active peg, goal, lowest and highest limit. Reads the number of jumps, the jumps (origin,
   middle, target), the number of regions, the regions (as masks); prints: nodes solutions seconds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t mask[256], pegs[256], region[64];
static int origin[256], target[256], jumps, regions;
static long nodes, solutions;
static uint64_t goal;

static int bound(uint64_t state, int active) {
    int count = 0;
    if (!(state & (state - 1))) return 0;
    state &= ~(1ull << active);
    for (int r = 0; r < regions; r++)
        if ((state & region[r]) == region[r]) state ^= region[r], count++;
    return count;
}

static void descend(uint64_t state, int active, int spent, int limit) {
    nodes++;
    if (spent > limit) return;
    if (state == goal) { solutions++; return; }
    if (spent + bound(state, active) > limit) return;
    for (int j = 0; j < jumps; j++)
        if ((state & mask[j]) == pegs[j])
            descend(state ^ mask[j], target[j], spent + (origin[j] != active), limit);
}

int main(int argc, char **argv) {
    int a, b, c, lowest, highest;
    struct timespec start, end;
    if (argc != 6 || scanf("%d", &jumps) != 1) return 2;
    for (int j = 0; j < jumps; j++) {
        if (scanf("%d %d %d", &a, &b, &c) != 3) return 2;
        mask[j] = 1ull << a | 1ull << b | 1ull << c;
        pegs[j] = 1ull << a | 1ull << b;
        origin[j] = a, target[j] = c;
    }
    if (scanf("%d", &regions) != 1) return 2;
    for (int r = 0; r < regions; r++)
        if (scanf("%llu", (unsigned long long *)&region[r]) != 1) return 2;
    goal = 1ull << atoi(argv[3]);
    lowest = atoi(argv[4]), highest = atoi(argv[5]);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (int limit = lowest; limit <= highest; limit++)
        descend(strtoull(argv[1], 0, 10), atoi(argv[2]), 1, limit);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%ld %ld %.9f\n", nodes, solutions,
           (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9);
    return 0;
}
