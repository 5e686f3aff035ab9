/** A manifest of local targets that nothing is deployed on. */
export const manifestWith = (...names: string[]) =>
  JSON.stringify({
    document: 'manifest',
    version: 2,
    store: { kind: 'native', directory: '/store' },
    profiles: {},
    services: {},
    infrastructure: Object.fromEntries(
      names.map((name) => [
        name,
        {
          properties: { hostname: 'localhost' },
          containers: {},
          system: 'x86_64-linux',
          numOfCores: 1,
          clientInterface: 'local',
          targetProperty: 'hostname',
        },
      ]),
    ),
    serviceMappings: [],
    snapshotMappings: [],
  })
