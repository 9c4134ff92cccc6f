#!/usr/bin/python3
"""Write the calls of four ranks for archive.py: reductions of all and of pairs, at call sites."""
MS = 1000000
now = [MS] * 4
print("\n".join(f"{rank} 0 {MS} MPI_Init create:{'0,1' if rank < 2 else '2,3'}" for rank in range(4)))


def reduce(site, ranks, comm=""):
    last = max(now[rank] for rank in ranks)
    for rank in ranks:
        where = site if isinstance(site, str) else site[rank % 2]
        print(f"{rank} {now[rank]} {last} MPI_Allreduce coll:ALLREDUCE:{comm and ':' + comm} site:{where}")
        now[rank] = last


for _ in range(2):
    for rank in range(4):
        now[rank] += MS
    reduce("solve.c:57", range(4))
    reduce("norm.c:12", (0, 1), "0,1")
    reduce("norm.c:12", (2, 3), "2,3")
reduce(("even.c:1", "odd.c:1"), range(4))
reduce("norm.c:9", range(4))
for rank in range(4):
    print(f"{rank} {now[rank]} {now[rank]} MPI_Finalize")
