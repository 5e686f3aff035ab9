import { build, defineService, defineServices, type InterDependency, source } from 'davit'

/** A web service, which asks a database with a client program of the machine. */
function webService(database: InterDependency, { client, port }: { readonly client: string; readonly port: number }) {
  return build({
    sources: {
      program: '../webservices/serve.py',
      query: `../webservices/${database.name}.sql`,
      install: '../webservices/install.sh',
    },
    env: { client, port, host: `${database.target.properties.hostname}`, database: database.name },
    script: '. "$install"',
  })
}

/** A group of servers for nginx, which asks them in turn, and leaves out one that does not answer. */
function upstream(name: string, { targets, port }: InterDependency): string {
  const servers = targets.map(({ properties }) => `server ${properties.hostname}:${port};`)
  return `upstream ${name} { ${servers.join(' ')} }`
}

const website = { port: 8080, documentRoot: '/srv/stafftracker' }

export default defineServices({
  staff: { type: 'postgresql-database', pkg: source('../databases/staff'), deployState: true },
  rooms: { type: 'mysql-database', pkg: source('../databases/rooms'), deployState: true },
  zipcodes: { type: 'mysql-database', pkg: source('../databases/zipcodes'), deployState: true },

  staffService: defineService({
    type: 'process',
    port: 8101,
    dependsOn: ['staff'],
    pkg: ({ staff }) => webService(staff, { client: 'psql', port: 8101 }),
  }),
  roomService: defineService({
    type: 'process',
    port: 8102,
    dependsOn: ['rooms'],
    pkg: ({ rooms }) => webService(rooms, { client: 'mariadb', port: 8102 }),
  }),
  zipcodeService: defineService({
    type: 'process',
    port: 8103,
    dependsOn: ['zipcodes'],
    pkg: ({ zipcodes }) => webService(zipcodes, { client: 'mariadb', port: 8103 }),
  }),

  nginx: defineService({
    type: 'process',
    dependsOn: { staff: 'staffService', rooms: 'roomService', zipcodes: 'zipcodeService' },
    providesContainers: { 'nginx-webapplication': website },
    pkg: (services) =>
      build({
        sources: { configuration: '../nginx/nginx.conf', install: '../nginx/install.sh' },
        env: {
          ...website,
          upstreams: Object.entries(services)
            .map(([name, service]) => upstream(name, service))
            .join('\n'),
        },
        script: '. "$install"',
      }),
  }),
  page: {
    type: 'nginx-webapplication',
    deployState: true,
    pkg: build({ sources: { page: '../page/index.html', install: '../page/install.sh' }, script: '. "$install"' }),
  },
})
