#!/bin/bash
# runs: alone
# LAMMPS: a Lennard-Jones crystal of 500 atoms melts.
. "$SOURCE/test/apps/app.sh"
needs lammps lmp "Open MPI"

cat >input/in.melt <<'END'
units lj
lattice fcc 0.8442
region cube block 0 5 0 5 0 5
create_box 1 cube
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 4711 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
fix motion all nve
thermo 10
run 100
END
results() {
	sed -n '/^ *Step /,/^Loop time/p' out | sed '$d'
}
app lammps 2 lmp -in in.melt
