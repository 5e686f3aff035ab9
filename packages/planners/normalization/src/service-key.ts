import { createHash } from 'node:crypto'
import type { ManifestService, Mapping, ServiceKey } from '@davit/documents'

/** The fields that identify a version of a service; `dependsOn` is in the order of the manifest. */
export type ServiceIdentity = Pick<ManifestService, 'name' | 'type' | 'pkg' | 'dependsOn'>

/** SHA-256 of the result of `builtins.toXML { inherit name type pkg dependsOn; }` in Nix. */
export function serviceKeyOf(identity: ServiceIdentity): ServiceKey {
  return createHash('sha256').update(serviceXml(identity)).digest('hex') as ServiceKey
}

function serviceXml({ name, type, pkg, dependsOn }: ServiceIdentity): string {
  const lines = [
    "<?xml version='1.0' encoding='utf-8'?>",
    '<expr>',
    '  <attrs>',
    '    <attr name="dependsOn">',
    '      <list>',
    ...dependsOn.flatMap(mappingXml),
    '      </list>',
    '    </attr>',
    ...stringXml('name', name, '    '),
    ...stringXml('pkg', pkg, '    '),
    ...stringXml('type', type, '    '),
    '  </attrs>',
    '</expr>',
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function mappingXml({ container, service, target }: Mapping): string[] {
  const indent = '          '
  return [
    '        <attrs>',
    ...stringXml('container', container, indent),
    ...stringXml('service', service, indent),
    ...stringXml('target', target, indent),
    '        </attrs>',
  ]
}

function stringXml(name: string, value: string, indent: string): string[] {
  return [`${indent}<attr name="${name}">`, `${indent}  <string value="${escape(value)}" />`, `${indent}</attr>`]
}

const ESCAPES = new Map([
  ['"', '&quot;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
  ['\n', '&#xA;'],
])

function escape(value: string): string {
  return value.replace(/["<>&\n]/g, (character) => ESCAPES.get(character) ?? character)
}
