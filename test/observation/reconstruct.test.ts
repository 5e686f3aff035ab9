import { rm } from 'node:fs/promises'
import { sampleOf } from '@davit/testing/effort'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, generationText, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { NIX_POSSIBLE } from '../harness/language.ts'
import { deploy, infrastructureOf, modelFile, type Models, writeModels } from '../harness/models.ts'
import { collectGarbage, forgetProtection, invalidIn } from '../harness/nix-store.ts'
import { profileOn, recordOf } from '../harness/records.ts'
import { heldBack, takeJournal, wrapper, type WrapperOptions, wrapperPackage } from '../harness/services.ts'

const STATE = '/var/lib/davit'
const ACCOUNT = `useradd -m -p '*' -s /bin/sh anna && mkdir /home/anna/.ssh && cp /root/.ssh/authorized_keys /home/anna/.ssh/ &&
  chown -R anna /home/anna`

describe.skipIf(!HOSTS_POSSIBLE)('a deployment on two hosts is read back', () => {
  let set: TestHosts
  let hosts: readonly Host[]
  let user: Coordinator
  let models: Models
  let deployed: string

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'rc' })
    hosts = set.hosts
    user = await coordinator({ hosts: set })
    models = systemOn(hosts)
    succeeded(await deploy(user, models))
    deployed = await generationText(user, 1)
    await takeJournal(hosts)
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })
  beforeEach(async () => {
    // The coordinator has a new disk.
    await rm(user.stateDirectory, { recursive: true, force: true })
  })

  const infrastructure = () => modelFile(user, 'infrastructure')
  const reconstruct = (...options: readonly string[]) =>
    user.run([
      'davit-reconstruct',
      ...(options.includes('--as') ? [] : ['--format', 'json']),
      ...options,
      infrastructure(),
    ])
  /** Changes a host for as long as `work` takes. */
  const whileChanged = async (host: Host, script: string, work: () => Promise<void>) => {
    await host.sh(`rm -rf /tmp/saved && cp -a ${STATE}/targets /tmp/saved`)
    await host.sh(script)
    try {
      await work()
    } finally {
      await host.sh(`rm -rf ${STATE}/targets && mv /tmp/saved ${STATE}/targets`)
    }
  }

  test('byte for byte, by a coordinator that has neither generations nor a store', async () => {
    await rm(user.storeDirectory, { recursive: true, force: true })
    const outcome = succeeded(await reconstruct('--set'))
    expect(outcome.stdout).toBe(deployed)
    expect(outcome.stderr).toContain('generation 1 on the coordinator, as the targets have it')
    expect(await generationText(user, 1)).toBe(deployed)
    expect(succeeded(await reconstruct('--set')).stderr).toContain(
      'generation 1 of the coordinator is what the targets have',
    )
    expect(await user.generations()).toEqual([1])
  })

  test('so that the next deployment of the same models changes nothing', async () => {
    succeeded(await reconstruct('--set'))
    const before = await Promise.all(hosts.map((host) => profileOn(host)))
    succeeded(await deploy(user, models))
    expect(await takeJournal(hosts)).toEqual([])
    expect(await user.generations()).toEqual([1])
    expect(await Promise.all(hosts.map((host) => profileOn(host)))).toEqual(before)
  })

  test('as XML, with the same content', async () => {
    const file = await user.write('recovered.xml', succeeded(await reconstruct('--format', 'xml')).stdout)
    expect(succeeded(await user.run(['davit-activate', '--take-over', '--dry-run', file])).stdout).toBe(
      'nothing to do\n',
    )
  })

  test('with its packages, so that models which name them deploy the same without building anything', async () => {
    await rm(user.storeDirectory, { recursive: true, force: true })
    const outcome = succeeded(await reconstruct('--set', '--closures', '--as', 'yaml', '--directory', 'recovered'))
    expect(outcome.stderr).toContain('[rc1] fetch')
    const options = ['services', 'infrastructure', 'distribution'].flatMap((name) => [
      `-${name[0]}`,
      `recovered/${name}.yaml`,
    ])
    const again = succeeded(await user.run(['davit-env', ...options]))
    expect(again.stderr).not.toContain('build')
    expect(await takeJournal(hosts)).toEqual([])
    expect(await user.generations()).toEqual([1])
  })

  test.each(
    sampleOf(
      [
        ['yaml', 'yaml'],
        ['typescript', 'ts'],
      ],
      1,
    ),
  )('as models in %s, which deploy the same', async (language, extension) => {
    const written = succeeded(await reconstruct('--set', '--as', language, '--directory', language))
    expect(written.stdout).toBe('')
    const files = ['services', 'infrastructure', 'distribution'].map((name) => `${language}/${name}.${extension}`)
    expect(files.filter((file) => !written.stderr.includes(file))).toEqual([])
    expect(await reconstruct('--as', language, '--directory', language)).toMatchObject({
      status: 73,
      stderr: expect.stringContaining('would be overwritten'),
    })
    const [services = '', infrastructureFile = '', distribution = ''] = files
    succeeded(await user.run(['davit-env', '-s', services, '-i', infrastructureFile, '-d', distribution]))
    expect(await takeJournal(hosts)).toEqual([])
    expect(await user.generations()).toEqual([1])
  })

  test('without --set nothing is written anywhere', async () => {
    const files = () => hosts[0]!.sh(`find ${STATE}/targets -printf '%p %C@\\n' | sort`)
    const before = await files()
    succeeded(await reconstruct())
    expect(await user.generations()).toEqual([])
    expect(await files()).toBe(before)
  })

  test('but not if a service was stopped behind its back, until --prefer says what counts', async () => {
    const { key } = await recordOf('worker', hosts[0]!)
    await whileChanged(hosts[0]!, `rm -r ${STATE}/targets/rc1/active/default/wrapper:${key}`, async () => {
      const refused = await reconstruct()
      expect(refused).toMatchObject({ status: 1, stdout: '' })
      expect(refused.stderr).toContain(
        "'worker' in container 'wrapper' on 'rc1' is in the profile, but no record says that it is active",
      )
      expect(refused.stderr).toContain('--prefer profile takes what was deployed last')
      expect(succeeded(await reconstruct('--prefer', 'profile')).stdout).toBe(deployed)
      const active = succeeded(await reconstruct('--prefer', 'records', '--partial'))
      expect(mappingsIn(active.stdout)).toBe(mappingsIn(deployed) - 1)
      expect(active.stderr).toContain('the records count')
    })
  })

  test('from the records alone if a profile is lost or unreadable', async () => {
    await whileChanged(hosts[1]!, `rm -r ${STATE}/targets/rc2/profiles`, async () => {
      expect(await reconstruct()).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringContaining('not in the profile'),
      })
      const outcome = succeeded(await reconstruct('--prefer', 'records'))
      expect(mappingsIn(outcome.stdout)).toBe(mappingsIn(deployed))
      expect(Object.keys(JSON.parse(outcome.stdout).profiles)).toEqual(['rc1'])
    })
    const { current } = await profileOn(hosts[1]!)
    const file = `${current}/profilemanifest.xml`
    await hosts[1]!.sh(`cp ${file} /tmp/intact; printf '<profilemanifest\\033[31m' >${file}`)
    try {
      const refused = await reconstruct()
      expect(refused).toMatchObject({ status: 65, stdout: '' })
      expect(refused.stderr).toContain('--prefer records takes what the records of the target say instead')
      expect(refused.stderr).not.toContain('\u001B')
      expect(mappingsIn(succeeded(await reconstruct('--prefer', 'records')).stdout)).toBe(mappingsIn(deployed))
    } finally {
      await hosts[1]!.sh(`cp /tmp/intact ${file}`)
    }
  })

  test('with a damaged record, whose service only the profile describes', async () => {
    const { key } = await recordOf('worker', hosts[0]!)
    const record = `${STATE}/targets/rc1/active/default/wrapper:${key}/record`
    await whileChanged(hosts[0]!, `: >${record}`, async () => {
      const outcome = succeeded(await reconstruct())
      expect(outcome.stdout).toBe(deployed)
      expect(outcome.stderr).toContain(
        `the record of ${key} in 'wrapper' cannot be read (it is empty): only the profile counts`,
      )
    })
  })

  test('without a host that cannot be reached, if that is asked for', async () => {
    await hosts[0]!.sshd('stop')
    try {
      expect(await reconstruct()).toMatchObject({ status: 69, stdout: '' })
      const outcome = succeeded(await reconstruct('--partial'))
      expect(outcome.stderr).toContain('[rc1] warning: left out: cannot reach')
      expect(outcome.stderr).toMatch(/'both' needs \S+ on 'rc1', of which nothing is known: left out/)
      expect(mappingsIn(outcome.stdout)).toBe(1)
      expect(Object.keys(JSON.parse(outcome.stdout).profiles)).toEqual(['rc2'])
    } finally {
      await hosts[0]!.sshd('start')
    }
  })

  test('apart from others on the same hosts: of another name, and of an ordinary account', async () => {
    const anna = await coordinator({ hosts: set })
    try {
      // The store has the same directory on the hosts, wherever tests keep their files.
      for (const host of hosts) await host.sh(`${ACCOUNT} && install -d -o anna '${anna.directory}'`)
      const addresses = hosts.map(({ name, address }) => ({ name, address: `anna@${address}` }))
      const page = (journal: string, deployState = false): Models => ({
        services: { page: wrapper({ journal }, { deployState }) },
        infrastructure: infrastructureOf(deployState ? hosts : addresses),
        distribution: { page: ['rc1', 'rc2'] },
      })
      succeeded(await deploy(anna, page('/tmp/hers')))
      succeeded(await deploy(user, page('/tmp/second', true), { options: ['-p', 'second'] }))
      const own = await generationText(anna, 1)
      const second = succeeded(await user.run(['davit-generations', '-p', 'second', '--current'])).stdout
      for (const { stateDirectory } of [anna, user]) await rm(stateDirectory, { recursive: true })
      const readBack = ['davit-reconstruct', '--set', '--format', 'json', modelFile(anna, 'infrastructure')]
      expect(succeeded(await anna.run(readBack)).stdout).toBe(own)
      expect(succeeded(await reconstruct('-p', 'second')).stdout).toBe(second)
      expect(succeeded(await reconstruct()).stdout).toBe(deployed)
      expect(succeeded(await deploy(anna, page('/tmp/hers'))).stderr).toContain('nothing to do')
      expect(await hosts[0]!.sh("grep -c ' activate ' /tmp/hers")).toBe('1\n')
    } finally {
      await anna.remove()
    }
  })

  test('says which deployments there are if the name is wrong', async () => {
    expect(await reconstruct('-p', 'other')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /know of no deployment 'other'[^]*they have 'default', 'second': name it with -p NAME/,
      ),
    })
  })
})

