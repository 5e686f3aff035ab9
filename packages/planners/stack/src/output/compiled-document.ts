import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { CompiledService, CompiledStack as CompiledDocument } from '@davit/documents'
import { compareText } from '@davit/languages'
import type { CompiledStack } from '../compile-stack.ts'
import { type Instance, publicChildren, stackOf } from '../instances/instance.ts'
import { type BoundValue, isCapability } from '../values/bound-value.ts'
import { portsOf } from '../values/ports-of.ts'

/** Returns the document of a compiled stack: the tree as data, the same for the same files and arguments. */
export function compiledDocument(stack: CompiledStack): CompiledDocument {
  const { root, instances, leaves, references, options } = stack
  const { workspace, library } = options.roots
  const files = [...references].toSorted(([left], [right]) => compareText(left, right))
  return {
    name: root.name,
    metadata: root.body.metadata,
    arguments: options.arguments,
    ...clusterOf(stack),
    properties: propertiesOf(root),
    services: new Map([...instances].map(([fqn, instance]) => [fqn, recordOf(instance)])),
    order: leaves.map(({ fqn }) => fqn),
    references: new Map(
      files.map(([canonical, { file, pinned }]) => {
        const isShipped = file.path.startsWith(`${library}/`)
        const shown = isShipped ? `davit:${posix.relative(library, file.path)}` : posix.relative(workspace, file.path)
        return [canonical, { pinned, file: shown, sha256: sha256(file.text) }]
      }),
    ),
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function clusterOf({ options }: CompiledStack): Pick<CompiledDocument, 'cluster'> {
  const { cluster, target } = options
  if (cluster === undefined && target.cloud === undefined) return {}
  return {
    cluster: {
      name: cluster?.name ?? 'anonymous',
      ...(target.cloud === undefined ? {} : { cloud: target.cloud }),
      ...(target.scheduler === undefined ? {} : { scheduler: target.scheduler }),
    },
  }
}

function recordOf(instance: Instance): CompiledService {
  const { body, found, isPublic, dependsOn } = instance
  const { chain, properties } = stackOf(instance)
  const declared = [...properties.values()]
  return {
    type: body.name?.text ?? '',
    ...(found === undefined ? {} : { ref: found.pinned }),
    chain: chain.map(({ name }) => name),
    public: isPublic,
    intrinsic: body.isIntrinsic,
    properties: propertiesOf(instance),
    dependsOn: dependsOn.map(({ fqn }) => fqn),
    endpoints: body.isIntrinsic ? portsOf(instance) : publicChildren(instance).map(({ fqn }) => fqn),
    readonly: declared.filter(({ isReadonly }) => isReadonly).map(({ name }) => name),
    perturbs: declared.filter(({ perturbs }) => perturbs).map(({ name }) => name),
  }
}

function propertiesOf({ properties }: Instance): ReadonlyMap<string, unknown> {
  return new Map([...properties].map(([name, value]) => [name, dataOf(value)]))
}

/** Turns a bound value into data: a capability becomes the names of what was named and chosen. */
function dataOf(value: BoundValue): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Map) {
    const members = [...(value as ReadonlyMap<string, BoundValue>)]
    return new Map(members.map(([key, member]) => [key, dataOf(member)]))
  }
  if (!isCapability(value)) return (value as readonly BoundValue[]).map(dataOf)
  const { service, chosen, port } = value
  return {
    service: service.fqn,
    ...(chosen === service ? {} : { endpoint: chosen.fqn }),
    ...(port === undefined ? {} : { port }),
  }
}
