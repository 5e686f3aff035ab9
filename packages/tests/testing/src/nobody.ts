/** An account that owns nothing, as which root can do what root may not be refused. */
export const NOBODY = { uid: 65_534, gid: 65_534 } as const

/** The beginning of a command line that is carried out as that account. */
export const AS_NOBODY = [
  'setpriv',
  `--reuid=${NOBODY.uid}`,
  `--regid=${NOBODY.gid}`,
  '--clear-groups',
] as const satisfies readonly string[]
