export { atExit } from './at-exit.ts'
export type { Command, CommandResult, RunningCommand } from './command.ts'
export { environment, type Environment } from './environment.ts'
export {
  accountId,
  encodeProcessReference,
  comesFrom,
  isProcessAlive,
  isProcessGone,
  parseProcessReference,
  type ProcessIdentity,
  processIdentity,
  type ProcessReference,
  processReference,
  wasRestartedSince,
} from './identity.ts'
export { inheritedDescriptors } from './inherited.ts'
export { nodeVersion } from './node-version.ts'
export { runCommand } from './run-command.ts'
export { settled } from './settled.ts'
export { startCommand } from './start-command.ts'
export { unlessAborted } from './unless-aborted.ts'
