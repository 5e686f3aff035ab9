import type { Address } from '../addresses.ts'

/** Where requests go whose paths begin with a prefix, which has no `/` at its end. */
export interface NginxRoute {
  readonly prefix: string
  readonly protocol: string
  readonly places: readonly Address[]
}

/** Writes a configuration of nginx; `listen.conf` beside it says where it listens. */
export function nginxConfiguration(routes: readonly NginxRoute[]): string {
  return [
    ...HEAD,
    ...routes.flatMap(upstream),
    'server {',
    'include listen.conf;',
    'server_name _;',
    ...routes.flatMap(({ prefix, protocol }, index) =>
      // nginx would redirect from the prefix alone to what is below it.
      (prefix === '' ? ['/'] : [`= ${quoted(prefix)}`, quoted(`${prefix}/`)]).map(
        (path) => `location ${path} { proxy_pass ${protocol}://route${index}; }`,
      ),
    ),
    ...(routes.some(({ prefix }) => prefix === '') ? [] : ['location / { return 404; }']),
    '}',
    '}',
  ].join('\n')
}

/** All places get requests in turn; who does not answer is left out for a while. */
function upstream({ places }: NginxRoute, index: number): readonly string[] {
  const servers = places.map(({ url }) => `server ${url.slice(url.indexOf('//') + 2)};`)
  return [`upstream route${index} {`, `zone route${index} 64k;`, ...servers, '}']
}

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&')}"`
}

const HEAD = [
  'daemon off;',
  'worker_processes auto;',
  'pid nginx.pid;',
  'error_log stderr;',
  'events {}',
  'http {',
  'access_log off;',
  ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`),
  'client_max_body_size 0;',
  'map $http_upgrade $davit_connection { default upgrade; "" close; }',
  'proxy_http_version 1.1;',
  'proxy_connect_timeout 5s;',
  'proxy_ssl_server_name on;',
  'proxy_set_header Host $http_host;',
  'proxy_set_header Upgrade $http_upgrade;',
  'proxy_set_header Connection $davit_connection;',
  'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
  'proxy_set_header X-Forwarded-Host $http_host;',
  'proxy_set_header X-Forwarded-Proto $scheme;',
]
