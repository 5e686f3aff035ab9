import type { Compilation } from '../compilation.ts'
import { checkBag } from '../values/check-value.ts'
import { capabilitiesIn } from '../values/bound-value.ts'
import { compareText } from '@davit/languages'
import { type Instance, stackOf } from './instance.ts'

/** Checks the arguments of all instances, children before parents. */
export function validate(c: Compilation, instance: Instance): void {
  for (const child of instance.children.values()) validate(c, child)
  const home = stackOf(instance)
  const { args: members, spot, parent: writer } = instance
  instance.properties = checkBag({ home, declarations: home.properties, members, spot }, { c, writer, owner: instance })
  instance.dependsOn = servicesIn(instance)
}

/** Returns the services that the properties of an instance name, each once. Its own are none: parents do not wait for children. */
function servicesIn(instance: Instance): readonly Instance[] {
  const capabilities = [...instance.properties.values()].flatMap(capabilitiesIn)
  const named = capabilities.map(({ service }) => service).filter(({ parent }) => parent !== instance)
  return [...new Set(named)].toSorted((left, right) => compareText(left.fqn, right.fqn))
}
