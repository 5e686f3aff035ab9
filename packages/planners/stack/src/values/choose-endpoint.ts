import { quoted } from '@davit/diagnostics'
import type { StackCode } from '../codes.ts'
import { type Instance, publicChildren, stackOf } from '../instances/instance.ts'
import type { StackType } from '../types/type.ts'
import { portsOf } from './ports-of.ts'

/** What is chosen in a service. */
export interface Choice {
  readonly chosen: Instance
  readonly port: number | undefined
}

/** Why nothing can be chosen. */
export interface Refusal {
  readonly code: StackCode
  readonly subjects: readonly unknown[]
  readonly hint?: string | undefined
}

export type Chosen = Choice | Refusal

export function isRefusal(chosen: Chosen): chosen is Refusal {
  return 'code' in chosen
}

/** Whether an instance is of a stack, or of one that is based on it. */
export function isOf(instance: Instance, { id }: StackType): boolean {
  return stackOf(instance).chain.some(({ body }) => body.id === id)
}

export interface Wanted {
  readonly selector: string | undefined
  /** Undefined for the type `service`. */
  readonly stack: StackType | undefined
}

/** Chooses an endpoint of a service; `given` is a port that was chosen before. */
export function chooseEndpoint(service: Instance, { selector, stack }: Wanted, given?: number): Chosen {
  if (selector === undefined) {
    if (stack !== undefined) return chooseOf(service, stack, given)
    return given === undefined ? descend(service) : { chosen: service, port: given }
  }
  const chosen = select(service, selector)
  if (isRefusal(chosen)) return chosen
  if (stack !== undefined) return isOf(chosen.chosen, stack) ? chosen : mismatch(stack, chosen.chosen)
  return chosen.port === undefined ? descendWhereClear(chosen.chosen) : chosen
}

function refuse(code: StackCode, ...subjects: readonly unknown[]): Refusal {
  return { code, subjects }
}

function mismatch(stack: StackType, { body }: Instance): Refusal {
  return refuse('MU508', stack.name, body.name?.text ?? '')
}

/** Names a service in messages: its own name, and that of its stack. */
function named({ name, body }: Instance): readonly [string, string] {
  return [name, body.name?.text ?? '']
}

function chooseOf(service: Instance, stack: StackType, given: number | undefined): Chosen {
  if (isOf(service, stack)) return { chosen: service, port: given }
  const [only, ...others] = publicChildren(service).filter((child) => isOf(child, stack))
  if (only === undefined || others.length > 0) return mismatch(stack, service)
  return { chosen: only, port: undefined }
}

/** Goes down as long as there is one endpoint, to a port if there is one. */
function descend(service: Instance): Chosen {
  let chosen = service
  for (;;) {
    const ports = portsOf(chosen)
    const children = chosen.body.isIntrinsic ? [] : publicChildren(chosen)
    if (ports.length + children.length > 1) return refuse('MU511', ...named(chosen))
    const [child] = children
    if (child === undefined) return { chosen, port: ports[0] }
    chosen = child
  }
}

/** Goes down from what was selected, which stands for itself where that is not clear. */
function descendWhereClear(service: Instance): Choice {
  const chosen = descend(service)
  return isRefusal(chosen) ? { chosen: service, port: undefined } : chosen
}

function select(service: Instance, selector: string): Chosen {
  if (selector === '.') return selectOnly(service)
  const none = { ...refuse('MU512', selector, ...named(service)), hint: whatItHas(service) }
  if (/^\d/.test(selector)) return selectPort(service, Number(selector)) ?? none
  const child = service.children.get(selector)
  if (child === undefined) return none
  return child.isPublic ? { chosen: child, port: undefined } : refuse('MU513', selector, ...named(service))
}

/** Lists what can be chosen in a service. */
function whatItHas(service: Instance): string {
  const own = service.body.isIntrinsic ? portsOf(service).map(String) : publicChildren(service).map(({ name }) => name)
  return own.length === 0 ? 'it has none' : `it has ${own.map(quoted).join(', ')}`
}

function selectOnly(service: Instance): Chosen {
  const choices: Choice[] = service.body.isIntrinsic
    ? portsOf(service).map((port) => ({ chosen: service, port }))
    : publicChildren(service).map((chosen) => ({ chosen, port: undefined }))
  const [only, another] = choices
  if (only === undefined) return refuse('MU510', ...named(service))
  return another === undefined ? only : refuse('MU511', ...named(service))
}

/** Looks for a port in a service and in its public services. */
function selectPort(service: Instance, port: number): Choice | undefined {
  if (portsOf(service).includes(port)) return { chosen: service, port }
  if (service.body.isIntrinsic) return undefined
  for (const child of publicChildren(service)) {
    const choice = selectPort(child, port)
    if (choice !== undefined) return choice
  }
  return undefined
}
