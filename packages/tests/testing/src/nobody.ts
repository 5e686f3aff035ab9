/** An account that owns nothing: root uses it to be refused access. */
export const NOBODY = { uid: 65_534, gid: 65_534 } as const

/** The beginning of a command line that runs as this account. */
export const AS_NOBODY = [
  'setpriv',
  `--reuid=${NOBODY.uid}`,
  `--regid=${NOBODY.gid}`,
  '--clear-groups',
] as const satisfies readonly string[]
