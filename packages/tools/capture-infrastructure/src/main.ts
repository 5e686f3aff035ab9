import {
  attributesBeyond,
  type CompletedTarget,
  completedTarget,
  givenTarget,
  writeInfrastructure,
} from '@davit/capture'
import { DavitError } from '@davit/diagnostics'
import type { TargetName } from '@davit/documents'
import { byName } from '@davit/languages'
import type { GivenTarget } from '@davit/models'
import { defineTool, type ToolContext } from '@davit/tool'

import { type Answers, askTargets } from './ask-targets.ts'
import { description } from './description.ts'
import { say } from './messages.ts'
import { type Arguments, wantedTargets } from './wanted-targets.ts'

export const tool = defineTool({
  ...description,
  async run(context) {
    const { args, print, report } = context
    const given = await wantedTargets(context)
    const answers: Answers = args.fromSshConfig ? new Map() : await askTargets(given, context)
    const failures = [...answers].flatMap(([name, answer]) =>
      answer instanceof DavitError ? [[name, answer] as const] : [],
    )
    if (failures.length > 0 && failures.length === answers.size) throw noneAsked(failures)
    const targets = completedTargets(given, answers, context)
    for (const [target, attribute] of attributesBeyond(targets, args.format)) {
      report(say('attribute-not-in-xml', { target, attribute }))
    }
    await print(writeInfrastructure(targets, args.format))
    return Math.max(0, ...failures.map(([, { exitStatus }]) => exitStatus))
  },
})

/** Targets of a model stay in it in any case. */
function completedTargets(
  given: ReadonlyMap<TargetName, GivenTarget>,
  answers: Answers,
  { args, report }: Pick<ToolContext<Arguments>, 'args' | 'report'>,
): ReadonlyMap<TargetName, CompletedTarget> {
  const found = new Map<TargetName, CompletedTarget>()
  for (const [name, target] of [...given].toSorted(byName)) {
    const answer = answers.get(name)
    if (answer instanceof DavitError) {
      const { message: reason, hint } = answer
      report(say('machine-not-asked', { target: name, reason, hint }))
      if (args.infrastructure !== undefined) found.set(name, givenTarget(target))
    } else if (answer === undefined) {
      found.set(name, givenTarget(target))
    } else {
      const { target: completed, leftOut } = completedTarget(target, answer)
      for (const { what, why } of leftOut) report(say('machine-says-too-much', { target: name, what, why }))
      if (answer.unreadable !== undefined)
        report(say('settings-unreadable', { target: name, reason: answer.unreadable }))
      found.set(name, completed)
    }
  }
  return found
}

function noneAsked(failures: readonly (readonly [TargetName, DavitError])[]): DavitError {
  const names = failures.map(([name]) => `'${name}'`).join(', ')
  return new DavitError('targets-unreachable', `cannot ask ${names}`, {
    exitStatus: Math.max(...failures.map(([, { exitStatus }]) => exitStatus)),
    fields: { targets: failures.map(([name]) => name) },
    diagnostics: failures.map(([name, { message, hint }]) => ({
      severity: 'error',
      message: `target '${name}': ${message}`,
      ...(hint === undefined ? {} : { hint }),
    })),
  })
}
