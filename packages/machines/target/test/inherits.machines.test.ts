import { installedShells } from '@davit/testing/shells'
import { until } from '@davit/testing/wait'
import { afterAll, describe, expect, test } from 'vitest'

import { beginTrial, performActivity, revertTrial } from '../src/target.ts'
import { closeScenes, Scene } from './scene.ts'
import { hasEnded, openTrial, perform, stepsOf, terms } from './trial-scene.ts'

afterAll(closeScenes)

/** Notes what a process has that a module starts. Descriptors from 10 on are the shell's own. */
const SHOW = `show() {
  grep -E '^(SigIgn|Umask)' /proc/$$/status
  for fd in "/proc/$$/fd/"?; do printf 'fd %s\\n' "\${fd##*/}"; done
  pwd
  read -r stat <"/proc/$$/stat"
  set -- \${stat##*) }
  echo "terminal $5"
  env | sed 's/=.*//' | sort
}
show >"$D/shown.new"; mv "$D/shown.new" "$D/shown"`

const VARIABLES =
  'DAVIT_KEY DAVIT_LOG_DIR DAVIT_PROFILE DAVIT_RUN_DIR DAVIT_SERVICE DAVIT_STATE_DIR DAVIT_TARGET DYSNOMIA_STATEDIR HOME PATH PWD USER port'

describe.concurrent.each(installedShells())('what a module starts on a machine with $name', (shell) => {
  // A shell ignores INT and QUIT in what it starts in the background; an env of busybox does not undo that.
  const ignored = shell.name === 'busybox' ? /^SigIgn:\t0{15}[06]$/m : /^SigIgn:\t0{16}$/m
  function expectClean(shown: string): void {
    const lines = shown.split('\n')
    expect(shown).toMatch(ignored)
    expect(shown).toMatch(/^Umask:\t0022$/m)
    expect(lines.filter((line) => line.startsWith('fd '))).toEqual(['fd 0', 'fd 1', 'fd 2', 'fd 3'])
    expect(lines).toContain('/')
    expect(lines).toContain('terminal 0')
    const variables = lines.slice(lines.indexOf('terminal 0') + 1, -1)
    expect(variables.filter((name) => !/^(?:_|SHLVL|OLDPWD)$/.test(name)).join(' ')).toBe(VARIABLES)
  }

  test('has nothing of the login, whichever the activity', async () => {
    const scene = await Scene.open(shell, { environment: { SECRET: '1' } })
    scene.module(SHOW, ['activate', 'deactivate'])
    for (const activity of ['activate', 'deactivate'] as const) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await performActivity(scene.machine, scene.request(activity))).toEqual({ kind: 'succeeded' })
      expectClean(scene.read('shown'))
    }
  })

  test('has nothing of it when the machine goes back by itself', async () => {
    const opened = await openTrial(shell)
    const { scene, trial, machine } = opened
    await perform(scene, 'activate', 'old')
    await beginTrial(machine, trial, terms(stepsOf(scene, 'start old')))
    await perform(scene, 'deactivate', 'old')
    scene.module(SHOW, ['activate', 'deactivate'])
    await revertTrial(machine, trial)
    await hasEnded(opened)
    await until(() => expectClean(scene.read('shown')))
  })
})
