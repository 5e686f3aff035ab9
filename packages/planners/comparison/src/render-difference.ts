import { nameText, printableLines } from '@davit/diagnostics'
import { isSecret, type PropertyValue, renderSecret, secretTextOf, type StorePath } from '@davit/documents'
import { writeJson } from '@davit/languages'

import type {
  FieldChange,
  ManifestDifference,
  NamedPlace,
  Place,
  ProfileDifference,
  ServiceChange,
  ServiceDifference,
  SnapshotDifference,
  TargetDifference,
} from './difference.ts'

/** Renders a difference for people; empty if there is none. */
export function renderDifference({ services, targets, profiles, snapshots, store }: ManifestDifference): string {
  const lines = [
    ...services.flatMap(serviceLines),
    ...targets.flatMap(targetLines),
    ...profiles.map(profileLine),
    ...snapshots.map(snapshotLine),
    ...(store === undefined
      ? []
      : [`store changed: ${store.from.kind} ${store.from.directory} to ${store.to.kind} ${store.to.directory}`]),
  ]
  return printableLines(lines)
}

/** Encodes a difference as a document in JSON. */
export function encodeDifference(
  difference: ManifestDifference,
  between: Readonly<Record<'from' | 'to', unknown>>,
): string {
  return `${writeJson({ document: 'difference', version: 1, ...between, ...difference })}\n`
}

function serviceLines(difference: ServiceDifference): readonly string[] {
  const { kind, service } = difference
  if (kind === 'changed')
    return [`service ${service} changed`, ...difference.changes.flatMap(changeLines).map(indented)]
  const places = difference.places.map(textOf).join(', ')
  return [`service ${service} ${kind}${places === '' ? '' : `: ${places}`}`]
}

function changeLines(change: ServiceChange): readonly string[] {
  switch (change.kind) {
    case 'package':
      return [`package: ${shortened(change.from, change.to)} to ${shortened(change.to, change.from)}`]
    case 'type':
      return [`type: ${change.from} to ${change.to}`]
    case 'moved':
      return [`moved: ${textOf(change.from)} to ${textOf(change.to)}`]
    case 'place-added':
      return [`also ${textOf(change.place)}`]
    case 'place-removed':
      return [`no longer ${textOf(change.place)}`]
    case 'provider':
      return [
        `container ${change.place.container} on ${change.place.target}: ${providedBy(change.from)} to ${providedBy(change.to)}`,
      ]
    case 'provides':
      return change.fields.map((field) => `provides container ${fieldText(field)}`)
    case 'key':
      return ['its key, for a reason that the manifests do not show']
    default:
      return dependencyLines(change)
  }
}

type DependencyChange = Extract<ServiceChange, { readonly kind: `${'depends-on' | 'connects-to'}${string}` }>

function dependencyLines(change: DependencyChange): readonly string[] {
  switch (change.kind) {
    case 'depends-on':
    case 'connects-to': {
      const words = change.kind.replace('-', ' ')
      return [
        ...change.removed.map((placed) => `no longer ${words} ${namedText(placed)}`),
        ...change.added.map((placed) => `${words} ${namedText(placed)}`),
      ]
    }
    case 'depends-on-changed':
    case 'connects-to-changed':
      return [
        `${change.kind.slice(0, -'-changed'.length).replace('-', ' ')} ${change.services.join(', ')}, which changed`,
      ]
  }
}

function providedBy(service: string | undefined): string {
  return service === undefined ? 'of the target' : `provided by ${service}`
}

function targetLines(difference: TargetDifference): readonly string[] {
  const { kind, target } = difference
  if (kind !== 'changed') return [`target ${target} ${kind}`]
  return [`target ${target} changed`, ...difference.fields.map(fieldText).map(indented)]
}

function profileLine({ target, from, to }: ProfileDifference): string {
  if (from === undefined) return `profile of ${target} added`
  return to === undefined
    ? `profile of ${target} removed`
    : `profile of ${target} changed: ${hashOf(from)} to ${hashOf(to)}`
}

function snapshotLine({ kind, component, ...placed }: SnapshotDifference): string {
  const words = kind === 'added' ? 'moves with it' : 'no longer moves with it'
  return `state of ${namedText(placed)} (${component}) ${words}`
}

/** `properties/hostname: "a" to "b"` */
function fieldText({ path, from, to }: FieldChange): string {
  const name = path.map(nameText).join('/')
  if (from === undefined) return `${name} added: ${valueText(to)}`
  return to === undefined ? `${name} removed: ${valueText(from)}` : `${name}: ${valueText(from)} to ${valueText(to)}`
}

/** A value on one line. Of a secret, documents know only where it comes from. */
function valueText(value: PropertyValue | undefined): string {
  if (value === undefined) return ''
  if (isSecret(value)) {
    const [part = ''] = secretTextOf(value) ?? []
    if (typeof part !== 'string') return `secret from ${renderSecret(part)}`
  }
  return writeJson(value).replaceAll(/\n */g, ' ')
}

function namedText({ service, ...place }: NamedPlace): string {
  return `${service} ${textOf(place)}`
}

function textOf({ target, container }: Place): string {
  return `in ${container} on ${target}`
}

/** File name of a package; its hash only where the name alone is the same in both. */
function shortened(path: StorePath, other: StorePath): string {
  const name = nameOf(path)
  return name === nameOf(other) ? `${hashOf(path)}-${name}` : name
}

const HASH_CHARACTERS = 32

function nameOf(path: StorePath): string {
  return path.slice(path.lastIndexOf('/') + HASH_CHARACTERS + 2)
}

function hashOf(path: StorePath): string {
  return path.slice(path.lastIndexOf('/') + 1).slice(0, 7)
}

function indented(line: string): string {
  return `  ${line}`
}
