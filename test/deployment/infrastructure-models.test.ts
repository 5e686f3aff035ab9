import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'

const WRAPPER = '#!/bin/sh\necho "$1 with $rack" >>/var/calls\n'

describe.skipIf(!HOSTS_POSSIBLE)('models of real hosts', () => {
  let set: TestHosts
  let first: Host
  let second: Host
  let user: Coordinator
  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'im' })
    ;[first, second] = set.hosts as [Host, Host]
    user = await coordinator({ hosts: set })
    await first.sh(`mkdir -p /etc/dysnomia/containers
echo 'tags=(edge eu)' >/etc/dysnomia/properties
echo 'rack=7' >/etc/dysnomia/containers/wrapper`)
    await user.write('service/bin/wrapper', WRAPPER)
    succeeded(await user.run(['chmod', '+x', 'service/bin/wrapper']))
    const service = (more: object) => ({ type: 'wrapper', pkg: { source: './service' }, ...more })
    await user.write('services.yaml', { edge: service({ tags: 'edge' }), a: service({}), b: service({}) })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const davit = (...words: readonly string[]) => user.run(words)
  const models = ['-s', 'services.yaml', '-i', 'infrastructure.yaml'] as const

  test('are begun with the hosts that ssh knows, completed, and deployed at once', async () => {
    succeeded(await davit('davit-capture-infrastructure', '--from-ssh-config', '--output', 'infrastructure.yaml'))
    await user.run(['sh', '-c', 'cp infrastructure.yaml begun.yaml'])
    const completed = ['-i', 'infrastructure.yaml', '--output', 'infrastructure.yaml']
    succeeded(await davit('davit-capture-infrastructure', ...completed))
    const { stdout } = succeeded(await davit('davit-normalize', '--infrastructure-only', '-i', 'infrastructure.yaml'))
    const { infrastructure } = JSON.parse(stdout) as { infrastructure: Record<string, Record<string, unknown>> }
    expect(Object.keys(infrastructure)).toEqual(['im1', 'im2'])
    expect(infrastructure['im1']).toMatchObject({
      properties: { hostname: 'im1', tags: ['edge', 'eu'] },
      containers: { wrapper: { rack: '7' }, process: {} },
    })
    expect(infrastructure['im2']).toMatchObject({ containers: { wrapper: {}, fileset: {} } })

    succeeded(await davit('davit-place', ...models, '--output', 'distribution.yaml'))
    expect((await davit('cat', 'distribution.yaml')).stdout).toBe('a:\n  - im1\nb:\n  - im2\nedge:\n  - im1\n')
    succeeded(await davit('davit-env', ...models, '-d', 'distribution.yaml'))
    expect(await first.sh('grep activate /var/calls')).toBe('activate with 7\nactivate with 7\n')
  })

  test('leave what is deployed where it is', async () => {
    await user.write('fewer.yaml', { b: { type: 'wrapper', pkg: { source: './service' } } })
    const { stdout } = succeeded(
      await davit('davit-place', '-s', 'fewer.yaml', '-i', 'infrastructure.yaml', '--deployed'),
    )
    expect(stdout).toBe('b:\n  - im2\n')
    expect((await davit('davit-place', '-s', 'fewer.yaml', '-i', 'infrastructure.yaml')).stdout).toBe('b:\n  - im1\n')
  })

  test('have the hosts that can be reached, and name the others', async () => {
    await second.sshd('stop')
    const { status, stdout, stderr } = await davit(
      'davit-capture-infrastructure',
      '-i',
      'begun.yaml',
      '--format',
      'json',
    )
    await second.sshd('start')
    const { infrastructure } = JSON.parse(stdout) as { infrastructure: Record<string, unknown> }
    expect(status).toBe(69)
    expect(infrastructure['im2']).toEqual({ containers: {}, properties: { hostname: 'im2' } })
    expect(infrastructure['im1']).toMatchObject({ properties: { tags: ['edge', 'eu'] } })
    expect(stderr).toMatch(/^warning: target 'im2' cannot be asked: /)
  })
})
