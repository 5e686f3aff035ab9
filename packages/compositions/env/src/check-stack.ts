import { usageError } from '@davit/tool'

import type { ModelOrder } from './model-options.ts'
import type { StackOrder } from './stack-options.ts'

type Given = ModelOrder & StackOrder & { readonly store: string | undefined }

/** Refuses options of a stack without one, and what cannot be combined with one; the stack brings all models but the infrastructure. */
export function checkStack(order: Given): void {
  if (order.stack === undefined) return refuseLoose(order)
  const { services, distribution, packages, architecture, undeploy, extraParams } = order
  const others = { services, distribution, packages, architecture, deployment: order.deployment, undeploy, extraParams }
  for (const [name, value] of Object.entries(others)) if (value !== undefined && value !== false) throw combined(name)
  const [cloud = ''] = (order.target ?? MACHINES).split(':')
  if (cloud !== MACHINES) {
    throw usageError(
      `davit cannot deploy stacks to '${cloud}'`,
      `davit-compile-stack --target ${cloud} makes what the tools of that cloud understand`,
    )
  }
}

/** Cloud of stacks that davit deploys. */
export const MACHINES = 'machines'

function refuseLoose({ cluster, target, noReplace, arguments: words }: Given): void {
  for (const [option, value] of Object.entries({ cluster, target, 'no-replace': noReplace || undefined })) {
    if (value !== undefined) throw usageError(`option '--${option}' belongs to '--stack'`, NAME_IT)
  }
  const [word] = words
  if (word !== undefined) throw usageError(`'${word}' is an argument of a stack`, NAME_IT)
}

const NAME_IT = "name the stack with --stack, such as '--stack .'"

function combined(name: string): Error {
  const option = name === 'extraParams' ? 'extra-params' : name
  return usageError(
    `options '--stack' and '--${option}' cannot be combined`,
    'of the models, only the infrastructure goes with a stack',
  )
}