describe.skipIf(!NIX_POSSIBLE)('a deployment in the Nix store is read back', () => {
  let set: TestHosts
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'rn' })
    user = await coordinator({ hosts: set, language: 'Nix' })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const models = (web: WrapperOptions = {}) => ({
    services: {
      database: wrapper(),
      web: wrapper({ env: { url: '${database.target.properties.hostname}' }, ...web }, { dependsOn: ['database'] }),
    },
    infrastructure: infrastructureOf(set.hosts),
    distribution: { database: ['rn1'], web: ['rn2', 'rn1'] },
  })

  test('with its packages, as models in the Nix language that deploy the same', async () => {
    succeeded(await deploy(user, models()))
    const deployed = await generationText(user, 1)
    await takeJournal(set.hosts)
    await rm(user.stateDirectory, { recursive: true, force: true })
    await collectGarbage(user)
    const options = ['--set', '--closures', '--as', 'nix', '--directory', 'recovered']
    succeeded(await user.run(['davit-reconstruct', ...options, modelFile(user, 'infrastructure')]))
    expect(await generationText(user, 1)).toBe(deployed)
    const files = ['services', 'infrastructure', 'distribution'].flatMap((name) => [
      `-${name[0]}`,
      `recovered/${name}.nix`,
    ])
    succeeded(await user.run(['davit-env', ...files]))
    expect(await takeJournal(set.hosts)).toEqual([])
    expect(await user.generations()).toEqual([1])
  })

  test('and what was wanted of it, when the coordinator was killed, is deployed by another one', async () => {
    const words = await writeModels(user, models({ version: '2', body: heldBack('web') }))
    const tool = user.start(['davit-env', ...words])
    const [host] = set.hosts
    await eventually('the last activation', async () =>
      expect(await host!.sh('ls /tmp/web.begun 2>/dev/null || :')).not.toBe(''),
    )
    process.kill(-tool.process.pid!, 'SIGKILL')
    await tool.outcome
    for (const one of set.hosts) {
      await one.sh('touch /tmp/web.go')
      await forgetProtection(one)
      await collectGarbage(one)
    }
    const other = await coordinator({ hosts: set, language: 'Nix' })
    try {
      await writeModels(other, models())
      succeeded(await other.run(['davit-env', '--resume', '-i', modelFile(other, 'infrastructure')]))
      expect(await takeJournal(set.hosts, ['activate'])).toEqual(['activate web 2 wrapper', 'activate web 2 wrapper'])
      const { pkg } = await recordOf('web', set.hosts[1]!)
      expect(await invalidIn(other, [pkg])).toEqual([])
      expect(await other.generations()).toEqual([1])
      // The first one only records what has been reached.
      expect(succeeded(await user.run(['davit-env', '--resume'])).stderr).toContain('nothing to do')
      expect([await user.generations(), await takeJournal(set.hosts)]).toEqual([[1, 2], []])
    } finally {
      await other.remove()
    }
  })
})

function mappingsIn(manifest: string): number {
  return (JSON.parse(manifest) as { serviceMappings: readonly unknown[] }).serviceMappings.length
}

/** A provider with a tenant, dependencies across hosts, a service on both hosts in an unusual order, and one that is only installed. */
function systemOn(hosts: readonly Host[]): Models {
  return {
    services: {
      worker: wrapper({}, { deployState: true }),
      both: wrapper({ version: 'both' }, { dependsOn: ['worker'] }),
      utility: { type: 'package', pkg: wrapperPackage({ version: 'only installed' }) },
    },
    infrastructure: infrastructureOf(hosts),
    distribution: { worker: ['rc1'], both: ['rc2', 'rc1'], utility: ['rc2'] },
  }
}
