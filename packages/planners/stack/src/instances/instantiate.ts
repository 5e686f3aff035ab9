import { suggestionFor } from '@davit/diagnostics'
import type { Compilation } from '../compilation.ts'
import type { Body } from '../mufile/body.ts'
import { type Effective, mergeBags, type ServiceEntry, type StackTarget } from '../resolution/effective.ts'
import { effectiveOf, resolvedOf } from '../resolution/effective-of.ts'
import { type Bag, readStack } from '../resolution/read-stack.ts'
import { type Instance, stackOf } from './instance.ts'
import { isSound } from './is-sound.ts'

/** Makes the tree below an instance; what is wrong is reported. */
export function instantiate(c: Compilation, instance: Instance, fqns: Set<string>): void {
  if (fqns.size > MAX_INSTANCES) return
  const { body, args, outer } = instance
  const effective = resolvedOf(c, body, { bag: args, outer })
  if (effective === undefined) return
  const children = effective.services.map((entry) => makeChild(c, { instance, effective, entry }))
  const isUnique = enterChildren(c, instance, { children, fqns })
  if (effective.failedAt !== undefined || children.includes(undefined) || !isUnique) return
  instance.effective = effective
  if (fqns.size > MAX_INSTANCES) refuseMore(c, instance)
  for (const child of instance.children.values()) instantiate(c, child, fqns)
}

function refuseMore(c: Compilation, { body, spot }: Instance): void {
  c.report('MU601', [body.name?.text ?? ''], { spot, message: `there are more than ${MAX_INSTANCES} services` })
}

/** Few stacks that contain each other twice make more services than there are atoms. */
const MAX_INSTANCES = 100_000

interface Making {
  readonly instance: Instance
  readonly effective: Effective
  readonly entry: ServiceEntry
}

/** Reads the stack of a service with its arguments. */
function makeChild(c: Compilation, making: Making): Instance | undefined {
  const { effective, entry } = making
  const target = effective.targets.get(entry.name)
  if (target === undefined) return undefined
  const args = mergeBags(target.presets, entry.args)
  const body = bodyOf(c, target, { args, entry })
  if (body === undefined) return undefined
  if (body.isAbstract) {
    c.report('MU505', [entry.name, body.name?.text ?? ''], { spot: entry.type.spot })
    return undefined
  }
  const child = childOf(making, { target, args, body })
  return isSound(c, child) && isSubclass(c, effective, { child, entry }) ? child : undefined
}

interface Reading {
  readonly args: Bag
  readonly entry: ServiceEntry
}

function bodyOf(c: Compilation, target: StackTarget, { args, entry }: Reading): Body | undefined {
  if (target.kind === 'body') return target.body
  return readStack(c, target.found.file, { bag: args, user: { name: entry.name, spot: entry.spot } })
}

interface ChildStack {
  readonly target: StackTarget
  readonly args: Bag
  readonly body: Body
}

function childOf({ instance, entry }: Making, { target, args, body }: ChildStack): Instance {
  const { name, isPublic, spot } = entry
  return {
    name,
    fqn: `${instance.fqn}/${name}`,
    parent: instance,
    depth: instance.depth + 1,
    isPublic,
    body,
    outer: target.kind === 'body' ? target.outer : undefined,
    found: target.kind === 'file' ? target.found : undefined,
    args,
    spot,
    children: new Map(),
    effective: undefined,
    properties: new Map(),
    dependsOn: [],
  }
}

interface Again {
  readonly child: Instance
  readonly entry: ServiceEntry
}

/** Refuses a service that is declared again with a stack that is not based on the inherited one. */
function isSubclass(c: Compilation, { base }: Effective, { child, entry }: Again): boolean {
  const { inherited, type, name } = entry
  const target = inherited?.type === type ? undefined : base?.targets.get(name)
  if (target === undefined) return true
  if (child.body.id === idOf(target)) return true
  const own = effectiveOf(c, child.body, { bag: child.args, outer: child.outer })
  if (own === undefined) return false
  const isBased = own.chain.some(({ body }) => body.id === idOf(target))
  if (!isBased) c.report('MU508', [nameOf(target), own.name], { spot: type.spot })
  return isBased
}

function idOf(target: StackTarget): string {
  return target.kind === 'body' ? target.body.id : target.found.file.path
}

function nameOf(target: StackTarget): string {
  if (target.kind === 'body') return target.body.name?.text ?? ''
  return target.found.file.stated.get('name') ?? target.found.reference.name
}

interface Entering {
  readonly children: readonly (Instance | undefined)[]
  readonly fqns: Set<string>
}

function enterChildren(c: Compilation, { children }: Instance, entering: Entering): boolean {
  let isUnique = true
  for (const child of entering.children) {
    if (child === undefined) continue
    if (entering.fqns.has(child.fqn)) {
      c.report('MU502', [child.fqn], { spot: child.spot })
      isUnique = false
    }
    entering.fqns.add(child.fqn)
    children.set(child.name, child)
  }
  return isUnique
}

/** Suggests the name of a service or property that was probably meant. */
export function suggestName(name: string, writer: Instance): string | undefined {
  return suggestionFor(name, [...writer.children.keys(), ...stackOf(writer).properties.keys()])
}
