import { parseStorePath } from '@davit/documents'
import type { Data } from '@davit/languages'

import { isTable, type KindName } from './kinds.ts'

/** Writes packages that are paths of a store, as derivations of the Nix language become when it is evaluated, as davit reads them. */
export function withStoredPackages(kind: KindName, data: Data): Data {
  switch (kind) {
    case 'services':
      return eachMember(data, serviceIn)
    case 'packages':
      return eachMember(data, listIn)
    case 'architecture-model':
      return eachMember(data, (section, name) =>
        name === 'services'
          ? eachMember(section, serviceIn)
          : name === 'targetPackages'
            ? eachMember(section, listIn)
            : section,
      )
    default:
      return data
  }
}

function serviceIn(service: Data): Data {
  return eachMember(service, (member, name) => (name === 'pkg' ? packageIn(member) : member))
}

function listIn(packages: Data): Data {
  return Array.isArray(packages) ? packages.map(packageIn) : packages
}

function packageIn(pkg: Data): Data {
  return typeof pkg === 'string' && parseStorePath(pkg) !== undefined ? new Map([['storePath', pkg]]) : pkg
}

function eachMember(table: Data, change: (member: Data, name: string) => Data): Data {
  if (!isTable(table)) return table
  return new Map([...table].map(([name, member]) => [name, change(member, name)]))
}
