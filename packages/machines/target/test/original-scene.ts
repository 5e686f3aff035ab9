import { existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Connection } from '@davit/connection'
import { shellConnection } from '@davit/connection/testing'
import { encodeDocument, ProfileManifest, type ProfileName, type StorePath, type TargetName } from '@davit/documents'
import { layOutOriginal } from '@davit/testing/original'
import { scratchDirectory } from '@davit/testing/scratch'
import type { Shell } from '@davit/testing/shells'
import { beforeEach, onTestFinished } from 'vitest'

import { type Machine, openMachine } from '../src/target.ts'

export const profile = 'default' as ProfileName
export const target = 't1' as TargetName
export const place = { target, profile, token: '-' }
export const NOTHING: ProfileManifest = { services: new Map(), serviceMappings: [], snapshotMappings: [] }
export const WEB = { container: 'process', component: 'web' }
const TEXT = encodeDocument(ProfileManifest.on(target), NOTHING, 'xml')

/** Sets profiles as nix-env does. */
const NIX_ENV = `#!/bin/sh
echo "$@" >>"$(dirname "$0")/log"
ln -s "$4" "$2-9-link" && ln -sfn "\${2##*/}-9-link" "$2"`

/** A machine, empty before each test, on which Disnix and Dysnomia may have left something. */
export function originalScene(shell: Shell) {
  let directory: string
  let surroundings: Readonly<Record<string, string>>
  const opened = new Map<string, Promise<Pick<Machine, 'close'>>>()
  const inside = (...parts: readonly string[]) => join(directory, ...parts)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(inside(path)), { recursive: true })
    writeFileSync(inside(path), text, { mode: 0o755 })
  }

  beforeEach(() => {
    directory = scratchDirectory()
    surroundings = {}
    opened.clear()
    mkdirSync(inside('tmp'))
    for (const name of ['nix-env', 'nix-store']) write(`bin/${name}`, NIX_ENV)
  })

  /** Opens the machine with a helper of its own, whose script may be changed, but not its length. */
  async function open<R extends 'deploy' | 'adopt'>(role: R, change = (text: string) => text): Promise<Machine<R>> {
    const own = { NIX_STATE_DIR: inside('nix'), DYSNOMIA_STATEDIR: inside('dysnomia'), TMPDIR: inside('tmp') }
    const environment = { ...own, PATH: `${inside('bin')}:${shell.path}`, ...surroundings }
    const connection = shellConnection(shell, inside('state'), { environment })
    const changed: Connection = {
      ...connection,
      async run(text) {
        const channel = await connection.run(text)
        const write = channel.stdin.write.bind(channel.stdin)
        channel.stdin.write = (input: string) => write(change(input))
        return channel
      },
    }
    const machine = await openMachine(async () => changed, { role })
    onTestFinished(() => machine.close())
    return machine
  }

  return {
    inside,
    write,
    open,
    /** Returns the helper of the test in these surroundings. */
    async opened<R extends 'deploy' | 'adopt'>(role: R): Promise<Machine<R>> {
      const key = JSON.stringify([role, surroundings])
      const machine = opened.get(key) ?? open(role)
      opened.set(key, machine)
      return machine as Promise<Machine<R>>
    },
    /** Sets variables of the helpers that are opened from now on. */
    surround(variables: Readonly<Record<string, string>>): void {
      surroundings = variables
    },
    /** Has a profile of Disnix. */
    lay: (name: string = profile) =>
      layOutOriginal(inside('nix'), { profile: name, target, text: TEXT, store: inside('store') }) as StorePath,
    /** Gives davit a profile of its own. */
    setOwn(): void {
      mkdirSync(inside(`state/targets/t1/profiles/${profile}`), { recursive: true })
      symlinkSync('/nowhere', inside(`state/targets/t1/profiles/${profile}/current`))
    },
    snapshot(root: string, name: string, number: number): void {
      write(`${root}/snapshots/process/web/${name}/dump`, name)
      write(`${root}/checksums/process/web/${name}`, `sha256:${name}`)
      mkdirSync(inside(root, 'generations/process/web'), { recursive: true })
      symlinkSync(`../../../snapshots/process/web/${name}`, inside(root, 'generations/process/web', String(number)))
    },
    generations(root: string): readonly string[] {
      const all = inside(root, 'generations/process/web')
      if (!existsSync(all)) return []
      return readdirSync(all).map((number) => `${number} ${readlinkSync(join(all, number)).replace(/.*\//, '')}`)
    },
  }
}
