import { type DiagnosedMapping, runDiagnosis } from '@davit/diagnosis'
import { deploymentOf, type ToolContext } from '@davit/tool'

import type { Arguments } from './arguments.ts'
import { linePrinter } from './line-printer.ts'
import { say } from './messages.ts'

const FAILED = 2

/** Runs the command for all mappings: on all machines at a time, and on each one after the other. Returns the status of the tool. */
export async function runEverywhere(
  mappings: readonly DiagnosedMapping[],
  context: ToolContext<Arguments>,
): Promise<number> {
  const byMachine = new Map<unknown, DiagnosedMapping[]>()
  for (const one of mappings) byMachine.set(one.machine, [...(byMachine.get(one.machine) ?? []), one])
  const statuses = await Promise.all(
    [...byMachine.values()].map(async (some) => {
      let worst = 0
      for (const one of some) {
        // A machine has few channels.
        // oxlint-disable-next-line no-await-in-loop
        worst = Math.max(worst, await runOne(one, context))
      }
      return worst
    }),
  )
  return statuses.some((status) => status !== 0) ? FAILED : 0
}

async function runOne(diagnosed: DiagnosedMapping, context: ToolContext<Arguments>): Promise<number> {
  const { args, report, print } = context
  const { profile } = deploymentOf(context)
  const { target, container } = diagnosed.source
  const { secrets } = diagnosed.machine
  const name = args.prefix ? `${target}:${container} | ` : ''
  const printer = linePrinter(async (line) => print(`${name}${line}\n`), secrets)
  const complain = (line: string) => report(say('command-says', { target, container, line: secrets.redact(line) }))
  const surroundings = { ...context, profile, print: printer.take, complain }
  const status = await runDiagnosis(diagnosed, args.command, surroundings)
  await printer.end()
  if (status !== 0) report(say('command-failed', { target, container, status }))
  return status
}
