import type ssh2 from 'ssh2'

/** Loads ssh2 with the first connection that needs it; local targets do not. */
export async function loadSsh2(): Promise<typeof ssh2> {
  // ssh2 is a CommonJS module, and Node does not find all of its named exports.
  return (await import('ssh2')).default
}
