#!/bin/sh
# Runs a sweep as a Slurm array: 50 parts, each on two processors.
#
#     sbatch docs/examples/cluster/slurm.sh docs/examples/loss.toml
#
# A part that failed or ran out of time goes on where it was when the array is submitted again; parts that are complete
# end at once. When all are there:
#
#     jive sweep --join parts --out rows.csv
#SBATCH --job-name=jive-sweep
#SBATCH --array=1-50
#SBATCH --cpus-per-task=2
#SBATCH --time=00:30:00
#SBATCH --output=slurm-%A-%a.log

# The last number of the array is the number of parts, so `--array=1-200` needs no other change.
exec jive sweep "${1:?expected a plan}" \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_MAX" \
  --jobs "${SLURM_CPUS_PER_TASK:-1}" \
  --out parts
