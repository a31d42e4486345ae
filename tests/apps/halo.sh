#!/bin/sh
# Protects: an MPI program whose processes have a device each (halo.c), by each of its three ways to exchange
# data, with each MPI that is installed; docs/clusters.md shows how.
#	MPI=openmpi|mpich    that one alone
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/CL"
cp "$here/../../icd/include/cl_culvert.h" "$folder/CL/"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
CULVERT_SOFT_DEVICES=3
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM CULVERT_SOFT_DEVICES
tried=0
failed=0

# More processes than cores are no reason not to run, which one of the two wants to be told.
launch() { # mpi, program, arguments
	mpi=$1
	shift
	case $mpi in
	openmpi) mpirun.openmpi --oversubscribe -n 3 "$here/foreign" "$@" ;;
	*) "mpirun.$mpi" -n 3 "$here/foreign" "$@" ;;
	esac
}

for mpi in ${MPI:-openmpi mpich}; do
	compiler=mpicc.$mpi
	command -v "$compiler" >/dev/null && command -v "mpirun.$mpi" >/dev/null || continue
	tried=1
	"$compiler" -std=gnu11 -Wall -Wextra -Werror -isystem "$folder" "$here/halo.c" -o "$folder/halo-$mpi" -lOpenCL -lm ||
		exit 1
	# Under WSL 2, memory has no handles for other processes.
	ways="host ipc"
	[ "${CULVERT_SOFT_MACHINE:-}" != wsl ] || ways=host
	# Any MPI reaches the memory of the software device, as if it knew of CUDA.
	[ "${CULVERT_CUDA:-}" != soft ] || ways="$ways device"
	for way in $ways; do
		if launch "$mpi" "$folder/halo-$mpi" "$way" >"$folder/said" 2>&1; then
			sed "s/^/$mpi: /" "$folder/said"
		else
			cat "$folder/said"
			echo "FAIL: $mpi, $way"
			failed=1
		fi
	done
done
[ $tried = 1 ] || { echo "skipped: no OpenMPI or MPICH with its compiler"; exit 77; }
exit $failed
