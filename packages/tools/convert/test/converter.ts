import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DavitError, renderDiagnostic, type ReportEvent } from '@davit/diagnostics'
import { renderEvent, type ToolContext, usageError } from '@davit/tool'
import { scratchDirectory } from '@davit/testing/scratch'
import type { Content } from '../src/content.ts'
import { KINDS, type KindName } from '../src/kinds.ts'
import { tool } from '../src/main.ts'
import { readContent } from '../src/read-content.ts'

type Arguments = Parameters<typeof tool.run>[0]['args']
type Environment = Readonly<Record<string, string>>

export interface Call extends Partial<Arguments> {
  /** Files in the working directory. */
  readonly files?: Readonly<Record<string, string>>
  /** Standard input. */
  readonly input?: string
  readonly environment?: Environment
}

export interface Outcome {
  readonly printed: string
  /** What the user sees, without the directory of the files. */
  readonly said: string
  readonly status?: number
}

const DEFAULTS: Arguments = {
  document: undefined,
  to: undefined,
  kind: undefined,
  lossy: false,
  storePaths: false,
  infrastructure: undefined,
  interface: 'ssh',
  targetProperty: 'hostname',
  output: undefined,
}

/** Calls the tool; names of files are relative to a fresh directory. */
export async function convert({ files = {}, input, environment = {}, ...given }: Call): Promise<Outcome> {
  const directory = filesIn(files)
  const inside = (file: string | undefined) => (file === undefined || file === '-' ? file : join(directory, file))
  const args = {
    ...DEFAULTS,
    ...given,
    document: inside(given.document),
    infrastructure: inside(given.infrastructure),
  }
  let printed = ''
  const events: ReportEvent[] = []
  const context = contextOf(args, { input, environment, events, print: (text) => (printed += text) })
  const said = (lines: readonly (string | undefined)[]) =>
    lines
      .filter((line) => line !== undefined)
      .join('\n')
      .replaceAll(`${directory}/`, '')
  try {
    await tool.run(context)
    return { printed, said: said(events.map(shown)) }
  } catch (error) {
    if (!(error instanceof DavitError)) throw error
    const { diagnostics, message, hint, exitStatus, code } = error
    const lines = [...events.map(shown), ...diagnostics.map(renderDiagnostic), `${message} [${code}]`, hint]
    return { printed, said: said(lines), ...(exitStatus === undefined ? {} : { status: exitStatus }) }
  }
}

function shown(event: ReportEvent): string | undefined {
  return event.kind === 'diagnostic' ? renderDiagnostic(event.diagnostic) : renderEvent(event, { verbosity: 'normal' })
}

/** Makes a directory with these files; removed after the test. */
export function filesIn(files: Readonly<Record<string, string>>): string {
  const directory = scratchDirectory()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  return directory
}

/** Reads a file as the tool does. */
export async function contentOf(
  file: string,
  { kind, environment = {} }: { readonly kind?: KindName; readonly environment?: Environment } = {},
): Promise<Content> {
  const context = contextOf(DEFAULTS, { environment, events: [], print() {} })
  const content = await readContent(context, file, kind === undefined ? undefined : KINDS[kind])
  if ('first' in content) throw new Error(`${file} has version 1`)
  return content
}

interface Surroundings {
  readonly input?: string | undefined
  readonly environment: Environment
  readonly events: ReportEvent[]
  print(text: string): void
}

function contextOf(args: Arguments, { input, environment, events, print }: Surroundings): ToolContext<Arguments> {
  const refuse = () => Promise.reject(new Error('it does none of this'))
  return {
    args,
    print: async (content) => print(String(content)),
    report: (event) => void events.push(event),
    signal: new AbortController().signal,
    environment: { PATH: process.env['PATH'] ?? '', ...environment },
    workingDirectory: '/',
    privileged: false,
    executable: 'davit-convert',
    async readInput(file) {
      if (file !== undefined && file !== '-') return { text: readFileSync(file, 'utf8'), file }
      if (input === undefined) throw usageError('no document: standard input is a terminal', 'name a file')
      return { text: input, file: '<stdin>' }
    },
    readDocument: refuse,
    journal() {},
    runInForeground: refuse,
    runSteps: refuse,
  }
}
