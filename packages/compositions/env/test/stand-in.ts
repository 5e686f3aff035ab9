import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'

import type { ProfileName } from '@davit/documents'
import type { Tool, ToolContext } from '@davit/tool'
import { parseArguments } from '@davit/tool/testing'

type Context = ToolContext<Readonly<Record<string, unknown>>>

/**
 * Stands in for a tool: understands the same options, and only records how it was called. Of its variables, FAIL is the name of the
 * step that fails with status 42, HANG of one that waits for a signal and then ends with STOPPED, if that is set, and BUG of one that
 * throws. With STUBBORN, a step that was told to stop goes on.
 */
export function standIn(tool: Tool): Tool {
  const name = tool.name.replace('davit-', '')
  return {
    ...tool,
    async run(context) {
      const { args, environment } = context
      const given = givenTo(tool, context)
      record(context, '', `${[name, ...given].join(' ')}${await inputOf(context)}`)
      recordVariables(context, name)
      handOn(context, name)
      context.journal({ profile: (environment['DAVIT_PROFILE'] ?? 'default') as ProfileName }, 'change')
      const step = given.includes('check') ? 'check' : name
      const isNumber = name === 'generations' && args['print'] === undefined && args['current'] !== true
      return perform(step, isNumber ? '7' : `output of ${name}`, context)
    },
  }
}

async function perform(step: string, output: string, context: Context): Promise<number | void> {
  const { BUG, HANG, FAIL, STATE } = context.environment
  if (BUG === step) setTimeout(() => JSON.parse('{'), 0)
  if ([BUG, HANG].includes(step)) return hang(context)
  if (FAIL === step) return 42
  if (step === 'lock') return lock(context)
  await context.print(`${step === 'check' && STATE !== undefined ? STATE : output}\n`)
}

/** Options that the command line contains, and not the environment. */
function givenTo(tool: Tool, { args, environment }: Context): readonly string[] {
  const request = parseArguments(tool, { argv: [], environment })
  const usual = request.kind === 'run' ? request.args : {}
  return Object.entries(args).flatMap(([name, value]) => {
    if (
      (Object.hasOwn(tool.operands ?? {}, name) && name !== 'stack' && name !== 'arguments') ||
      JSON.stringify(value) === JSON.stringify(usual[name])
    )
      return []
    return value === true ? [name] : [`${name}=${String(value)}`]
  })
}

async function inputOf({ args, readInput }: Context): Promise<string> {
  const operand = [args['manifest'], args['architecture'], args['document']].find((value) => value === '-')
  return operand === undefined ? '' : `: ${(await readInput('-')).text.trim()}`
}

const VARIABLES = {
  environment: ['PROFILE', 'MAX_CONCURRENT_TRANSFERS', 'CLIENT_INTERFACE', 'USE_SUBSTITUTES'],
  care: ['ACTIVITY_TIMEOUT', 'SKIP_UNREACHABLE'],
  messages: ['QUIET', 'VERBOSE', 'LOG_FORMAT', 'DEBUG'],
}

function recordVariables(context: Context, name: string): void {
  for (const [suffix, variables] of Object.entries(VARIABLES)) {
    const values = variables.map((variable) => context.environment[`DAVIT_${variable}`] ?? '')
    record(context, `.${suffix}`, [name, ...values].join(' '))
  }
  record(context, '.tmp', `${name} ${context.environment['TMPDIR']}`)
}

/** Records what was handed on so far, and hands on the name of the step. */
function handOn(context: Context, name: string): void {
  const { DAVIT_ORIGIN: file = '' } = context.environment
  if (file === '') return
  const known = existsSync(file) ? readFileSync(file, 'utf8') : ''
  record(context, '.origin', `${name}: ${known.replaceAll('\n', '')}`)
  appendFileSync(file, `<${name}>\n`)
}

function record({ environment }: Context, suffix: string, line: string): void {
  appendFileSync(`${environment['TRACE']}${suffix}`, `${line}\n`)
}

async function hang(context: Context): Promise<number> {
  const { signal, environment } = context
  writeFileSync(`${environment['TRACE']}.hanging`, '')
  const alive = setInterval(() => {}, 1000)
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  const { STOPPED = '', STUBBORN } = environment
  record(context, '.stopping', 'stopping')
  if (STUBBORN !== undefined) return new Promise(() => {})
  clearInterval(alive)
  record(context, '', 'stopped')
  if (STOPPED !== '') return Number(STOPPED)
  throw signal.reason
}

/** A lock that is lost while another step hangs, if LOST is set. */
async function lock(context: Context): Promise<number> {
  const { LOST, TRACE } = context.environment
  const lost = new AbortController()
  const lose = () => existsSync(`${TRACE}.hanging`) && lost.abort()
  const timer = LOST === undefined ? undefined : setInterval(lose, 5)
  const status = await context.runInForeground({ argv: ['true'], signal: lost.signal })
  clearInterval(timer)
  record(context, '', 'unlock')
  return status
}
