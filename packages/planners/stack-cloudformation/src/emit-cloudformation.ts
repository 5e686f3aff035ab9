import { writeYaml } from '@davit/languages'
import {
  type CompiledStack,
  type Emission,
  finding,
  type Instance,
  placeOf,
  type StackFinding,
  unknownIntrinsics,
} from '@davit/stack'
import type { Emitter, Template } from './emitter.ts'
import { pascalIdentifier } from './identifier.ts'
import { clashesIn, logicalIdsOf } from './logical-ids.ts'
import { emitResource } from './resource.ts'

/** The intrinsic stacks of this back end, by their names. */
const EMITTERS: ReadonlyMap<string, Emitter> = new Map([['aws/x/cf', emitResource]])

/** Writes a compiled stack as a template of CloudFormation, in YAML. */
export function emitCloudFormation(stack: CompiledStack): Emission {
  const leaves = [...stack.instances.values()].filter((instance) => emitterOf(instance) !== undefined)
  const ids = logicalIdsOf(leaves)
  const findings: StackFinding[] = [...unknownIntrinsics(stack, new Set(EMITTERS.keys()))]
  const template: Template = {
    ids,
    report: (code, subjects, details) => findings.push(finding(code, subjects, details)),
  }
  reportClashes(template)
  const resources = new Map(leaves.map((leaf) => [ids.get(leaf) ?? '', emitterOf(leaf)?.(leaf, template)]))
  if (findings.length > 0) return { kind: 'refused', findings }
  return { kind: 'emitted', text: textOf(stack, resources), findings }
}

function emitterOf({ body }: Instance): Emitter | undefined {
  return body.isIntrinsic ? EMITTERS.get(body.name?.text ?? '') : undefined
}

function reportClashes({ ids, report }: Template): void {
  for (const [id, leaves] of clashesIn(ids)) {
    const names = leaves.map(({ fqn }) => `'${fqn}'`).join(', ')
    const message = id === '' ? `no logical id can be made of ${names}` : `${names} have the same logical id, '${id}'`
    const [first] = leaves
    const place = first && placeOf(first.spot)
    report('MU10000', [], { message, place, hint: 'Rename a service: only letters and digits of its name count.' })
  }
}

function textOf({ root, options }: CompiledStack, resources: ReadonlyMap<string, unknown>): string {
  const cluster = pascalIdentifier(options.cluster?.name ?? 'anonymous')
  const description = root.body.metadata.get('description')
  const template = {
    AWSTemplateFormatVersion: '2010-09-09',
    ...(typeof description === 'string' && description !== '' ? { Description: description } : {}),
    Resources: resources,
  }
  return `# MuStack-${cluster}-${pascalIdentifier(root.name)}:\n${writeYaml(template)}`
}
