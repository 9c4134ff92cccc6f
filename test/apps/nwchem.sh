#!/bin/bash
# runs: alone
# NWChem: the energy of a water molecule (self-consistent field, STO-3G).
. "$SOURCE/test/apps/app.sh"
needs nwchem-mpich nwchem.mpich MPICH

# Windows in shared memory of MPICH 4.0 give NWChem wrong results, with and without the tracer.
export ARMCI_USE_WIN_ALLOCATE=0

cat >input/water.nw <<'END'
start water
geometry units angstrom
  O  0.000  0.000  0.118
  H  0.000  0.757 -0.470
  H  0.000 -0.757 -0.470
end
basis
  * library sto-3g
end
task scf energy
END
results() {
	grep -E 'Total SCF energy|One-electron energy|Two-electron energy|Nuclear repulsion energy' out
}
app nwchem 2 nwchem.mpich water.nw
