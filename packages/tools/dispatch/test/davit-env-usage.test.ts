import { describe, expect, test } from 'vitest'

import { davitEnvIn, MODELS, shells } from './davit-env-scene.ts'

describe.each(shells)('davit-env in %s', (...shell) => {
  const { inDepth, nothingLeft, path, run } = davitEnvIn(shell)

  const BOTH = 'the infrastructure model (-i) and the distribution model (-d) are missing'
  test.each([
    ['-s s', BOTH, '-s, -i and -d belong together'],
    ['--services=s --dry-run', BOTH, '-s, -i and -d belong together'],
    ['-s s -i i -P p', 'the distribution model (-d) is missing', '-s, -i and -d belong together'],
    ['-id -di', 'the services model (-s) is missing', '-s, -i and -d belong together'],
    ['-P p', 'the infrastructure model (-i) is missing', '-P needs the infrastructure model as well'],
    ['--undeploy', 'the infrastructure model (-i) is missing', '--undeploy needs the infrastructure model as well'],
    ['-i i', 'an infrastructure model alone deploys nothing', 'add -s and -d, or -P'],
    ['--store nix', 'no models', 'pass -s, -i and -d'],
  ])('%s is refused, with what is missing', async (words, message, hint) => {
    const { status, stderr } = await run(words.split(' '))
    expect([status, stderr]).toEqual([64, expect.stringContaining(`davit-env: ${message} [usage]\nhint: ${hint}`)])
  })

  test.each([
    ['DAVIT_LOCK_LEASE', '1m'],
    ['DAVIT_ANSWER_TIMEOUT', '0'],
    ['DAVIT_STATE_DIR', 'state'],
    ['DAVIT_SKIP_UNREACHABLE', 'maybe'],
    ['DAVIT_USE_SUBSTITUTES', 'maybe'],
  ])('a wrong %s, which later steps read, is refused before anything is built', async (variable, value) => {
    const { status, stderr } = await run(MODELS, { [variable]: value })
    expect([status, stderr]).toEqual([
      64,
      expect.stringMatching(`^davit-env: .*${variable}.*'${value}' \\[usage\\]\nhint: `),
    ])
  })

  test.runIf(inDepth).each([
    [['--nonsense'], "unknown option '--nonsense'"],
    [['-s'], "option '-s' needs a value"],
    [['--dry-run=yes', ...MODELS], "option '--dry-run' takes no value"],
    [['-m', 'zero', ...MODELS], "'zero' is not a valid number of targets"],
    [['-j', '0', ...MODELS], "'0' is not a valid number of builds"],
    [['--activity-timeout', '1m', ...MODELS], "'1m' is not a valid number of seconds"],
    [['-D', 'd', ...MODELS], "option '--deployment' cannot be combined with models"],
    [
      ['-D', 'd', '--build-on-targets'],
      "option '--build-on-targets' needs models: the packages of '--deployment' are already built",
    ],
    [['-A', 'a', '--store'], "option '--store' needs a value"],
    [['--rollback', '-A', 'a'], "option '--rollback' cannot be combined with models"],
    [['-D', 'd', '--list-generations'], "option '--list-generations' cannot be combined with models"],
    [['--rollback', '--build-on-targets'], "option '--rollback' cannot be combined with models"],
    [['--switch-to-generation'], "option '--switch-to-generation' needs a value"],
    [['--switch-to-generation', ''], "option '--switch-to-generation' needs a value"],
    [['-p', '', '--undeploy', '-i', 'i'], "option '-p' needs a value"],
    [['--profile=', '--list-generations'], "option '--profile' needs a value"],
    [['-A', 'a', '-j', ''], "option '-j' needs a value"],
    [['--switch-to-generation=1x'], "'1x' is not a valid generation number"],
    [['--switch-to-generation=0'], "'0' is not a valid generation number"],
    [
      ['--rollback', '--switch-to-generation', '2'],
      "options '--switch-to-generation' and '--rollback' cannot be combined",
    ],
    [
      ['--delete-generations=old', '--dry-run'],
      "option '--dry-run' shows what a deployment would do, not what '--delete-generations' would do",
    ],
    [['-A', 'a', '--modules', 'x', '--modules', 'y'], "option '--modules' is given twice"],
  ])('refuses %j', async (args, message) => {
    const { status, stderr } = await run(args)
    expect([status, stderr]).toEqual([64, `davit-env: ${message} [usage]\nhint: davit-env --help shows the options\n`])
    nothingLeft()
  })

  test.each([
    [['--undepoly'], "unknown option '--undepoly'", "did you mean '--undeploy'?"],
    [['--switch'], "unknown option '--switch'", "did you mean '--switch-to-generation'?"],
    [['services.yaml'], "unexpected operand 'services.yaml'", 'models and manifests are given with options'],
    [['--dry-run'], 'no models', 'pass -s, -i and -d'],
    [
      ['-p', 'my shop'],
      "'my shop' is not a valid name for a deployment",
      "a name begins with a letter, a digit or '_', and goes on",
    ],
    [['-p', 'a'.repeat(201)], 'the name of the deployment is too long', 'a name has at most 200'],
    [['--log-format=xml'], "option '--log-format' cannot be 'xml'", 'expected one of text, json'],
  ])('refuses %j, and says what to do', async (args, message, hint) => {
    const { status, stderr } = await run(args)
    expect([status, stderr]).toEqual([64, expect.stringContaining(`davit-env: ${message} [usage]\nhint: ${hint}`)])
  })

  test('says that a place for temporary files does not exist', async () => {
    const { status, stderr } = await run(MODELS, { TMPDIR: path('none') })
    expect([status, stderr]).toEqual([73, expect.stringContaining(`there is no directory '${path('none')}'`)])
  })

  test.each(['--log-format json', '--log-format=json'])(
    'tells programs what is wrong as tools do (%s)',
    async (format) => {
      const { stderr } = await run(['--no"\\\n', ...format.split(' ')])
      expect(JSON.parse(stderr)).toEqual({
        kind: 'error',
        tool: 'davit-env',
        code: 'usage',
        message: `unknown option '--no"\\ '`,
        exitStatus: 64,
        hint: 'davit-env --help shows the options',
      })
    },
  )
})
