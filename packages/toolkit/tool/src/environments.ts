/** For the `environment` of tools that use a store. */
export const storeEnvironment = {
  DAVIT_STORE_DIR: 'where packages are kept, the same path on every machine of a deployment',
  DAVIT_SYSTEM: 'platform of this machine, in place of what its kernel says',
} as const

/** For the `environment` of tools that copy sources, or build. */
export const sizeEnvironment = {
  DAVIT_SIZE_LIMIT: 'how large sources may be, and how much builds may write, if their packages do not say it [4 GB]',
} as const

/** For the `environment` of tools that reach targets. */
export const connectionEnvironment = {
  DAVIT_SSH_CONFIG: 'configuration of ssh to be used in place of ~/.ssh/config',
  SSH_USER: 'user to log in as on targets',
  SSH_OPTS: 'more options of ssh(1) for targets, separated by white space',
  SSH_AUTH_SOCK: 'the agent',
  DAVIT_ANSWER_TIMEOUT:
    'after how many seconds a machine that owes an answer and says nothing counts as lost [120], and for how many one that was lost is tried again; ten times as many where it writes a store',
} as const
