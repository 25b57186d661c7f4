/** Milliseconds since some moment that is the same for all processes of a machine, whatever is done to its clock. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
