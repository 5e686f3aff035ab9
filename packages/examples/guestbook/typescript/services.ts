import { build, defineService, defineServices, type InterDependency } from 'davit'

interface Parameters {
  /** Pass other ports with `--extra-params` if the default ports are taken. */
  readonly ports?: { readonly entries: number; readonly api: number; readonly page: number }
}

/** A program of the guestbook with its configuration, started by the module `process`; targets need Node.js. */
function program(name: string, env: { readonly port: number; readonly upstream?: string }) {
  return build({
    sources: { program: `../programs/${name}.mjs`, install: '../programs/install.sh' },
    env,
    script: '. "$install"',
  })
}

const addressOf = ({ target, port }: InterDependency) => `http://${target.properties.hostname}:${port}`

export default defineServices(({ ports = { entries: 7001, api: 7002, page: 7003 } }: Parameters) => ({
  entries: {
    type: 'process',
    port: ports.entries,
    pkg: program('entries', { port: ports.entries }),
  },
  api: defineService({
    type: 'process',
    port: ports.api,
    dependsOn: ['entries'],
    pkg: ({ entries }) => program('api', { port: ports.api, upstream: addressOf(entries) }),
  }),
  page: defineService({
    type: 'process',
    port: ports.page,
    dependsOn: ['api'],
    pkg: ({ api }) => program('page', { port: ports.page, upstream: addressOf(api) }),
  }),
}))
