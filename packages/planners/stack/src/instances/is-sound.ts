import type { Compilation } from '../compilation.ts'
import type { Bag } from '../resolution/read-stack.ts'
import { keyOfValue, valueOf } from '../values/stack-value.ts'
import type { Instance } from './instance.ts'

/** Instances nest at most this deep, the root included. */
const MAX_DEPTH = 64

/** Refuses an instance that makes itself with equal arguments, or is too deep. */
export function isSound(c: Compilation, child: Instance): boolean {
  const isTooDeep = child.depth > MAX_DEPTH
  const loop = loopOf(child, isTooDeep ? () => true : hasEqualArguments) ?? (isTooDeep ? pathOf(child) : undefined)
  if (loop === undefined) return true
  const names = new Set(loop.map(({ body }) => body.name?.text ?? ''))
  c.report('MU601', [...names].toSorted(), { spot: child.spot })
  return false
}

/** Returns the instances from the nearest one of the same stack around a child to the child's parent. */
function loopOf(child: Instance, isAgain: (one: Instance, other: Instance) => boolean): Instance[] | undefined {
  const loop: Instance[] = []
  for (let around = child.parent; around !== undefined; around = around.parent) {
    loop.push(around)
    if (around.body.id === child.body.id && isAgain(around, child)) return loop
  }
  return undefined
}

function pathOf(child: Instance): Instance[] {
  const path: Instance[] = []
  for (let around: Instance | undefined = child; around !== undefined; around = around.parent) path.push(around)
  return path
}

function hasEqualArguments(one: Instance, other: Instance): boolean {
  return one.args === other.args || textOf(one.args) === textOf(other.args)
}

function textOf(args: Bag): string {
  return keyOfValue(new Map([...args].map(([name, written]) => [name, valueOf(written)])))
}
