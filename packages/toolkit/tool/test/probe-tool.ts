import { setTimeout as delay } from 'node:timers/promises'
import { DavitError, messages, note } from '@davit/diagnostics'
import type { ProfileName } from '@davit/documents'
import { defineTool } from '../src/define-tool.ts'
import { outputOptions } from '../src/shared-options.ts'
import type { ToolContext } from '../src/tool-context.ts'

const say = messages({
  ready: note({}, () => 'ready'),
  'cleaned-up': note({}, () => 'cleaned up'),
  ended: note({ aborted: 'truth' }, ({ aborted }) => `aborted: ${aborted}`),
})

/** A tool that does what its first operand names, so that its process can be observed. */
export const probeTool = defineTool({
  name: 'davit-probe',
  summary: 'Do what a test asks for',
  examples: [{ command: 'davit-probe copy file', describe: 'print a file' }],
  operands: {
    deed: { kind: 'required', describe: 'what to do' },
    file: 'what to read',
    command: { kind: 'command', describe: 'what to run' },
  },
  options: { ...outputOptions },
  exitStatus: { 3: 'interrupted, and cleaned up' },
  interrupted: { once: 'nothing is left', twice: 'all is left' },
  run: (context) => DEEDS[context.args.deed]?.(context) ?? Promise.reject(new DavitError('usage', 'no such deed')),
})

type Context = ToolContext<{ readonly file: string | undefined; readonly command: readonly string[] }>

const DEEDS: Readonly<Record<string, (context: Context) => Promise<number | void>>> = {
  async copy({ args, print, readInput }) {
    await print((await readInput(args.file)).text)
  },
  async fail({ print }) {
    await print('half')
    throw new DavitError('locked', 'the probe failed', { exitStatus: 75, hint: 'try again later' })
  },
  async bug() {
    throw new TypeError('probe is not a function')
  },
  async 'stray-bug'() {
    setTimeout(() => {
      throw new TypeError('stray')
    }, 1)
    await delay(60_000)
  },
  async 'stray-rejection'() {
    void Promise.reject(new TypeError('stray'))
    await delay(60_000)
  },
  hang: () => new Promise(() => {}),
  async 'leave-open'({ print }) {
    setInterval(() => {}, 1000)
    await print(`${'x'.repeat(1_000_000)}end\n`)
  },
  async flood({ print }) {
    for (let line = 0; line < 100_000; line += 1) await print(`${line}\n`)
  },
  async read({ args, readInput, report }) {
    report(say('ready'))
    await readInput(args.file)
  },
  async wait({ report, signal }) {
    report(say('ready'))
    await delay(60_000, undefined, { signal })
  },
  async 'clean-up'({ report, signal }) {
    report(say('ready'))
    await delay(60_000, undefined, { signal }).catch(() => {})
    report(say('cleaned-up'))
    return 3
  },
  async act({ args, journal, report, signal, environment, runInForeground }) {
    journal({ profile: 'default' as ProfileName }, 'change')
    report({ kind: 'started', id: 'act', step: `act with ${environment['DAVIT_RUN']}` })
    report(say('ready'))
    const [program = '', ...rest] = args.command
    if (program !== '') return runInForeground({ argv: [program, ...rest], environment })
    await delay(60_000, undefined, { signal })
  },
  async stubborn({ report, signal }) {
    signal.throwIfAborted()
    report(say('ready'))
    await delay(60_000)
  },
  async compute({ report }) {
    report(say('ready'))
    for (;;);
  },
  async 'change-and-compute'({ report, signal }) {
    signal.throwIfAborted()
    // So that the process leaves hearing signals to its guard, as after anything that it has waited for.
    await delay(2_000)
    report(say('ready'))
    for (;;);
  },
  async 'compute-in-the-end'({ report, signal }) {
    signal.throwIfAborted()
    await delay(2_000)
    report(say('ready'))
    await delay(60_000, undefined, { signal }).catch(() => {})
    for (;;);
  },
  async run({ args, runInForeground, report, signal }) {
    const [program = '', ...rest] = args.command
    report(say('ready'))
    const status = await runInForeground({ argv: [program, ...rest] })
    report(say('ended', { aborted: signal.aborted }))
    return status
  },
}
