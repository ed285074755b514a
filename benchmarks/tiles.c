/* Rival of the compiled search: plain iterative deepening on the 8-puzzle, in C.
   Reads the tiles of the position (nine digits, cell by cell), searches limits 1, 2, … up to the first with a
   solution, and prints: nodes solutions seconds (processor time). */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static const int near[9][5] = {{1, 3, -1}, {0, 2, 4, -1}, {1, 5, -1}, {0, 4, 6, -1}, {1, 3, 5, 7, -1},
                               {2, 4, 8, -1}, {3, 7, -1}, {4, 6, 8, -1}, {5, 7, -1}};
static const uint64_t home = 0x087654321;
static long nodes, solutions;

static void descend(uint64_t state, int blank, int before, int left) {
    nodes++;
    if (state == home) { solutions++; return; }
    if (!left) return;
    for (const int *cell = near[blank]; *cell >= 0; cell++) {
        if (*cell == before) continue;
        uint64_t tile = state >> 4 * *cell & 15;
        descend(state ^ tile << 4 * *cell ^ tile << 4 * blank, *cell, blank, left - 1);
    }
}

int main(void) {
    char text[16];
    uint64_t state = 0;
    int blank = 0;
    long total = 0;
    struct timespec start, end;
    if (scanf("%15s", text) != 1) return 2;
    for (int cell = 0; cell < 9; cell++) {
        state |= (uint64_t)(text[cell] - '0') << 4 * cell;
        if (text[cell] == '0') blank = cell;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (int limit = 1; !solutions; limit++) {
        nodes = 0;
        descend(state, blank, -1, limit);
        total += nodes;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    printf("%ld %ld %.9f\n", total, solutions,
           (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9);
    return 0;
}
