/** What a Node process says on standard error when it warns of itself. */
const WARNING = /^\(node:\d+\) .*/gm

/** Warnings of Node's in what was printed. A user has no use for any, and none is expected. */
export function nodeWarnings(stderr: string): readonly string[] {
  return stderr.match(WARNING) ?? []
}

/** Fails where a tool of ours printed one. */
export function refuseNodeWarnings(stderr: string): void {
  const warnings = nodeWarnings(stderr)
  if (warnings.length > 0) throw new Error(`Node warns of a mistake of ours:\n${warnings.join('\n')}\nin:\n${stderr}`)
}
