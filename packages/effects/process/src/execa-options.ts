import type { Command } from './command.ts'

/** Options that make execa a plain spawn: a process group of its own, unchanged output, nothing added to the environment. */
export function execaOptions({ cwd, env }: Command) {
  return {
    reject: false,
    detached: true,
    cleanup: false,
    forceKillAfterDelay: false,
    stripFinalNewline: false,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env, extendEnv: false }),
  } as const
}
