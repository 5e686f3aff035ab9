import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coordinator, type Coordinator, succeeded } from '../harness/coordinator.ts'

/** Packages into which something was written, on the coordinator and on a target that has a store of its own. */
describe.runIf(process.getuid?.() === 0)('a package that was altered', () => {
  let user: Coordinator
  let environment: Record<string, string>

  beforeAll(async () => {
    user = await coordinator({})
    environment = { DAVIT_STORE_DIR: join(user.directory, 'store'), DAVIT_STATE_DIR: join(user.directory, 'state') }
    succeeded(
      await user.bash(
        [
          'mkdir -p app/bin && printf "#!/bin/sh\\n" >app/bin/wrapper && chmod +x app/bin/wrapper',
          "printf 'web: { type: wrapper, pkg: { source: ./app } }\\n' >services.yaml",
          "printf 'here: { clientInterface: local, properties: { hostname: localhost }, containers: { wrapper: {} } }\\n' >infrastructure.yaml",
          "printf 'web: [here]\\n' >distribution.yaml",
        ].join(' && '),
      ),
    )
  })
  afterAll(() => user?.remove())

  const deploy = (...options: readonly string[]) =>
    user.run(['davit-env', '-s', 'services.yaml', '-i', 'infrastructure.yaml', '-d', 'distribution.yaml', ...options], {
      environment,
    })
  const packages = async () => (await readdir(environment['DAVIT_STORE_DIR']!)).filter((name) => name.endsWith('-app'))
  const aside = () => join(environment['DAVIT_STORE_DIR']!, '.davit/set-aside')

  test('is named by davit-doctor, made again by davit-env --repair, and set aside', async () => {
    succeeded(await deploy())
    const [name = ''] = await packages()
    const path = join(environment['DAVIT_STORE_DIR']!, name)
    succeeded(await user.bash(`echo 'ann paid 10' >${path}/visits.log`))
    const doctor = await user.run(['davit-doctor', '-q', 'infrastructure.yaml'], { environment })
    expect(doctor.stdout).toContain(`'${path}' is not what it was when it was made: 'visits.log' was added or changed`)
    // A run that has nothing to do does not look.
    succeeded(await deploy())
    const repair = await deploy('--repair')
    succeeded(repair)
    expect(repair.stderr).toContain(`'${path}' was altered, and is made again`)
    expect(existsSync(join(path, 'visits.log'))).toBe(false)
    const [kept = ''] = await readdir(aside())
    expect(await readFile(join(aside(), kept, 'visits.log'), 'utf8')).toBe('ann paid 10\n')
    const again = await user.run(['davit-doctor', 'infrastructure.yaml'], { environment })
    expect(again.stdout).not.toContain('is not what it was')
    expect(again.stdout).toContain("/.davit/set-aside' has 1 package")
  })

  test('is not sent by itself, and the error says what to do', async () => {
    const [name = ''] = await packages()
    const path = join(environment['DAVIT_STORE_DIR']!, name)
    const manifest = await user.run(['davit-generations', '--print', '1', '--format', 'json'], { environment })
    succeeded(await user.bash(`echo more >${path}/more.log`))
    const sent = await user.run(['davit-distribute', '--replace-altered', '-'], { environment, input: manifest.stdout })
    expect(sent.status).toBe(1)
    expect(sent.stderr).toContain(`'${path}' is not what it was when it was made: 'more.log' was added or replaced`)
    expect(sent.stderr).toContain('davit-env with the models makes it again')
    succeeded(await deploy('--repair'))
    expect(existsSync(join(path, 'more.log'))).toBe(false)
  })
})
