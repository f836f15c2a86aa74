#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The evaluation of evaluation/results.md: all kinds of particles, all programs, all bounds; prints the tables, makes the plots.
#
#   evaluation/evaluate.sh [OPTIONS]
#
#   --only STAGE,...     data gpu check cpu report (all, in this order). They meet in two folders, and may run on different machines:
#     --data FOLDER      NAME.f32 and NAME.json (/dev/shm/gpz-evaluation); what is missing is made by the stage data
#     --results FOLDER   JSON lines and pictures (build/evaluation); what has a line already is not run again
#   --sets NAME,...      (melt,copper,cosmology_coarse,cosmology_fine,plasma,poincare,terrain,autzen)
#   --size small|large   of the data: one or two million particles each, or 13 to 17 million, as in evaluation/results.md (large)
#   --lammps PROGRAM     for melt and copper, with MANYBODY (BUILD/bin/lmp); --lammps-options "..." are its arguments
#   --potentials FOLDER  with Cu_u3.eam (that of the LAMMPS sources of the build)
#   --bounds B,...       relative to the longest edge (1e-2,3e-3,1e-3,3e-4,1e-4,3e-5,1e-5)
#   --build FOLDER       where gpz is built (build)
#   --programs FOLDER    evaluate_NAME, the programs for GPUs: evaluation/programs says how they are built (BUILD/bin)
#   --runs N             of these, for the times (7); less where they take more than --patience seconds (2) together
#   --sz3, --mdz, --lcp, --zfp PROGRAM, --pco, --gpz-package   programs and Python packages for CPUs (evaluation/peers has their versions);
#                        those not given are left out
#   --python PROGRAM     one that has numpy, these packages, and for the plots matplotlib (python3)
#   --jobs N             CPU programs at a time (all processors)
#   --limit SECONDS      for one bound of one program (120)
#   --page FILE          puts the tables into this page instead of printing them
#   --plots FOLDER       (RESULTS)
#
# Stages: gpu runs one program after the other. check runs each once more at 1e-3 on the sets of --check-sets (melt,poincare), and has its decoded
# particles compared by check.py, which shares nothing with the programs; then on the set of --picture (poincare) at the bound where it
# takes as many bits as gpz at 1e-4, and makes a picture.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
stages=data,gpu,check,cpu,report
data=/dev/shm/gpz-evaluation
build=$root/build
results=
programs=
plots=
page=
sets=melt,copper,cosmology_coarse,cosmology_fine,plasma,poincare,terrain,autzen
check_sets=melt,poincare
picture_set=poincare
size=large
bounds=1e-2,3e-3,1e-3,3e-4,1e-4,3e-5,1e-5
runs=7
patience=2
python=python3
jobs=$(nproc)
limit=120
lammps=
lammps_options=
potentials=
tools=()
usage() {
  sed -n '/^#   /s/^# //p' "$0" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --only) stages=$2; shift 2 ;;
    --check-sets) check_sets=$2; shift 2 ;;
    --picture) picture_set=$2; shift 2 ;;
    --data | --results | --sets | --size | --bounds | --build | --programs | --runs | --patience | --python | --jobs | --limit | --page | --plots | --lammps | --potentials) declare "${1#--}=$2"; shift 2 ;;
    --lammps-options) lammps_options=$2; shift 2 ;;
    --sz3) tools+=("SZ3=$2" "SZ3 sorted=$2"); shift 2 ;;
    --mdz) tools+=("MDZ=$2"); shift 2 ;;
    --lcp) tools+=("LCP=$2"); shift 2 ;;
    --zfp) tools+=("zfp=$2"); shift 2 ;;
    --pco) tools+=("pco=" "pco sorted="); shift ;;
    --gpz-package) tools+=("gpz fast=" "gpz fast memory=" "gpz dense="); shift ;;
    *) usage ;;
  esac
