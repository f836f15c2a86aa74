# SPDX-License-Identifier: BSD-3-Clause
"""Names that other values of a structure cannot have."""

# Names that columns of a batch or of the table have already.
COLUMNS = {"id", "type", "x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz", "ix", "iy", "iz", "atoms", "pbc", "cell", "energy", "stress"}
ARGUMENTS = {"frame", "positions", "ids", "types", "velocities", "forces", "images", "box", "timestep", "time", "origin"}
ARGUMENTS |= {"grid", "observables", "numbers"}  # of gpz.Writer.write
TAKEN = COLUMNS | ARGUMENTS
