import { readFileSync } from 'node:fs'
import type { System } from '@davit/documents'
import type { Environment } from '@davit/process'
import { runNix } from './run-nix.ts'

/** Where builds can run, by the user's settings of Nix. */
export interface BuildPlaces {
  /** Systems for which this machine builds, its own first. */
  readonly systems: readonly System[]
  /** Whether there are other machines, which may build for other systems. */
  readonly remote: boolean
}

/** Reads the settings of Nix; nothing if this Nix does not show them. */
export async function readBuildPlaces(environment: Environment): Promise<BuildPlaces | undefined> {
  for (const command of [['show-config'], ['config', 'show']]) {
    const argv = ['nix', '--extra-experimental-features', 'nix-command', ...command] as const
    const { exitCode, stdout } = await runNix({ argv: [...argv], environment })
    if (exitCode === 0) return buildPlacesIn(new Map(stdout.split('\n').map(settingIn)))
  }
  return undefined
}

function settingIn(line: string): readonly [string, string] {
  const [, name = '', value = ''] = /^(\S+) = (.*)$/.exec(line) ?? []
  return [name, value]
}

function buildPlacesIn(settings: ReadonlyMap<string, string>): BuildPlaces | undefined {
  const system = settings.get('system')
  if (system === undefined) return undefined
  const others = (settings.get('extra-platforms') ?? '').split(' ').filter((name) => name !== '')
  return { systems: [system, ...others] as System[], remote: hasMachines(settings.get('builders') ?? '') }
}

/** Whether there are builders: machines separated by semicolons, or files that list them. */
function hasMachines(builders: string): boolean {
  return builders.split(';').some((machine) => {
    const text = machine.trim()
    return text.startsWith('@') ? fileHasMachines(text.slice(1)) : text !== ''
  })
}

function fileHasMachines(file: string): boolean {
  try {
    return /^[ \t]*[^#\s]/m.test(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
}
