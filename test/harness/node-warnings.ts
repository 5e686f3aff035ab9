/** A warning of Node on standard error. */
const WARNING = /^\(node:\d+\) .*/gm

/** Returns Node's warnings in the output of a tool. They are useless to users, so there should be none. */
export function nodeWarnings(stderr: string): readonly string[] {
  return stderr.match(WARNING) ?? []
}

/** Throws if a tool of ours printed a warning of Node. */
export function refuseNodeWarnings(stderr: string): void {
  const warnings = nodeWarnings(stderr)
  if (warnings.length > 0) throw new Error(`Node warns of a mistake in davit:\n${warnings.join('\n')}\nin:\n${stderr}`)
}
