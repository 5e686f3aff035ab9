import type { Written } from '@davit/languages'
import { type Instance, stackOf } from '../instances/instance.ts'
import { fileOf } from '../resolution/read-stack.ts'
import type { StackFile } from '../resolution/stack-file.ts'
import { isNothing } from '../mufile/shapes.ts'

const KNOWN = new WeakMap<Instance, readonly number[]>()

/** Returns the bound `port` and `ports` of an intrinsic instance, each once; known before its other properties are. */
export function portsOf(instance: Instance): readonly number[] {
  if (!instance.body.isIntrinsic) return []
  const known = KNOWN.get(instance)
  if (known !== undefined) return known
  const ports = [...numbersIn(boundOf(instance, 'port')), ...numbersIn(boundOf(instance, 'ports'))]
  const distinct = [...new Set(ports)]
  KNOWN.set(instance, distinct)
  return distinct
}

/** Returns the argument of a property, or else its default. */
export function boundOf(instance: Instance, name: string): Written | undefined {
  const given = instance.args.get(name)
  return isNothing(given) ? stackOf(instance).properties.get(name)?.default : given
}

/** Returns the file that a relative path in a property is relative to: the one in which its value is written. */
export function fileOfArgument(instance: Instance, name: string): StackFile {
  const written = boundOf(instance, name)
  return (written && fileOf(written)) ?? instance.body.file
}

function numbersIn(written: Written | undefined): readonly number[] {
  if (written?.kind === 'list') return written.items.flatMap(numbersIn)
  return written?.kind === 'scalar' && typeof written.value === 'number' ? [written.value] : []
}
