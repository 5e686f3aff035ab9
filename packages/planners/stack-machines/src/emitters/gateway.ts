import { finding, type Instance, placeOfKey, placeOfValue } from '@davit/stack'
import { type Endpoint, membersOf } from '../endpoints.ts'
import type { Addresses, Draft, Emitting } from '../unit.ts'
import { reportIncomplete } from './incomplete.ts'
import { type NginxRoute, nginxConfiguration } from './nginx.ts'
import { startScript } from './start-script.ts'
import { targetsOf } from './targets.ts'

/** Where requests go whose paths begin with a prefix. */
interface Route {
  readonly prefix: string
  readonly endpoints: readonly Endpoint[]
  /** The property in which it is written who gets them, and the key in it. */
  readonly from: readonly [property: string, ...keys: string[]]
}

/** A gateway: nginx of the machine passes requests on. */
export function emitGateway(leaf: Instance, emitting: Emitting): Draft | undefined {
  const routes = routesOf(leaf, emitting)
  const [port] = emitting.portsOf(leaf)
  if (routes === undefined || port === undefined) return undefined
  if (routes.length === 0) {
    const problem = { message: `'${leaf.fqn}' passes requests on to nobody`, hint: 'give it `targets` or `routes`' }
    return reportIncomplete(leaf, problem, emitting)
  }
  return {
    type: 'process',
    packageFor(addresses) {
      const placed = routes.map((route) => placedRoute(route, { leaf, emitting, addresses }))
      const script = startScript({
        files: new Map([['nginx.conf', nginxConfiguration(placed)]]),
        paths: [`set -- '$out/nginx.conf'`],
        words: [`set -- "$1" ${port}`],
        run: RUN_NGINX,
        readyPort: port,
      })
      return { build: { script } }
    },
  }
}

/** Returns the routes, of which `/` are the targets unless it is one itself; undefined, and reported, if something is wrong. */
function routesOf(leaf: Instance, emitting: Emitting): readonly Route[] | undefined {
  const prefixes = new Map<string, Route>()
  let isRight = true
  for (const [key, value] of membersOf(leaf, 'routes')) {
    const prefix = key.replace(/(?<!\/)\/+$/, '')
    const endpoint = emitting.endpointIn(value)
    if (!isFit(leaf, { key, isTaken: prefixes.has(prefix) }, emitting)) isRight = false
    else prefixes.set(prefix, { prefix, endpoints: endpoint === undefined ? [] : [endpoint], from: ['routes', key] })
  }
  const targets = targetsOf(leaf)
  const endpoints = targets.flatMap((target) => emitting.endpointIn(target) ?? [])
  if (targets.length > 0 && !prefixes.has('')) prefixes.set('', { prefix: '', endpoints, from: ['targets'] })
  return isRight ? [...prefixes.values()] : undefined
}

interface Key {
  readonly key: string
  readonly isTaken: boolean
}

function isFit(leaf: Instance, { key, isTaken }: Key, emitting: Emitting): boolean {
  if (isTaken) {
    const hint = 'a prefix is the same with and without `/` at its end'
    emitting.findings.push(finding('MU502', [key], { place: placeOfKey(leaf, 'routes', key), hint }))
    return false
  }
  if (PATH.test(key)) return true
  const message = `the route ${JSON.stringify(key)} of '${leaf.fqn}' is no prefix of paths`
  reportIncomplete(leaf, { message, hint: HINT, place: placeOfKey(leaf, 'routes', key) }, emitting)
  return false
}

const HINT = 'write it as /path, decoded, without empty parts, `.`, `..`, `?`, `#` and `%`'

/** A path as nginx compares it: decoded, and without empty parts, `.` and `..`. */
const PATH = /^(?=\/)(?:\/(?!\.{1,2}(?:\/|$))[^/\p{Cc}?#%]+)*\/?$/u

interface PlaceContext {
  readonly leaf: Instance
  readonly emitting: Emitting
  readonly addresses: Addresses
}

function placedRoute({ prefix, endpoints, from }: Route, { leaf, emitting, addresses }: PlaceContext): NginxRoute {
  const places = endpoints.flatMap((endpoint) => addresses.of(endpoint))
  const [protocol = 'http', ...others] = new Set(places.map(({ url }) => url.slice(0, url.indexOf(':'))))
  if (others.length > 0 || (protocol !== 'http' && protocol !== 'https')) {
    const message = `'${leaf.fqn}' cannot pass requests on by ${[protocol, ...others].join(' and ')}`
    const hint = 'all targets of a gateway speak http, or all of them https'
    reportIncomplete(leaf, { message, hint, place: placeOfValue(leaf, ...from) }, emitting)
  }
  return { prefix, protocol, places }
}

/** Its files and those that nginx writes are in a directory of their own, which is gone when nginx has ended. */
const RUN_NGINX = `PATH=$PATH:/usr/sbin:/usr/local/sbin
command -v "\${nginx:-nginx}" >/dev/null || {
  echo "this service needs nginx: install it on this machine, or set the property 'nginx' of the container to its path" >&2
  exit 1
}
set -- "$1" "$2" "$(mktemp -d)" || exit
trap 'rm -rf "$3"; exit 1' INT TERM
chmod 711 "$3"
{
  echo "listen $2;"
  if [ -e /proc/net/if_inet6 ]; then echo "listen [::]:$2;"; fi
} >"$3/listen.conf"
cat "$1" >"$3/nginx.conf"
set -- "$(command -v "\${nginx:-nginx}")" -e stderr -p "$3" -c "$3/nginx.conf"
"$@" -q -t || {
  rm -rf "$5"
  exit 1
}
"$@" &
set -- "$5" "$!"
trap 'kill "$2" 2>/dev/null || :' INT TERM
while kill -0 "$2" 2>/dev/null; do wait "$2"; done
rm -rf "$1"`
