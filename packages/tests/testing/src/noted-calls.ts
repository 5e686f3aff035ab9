import { readdirSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Shell } from './shells.ts'

/** Room for what is added to a script that a loader reads: the loader knows its length before the script comes. */
const ROOM = 64 * 1024

/** A script that notes each of its functions which is called: a file with the name of the function in the directory of the shell. */
export interface NotedScript {
  readonly script: string
  /** Adds the same to a script that comes as the first input, and to what is defined later. */
  input(stdin: Writable): void
}

/** Has a script, or the one that it loads, note its calls, if the shell asks for it. */
export function noteCalls(script: string, { calls }: Shell): NotedScript {
  if (calls === undefined) return { script, input() {} }
  const loader = /loaded=\$\(head -c (\d+)\)/
  const length = Number(loader.exec(script)?.[1])
  if (!length) return { script: noting(script, calls), input() {} }
  return {
    script: script.replace(loader, `loaded=$(head -c ${length + ROOM})`),
    input(stdin) {
      const write = stdin.write.bind(stdin) as (text: string, ...rest: unknown[]) => boolean
      let isLoaded = false
      stdin.write = (text: string, ...rest: unknown[]) => {
        const noted = isLoaded ? notingDefinitions(text, calls) : padded(noting(text, calls), length + ROOM)
        isLoaded = true
        return write(noted, ...rest)
      }
    },
  }
}

/** Returns the names of functions that scripts have called. */
export function notedCalls({ calls }: Shell): ReadonlySet<string> {
  return new Set(calls === undefined ? [] : readdirSync(calls))
}

/** Notes the call at the beginning of each function, without a process, and without a change of its status and words. */
function noting(script: string, directory: string): string {
  const define = `note_call() {\n{ echo >${directory}/$1; } 2>/dev/null\nreturn $2\n}`
  const noted = script
    .replaceAll(/^(\w+)\(\) ([{(])$/gm, (_, name: string, open: string) => `${name}() ${open}\nnote_call ${name} $?`)
    .replaceAll(/^(#!\/bin\/sh|(?:detached|more)='.*)$/gm, (line) => `${line}\n${define}`)
  return `${define}\n${noted}`
}

/** Does the same in what follows a request `define BYTES …`. */
function notingDefinitions(text: string, directory: string): string {
  const [request = '', rest = ''] = /^define \d+ (.*\n)/.exec(text) ?? []
  if (request === '') return text
  const definitions = noting(text.slice(request.length), directory)
  return `define ${Buffer.byteLength(definitions)} ${rest}${definitions}`
}

/** Lengthens a script by a comment before its last line. */
function padded(script: string, length: number): string {
  const end = script.lastIndexOf('\n', script.length - 2) + 1
  const missing = length - Buffer.byteLength(script) - 2
  if (missing < 0) throw new Error(`no room for ${-missing} bytes more in a script that notes its calls`)
  return `${script.slice(0, end)}#${'-'.repeat(missing)}\n${script.slice(end)}`
}
