/** Variables of tools that use a store. */
export const storeEnvironment = {
  DAVIT_STORE_DIR: 'directory of the store, the same path on every machine of a deployment',
  DAVIT_SYSTEM: 'platform of this machine, instead of what its kernel reports',
} as const

/** Variables of tools that copy sources, or build. */
export const sizeEnvironment = {
  DAVIT_SIZE_LIMIT:
    'limit on the size of a source and on what a build writes, unless the package sets one (default: 4 GB)',
} as const

/** Variables of tools that build. */
export const buildEnvironment = {
  ...sizeEnvironment,
  DAVIT_MEMORY_LIMIT: 'limit on the memory of each process of a build (default: half of what the machine has)',
  DAVIT_PROCESS_LIMIT: 'limit on the number of processes of a build (default: 4096)',
  DAVIT_BUILD_PATHS:
    'further directories that builds may read, separated by colons, such as /opt/node; on targets, those that are there',
} as const

/** Variables of tools that resolve secrets. */
export const secretEnvironment = {
  DAVIT_SECRET_TIMEOUT: 'seconds that a command may take that prints a secret (default: 300)',
} as const

/** Variables of tools that connect to targets. */
export const connectionEnvironment = {
  DAVIT_SSH_CONFIG: 'configuration of ssh to use instead of ~/.ssh/config',
  SSH_USER: 'user to log in as on targets',
  SSH_OPTS: 'additional options of ssh(1) for targets, separated by white space',
  SSH_AUTH_SOCK: 'socket of the ssh agent',
  DAVIT_CONNECT: 'socket of the davit-connect(1) that holds the connections; it sets this variable for its command',
  DAVIT_ANSWER_TIMEOUT:
    'seconds to wait for an answer before a machine counts as lost, and then to try to reconnect (default: 120); ten times as many while the machine writes to a store',
} as const
