import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MeasureOptions, textOf } from './measure.ts'
import type { Workplace } from './workplace.ts'

/** A Nix store that commands see as `/nix`. */
export interface NixRoom {
  readonly directory: string
  readonly environment: NodeJS.ProcessEnv
  within(command: readonly string[]): readonly string[]
  text(command: readonly string[]): Promise<string>
}

const SETTINGS = ['sandbox = false', 'build-users-group =', 'substituters =', 'max-jobs = auto']
const ENTER = 'mount --bind "$1" /nix && shift && exec "$@"'

/** Creates an empty store, or a copy of another one. */
export async function nixRoom(place: Workplace, directory: string, original?: NixRoom): Promise<NixRoom> {
  const nix = join(directory, 'nix')
  const settings = join(directory, 'nix-settings')
  const home = join(directory, 'home')
  for (const part of [settings, home]) mkdirSync(part, { recursive: true })
  writeFileSync(join(settings, 'nix.conf'), SETTINGS.map((setting) => `${setting}\n`).join(''))
  const environment = {
    ...place.environment,
    HOME: home,
    NIX_CONF_DIR: settings,
    DAVIT_STATE_DIR: join(directory, 'state'),
  }
  const options: MeasureOptions = { environment, directory }
  if (original === undefined) mkdirSync(nix)
  // Writes the copy to the disk now, so that this does not happen during a measurement.
  else await textOf(['sh', '-c', 'cp -a "$1" "$2" && sync', 'sh', join(original.directory, 'nix'), nix], options)
  const enter = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', ENTER, 'sh', nix]
  const within = (command: readonly string[]) => [...enter, ...command]
  return { directory, environment, within, text: (command) => textOf(within(command), options) }
}

export function removeRoom({ directory }: NixRoom): void {
  rmSync(directory, { recursive: true, force: true })
}