done
results=${results:-$build/evaluation}
programs=${programs:-$build/bin}
plots=${plots:-$results}
mkdir -p "$data" "$results"
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# present SETS: those of the list that are there
present() {
  local set
  for set in ${1//,/ }; do
    if [ -f "$data/$set.f32" ] && [ -f "$data/$set.json" ]; then echo "$set"; fi
  done
}
# run PROGRAM SET COMMAND...: all bounds; a crash becomes a line of its own
run() {
  local name=$1 set=$2 file
  shift 2
  file=$results/${name// /_}.$set.jsonl
  "$python" "$root/evaluation/run.py" --name "$name" --data "$data/$set.f32" --bounds "$bounds" --json "$file" --limit "$limit" -- "$@" || true
}

# Makes what is missing; a set that cannot be made is said, and left out of the other stages. LAMMPS, which may have a GPU, runs beside the rest.
stage_data() {
  make_each melt copper &
  # shellcheck disable=SC2046  # words
  make_each $(tr ',' '\n' <<< "$sets" | grep -vxE 'melt|copper')
  wait
}
# make_each SET...: those that are asked for
make_each() {
  local set
  for set in "$@"; do
    if [[ ,$sets, != *,$set,* ]] || [ -n "$(present "$set")" ]; then continue; fi
    make_data "$set" "$data/$set.f32" || { echo "$set: not made" >&2; rm -f "$data/$set".{f32,json}; }
  done
}
make_data() {
  local cells=159 edge=256 million=16 bin=$build/bin
  [ "$size" = large ] || { cells=63 edge=128 million=1; }
  # The boxes of 256^3 particles have edges of 1,000 and 64 Mpc/h; fewer have the same resolution.
  case $1 in
    melt | copper)
      # shellcheck disable=SC2086  # the options are words
      "$python" "$root/evaluation/data/lammps.py" --lmp "${lammps:-$bin/lmp}" --system "$1" --size $cells --steps 300 --out "$2" \
        --potentials "${potentials:-$(sed -n 's/^LAMMPS_SOURCE_DIR:PATH=//p' "$build/CMakeCache.txt")/potentials}" -- $lammps_options
      ;;
    cosmology_coarse) "$bin/cosmology" --size $edge --box $((1000 * edge / 256)) --order cells --out "$2" ;;
    cosmology_fine) "$bin/cosmology" --size $edge --box $((64 * edge / 256)) --order lagrangian --out "$2" ;;
    plasma) "$bin/plasma" --particles ${million}000000 --out "$2" ;;
    poincare) "$bin/poincare" --particles ${million}000000 --out "$2" ;;
    terrain) "$bin/terrain" --particles ${million}000000 --out "$2" ;;
    autzen) "$python" "$root/evaluation/data/sample.py" --out "$2" ;;
    *) return 1 ;;
  esac
}

stage_gpu() {
  local set program
  for set in $(present "$sets"); do
    for program in "$programs"/evaluate_*; do
      run "$(basename "${program#*evaluate_}")" "$set" "$program" --runs "$runs" --patience "$patience"
    done
  done
}

# decode PROGRAM SET BOUND: leaves the decoded particles in $decoded, compared with what the program says of itself; fails if there are none.
decode() {
  rm -f "$decoded" "$decoded".* "$results/check.lines"
  timeout "$limit" "$1" --data "$data/$2.f32" --components "$(components "$2")" --bounds "$3" --runs 1 --patience 0.1 --json "$results/check.lines" --decoded "$decoded" > /dev/null 2>&1 || true
  if [ ! -f "$decoded" ]; then
    echo "$2, $(basename "$1"), $3: no decoded particles"
    return 1
  fi
  "$python" "$root/evaluation/check.py" "$data/$2.f32" "$decoded" --bound "$3" --results "$results/check.lines" || true
}
# One more run of each program, its decoded particles kept, compared here, and drawn.
stage_check() {
  local set program name bound decoded=$data/decoded.f32
  for set in $(present "$sets"); do
    "$python" "$root/evaluation/picture.py" "$data/$set.f32" --out "$results/$set.original.npz"
  done
  {
    for set in $(present "$check_sets"); do
      for program in "$programs"/evaluate_*; do decode "$program" "$set" 1e-3 || true; done
    done
    for set in $(present "$picture_set"); do
      for program in "$programs"/evaluate_*; do
        name=$(basename "${program#*evaluate_}")
        bound=$("$python" "$root/evaluation/equal_bits.py" "$results/$name.$set.jsonl" "$results/gpz.$set.jsonl" --bound 1e-4) || continue
        if [ -z "$bound" ] || ! decode "$program" "$set" "$bound"; then continue; fi
        "$python" "$root/evaluation/picture.py" "$data/$set.f32" --of "$decoded" --results "$results/check.lines" --out "$results/$set.$name.npz"
      done
    done
  } | tee "$results/check.txt"
  rm -f "$decoded" "$decoded".* "$results/check.lines"
}
components() {
  "$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["components"])' "$data/$1.json"
}

stage_cpu() {
  local set tool order
  for set in $(present "$sets"); do
    order=()
    [ "$set" != cosmology_fine ] || order=(--cube)
    for tool in "${tools[@]}"; do
      while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
      run "${tool%%=*}" "$set" "$python" "$root/evaluation/run_cpu.py" --program "${tool%%=*}" --tool "${tool#*=}" "${order[@]}" &
    done
  done
  wait
}

stage_report() {
  "$python" "$root/evaluation/make_report.py" "$results" ${page:+--page "$page"} --plots "$plots"
}

for stage in ${stages//,/ }; do
  case $stage in
    data | gpu | check | cpu | report) "stage_$stage" ;;
    *) usage ;;
  esac
done
