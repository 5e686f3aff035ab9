import { type Capability, capabilitiesIn, type CompiledStack, type Instance, isNamed } from '@davit/stack'
import { leavesOf } from './endpoints.ts'

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
  for (const composite of instances.values()) {
    if (composite.body.isIntrinsic) continue
    const others = unusedBy(composite).flatMap(leavesOf)
    if (others.length > 0) for (const leaf of below(composite)) add(leaf, others)
  }
  return after
}

/** Returns the capabilities of a composite that nothing in it names: then all of it waits for them. */
function unusedBy(composite: Instance): readonly Capability[] {
  const unused = [...composite.properties].filter(([name]) => !isNamed(composite, name))
  return unused.flatMap(([, value]) => capabilitiesIn(value))
}

function below({ children }: Instance): readonly Instance[] {
  return [...children.values()].flatMap((child) => [child, ...below(child)])
}
