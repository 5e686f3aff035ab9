import { basename } from 'node:path'

import { printable } from '@davit/diagnostics'
import { CANDIDATES, isolationFrom, PROGRAMS, type VisiblePath } from '@davit/isolation'
import type { BuildMachine, RemoteBuild, StoreLayout } from '@davit/store'
import { encodeBytes, encodeField } from '@davit/target-runtime'

import { fromHexadecimal } from '../helper/answer-lines.ts'

export type BuildEnd = { readonly kind: 'built' } | FailedBuild

export type FailedBuild = FailedBuildDetails &
  ({ readonly kind: 'status'; readonly status: number } | { readonly kind: 'missing' | 'large' | 'unusual' | 'error' })

interface FailedBuildDetails {
  /** Explanation from the machine; may be empty. */
  readonly message: string
  /** The end of what the builder printed. */
  readonly log: Buffer
}

export interface BuildTerms {
  readonly layout: StoreLayout
  /** Further paths that builds see. */
  readonly paths: readonly string[]
}

/** Parses the facts that a machine reports before it builds, one in a line. */
export function machineOf(facts: readonly string[], { layout, paths }: BuildTerms): BuildMachine {
  const all = (fact: string) =>
    facts.filter((line) => line.startsWith(`${fact} `)).map((line) => line.slice(fact.length + 1))
  const [index = '', program = ''] = all('isolation')[0]?.split(' ') ?? []
  const candidates = [...CANDIDATES, ...paths]
  return {
    isolation: isolationFrom(index === '' ? -1 : Number(index), program),
    visible: all('visible').flatMap((fact) => visiblePathIn(fact, candidates)),
    processors: Math.max(1, numberIn(all('processors')[0], 1)),
    workspaceOf: (output) => `${layout.incoming}/build.${basename(output).slice(0, HASH_CHARACTERS)}`,
  }
}

/** Parses `PATH` or, for a link to where programs are, `PATH LINK`. */
function visiblePathIn(fact: string, candidates: readonly string[]): readonly VisiblePath[] {
  const path = candidates.find((one) => fact === one || fact.startsWith(`${one} `))
  if (path === undefined) return []
  const link = fact.slice(path.length + 1)
  return PROGRAMS.includes(path) && /^\/?usr\/[\w/]+$/.test(link) ? [{ path, link }] : [{ path }]
}

function numberIn(text = '', otherwise: number): number {
  return /^\d{1,3}$/.test(text) ? Number(text) : otherwise
}

const HASH_CHARACTERS = 32

/** Returns the process of the script, as it reported it. */
export function selfIn(facts: readonly string[]): string | undefined {
  return facts.map((fact) => /^self (\d+:\d+:[\w-]+)$/.exec(fact)?.[1]).find((name) => name !== undefined)
}

/** Encodes a build as a line that `read_requests` of the script understands. */
export function encodeRequest(id: string, build: RemoteBuild): string {
  const { output, isAside, sizeLimit, files, argv, account } = build
  const contents = [...files].flatMap(([name, content]) => [`file:${name}`, encodeBytes(content)])
  const owner = account === undefined ? [] : ['owner', String(account)]
  const words = argv.flatMap((word) => ['word', encodeField(word)])
  const kilobytes = String(Math.ceil(sizeLimit.bytes / 1024))
  return [
    'build',
    id,
    basename(output),
    isAside ? 'aside' : 'in-place',
    kilobytes,
    ...owner,
    ...contents,
    ...words,
  ].join(' ')
}

/** Parses the words after `ended ID`. */
export function endOf([kind, ...words]: readonly string[], log: Buffer): BuildEnd {
  if (kind === 'built') return { kind }
  if (kind === 'status') return { kind, status: numberIn(words[0], 1), message: messageOf(words[1]), log }
  const message = messageOf(words[0])
  return kind === 'missing' || kind === 'large' || kind === 'unusual'
    ? { kind, message, log }
    : { kind: 'error', message, log }
}

const MAX_MESSAGE = 1000

function messageOf(hexadecimal: string | undefined): string {
  return printable(fromHexadecimal(hexadecimal).trim().replaceAll(/\s+/g, ' ').replace(/:$/, '').slice(0, MAX_MESSAGE))
}
