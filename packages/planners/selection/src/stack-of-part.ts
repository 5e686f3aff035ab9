import type { CompiledStack, Manifest } from '@davit/documents'

import { instancesOf } from './instances.ts'
import { isSelected, type Selection } from './select.ts'

interface Part {
  /** The compiled stack of the generation before. */
  readonly before: CompiledStack
  /** What is deployed with the part. */
  readonly manifest: Manifest
  readonly selection: Selection
}

/** The compiled stack of which only a part was deployed: whoever has services that were left out has the properties of before. */
export function stackOfPart(stack: CompiledStack, { before, manifest, selection }: Part): CompiledStack {
  const left = [...instancesOf([manifest]).values()].filter((one) => !isSelected(selection, one))
  const isWhole = (fqn: string) => !left.some(({ service }) => `${service}.`.startsWith(`${fqn.replaceAll('/', '.')}.`))
  const services = [...stack.services].map(([fqn, service]) => {
    const { properties } = (isWhole(fqn) ? undefined : before.services.get(fqn)) ?? service
    return [fqn, { ...service, properties }] as const
  })
  const { properties } = isWhole(stack.name) || before.name !== stack.name ? stack : before
  return { ...stack, properties, services: new Map(services) }
}
