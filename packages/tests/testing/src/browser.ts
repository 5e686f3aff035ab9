import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

import { removeTree } from './scratch.ts'

export interface Tab {
  /** Evaluates an expression in the page, and returns its value. */
  evaluate(expression: string): Promise<unknown>
  /** Sends a request of the DevTools protocol about the tab. */
  send(method: string, parameters?: object): Promise<Record<string, unknown>>
  /** Presses a key; text is what it types. */
  press(key: string, text?: string): Promise<void>
  /** Events of the DevTools protocol so far. */
  readonly events: readonly BrowserEvent[]
}

export interface BrowserEvent {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

export interface Browser {
  /** Opens a page in a window of a size, and waits until it is loaded. */
  open(url: string, size: { readonly width: number; readonly height: number }): Promise<Tab>
  close(): Promise<void>
}

/** Starts Chromium without a window, without network names, and with a profile of its own. */
export function startBrowser(): Browser {
  const profile = mkdtempSync(join(tmpdir(), 'davit-browser-'))
  const options = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
  ]
  const browser = spawn(
    'chromium',
    [...options, '--host-resolver-rules=MAP * ~NOTFOUND', '--remote-debugging-pipe', `--user-data-dir=${profile}`],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: profile } },
  )
  const connection = connectTo(browser)
  return {
    async open(url, { width, height }) {
      const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank' })
      const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true })
      const tab = tabOf(connection, String(sessionId))
      for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await tab.send(`${domain}.enable`)
      await tab.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
      const isLoaded = connection.event(String(sessionId), 'Page.loadEventFired')
      await tab.send('Page.navigate', { url })
      await isLoaded
      return tab
    },
    async close() {
      const hasEnded = new Promise((resolve) => browser.once('exit', resolve))
      await connection.send('Browser.close')
      await hasEnded
      removeTree(profile)
    },
  }
}

interface Message {
  readonly id?: number
  readonly sessionId?: string
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly message: string }
}

interface Connection {
  send(method: string, params?: object, sessionId?: string): Promise<Record<string, unknown>>
  event(sessionId: string, method: string): Promise<void>
  eventsOf(sessionId: string): BrowserEvent[]
}

/** Speaks the DevTools protocol over the two pipes of `--remote-debugging-pipe`: JSON with a NUL after each message. */
function connectTo(browser: ChildProcess): Connection {
  const [, , , requests, answers] = browser.stdio as unknown as [null, null, null, Writable, Readable]
  const waiting = new Map<number, (message: Message) => void>()
  const failing = new Set<(error: Error) => void>()
  const listeners = new Set<(message: Message) => void>()
  const events = new Map<string, BrowserEvent[]>()
  const eventsOf = (sessionId: string) => events.get(sessionId) ?? events.set(sessionId, []).get(sessionId)!
  const receive = (message: Message) => {
    if (message.id !== undefined) return waiting.get(message.id)?.(message)
    const { sessionId = '', method = '', params = {} } = message
    eventsOf(sessionId).push({ method, params })
    for (const listener of listeners) listener(message)
  }
  let rest = ''
  answers.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = `${rest}${chunk}`.split('\0')
    rest = messages.pop() ?? ''
    for (const message of messages) receive(JSON.parse(message) as Message)
  })
  const fail = (error: Error) => failing.forEach((reject) => reject(error))
  browser.on('error', fail).on('exit', (status) => fail(new Error(`chromium has ended with status ${status}`)))
  requests.on('error', fail)
  let last = 0
  return {
    send(method, params = {}, sessionId = '') {
      last += 1
      const id = last
      requests.write(`${JSON.stringify({ id, method, params, ...(sessionId === '' ? {} : { sessionId }) })}\0`)
      return new Promise((resolve, reject) => {
        failing.add(reject)
        waiting.set(id, ({ result = {}, error }) => {
          waiting.delete(id)
          failing.delete(reject)
          if (error === undefined) resolve(result)
          else reject(new Error(`${method}: ${error.message}`))
        })
      })
    },
    event: (session, wanted) =>
      new Promise((resolve, reject) => {
        failing.add(reject)
        const listener = ({ sessionId, method }: Message) => {
          if (sessionId !== session || method !== wanted) return
          failing.delete(reject)
          listeners.delete(listener)
          resolve()
        }
        listeners.add(listener)
      }),
    eventsOf,
  }
}

function tabOf(connection: Connection, sessionId: string): Tab {
  const send: Tab['send'] = (method, parameters) => connection.send(method, parameters, sessionId)
  return {
    send,
    events: connection.eventsOf(sessionId),
    async evaluate(expression) {
      const answer = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })
      if (answer['exceptionDetails'] !== undefined) throw new Error(JSON.stringify(answer['exceptionDetails']))
      return (answer['result'] as { readonly value?: unknown }).value
    },
    async press(key, text) {
      const typed = text === undefined ? {} : { text }
      await send('Input.dispatchKeyEvent', {
        type: text === undefined ? 'rawKeyDown' : 'keyDown',
        key,
        ...codeOf(key),
        ...typed,
      })
      await send('Input.dispatchKeyEvent', { type: 'keyUp', key, ...codeOf(key) })
    },
  }
}

/** Keys that browsers know by their numbers. */
const CODES: Readonly<Record<string, number>> = { Tab: 9, Enter: 13, Escape: 27 }

function codeOf(key: string): object {
  const code = CODES[key]
  return code === undefined ? {} : { windowsVirtualKeyCode: code, code: key }
}
