import {
  build,
  defineArchitecture,
  defineBuildModel,
  defineDeploymentModel,
  defineDistribution,
  defineInfrastructure,
  definePackages,
  defineServices,
  defineService,
  float,
  secret,
  source,
} from '../src/davit.ts'

export const infrastructure = defineInfrastructure({
  db1: {
    properties: { hostname: 'db1.example', weight: float(1) },
    containers: { process: { port: 8080, password: secret({ command: ['pass', 'db'] }) } },
  },
  web1: { properties: { hostname: 'web1.example' }, numOfCores: 2 },
})

export const services = defineServices(({ system, invDistribution, port }) => ({
  database: { type: 'process', pkg: source('./database'), port },
  web: defineService({
    type: 'process',
    dependsOn: ['database'],
    connectsTo: { peer: { service: 'web' } },
    anything: { at: ['all'] },
    pkg: ({ database, peer }) =>
      build({
        script: 'true',
        sources: { app: './web' },
        env: {
          HOST: database.target.properties.hostname,
          PORT: database.target.container.port,
          PEER: `${peer.target.properties.hostname}`,
          SYSTEM: system,
        },
      }),
  }),
  all: { type: 'process', pkg: source('./x'), dependsOn: { ...invDistribution.db1?.services } },
}))

export const withExtra = defineServices(({ system, port }: { system: string; port: number }) => ({
  web: { type: 'process', pkg: build({ script: `${system}${port.toFixed()}` }) },
}))

export const loose = defineServices(() => ({
  web: {
    type: 'process',
    dependsOn: ['database'],
    pkg: ({ database }) => build({ script: 'true', env: { HOST: database?.target.properties.hostname } }),
  },
}))

export const misspelt = defineServices({
  // @ts-expect-error a service has a type
  web: { pkg: source('./web') },
})

export const wrong = defineServices({
  web: {
    type: 'process',
    dependsOn: ['database'],
    // @ts-expect-error there is no inter-dependency of that name
    pkg: ({ databse }) => build({ script: 'true', env: { A: databse.type } }),
  },
})

export const objects = defineServices(() => {
  const database = defineService({ type: 'process', pkg: source('./database') })
  const web = defineService({
    type: 'process',
    dependsOn: { database },
    pkg: ({ database }) => build({ script: 'true', env: { A: database.target.properties.hostname } }),
  })
  const proxy = defineService({
    type: 'process',
    dependsOn: { web: { ...web, targets: ['web1'] } },
    pkg: source('./p'),
  })
  return { database, web, proxy }
})

export const distribution = defineDistribution<typeof infrastructure>(({ infrastructure }) => ({
  database: [infrastructure.db1],
  web: { targets: [{ target: infrastructure.web1, container: 'process2' }, { target: 'db1' }] },
}))

export const wrongTarget = defineDistribution<typeof infrastructure>(({ infrastructure }) => ({
  // @ts-expect-error there is no target of that name
  database: [infrastructure.t4],
}))

export const wrongTargetName = defineDistribution<typeof infrastructure>({
  // @ts-expect-error there is no target of that name
  database: ['t4'],
  web: ['db1', { target: 'web1', container: 'process2' }],
})

// @ts-expect-error there is no target of that name
export const wrongPlacement = defineDistribution<typeof infrastructure>(() => ({
  web: { targets: [{ target: 't4' }] },
}))

export const wrongTargetProperty = defineDistribution<typeof infrastructure>(({ infrastructure }) => ({
  // @ts-expect-error the target has no such property
  database: infrastructure.db1.properties.hostnme === '' ? [] : [infrastructure.db1],
}))

export const infrastructureOfZone = defineInfrastructure(({ zone }: { zone: string }) => ({
  db1: { properties: { hostname: `db1.${zone}` }, clientInterface: 'ssh' },
}))

export const distributionOfZone = defineDistribution<typeof infrastructureOfZone>(({ infrastructure }) => ({
  database: [infrastructure.db1],
  // @ts-expect-error there is no target of that name
  web: [infrastructure.t4],
}))

export const interfaces = defineInfrastructure({
  here: { properties: { hostname: 'a' }, clientInterface: 'local' },
  original: { properties: { hostname: 'a' }, clientInterface: 'disnix-ssh-client' },
  external: { properties: { hostname: 'a' }, clientInterface: '/opt/clients/serial', free: { attribute: 1 } },
  relative: { properties: { hostname: 'a' }, clientInterface: './clients/serial' },
})

export const wrongInterface = defineInfrastructure({
  // @ts-expect-error there is no such client interface
  here: { properties: { hostname: 'a' }, clientInterface: 'locall' },
})

export const wrongCores = defineInfrastructure({
  // @ts-expect-error a number of cores is a number
  here: { properties: { hostname: 'a' }, numOfCores: '2' },
})

export const wrongArchitecture = defineArchitecture({
  // @ts-expect-error there is no such client interface
  infrastructure: { here: { properties: { hostname: 'a' }, clientInterface: 'locall' } },
  services: {},
})

export const undefinedVariable = build({
  script: 'true',
  // @ts-expect-error a variable of a build has a value
  env: { HOST: undefined },
})

export const looseDistribution = defineDistribution(({ infrastructure, zone }) => ({
  database: Object.values(infrastructure).filter((target) => target.properties.zone === zone),
}))

export const packages = definePackages(({ system }) => ({ db1: [source(`./tools-${system}`)] }))

export const architecture = defineArchitecture(({ system }) => ({
  infrastructure,
  services: {
    web: defineService({
      type: 'process',
      targets: [infrastructure.web1],
      dependsOn: ['database'],
      pkg: ({ database }) => build({ name: database.name, script: system }),
    }),
    database: { type: 'process', targets: { targets: [{ target: infrastructure.db1 }] }, pkg: source('.') },
  },
}))

const path = '/var/lib/davit/store/00000000000000000000000000000000-a'
const mapping = { service: 'k', target: 'a', container: 'process' }

export const deployment = defineDeploymentModel({
  profiles: { a: path },
  services: { k: { name: 'a', pkg: path, type: 'process', dependsOn: [mapping] } },
  infrastructure: { a: { properties: { hostname: 'a', weight: float(1) }, clientInterface: 'local' } },
  serviceMappings: [{ ...mapping, containerProvidedByService: 'k' }],
  snapshotMappings: [{ ...mapping, component: 'a' }],
})

export const buildModel = defineBuildModel({
  derivationMappings: [{ derivation: `${path}.drv`, interface: 'a' }],
  interfaces: { a: { targetAddress: 'a.example', clientInterface: 'ssh' } },
})

// @ts-expect-error a mapping has a container
export const noContainer = defineDeploymentModel({ serviceMappings: [{ service: 'k', target: 'a' }] })
