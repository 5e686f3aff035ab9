import { build, defineService, defineServices, type InterDependency } from 'davit'

/** A program of the guestbook with its configuration, started by the module `process`; targets need Node.js. */
function program(name: string, settings: { readonly port: number; readonly upstream?: string }) {
  return build({
    name,
    sources: { program: `../programs/${name}.mjs` },
    env: settings,
    script: `
      mkdir -p "$out/etc/dysnomia/process"
      cp "$program" "$out/server.mjs"
      printf '{ "port": %s, "upstream": "%s" }\\n' "$port" "\${upstream:-}" > "$out/config.json"
      cat > "$out/etc/dysnomia/process/${name}" <<END
      process='exec "\\\${node:-node}" "\\$DAVIT_COMPONENT/server.mjs"'
      readyPort=$port
END
    `,
  })
}

const addressOf = ({ target, port }: InterDependency) => `http://${target.properties.hostname}:${port}`

const ports = { entries: 7001, api: 7002, page: 7003 }

export default defineServices({
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
})
