import type { Mapping, ProfileName, TargetName } from '@davit/documents'
import { encodeField } from '@davit/target-runtime'

import { badAnswer, fromHexadecimal } from '../helper/answer-lines.ts'
import type { Machine } from '../machine.ts'

/** The log of an activity of a mapping; a long one is in several files. */
export interface FileLog {
  readonly mapping: Mapping
  readonly activity: string
  readonly path: string
}

/** Lists the logs of activities of mappings on one target. */
export async function listActivityLogs(
  machine: Machine<'logs'>,
  profile: ProfileName,
  on: { readonly target: TargetName; readonly mappings: readonly Mapping[] },
): Promise<readonly FileLog[]> {
  const words = on.mappings.flatMap(({ container, service }) => [container, service])
  const lines = await machine.request('activity_logs', [on.target, profile, ...words])
  return lines.map((line) => {
    const [, number, activity, path] = LOG.exec(line) ?? []
    const mapping = on.mappings[Number(number) - 1]
    if (mapping === undefined || activity === undefined || path === undefined) throw badAnswer(machine.address)
    return { mapping, activity, path }
  })
}

const LOG = /^log ([1-9]\d{0,5}) ([a-z][a-z-]{0,99}) (\/.{1,4096})$/

export interface FilesToRead {
  /** Each with the position up to which it has been read; undefined for the last `lines` lines. */
  readonly files: readonly { readonly path: string; readonly position: string | undefined }[]
  /** Only so much of each is read at a time. */
  readonly bytes: number
  readonly lines: number
}

/** What was read of a file. */
export interface FilePart {
  /** Index among the files that were asked for. */
  readonly index: number
  readonly text: string
  readonly position: string
  /** Bytes left out before the text. */
  readonly skipped: number
  /** When it was changed last, in milliseconds since 1970; undefined if it had been read before, or if the machine cannot tell. */
  readonly changed?: number
}

export interface ReadFiles {
  /** Clock of the machine, in milliseconds since 1970. */
  readonly now: number
  /** Minutes by which its local time is ahead of UTC. */
  readonly zone: number
  /** Those that have something new. */
  readonly parts: readonly FilePart[]
}

/** Reads files of a machine; of those that are not there, or cannot be read, there is nothing. */
export async function readFiles(machine: Machine<'logs'>, { files, bytes, lines }: FilesToRead): Promise<ReadFiles> {
  const words = files.flatMap(({ path, position = '-' }) => [position, encodeField(path)])
  const answer = await machine.request('read_files', [String(bytes), String(lines), ...words])
  const [, seconds, sign, hours, minutes] = CLOCK.exec(answer[0] ?? '') ?? []
  if (seconds === undefined) throw badAnswer(machine.address)
  const parts = new Parts(files.length, bytes)
  for (const line of answer.slice(1)) if (!parts.take(line)) throw badAnswer(machine.address)
  const zone = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  return { now: Number(seconds) * 1000, zone, parts: parts.complete }
}

const CLOCK = /^clock (\d{1,12}) ([+-])(\d\d)(\d\d)$/
const LINE = /^(began|skipped|text|file) ([1-9]\d{0,5}) ?(.*)$/
const POSITION = /^\d{1,20}:\d{1,20}:(?:\d{1,20}|-):[0-9a-f]{1,64}$/

/** Takes the lines about files, each of which ends with its position. */
class Parts {
  readonly complete: FilePart[] = []
  readonly #count: number
  readonly #bytes: number
  #texts: string[] = []
  #skipped = 0
  #changed: number | undefined

  constructor(count: number, bytes: number) {
    this.#count = count
    this.#bytes = bytes
  }

  /** Returns false for what is no answer. */
  take(line: string): boolean {
    const [, kind, number, rest = ''] = LINE.exec(line) ?? []
    const index = Number(number) - 1
    if (!(index < this.#count)) return false
    if (kind === 'file') return this.#end(index, rest)
    return kind === 'text' ? this.#takeText(rest) : this.#takeNumber(kind, rest)
  }

  #takeNumber(kind: string | undefined, digits: string): boolean {
    if (kind === 'skipped') this.#skipped += Number(digits)
    else if (digits !== '0') this.#changed = Number(digits) * 1000
    return /^\d{1,20}$/.test(digits)
  }

  /** A file that was rotated has two texts. */
  #takeText(hexadecimal: string): boolean {
    const isText = /^(?:[0-9a-f]{2})*$/.test(hexadecimal) && hexadecimal.length <= 2 * this.#bytes
    if (isText) this.#texts.push(hexadecimal)
    return isText && this.#texts.length <= 2
  }

  #end(index: number, position: string): boolean {
    if (!POSITION.test(position)) return false
    const changed = this.#changed === undefined ? {} : { changed: this.#changed }
    this.complete.push({
      index,
      text: fromHexadecimal(this.#texts.join('')),
      position,
      skipped: this.#skipped,
      ...changed,
    })
    this.#texts = []
    this.#skipped = 0
    this.#changed = undefined
    return true
  }
}
