import { PassThrough } from 'node:stream'

import type { Channel, Connection } from '@davit/connection'

export interface Far {
  /** Handles each line of a request, but not what it defines; the first line is the marker, once the script of the helper has come as a whole. */
  answer(line: string, far: FarEnd): void
  /** Text that it prints before the marker. */
  greeting?: string
}

export interface FarEnd {
  print(text: string): void
  event(text: string): void
  end(status: number): void
  breakLink(error: Error): void
}

/** Returns a connection to a far end that may answer anything. */
export function connectionTo({ answer, greeting = '' }: Far): Connection & { readonly closed: () => boolean } {
  let closed = false
  const run = async (): Promise<Channel> => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
    let resolve: (status: number) => void = () => {}
    let reject: (error: Error) => void = () => {}
    const exit = new Promise<number>((yes, no) => {
      resolve = yes
      reject = no
    })
    exit.catch(() => {})
    const far: FarEnd = {
      print: (text) => void stdout.write(text),
      event: (text) => void stderr.write(text),
      end: (status) => resolve(status),
      breakLink: (error) => reject(error),
    }
    stdin.setEncoding('utf8')
    let isLoading = true
    stdin.on('data', (text: string) => {
      const [, marker, requests] = /# end of (davit-[0-9a-f]+)\n(.*)$/s.exec(text) ?? []
      if (marker !== undefined) {
        isLoading = false
        answer(marker, far)
      }
      if (isLoading) return
      for (const line of linesIn(requests ?? text)) answer(line, far)
    })
    stdout.write(greeting)
    const close = () => {
      closed = true
      far.end(255)
    }
    return { stdin, stdout, stderr, exit, close }
  }
  return {
    address: 'far',
    lost: new Promise(() => {}),
    close: async () => {},
    run,
    closed: () => closed,
  }
}

/** Returns the requests in a text, without what they define. */
function linesIn(text: string): readonly string[] {
  const [, defining = text] = /^define \d+ (.*)/.exec(text) ?? []
  return defining.split('\n').filter((line) => line !== '')
}

/** Answers every request with the lines; `ID` stands for its number. */
export const honest =
  (...lines: string[]) =>
  (line: string, far: FarEnd) => {
    if (line.startsWith('davit-')) far.print(`\n${line}\n`)
    else for (const text of lines) far.print(`${text.replace('ID', line.split(' ')[0] ?? '')}\n`)
  }

/** Facts of an honest machine. */
export const HELLO = [
  'checksum cksum',
  'helper 7:1234:0f0e-boot',
  'user 0',
  'kernel Linux x86_64',
  'boot 0f0e-boot',
  'place pid:[4026531836]2/',
  `state ${Buffer.from('/var/lib/davit').toString('hex')}`,
]

/** Answers `hello` honestly, and everything else with the lines. */
export const lying =
  (...lines: string[]) =>
  (line: string, far: FarEnd) =>
    line.includes(' hello')
      ? honest(...HELLO.map((fact) => `ID + ${fact}`), 'ID =')(line, far)
      : honest(...lines)(line, far)
