/** Exit statuses that all executables share, after sysexits.h; each tool defines its own meaning of 1 to 9. */
export const ExitStatus = {
  done: 0,
  failed: 1,
  usage: 64,
  badDocument: 65,
  noInput: 66,
  unreachable: 69,
  bug: 70,
  cannotCreate: 73,
  locked: 75,
  permission: 77,
  interrupted: 130,
  terminated: 143,
} as const
