/** Compares entries of tables by the UTF-16 units of their names. */
export function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
