/* Rival of the compiled search: plain iterative deepening on the 8-puzzle, in C.
   Argument: the position as text. Searches limits 1 to the first with a solution, never back to the position
   before, and prints: nodes solutions seconds. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static const int neighbours[9][5] = {{1, 3, -1}, {0, 2, 4, -1}, {1, 5, -1}, {0, 4, 6, -1}, {1, 3, 5, 7, -1},
                                     {2, 4, 8, -1}, {3, 7, -1}, {4, 6, 8, -1}, {5, 7, -1}};
static const uint64_t home = 0x087654321;
static long nodes, solutions;

static void descend(uint64_t state, int gap, int before, int left) {
    nodes++;
    if (state == home) { solutions++; return; }
    if (left == 0) return;
    for (const int *next = neighbours[gap]; *next >= 0; next++)
        if (*next != before) {
            uint64_t tile = state >> 4 * *next & 15;
            descend(state ^ tile << 4 * *next ^ tile << 4 * gap, *next, gap, left - 1);
        }
}

int main(int argc, char **argv) {
    uint64_t root = 0;
    int gap = 0;
    struct timespec start, end;
    if (argc != 2) return 2;
    for (int cell = 0; cell < 9; cell++) {
        uint64_t tile = argv[1][cell] - '0';
        root |= tile << 4 * cell;
        if (!tile) gap = cell;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int limit = 1; !solutions; limit++) descend(root, gap, -1, limit);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%ld %ld %.9f\n", nodes, solutions,
           (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9);
    return 0;
}
