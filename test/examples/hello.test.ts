import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator } from '../harness/coordinator.ts'
import { copyExample, type Example } from '../harness/examples.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { ALL_SCENARIOS, NIX_POSSIBLE } from '../harness/language.ts'

const SERVERS = ['/usr/share/tomcat10/bin/catalina.sh', '/usr/share/java/mariadb-java-client.jar', '/usr/sbin/mariadbd']
const missing = SERVERS.filter((file) => !existsSync(file))
if (missing.length > 0) console.warn(`SKIPPED: the example hello, without ${missing.join(', ')}`)

/** Tomcat looks for applications every second, is started fast, and sees the store, which is in a directory for temporary files. */
const PREPARE_TOMCAT = `sed -i 's/<Engine /<Engine backgroundProcessorDelay="1" /' /etc/tomcat10/server.xml
sed -i 's|</Context>|<JarScanner scanClassPath="false"/></Context>|' /etc/tomcat10/context.xml
mkdir -p /etc/systemd/system/tomcat10.service.d
printf '%s\n' '[Service]' 'PrivateTmp=no' 'Environment="JAVA_OPTS=-Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"' \
  >/etc/systemd/system/tomcat10.service.d/test.conf
systemctl daemon-reload`
/** As after the installation, whatever this machine has in its own MariaDB. */
const PREPARE_MARIADB = `rm -rf /var/lib/mysql && mariadb-install-db --user=mysql --skip-test-db --datadir=/var/lib/mysql`

describe.skipIf(!HOSTS_POSSIBLE || missing.length > 0)('the example hello', () => {
  let set: TestHosts
  let user: Coordinator
  let hello: Example
  let web: Host
  let old: Host
  let other: Host

  beforeAll(async () => {
    set = await bringUpHosts(3, { prefix: 'he', kind: 'systemd' })
    ;[web, old, other] = set.hosts as [Host, Host, Host]
    user = await coordinator({ hosts: set, nix: NIX_POSSIBLE })
    hello = await copyExample(user, 'hello', set.hosts)
    await Promise.all(set.hosts.map((host) => host.sh('systemctl is-system-running --wait')))
    await Promise.all([web.sh(PREPARE_TOMCAT), old.sh(PREPARE_MARIADB), other.sh(PREPARE_MARIADB)])
    await hello.type('Machines')
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  /** What the page says, as `DATABASE: ROW, ROW`, or `nothing` if there is no page. */
  const page = async () => {
    const response = await fetch(`http://${web.address}:8080/HelloDBService/`).catch(() => undefined)
    return response?.status === 200 ? read(await response.text()) : 'nothing'
  }
  const rowsAt = (host: Host, ...rows: readonly string[]) =>
    `${host.address}:3306/HelloMySQLDB: ${['Hello', 'Grüezi', ...rows].join(', ')}`

  /** Asks for the page all the time while lines of the README are typed. Returns the different answers, in their order. */
  const answersDuring = async (heading: string) => {
    const answers = [await page()]
    const look = async () => {
      const answer = await page()
      if (answer !== answers.at(-1)) answers.push(answer)
    }
    const typing = { ended: false }
    const typed = hello.type(heading).finally(() => (typing.ended = true))
    while (!typing.ended) {
      await look()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const { stdout } = await typed
    await look()
    expect(read(stdout)).toBe(answers.at(-1))
    return answers
  }

  test('has equal models in TypeScript and in Nix, whose packages have equal contents', async (context) => {
    context.skip(!NIX_POSSIBLE)
    const meaning = await meaningOf(hello, 'typescript')
    expect(meaning.manifest).toHaveProperty('services.HelloDBService.pkg', 'HelloDBService')
    expect(meaning.contents).toContain(`${old.address}:3306/HelloMySQLDB`)
    expect(await meaningOf(hello, 'nix')).toEqual(meaning)
  })

  test('shows the rows of its database, also those that are added', async () => {
    expect(await page()).toBe('nothing')
    expect(read((await hello.type('Deploy')).stdout)).toBe(rowsAt(old))
    expect(read((await hello.type('Use')).stdout)).toBe(rowsAt(old, 'Bonjour'))
  })

  test('shows the same rows once the database has moved, and nothing in between', async () => {
    expect(await answersDuring('Move')).toEqual([rowsAt(old, 'Bonjour'), 'nothing', rowsAt(other, 'Bonjour')])
  })

  test('goes back with what has been added since, and leaves nothing', async () => {
    await other.sh(`mariadb -e "INSERT INTO messages (text) VALUES ('Ciao'), ('<b>')" HelloMySQLDB`)
    const rows = ['Bonjour', 'Ciao', '&lt;b>']
    expect(await answersDuring('Go back')).toEqual([rowsAt(other, ...rows), 'nothing', rowsAt(old, ...rows)])
    expect(await other.sh('mariadb -NBe "SHOW DATABASES"')).not.toContain('Hello')
  })

  test.skipIf(!NIX_POSSIBLE || !ALL_SCENARIOS)(
    'continues with the models in Nix, whose database stays where it is',
    async () => {
      const rows = ['Bonjour', 'Ciao', '&lt;b>']
      expect(await answersDuring('The models in Nix')).toEqual([rowsAt(old, ...rows), 'nothing', rowsAt(old, ...rows)])
    },
  )

  test('is gone after the undeployment, but the rows are not', async () => {
    await hello.type('Undeploy')
    expect(await page()).toBe('nothing')
    expect(await old.sh('mariadb -NBe "SELECT text FROM messages ORDER BY id" HelloMySQLDB')).toContain(
      'Bonjour\nCiao\n',
    )
  })
})

/** Returns what a page says, as `DATABASE: ROW, ROW`. */
function read(html: string): string {
  const [, database = html] = /<h1>(.*)<\/h1>/.exec(html) ?? []
  return `${database}: ${[...html.matchAll(/<li>(.*)<\/li>/g)].map(([, row]) => row).join(', ')}`
}

interface Meaning {
  /** The manifest without hashes: those in paths, which are in two stores, and the keys of services, for which their names stand. */
  readonly manifest: unknown
  /** What is in the packages of the services. */
  readonly contents: string
}

async function meaningOf(hello: Example, language: 'typescript' | 'nix'): Promise<Meaning> {
  const extension = language === 'nix' ? 'nix' : 'ts'
  const models = ['services', 'infrastructure', 'distribution'].map(
    (model) => `-${model[0]} ${language}/${model}.${extension}`,
  )
  const { stdout } = await hello.bash(`davit-normalize ${models.join(' ')} | davit-manifest --format json`)
  const { services } = JSON.parse(stdout) as {
    services: Record<string, { readonly name: string; readonly pkg: string }>
  }
  const named = Object.entries(services).reduce((text, [key, { name }]) => text.replaceAll(key, name), stdout)
  const { store, ...manifest } = JSON.parse(named.replaceAll(/"[^"]*\/[0-9a-z]{32}-/g, '"')) as {
    readonly store?: unknown
    readonly serviceMappings: readonly { readonly service: string }[]
  }
  expect(store === undefined).toBe(language === 'nix')
  const serviceMappings = manifest.serviceMappings.toSorted((left, right) => (left.service < right.service ? -1 : 1))
  const packages = Object.values(services).toSorted((left, right) => (left.name < right.name ? -1 : 1))
  const lines = packages.map(({ pkg }) => `(cd ${pkg} && grep -r '' . | sed 's|${pkg}|OUT|g' | sort)`)
  return {
    manifest: { ...manifest, serviceMappings },
    contents: (await hello.bash(lines.join('\n'))).stdout,
  }
}
