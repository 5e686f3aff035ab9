/** Message of a realisation in which some packages could not be built. */
export function cannotBuild(failed: number, planned: number): string {
  return planned === 1 ? 'cannot build the package' : `cannot build ${failed} of ${planned} packages`
}
