"""Write a text trace of liballprof: large_run.py FOLDER ROUNDS

Eight ranks send 64 bytes around a ring, ROUNDS times: 16 calls a round.  Rank 3 computes three times as long as the
others, so all wait for it.  Once, after seven tenths of the rounds, rank 5 sends later than ever: by a tenth of the rounds.
"""
import os
import sys

RANKS, SLOW, LATE = 8, 3, 5
WORLD = "1140850688,0,8"


def main():
    folder, rounds = sys.argv[1], int(sys.argv[2])
    os.mkdir(folder)
    lines = [[] for _ in range(RANKS)]
    for rank in range(RANKS):
        lines[rank] += ["# htor's PMPI Tracer 1.1 Output File", "# time: now", "", "MPI_Init:-:1:1:1000",
                        f"MPI_Comm_size:1000:{WORLD}:1:1001", f"MPI_Comm_rank:1002:{WORLD}:1:1003"]
    times = [1010] * RANKS
    for number in range(rounds):
        sent = [time + (9 if rank == SLOW else 3) for rank, time in enumerate(times)]
        if number == rounds * 7 // 10:
            sent[LATE] += rounds
        for rank in range(RANKS):
            to, source = (rank + 1) % RANKS, (rank - 1) % RANKS
            end = max(sent[rank] + 1, sent[source] + 1) + 1
            lines[rank].append(f"MPI_Send:{sent[rank]}:64:64:1,1,1:{to}:1:{WORLD}:{sent[rank] + 1}")
            lines[rank].append(f"MPI_Recv:{sent[rank] + 1}:64:64:1,1,1:{source}:1:{WORLD}:1:{end}")
            times[rank] = end
    last = max(times)
    for rank in range(RANKS):
        lines[rank].append(f"MPI_Finalize:{last + 10}:-")
        with open(f"{folder}/pmpi-trace-rank-{rank}.txt", "w") as file:
            file.write("\n".join(lines[rank]) + "\n")


main()
