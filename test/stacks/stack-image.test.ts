import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { type Engine, SAVE_IMAGE, startEngine } from '../harness/docker.ts'
import { bringUpHosts, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { processTable } from '../harness/process-table.ts'

const API = `#!/usr/bin/env node
require('node:http').createServer((_, response) => response.end('the api')).listen(process.env.PORT)
`

/** Asks the service that it links to, and then serves what it was told. */
const PAGE = `trap 'kill "$!"; exit' TERM
echo "$GREETING from $(wget -q -O - "$API"), $(cat /data/word)" >/www/index.html
httpd -f -p "$PORT" -h /www &
wait`

const SHOP = {
  name: 'shop',
  properties: { greeting: { type: 'string', default: 'hello' } },
  services: {
    private: { disk: { type: 'mu/volume' }, api: { type: 'mu/container', build: 'api', port: 8091 } },
    public: {
      web: {
        type: 'mu/container',
        image: './web.tar',
        port: 8090,
        command: ['/bin/sh', '-c', PAGE],
        env: { GREETING: '{{orElse .args "greeting" "hello"}}' },
        links: { api: 'api' },
        volumes: { '/data': 'disk' },
      },
    },
  },
}

describe.skipIf(!HOSTS_POSSIBLE)('a stack with a container of an image', () => {
  let set: TestHosts
  let user: Coordinator
  let engine: Engine | undefined

  const docked = () => set.hosts[1]!

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'si' })
    engine = await startEngine(docked())
    user = await coordinator({ hosts: set })
    const target = (index: number, ...containers: readonly string[]) => ({
      properties: { hostname: set.hosts[index]!.address },
      containers: Object.fromEntries(containers.map((name) => [name, {}])),
    })
    await user.write('machines.yaml', {
      plain: target(0, 'process', 'fileset'),
      docked: target(1, 'docker-container', 'fileset'),
    })
    await user.write('Muspace.yaml', 'clusters: { test: { default: true, infrastructure: machines.yaml } }\n')
    await user.write('shop/Mu.yaml', SHOP)
    await user.write('shop/api/bin/api', API)
    await user.write('save-image', SAVE_IMAGE)
    succeeded(await user.bash('chmod +x shop/api/bin/api && bash save-image shop/web.tar davit-shop:1'))
    // The data of a volume are there before who mounts it: a host has them from before.
    await docked().sh('mkdir -p /var/lib/davit/volumes/shop.disk && echo kept >/var/lib/davit/volumes/shop.disk/word')
  })
  afterAll(async () => {
    await set?.down()
    engine?.remove()
    await user?.remove()
  })

  const deploy = (...words: readonly string[]) => user.run(['davit-env', '--stack', 'shop', '--', ...words])
  const page = async () => (await fetch(`http://${docked().address}:8090/`)).text()

  test('runs it on the target that has an engine, with its variables, links and volumes', async () => {
    succeeded(await deploy())
    expect(await page()).toBe('hello from the api, kept\n')
    expect(await engine?.everything()).toEqual(['dysnomia-shop.web', 'davit-shop:1'])
    expect((await processTable(set.hosts)).map(({ service, host }) => [service, host])).toEqual([['shop.api', 'si1']])
  })

  test('makes it anew if it changes, and otherwise leaves it alone', async () => {
    const began = () => docked().sh("docker inspect --format '{{.Id}} {{.State.StartedAt}}' dysnomia-shop.web")
    const before = await began()
    expect(succeeded(await deploy()).stderr).toContain('nothing to do')
    expect(await began()).toBe(before)
    succeeded(await deploy('greeting=bye'))
    expect(await page()).toBe('bye from the api, kept\n')
    expect(await began()).not.toBe(before)
    expect(await engine?.everything()).toEqual(['dysnomia-shop.web', 'davit-shop:1'])
  })

  test('keeps the container before if a new one does not start', async () => {
    await user.write('shop/Mu.yaml', JSON.parse(JSON.stringify(SHOP).replace('httpd', 'nothing')))
    const { status, stderr } = await deploy('greeting=bye')
    expect([status, stderr]).toEqual([1, expect.stringContaining("container 'dysnomia-shop.web' is exited")])
    expect(await page()).toBe('bye from the api, kept\n')
    expect(await engine?.everything()).toEqual(['dysnomia-shop.web', 'davit-shop:1'])
    await user.write('shop/Mu.yaml', SHOP)
  })

  test('leaves nothing but its volume when it is undeployed, until that is deleted', async () => {
    succeeded(await user.run(['davit-env', '--undeploy', '-i', 'machines.yaml', '-p', 'shop-test']))
    expect(await engine?.everything()).toEqual([])
    expect(await docked().sh('cat /var/lib/davit/volumes/shop.disk/word')).toBe('kept\n')
    succeeded(
      await user.bash(
        'export DAVIT_PROFILE=shop-test; davit-generations --print "$(davit-generations --previous)" | davit-delete-state -',
      ),
    )
    expect(await docked().sh('ls -A /var/lib/davit/volumes')).toBe('')
  })
})
