import { basename } from 'node:path'

import { printable } from '@davit/diagnostics'
import { type BuildMachine, HIDDEN, ISOLATIONS, type RemoteBuild, type StoreLayout } from '@davit/store'
import { encodeField } from '@davit/target-runtime'

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

/** Parses the facts that a machine reports before it builds, one in a line. */
export function machineOf(facts: readonly string[], layout: StoreLayout): BuildMachine {
  const all = (fact: string) =>
    facts.filter((line) => line.startsWith(`${fact} `)).map((line) => line.slice(fact.length + 1))
  const [index = '', program = ''] = all('isolation')[0]?.split(' ') ?? []
  const found = ISOLATIONS[Number(index === '' ? -1 : index)]
  return {
    isolation: found === undefined ? { kind: 'none' } : { ...found.isolation, program },
    hidden: all('hidden').filter((path) => HIDDEN.includes(path)),
    processors: Math.max(1, numberIn(all('processors')[0], 1)),
    workspaceOf: (output) => `${layout.incoming}/build.${basename(output).slice(0, HASH_CHARACTERS)}`,
  }
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
export function encodeRequest(id: string, { output, isAside, sizeLimit, files, argv }: RemoteBuild): string {
  const contents = [...files].flatMap(([name, content]) => [`file:${name}`, encodeField(content)])
  const words = argv.flatMap((word) => ['word', encodeField(word)])
  const kilobytes = String(Math.ceil(sizeLimit.bytes / 1024))
  return ['build', id, basename(output), isAside ? 'aside' : 'in-place', kilobytes, ...contents, ...words].join(' ')
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
