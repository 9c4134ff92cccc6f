/* Processes of a job that count into a node file in the folder `scratch`. */
#ifndef TEST_NODE_RANKS_H
#define TEST_NODE_RANKS_H

#include "usage/log/node_file.h"

enum { NODE_RANKS = 12 };

/* Join the file of job 4711.0, of NODE_RANKS ranks on 3 nodes, in one of the directories; NULL on failure. */
struct node_file *node_joined(const char *directories, uint32_t rank, struct error *err);

/* The key of a cell, another one for each number. */
struct usage_key node_key_of(unsigned number);

/* Count calls of 8 bytes, 16 moved, that take 50 ticks of 2 ns and are 500 ticks apart, in `keys` cells. */
void count_node_calls(struct node_file *node, unsigned calls, unsigned keys);

/* Start a process that joins, has counted when this returns, and lives until it is killed. */
pid_t start_node_rank(uint32_t rank, unsigned calls, unsigned keys);
void kill_node_rank(pid_t child);

/* Number of node files in the folder, also of unfinished ones; the path of one of them. */
int node_files(char path[static 512]);

#endif
