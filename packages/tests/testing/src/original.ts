import { existsSync, mkdirSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface OriginalProfile {
  /** Name of the deployment. */
  readonly profile: string
  readonly target: string
  /** Its profile manifest. */
  readonly text: string
  /** Directory of the store. */
  readonly store: string
}

/** Lays out a profile as Disnix has it on a target, below the state directory of Nix; returns its path in the store. */
export function layOutOriginal(nix: string, { profile, target, text, store }: OriginalProfile): string {
  const profiles = join(nix, 'profiles/disnix')
  mkdirSync(profiles, { recursive: true })
  const number = readdirSync(profiles).filter((name) => name.startsWith(`${profile}-`)).length + 1
  const path = join(store, `${String(number).repeat(32)}-${target}`)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'profilemanifest.xml'), text)
  symlinkSync(path, join(profiles, `${profile}-${number}-link`))
  if (existsSync(join(profiles, profile))) unlinkSync(join(profiles, profile))
  symlinkSync(`${profile}-${number}-link`, join(profiles, profile))
  return path
}
