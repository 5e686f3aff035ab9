import { appendFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import { DavitError, type Report } from '@davit/diagnostics'
import { MadeFrom, parseDocument } from '@davit/documents'
import { isMissing, readTextFile, systemErrorCode, whyNotWritten } from '@davit/files'

import { say } from './messages.ts'
import { version } from './version.ts'

interface OriginContext {
  readonly args: { readonly origin: string | undefined }
  readonly report: Report
  readonly workingDirectory: string
}

/** Adds facts to the file of `--origin`, if it is given. */
export async function handOn({ args, report, workingDirectory }: OriginContext, facts: () => MadeFrom): Promise<void> {
  if (args.origin === undefined) return
  await addToOrigin(resolve(workingDirectory, args.origin), encodeOrigin(facts()), report)
}

/** Adds encoded facts to a file. Nothing depends on them, so a failure is only reported. */
export async function addToOrigin(file: string, encoded: string, report: Report): Promise<void> {
  try {
    await appendFile(file, encoded, { mode: 0o600 })
  } catch (cause) {
    if (systemErrorCode(cause) === undefined) throw cause
    report(say('origin-not-written', { file, reason: whyNotWritten(file, cause).reason }))
  }
}

/** Encodes facts as a line of such a file. The line before it may have been cut off. */
export function encodeOrigin(facts: MadeFrom): string {
  return `\n${JSON.stringify(facts)}\n`
}

/** Reads what the tools before have handed on, and adds the version of davit. Of what was told twice, the last one counts. */
export async function readOrigin({ args, report, workingDirectory }: OriginContext): Promise<MadeFrom> {
  const lines = args.origin === undefined ? [] : (await textOf(resolve(workingDirectory, args.origin))).split('\n')
  const parts = lines.map((line) => partIn(line))
  if (args.origin !== undefined && parts.includes('damaged')) report(say('origin-damaged', { file: args.origin }))
  return Object.assign({}, ...parts.filter((part) => part !== 'damaged'), { davit: version }) as MadeFrom
}

async function textOf(file: string): Promise<string> {
  return readTextFile(file).catch((error: unknown) => {
    // No tool has added anything.
    if (isMissing(error)) return ''
    throw error
  })
}

function partIn(line: string): MadeFrom | 'damaged' {
  if (line === '') return {}
  try {
    return parseDocument(MadeFrom, line, { file: 'origin' })
  } catch (error) {
    if (error instanceof DavitError) return 'damaged'
    throw error
  }
}
