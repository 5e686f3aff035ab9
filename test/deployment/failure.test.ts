import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@davit/testing/wait'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'
import { bringUpHosts, contentIn, type Host, HOSTS_POSSIBLE, type TestHosts } from '../harness/hosts.ts'
import { LANGUAGES } from '../harness/language.ts'
import { deploy, infrastructureOf, makeManifest, type Models } from '../harness/models.ts'
import { activeOn, recordOf } from '../harness/records.ts'
import { hasBegun, heldBack, letGo, takeJournal, wrapper, type WrapperOptions } from '../harness/services.ts'

describe.skipIf(!HOSTS_POSSIBLE).each(LANGUAGES)('what goes wrong on two hosts, models in %s', (language) => {
  let set: TestHosts
  let hosts: readonly Host[]
  let [one, two]: Host[] = []
  let user: Coordinator

  beforeAll(async () => {
    set = await bringUpHosts(2, { prefix: 'fa' })
    hosts = set.hosts
    ;[one, two] = [hosts[0]!, hosts[1]!]
    user = await coordinator({ hosts: set, language })
  })
  afterAll(async () => {
    await set?.down()
    await user?.remove()
  })

  const server = (script: string, name = 'server') => ({
    type: 'process',
    dependsOn: ['database'],
    pkg: {
      build: {
        env: { database: '${database.name}' },
        script: `mkdir -p $out/bin\ncat > $out/bin/${name} <<'END'\n#!/bin/sh\n${script}\nEND\nchmod +x $out/bin/${name}`,
      },
    },
  })
  const models = (services: Models['services'], distribution: Models['distribution'] = {}): Models => ({
    services,
    infrastructure: infrastructureOf(hosts, { containers: { wrapper: {}, process: {} } }),
    distribution: { database: ['fa1'], web: ['fa2'], ...distribution },
  })
  const pair = (database: WrapperOptions = {}, web: WrapperOptions = {}) => ({
    database: wrapper(database),
    web: wrapper({ env: { database: '${database.name}' }, ...web }, { dependsOn: ['database'] }),
  })
  const both = ['fa1 wrapper database', 'fa2 wrapper web']
  const succeed = async (...args: Parameters<typeof deploy>) => {
    const outcome = await deploy(...args)
    succeeded(outcome)
    return outcome
  }
  const pidsOf = (host: Host, pattern: string) =>
    host.sh(
      'for d in /proc/[0-9]*; do grep -qs -e "$1" "$d/cmdline" && [ "${d#/proc/}" != $$ ] && echo "${d#/proc/}"; done; :',
      pattern,
    )
  const countOf = (host: Host, name: string) => contentIn(host, `/tmp/${name}.begun`)?.match(/\n/g)?.length

  test('an upgrade that fails brings the old process back, says what failed with its log, and ends with 1', async () => {
    await succeed(user, models({ database: wrapper(), web: server('exec sleep 86399') }))
    expect((await pidsOf(two!, '86399')).trim()).toMatch(/^\d+$/)
    const broken = await deploy(
      user,
      models({ database: wrapper(), web: server('echo "cannot bind to port 80"; exit 3') }),
    )
    expect(broken.status).toBe(1)
    expect(broken.stderr).toContain('cannot bind to port 80')
    expect(broken.stderr).toMatch(/activate 'web' on 'fa2'/)
    expect(await activeOn(hosts)).toEqual(['fa1 wrapper database', 'fa2 process web'])
    expect((await pidsOf(two!, '86399')).trim()).toMatch(/^\d+$/)
    expect(await user.generations()).toEqual([1])
  })

  test('a service that is half started is stopped again', async () => {
    await succeed(user, models(pair()))
    expect(await pidsOf(two!, '86399')).toBe('')
    await takeJournal(hosts)
    const half = 'if [ "$1" = activate ]; then touch /tmp/half; exit 1; fi; [ "$1" != deactivate ] || rm -f /tmp/half'
    expect((await deploy(user, models(pair({ version: '2', body: half })))).status).toBe(1)
    await two!.sh('test ! -e /tmp/half')
    await one!.sh('test ! -e /tmp/half')
    expect(await takeJournal(hosts)).toEqual([
      'deactivate web 1 wrapper',
      'deactivate database 1 wrapper',
      'deactivate database 2 wrapper',
      'activate database 1 wrapper',
      'activate web 1 wrapper',
    ])
  })

  test('--no-rollback leaves things as they are, and the next run goes on from there', async () => {
    const failing = models(pair({ version: '2' }, { version: '2', body: '[ "$1" != activate ] || exit 1' }))
    expect((await deploy(user, failing, { options: ['--no-rollback'] })).status).toBe(1)
    expect((await activeOn(hosts))[0]).toBe('fa1 wrapper database')
    await takeJournal(hosts)
    await succeed(user, models(pair({ version: '2' }, { version: '3' })))
    expect(await activeOn(hosts)).toEqual(both)
    const journal = await takeJournal(hosts)
    expect(journal).toContain('activate web 3 wrapper')
    expect(journal.join()).not.toContain('database')
  })

  test('--no-upgrade activates what is new and leaves the old running', async () => {
    await takeJournal(hosts)
    const added = { ...pair({ version: '2' }, { version: '3' }), extra: wrapper() }
    await succeed(user, models(added, { web: [], extra: ['fa2'] }), { options: ['--no-upgrade'] })
    expect(await activeOn(hosts)).toEqual([both[0], 'fa2 wrapper extra', both[1]])
    expect(await takeJournal(hosts)).toEqual(['activate extra 1 wrapper'])
    await succeed(user, models(pair()))
    expect(await activeOn(hosts)).toEqual(both)
  })

  test('-o FILE takes a manifest in place of what the records say', async () => {
    await makeManifest(user, models(pair()), 'old.json')
    await makeManifest(user, models(pair({}, { version: '9' })), 'new.json')
    const distributed = await user.run(['davit-distribute', 'new.json'])
    succeeded(distributed)
    await two!.sh('rm -r /var/lib/davit/targets/fa2/active')
    await takeJournal(hosts)
    const plan = await user.run(['davit-activate', '--dry-run', '-o', 'old.json', 'new.json'])
    expect(plan.stdout).toMatch(/^~ replace web in wrapper on fa2 [^]*\n1 to replace, on 1 target\n/)
    const outcome = await user.run(['davit-activate', '-o', 'old.json', 'new.json'])
    succeeded(outcome)
    expect(await takeJournal(hosts)).toEqual(['deactivate web 1 wrapper', 'activate web 9 wrapper'])
  })

  test('a deployment survives the death of its helper on a host', async () => {
    const held = models(pair({}, { version: '10', body: heldBack('helper') }))
    const running = deploy(user, held)
    await hasBegun(two!, 'helper')
    // The helper is the child of sshd that is neither sshd nor in the session of an activity.
    const killed = await two!.sh(`for directory in /proc/[0-9]*; do
        read -r _ _ _ parent _ < "$directory/stat" 2>/dev/null || continue
        case "$(cat "$directory/comm" 2>/dev/null):$(cat "/proc/$parent/comm" 2>/dev/null)" in
          sshd:*) ;;
          *:sshd) kill -9 "\${directory#/proc/}" && echo "\${directory#/proc/}" ;;
        esac
      done`)
    expect(killed).not.toBe('')
    letGo(two!, 'helper')
    succeeded(await running)
    expect(countOf(two!, 'helper')).toBe(1)
    expect(await activeOn(hosts)).toEqual(both)
  })

  test('a deployment survives the loss of a connection', async () => {
    const held = models(pair({}, { version: '11', body: heldBack('link') }))
    const running = deploy(user, held)
    await hasBegun(two!, 'link')
    await two!.sh(`listener=$(cat /run/sshd.pid)
      for directory in /proc/[0-9]*; do
        pid=\${directory#/proc/}
        [ "$(cat "$directory/comm" 2>/dev/null)" = sshd ] && [ "$pid" != "$listener" ] && kill -9 "$pid"
      done; :`)
    letGo(two!, 'link')
    succeeded(await running)
    expect(countOf(two!, 'link')).toBe(1)
    expect(await activeOn(hosts)).toEqual(both)
  })

  test('the next run converges when davit-activate was killed, and nothing runs twice', async () => {
    const held = models(pair({ version: '12' }, { body: heldBack('killed') }))
    await makeManifest(user, held)
    succeeded(await user.run(['davit-distribute', 'manifest.json']))
    await takeJournal(hosts)
    const first = user.start(['davit-activate', 'manifest.json'])
    await hasBegun(two!, 'killed')
    process.kill(first.process.pid!, 'SIGKILL')
    await first.outcome
    const second = user.start(['davit-activate', 'manifest.json'])
    await eventually('the second run to wait', () => expect(second.stderr()).toContain('waiting for'))
    letGo(two!, 'killed')
    succeeded(await second.outcome)
    expect(await activeOn(hosts)).toEqual(both)
    expect(countOf(two!, 'killed')).toBe(1)
    expect((await takeJournal(hosts)).filter((line) => line.startsWith('activate'))).toEqual([
      'activate database 12 wrapper',
      'activate web 1 wrapper',
    ])
  })

  test('an activity that was cut off on its host is undone and run again', async () => {
    const held = models(pair({ version: '12' }, { version: '13', body: heldBack('cut') }))
    await makeManifest(user, held)
    succeeded(await user.run(['davit-distribute', 'manifest.json']))
    const first = user.start(['davit-activate', 'manifest.json'])
    await hasBegun(two!, 'cut')
    process.kill(first.process.pid!, 'SIGKILL')
    await first.outcome
    // Simulates a loss of power: all processes of the activity are gone.
    await two!.sh(`for d in /proc/[0-9]*; do
        [ "\${d#/proc/}" != $$ ] || continue
        if grep -qszxF DAVIT_SERVICE=web "$d/environ" || grep -qszxF davit-activity "$d/cmdline"; then kill -9 "\${d#/proc/}"; fi
      done`)
    expect((await recordOf('web', two!)).state).toBe('activating')
    letGo(two!, 'cut')
    await takeJournal(hosts)
    const { stdout } = await user.run(['davit-activate', '--dry-run', 'manifest.json'])
    expect(stdout).toContain('activation was cut off')
    const second = await user.run(['davit-activate', 'manifest.json'])
    succeeded(second)
    expect(await takeJournal(hosts)).toEqual(['deactivate web 13 wrapper', 'activate web 13 wrapper'])
  })

  test('an interrupted deployment finishes what runs, goes back, releases the lock and says how to go on', async () => {
    const held = models(pair({ version: '14', body: heldBack('interrupted') }, { version: '14' }))
    await makeManifest(user, held)
    succeeded(await user.run(['davit-distribute', 'manifest.json']))
    const running = user.start(['davit-activate', 'manifest.json'])
    await hasBegun(one!, 'interrupted')
    running.process.kill('SIGINT')
    letGo(one!, 'interrupted')
    const { status, stderr } = await running.outcome
    expect(status).not.toBe(0)
    expect(stderr).toContain('hint: ')
    expect(await activeOn(hosts)).toEqual(both)
    expect((await takeJournal(hosts)).slice(-2)).toEqual(['activate database 12 wrapper', 'activate web 13 wrapper'])
    succeeded(await user.run(['davit-lock', 'manifest.json', '--', 'true']))
    await succeed(user, held)
    expect(await activeOn(hosts)).toEqual(both)
  })

  test('a coordinator that lost everything learns from the targets what is deployed', async () => {
    await rm(join(user.stateDirectory), { recursive: true })
    await takeJournal(hosts)
    await succeed(user, models(pair({ version: '14', body: heldBack('interrupted') }, { version: '14' })))
    expect(await takeJournal(hosts)).toEqual([])
  })

  test('a deployment that is interrupted during its last activity undoes nothing, and the next one records it', async () => {
    await succeed(user, models(pair()))
    const next = models(pair({}, { version: '15', body: heldBack('last') }))
    const before = await user.generations()
    await makeManifest(user, next)
    const running = user.start(['davit-env', '-D', 'manifest.json'])
    await hasBegun(two!, 'last')
    running.process.kill('SIGINT')
    await eventually('that it was noticed', () => expect(running.stderr()).toContain('finishing what is running'))
    letGo(two!, 'last')
    const { status, stderr } = await running.outcome
    expect([status, stderr]).toEqual([130, expect.stringContaining('davit-env: interrupted before davit-set')])
    expect(stderr).not.toContain('rolling back')
    expect([await activeOn(hosts), await user.generations()]).toEqual([both, before])
    await takeJournal(hosts)
    const again = succeeded(await user.run(['davit-env', '-D', 'manifest.json']))
    expect(again.stderr).toContain('nothing to do')
    expect([await takeJournal(hosts), (await user.generations()).length]).toEqual([[], before.length + 1])
  })

  test('a package that does not build stops the deployment before it begins, and shows the end of its log', async () => {
    const broken = {
      database: wrapper(),
      web: { type: 'wrapper', pkg: { build: { script: 'echo "no rule to make target"; exit 2' } } },
    }
    const { status, stderr } = await deploy(user, models(broken))
    expect(status).not.toBe(0)
    expect(stderr).toContain('no rule to make target')
    expect(await activeOn(hosts)).toEqual(both)
  })

  test('a type without a module is refused before anything is activated', async () => {
    const unknown = { database: wrapper(), web: { ...wrapper(), type: 'tomcat' } }
    const { status, stderr } = await deploy(user, models(unknown))
    expect(status).toBe(65)
    expect(stderr).toContain('tomcat')
    expect(await activeOn(hosts)).toEqual(both)
  })
})

