import { readFileSync } from 'node:fs'

import {
  type ContainerName,
  Manifest,
  type ManifestService,
  type Mapping,
  parseDocument,
  type ServiceKey,
  type ServiceName,
  type StorePath,
  type System,
  type TargetName,
} from '@davit/documents'
import { manifestOf, type SystemSpec } from '@davit/transition/testing'

import { changesBetween, type Graph, graphOf } from '../src/picture.ts'

/** A manifest with a provider of containers, dashed lines and a password. */
export const PAGE = fixture('page.xml')

function fixture(name: string): Manifest {
  const file = new URL(`fixtures/${name}`, import.meta.url)
  return parseDocument(Manifest, readFileSync(file, 'utf8'), { file: name })
}

const BEFORE: SystemSpec = {
  services: {
    store: { on: ['db/process'] },
    cache: { on: ['db/process'] },
    api: { on: ['web/process', 'web2/process'], dependsOn: ['store'] },
    page: { on: ['web/process'], dependsOn: ['api'] },
    old: { on: ['web/process'], dependsOn: ['cache'] },
  },
  cores: { spare: 1 },
}

const AFTER: SystemSpec = {
  services: {
    store: { on: ['db2/process'] },
    cache: { on: ['db/process'] },
    api: { on: ['web/process', 'web2/process'], dependsOn: ['store'] },
    page: { on: ['web/process'], dependsOn: ['api'], version: 2 },
    search: { on: ['web2/process'], dependsOn: ['api'] },
  },
  cores: { spare: 1 },
}

/** A plan that starts, stops, moves and replaces. */
export const CHANGED: Graph = graphOf(manifestOf(AFTER), {
  title: 'old.xml to new.xml',
  changes: changesBetween(manifestOf(BEFORE), manifestOf(AFTER)),
})

/** Services whose numbers of dependencies and containers vary. */
export function largeManifest(services: number, targets: number): Manifest {
  const names = Array.from({ length: services }, (_, index) => `service-${index}${'-of-the-shop'.repeat(index % 4)}`)
  const place = (index: number): Mapping => ({
    service: `key-${index}` as ServiceKey,
    target: `host-${index % targets}` as TargetName,
    container: (index % 7 === 0 ? 'tomcat-webapplication' : 'process') as ContainerName,
  })
  const service = (index: number): ManifestService => ({
    name: names[index] as ServiceName,
    pkg: `/store/${'0'.repeat(32)}-${names[index]}` as StorePath,
    type: 'process',
    dependsOn: [index - 1, index - 13].filter((other) => other >= 0 && index % 10 > 0).map(place),
    connectsTo: index % 11 === 0 && index > 20 ? [place(index - 20)] : [],
    providesContainers: new Map(index % 50 === 0 ? [[`page-${index}` as ContainerName, new Map()]] : []),
  })
  return {
    profiles: new Map(),
    services: new Map(names.map((_, index) => [`key-${index}` as ServiceKey, service(index)])),
    infrastructure: new Map(
      Array.from({ length: targets }, (_, index) => {
        const properties = new Map([['hostname', `host-${index}.example.org`]])
        const reached = { system: 'x86_64-linux' as System, clientInterface: 'ssh', targetProperty: 'hostname' }
        return [
          `host-${index}` as TargetName,
          { properties, containers: new Map(), numOfCores: 1, ...reached },
        ] as const
      }),
    ),
    serviceMappings: names.map((_, index) => place(index)),
    snapshotMappings: [],
    store: { kind: 'native', directory: '/store' },
  }
}

/** A graph whose names and texts are as hostile as those of documents could be if nothing checked them. */
export const HOSTILE: Graph = (() => {
  const text = `"<b>&'\\\n\t\u0007\u202e]]>--></script>\u{1f600}`
  const graph = graphOf(PAGE, { title: text })
  return {
    ...graph,
    targets: graph.targets.map((target) => ({
      ...target,
      name: `${target.name}${text}`,
      address: `${target.address}${text}`,
      facts: [[text, text] as const],
      containers: target.containers.map((container) => ({
        ...container,
        name: `${container.name}${text}`,
        instances: container.instances.map((instance) => ({
          ...instance,
          name: `${instance.name}${text}`,
          provides: [text],
          facts: [[text, text] as const],
          change: { kind: 'started', reasons: [text] } as const,
          status: { kind: 'active', text } as const,
        })),
      })),
    })),
  }
})()
