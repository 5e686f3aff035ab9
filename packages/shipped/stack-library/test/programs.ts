import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { freePort } from '@davit/testing/free-port'
import { scratchDirectory } from '@davit/testing/scratch'
import { until } from '@davit/testing/wait'
import { TARGET_PROGRAMS } from '../src/stack-library.ts'

/** A program of the library that runs. */
export interface Running {
  readonly url: string
  readonly directory: string
  readonly process: ChildProcess
  /** What it has printed so far. */
  output(): string
  stop(): Promise<number | null>
}

/** Starts a program with Node alone, as on a target. */
export function start(name: keyof typeof TARGET_PROGRAMS, words: readonly string[], directory: string): ChildProcess {
  const main = join(TARGET_PROGRAMS[name], 'main.mjs')
  return spawn(process.execPath, [main, ...words], { cwd: directory, env: { PATH: process.env['PATH'] ?? '' } })
}

export function watched(child: ChildProcess, port = 0, directory = ''): Running {
  let text = ''
  const add = (chunk: Buffer) => (text += chunk.toString())
  child.stdout?.on('data', add)
  child.stderr?.on('data', add)
  const ended = once(child, 'close')
  return {
    url: `http://127.0.0.1:${port}`,
    directory,
    process: child,
    output: () => text,
    async stop() {
      child.kill('SIGTERM')
      const [status] = (await ended) as [number | null]
      return status
    },
  }
}

/** Starts a function of these files, and waits until it can be called. */
export async function lambda(
  files: Readonly<Record<string, string>>,
  { runtime = 'node', handler = 'index.handler' } = {},
): Promise<Running> {
  const [directory, port] = [directoryOf(files), await freePort()]
  const running = watched(start('lambda', [String(port), runtime, handler], directory), port, directory)
  await until(() => isListening(running))
  return running
}

export function directoryOf(files: Readonly<Record<string, string>>): string {
  const directory = scratchDirectory()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, dirname(name)), { recursive: true })
    writeFileSync(join(directory, name), text, { mode: 0o755 })
  }
  return directory
}

/** Whether a program listens, which it is not told. */
export async function isListening({ url, process, output }: Running): Promise<boolean> {
  if (process.exitCode !== null) throw new Error(output())
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}

export interface Message {
  readonly path: string
  readonly body: string
}

/** A service that is told something, and answers with a status. */
export async function listener(status = 200) {
  const messages: Message[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      messages.push({ path: `${request.method} ${request.url}`, body })
      response.writeHead(status).end('answer')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}`, messages, close: () => server.close() }
}
