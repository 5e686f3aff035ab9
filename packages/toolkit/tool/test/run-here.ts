import { Readable, Writable } from 'node:stream'

import type { Tool } from '../src/define-tool.ts'
import { executeTool } from '../src/execute-tool.ts'
import { createInterruption } from '../src/interruption.ts'
import type { Environment } from '../src/tool-context.ts'

export interface CallHere {
  readonly environment?: Environment
  /** What files are relative to. */
  readonly directory?: string
  /** Text on standard input; without it, standard input is a terminal. */
  readonly input?: string
  /** Columns of the terminal that standard output is; without it, it is none. */
  readonly columns?: number
  /** Called with what has been printed so far, and with a function that interrupts the tool as Ctrl-C does. */
  readonly onOutput?: (printed: string, interrupt: () => void) => void
  /** The same for standard error. */
  readonly onErrors?: (printed: string, interrupt: () => void) => void
}

export interface EndedHere {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a tool in this process, from its command line to its exit status. */
export async function runHere(tool: Tool, argv: readonly string[], call: CallHere = {}): Promise<EndedHere> {
  const { environment = {}, directory = '/', input, columns, onOutput, onErrors } = call
  const interruption = createInterruption({ stop() {}, now: () => performance.now() })
  const interrupt = () => interruption.receive('SIGINT')
  const output = collector((printed) => onOutput?.(printed, interrupt))
  const errors = collector((printed) => onErrors?.(printed, interrupt))
  const status = await executeTool(tool, {
    host: {
      argv,
      executable: tool.name,
      environment: { PATH: '/usr/bin:/bin', ...environment },
      workingDirectory: directory,
      privileged: false,
      input: Object.assign(Readable.from([Buffer.from(input ?? '')]), { isTTY: input === undefined }),
      output: Object.assign(output.stream, { isTTY: columns !== undefined, columns }),
      errors: errors.stream,
      running: { tool: tool.name },
    },
    interruption,
  })
  return { status, stdout: output.text(), stderr: errors.text() }
}

function collector(onWrite: (text: string) => void = () => {}) {
  const chunks: Buffer[] = []
  const text = () => Buffer.concat(chunks).toString()
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      onWrite(text())
      done()
    },
  })
  return { stream, text }
}
