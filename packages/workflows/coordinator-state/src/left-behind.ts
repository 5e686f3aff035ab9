import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DavitError, ExitStatus, suggestionFor } from '@davit/diagnostics'
import { type NamedMapping, parseNamedMappings } from '@davit/documents'
import { isMissing, makeDirectories, readTextFile, writeFileAtomic } from '@davit/files'

import { otherDeployments } from './deployments.ts'
import { currentGeneration } from './generations.ts'
import type { DeploymentPlace } from './place.ts'

/** Reads which services keep running on targets removed from the infrastructure; the list does not depend on generations. */
export async function readLeftBehind(place: DeploymentPlace): Promise<readonly NamedMapping[]> {
  const text = await readTextFile(fileOf(place)).catch((error: unknown) => {
    if (isMissing(error)) return '[]'
    throw error
  })
  const left = parseNamedMappings(valueIn(text))
  if (left !== undefined) return left
  throw new DavitError('corrupt-state', `'${fileOf(place)}' is not a valid list of services that were left behind`, {
    exitStatus: ExitStatus.badDocument,
    hint: 'remove it; davit then no longer reports what runs on targets that were removed from the infrastructure',
  })
}

export async function writeLeftBehind(place: DeploymentPlace, left: readonly NamedMapping[]): Promise<void> {
  if (left.length === 0) return rm(fileOf(place), { force: true })
  const [before, after] = [await readLeftBehind(place), left].map((list) => JSON.stringify(list))
  if (before === after) return
  makeDirectories(place, 0o700)
  await writeFileAtomic(fileOf(place), `${after}\n`, { mode: 0o600 })
}

/** Removes the services on one target from the list of what was left behind, and returns them. */
export async function forgetTarget(place: DeploymentPlace, target: string): Promise<readonly NamedMapping[]> {
  const left = await readLeftBehind(place)
  const current = await currentGeneration(place)
  // The next run would add it to the list again.
  if ([...(current?.manifest.infrastructure.keys() ?? [])].some((name) => name === target)) {
    throw new DavitError(
      'still-deployed',
      `target '${target}' is still part of the deployment (generation ${current?.number})`,
      {
        hint: 'deploy without it first; what keeps running there can then be forgotten',
      },
    )
  }
  const forgotten = left.filter((one) => one.target === target)
  if (forgotten.length === 0) throw await noSuchTarget(place, target, new Set(left.map((one) => one.target)))
  await writeLeftBehind(
    place,
    left.filter((one) => one.target !== target),
  )
  return forgotten
}

async function noSuchTarget(place: DeploymentPlace, target: string, targets: ReadonlySet<string>): Promise<DavitError> {
  const names = [...targets].map((name) => `'${name}'`).join(', ')
  const others = (await otherDeployments(place)).map((name) => `'${name}'`).join(', ')
  const elsewhere =
    others === '' ? '' : `; this coordinator has also deployed ${others}: select one of them with -p NAME`
  const nowhere = `this deployment has left nothing behind on any target${elsewhere}`
  const hint = targets.size === 0 ? nowhere : `services were left behind on ${names}`
  return new DavitError('no-target', `nothing was left behind on '${target}'`, {
    hint: suggestionFor(target, targets) ?? hint,
  })
}

function fileOf(place: DeploymentPlace): string {
  return join(place, 'left-behind.json')
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