describe('what cannot be undone, on this machine', () => {
  let user: Coordinator
  beforeAll(async () => void (user = await coordinator()))
  afterAll(() => user?.remove())

  const at = (name: string) => join(user.directory, name)
  /** Records its calls. Fails in the calls for which there is a file, once both calls that fail at the same time have begun. */
  const body = (version: string) =>
    ['name="$1-$DAVIT_SERVICE-VERSION"', 'echo "$name" >> JOURNAL', FAILS]
      .join('\n')
      .replaceAll('VERSION', version)
      .replaceAll('JOURNAL', at('journal'))
      .replaceAll('DIRECTORY', user.directory)
  const FAILS = `if [ -e "DIRECTORY/fail-$name" ]; then
    : > "DIRECTORY/met-$name"
    read -r other < "DIRECTORY/fail-$name" || :
    until [ -z "$other" ] || [ -e "DIRECTORY/met-$other" ]; do sleep 0.02; done
    echo "$name does not work"; exit 3
  fi`
  const place = { properties: { hostname: 'localhost' }, clientInterface: 'local' }
  const models = (version: string): Models => ({
    services: Object.fromEntries(
      ['api', 'web'].map((name) => [name, wrapper({ version, body: body(version), journal: at('calls') })] as const),
    ),
    infrastructure: { here: place, beside: place },
    distribution: { api: ['here'], web: ['beside'] },
  })
  const fail = (...names: readonly string[]) =>
    Promise.all(names.map((name, index) => user.write(`fail-${name}`, `${names.toReversed()[index]}\n`)))
  const calls = async () => {
    const { stdout } = await user.bash('grep activate journal | sort; rm -f journal fail-* met-*')
    return stdout.trimEnd().split('\n')
  }
  const errorOf = (name: string, target: string, version: string, activity = 'activate') =>
    `error: cannot ${activity} '${name}' on '${target}': its module ended with status 3\n    ${activity}-${name}-${version} does not work\n`

  test('two services that fail at the same time are both reported, with their logs, after everything was undone: 1', async () => {
    succeeded(await deploy(user, models('1')))
    await calls()
    await fail('activate-api-2', 'activate-web-2')
    const { status, stderr } = await deploy(user, models('2'))
    expect(status).toBe(1)
    const afterwards = stderr.slice(stderr.lastIndexOf(': done\n'))
    expect(afterwards).toContain(errorOf('api', 'here', '2'))
    expect(afterwards).toContain(errorOf('web', 'beside', '2'))
    expect(afterwards).toContain('davit-activate: the transition failed: everything is as it was before')
    const each = ['api-1', 'api-2', 'web-1', 'web-2']
    expect(await calls()).toEqual(['activate', 'deactivate'].flatMap((kind) => each.map((one) => `${kind}-${one}`)))
    expect(await user.generations()).toEqual([1])
  })

  test.each([
    ['an old one that does not start again', 2, 'activate', '1', 'not all of the old ones could be activated again'],
    ['a new one that cannot be stopped', 3, 'deactivate', '2', 'not all of the new services could be deactivated'],
  ])('%s ends with %i, and the same again goes on', async (_, expected, activity, version, message) => {
    await fail('activate-web-2')
    await fail(`${activity}-api-${version}`)
    const { status, stderr } = await deploy(user, models('2'))
    expect(status).toBe(expected)
    expect(stderr).toContain(errorOf('web', 'beside', '2'))
    expect(stderr).toContain(errorOf('api', 'here', version, activity))
    expect(stderr).toContain(message)
    expect(stderr).toMatch(
      new RegExp(`hint: the same command continues from here; what remains: .*${activity} 'api' on 'here'`),
    )
    expect(await user.generations()).toEqual([1])
    await calls()
    succeeded(await deploy(user, models('1')))
    expect((await calls()).filter((call) => call.startsWith('activate'))).toContain('activate-api-1')
  })
})
