/** Compares by code units: the order of tables everywhere, on every machine. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** Compares entries of tables by the UTF-16 units of their names. */
export function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return compareText(left, right)
}
