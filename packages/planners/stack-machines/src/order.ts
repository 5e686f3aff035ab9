import { type Capability, capabilitiesIn, type CompiledStack, type Instance, isNamed } from '@davit/stack'
import { leavesOf } from './endpoints.ts'

/** Leaves, and those after which each is activated. */
type Orders = ReadonlyMap<Instance, Set<Instance>>

/** Returns the leaves after which each leaf is activated; what it links to is not among them. */
export function ordersOf({ leaves, instances }: CompiledStack): ReadonlyMap<Instance, ReadonlySet<Instance>> {
  const after = new Map(leaves.map((leaf) => [leaf, new Set<Instance>()]))
  const add = (leaf: Instance, others: readonly Instance[]) => {
    for (const other of others) if (other !== leaf) after.get(leaf)?.add(other)
  }
  for (const leaf of leaves) {
    for (const [name, value] of leaf.properties) {
      if (name !== 'links') add(leaf, capabilitiesIn(value).flatMap(leavesOf))
    }
  }
  const waiting = [...instances.values()].flatMap(waitingWhole)
  const [own, others] = [waiting.filter(isOwn), waiting.filter((one) => !isOwn(one))]
  for (const { leaf, capability } of others) add(leaf, leavesOf(capability))
  // At last, because a service may itself wait for others of the composite that has it as default.
  for (const { leaf, capability } of own) add(leaf, leavesOf(capability).filter(mayPrecede(leaf, after)))
  return after
}

interface Waiting {
  readonly leaf: Instance
  readonly composite: Instance
  readonly capability: Capability
}

/** Whether a service of the composite itself is waited for, which a default names. */
function isOwn({ composite, capability }: Waiting): boolean {
  return capability.service.parent === composite
}

/** Returns the capabilities of a composite that nothing in it names, with each leaf in it: all of them wait. */
function waitingWhole(composite: Instance): readonly Waiting[] {
  if (composite.body.isIntrinsic) return []
  const unused = [...composite.properties].filter(([name]) => !isNamed(composite, name))
  const capabilities = unused.flatMap(([, value]) => capabilitiesIn(value))
  const leaves = capabilities.length === 0 ? [] : below(composite).filter(({ body }) => body.isIntrinsic)
  return capabilities.flatMap((capability) => leaves.map((leaf) => ({ leaf, composite, capability })))
}

/** Tells which leaves do not wait for a leaf themselves, through any others. */
function mayPrecede(leaf: Instance, after: Orders): (other: Instance) => boolean {
  return (other) => {
    const seen = new Set([other])
    for (const one of seen) {
      for (const next of [...(after.get(one) ?? []), ...linkedFrom(one)]) seen.add(next)
    }
    return !seen.has(leaf)
  }
}

function linkedFrom({ properties }: Instance): readonly Instance[] {
  return capabilitiesIn(properties.get('links') ?? null).flatMap(leavesOf)
}

function below({ children }: Instance): readonly Instance[] {
  return [...children.values()].flatMap((child) => [child, ...below(child)])
}
