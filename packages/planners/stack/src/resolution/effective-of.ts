import { type Compilation, countErrors, type LibraryOf } from '../compilation.ts'
import type { Spot } from '../finding.ts'
import type { Body } from '../mufile/body.ts'
import { completed } from '../references/pins.ts'
import { bindTypes, resolveWords } from './bind-stack.ts'
import type { Effective, StackTarget } from './effective.ts'
import { makeEffective } from './make-effective.ts'
import { type Prepared, prepare } from './prepare.ts'
import { type Bag, readStack } from './read-stack.ts'
import { enterReference, resolveStack } from './resolve-stack.ts'

export interface EffectiveFor {
  readonly bag: Bag
  /** The stack around a nested one. */
  readonly outer: Effective | undefined
  /** Stacks that are based on this one, by which cycles are found. */
  readonly trail?: readonly Body[]
}

/** Prepares, resolves and binds a stack; undefined if there are errors in it, which are reported once. */
export function effectiveOf(c: Compilation, body: Body, use: EffectiveFor): Effective | undefined {
  const effective = resolvedOf(c, body, use)
  return effective?.failedAt === undefined ? effective : undefined
}

/** Does the same, but returns a stack in which only binding found errors, too: what its services are made of is known. */
export function resolvedOf(c: Compilation, body: Body, use: EffectiveFor): Effective | undefined {
  const prepared = prepare(c, body)
  if (prepared.isFailed) return undefined
  const base = baseOf(c, { body, prepared, use })
  const effective = entered(c, {
    body,
    prepared,
    base: base === 'failed' ? undefined : base,
    use,
    isFailed: base === 'failed',
  })
  return effective.failedAt === 'resolve' ? undefined : effective
}

interface WithBase {
  readonly body: Body
  readonly prepared: Prepared
  readonly use: EffectiveFor
}

interface Entry extends WithBase {
  readonly base: Effective | undefined
  readonly isFailed: boolean
}

/** Makes the stack of a body over a base once; while it is bound, those who need it get it unfinished. */
function entered(c: Compilation, { body, prepared, base, use, isFailed }: Entry): Effective {
  const { outer } = use
  const byBase = c.effectives.get(body) ?? new Map<Effective | undefined, Map<Effective | undefined, Effective>>()
  const byOuter = byBase.get(base) ?? new Map<Effective | undefined, Effective>()
  c.effectives.set(body, byBase.set(base, byOuter))
  const known = byOuter.get(outer)
  if (known !== undefined) return known
  const before = countErrors(c)
  const effective = makeEffective(c, { body, prepared, base, outer })
  byOuter.set(outer, effective)
  enterBase(c, effective, prepared)
  resolveWords(c, effective, { isBaseKnown: !isFailed })
  if (isFailed || countErrors(c) > before) effective.failedAt = 'resolve'
  else bindTypes(c, effective)
  if (countErrors(c) > before) effective.failedAt ??= 'bind'
  return effective
}

/** The base is a reference of the file like others. */
function enterBase(c: Compilation, effective: Effective, { base }: Prepared): void {
  if (base === undefined) return
  const { reference, at } = base
  enterReference(c, { effective, reference, spot: at.spot }, completed(reference, c.options.workspace.pins))
}

/** Reads the base with the arguments of the subclass. */
function baseOf(c: Compilation, { body, prepared, use }: WithBase): Effective | undefined | 'failed' {
  const spot = prepared.base?.at.spot
  if (spot === undefined) return undefined
  const { bag, outer, trail = [] } = use
  const target = baseTarget(c, { body, prepared, use })
  if (target === undefined) return 'failed'
  const base = bodyOf(c, target, bag)
  const path = [...trail, body]
  if (base === undefined || reportCycle(c, path, { base, spot })) return 'failed'
  return effectiveOf(c, base, { bag, outer: outerOf(target, outer), trail: path }) ?? 'failed'
}

/** Only a nested stack sees what is around it. */
function outerOf({ kind }: StackTarget, outer: Effective | undefined): Effective | undefined {
  return kind === 'body' ? outer : undefined
}

function bodyOf(c: Compilation, target: StackTarget, bag: Bag): Body | undefined {
  return target.kind === 'body' ? target.body : readStack(c, target.found.file, { bag })
}

function reportCycle(c: Compilation, path: readonly Body[], { base, spot }: { base: Body; spot: Spot }): boolean {
  const start = path.findIndex(({ id }) => id === base.id)
  if (start === -1) return false
  const names = path.slice(start).map(({ name }) => name?.text ?? '')
  c.report('MU602', names.toSorted(), { spot })
  return true
}

/** Looks the base up among the nested stacks of its own file, then among files. */
function baseTarget(c: Compilation, { body, prepared, use }: WithBase): StackTarget | undefined {
  const { base } = prepared
  if (base === undefined || base.targets.has(use.outer)) return base?.targets.get(use.outer)
  const effective = makeEffective(c, {
    body,
    prepared: { ...prepared, services: [] },
    base: undefined,
    outer: use.outer,
  })
  const target = resolveStack(c, { effective, reference: base.reference, spot: base.at.spot })
  base.targets.set(use.outer, target)
  return target
}

/** Reads a stack whose schemas are used, without arguments. */
export const libraryOf: LibraryOf = (c, { file }) => {
  const body = readStack(c, file, { bag: c.noArguments })
  return body && effectiveOf(c, body, { bag: c.noArguments, outer: undefined })
}
