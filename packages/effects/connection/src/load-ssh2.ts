import type ssh2 from 'ssh2'

/** ssh2 is loaded with the first connection that needs it: local targets do without. */
export async function loadSsh2(): Promise<typeof ssh2> {
  // A CommonJS module, whose named exports Node does not all find.
  return (await import('ssh2')).default
}
