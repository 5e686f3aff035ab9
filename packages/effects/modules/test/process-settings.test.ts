import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PROCESS_SETTINGS, processSettingsProblems } from '../src/process-settings.ts'

const SETTINGS_README = `process='exec "$DAVIT_COMPONENT/bin/web" --port "$port"'   # single quotes: expanded when it runs
readyPort=$port
`

function problemsOf(text: string): readonly string[] {
  return processSettingsProblems(text, 'web').map(
    ({ place, message, hint = '' }) => `${place?.line} ${message} ${hint}`,
  )
}

test('processSettingsProblems() knows the keys that the module reads', () => {
  const module = readFileSync(fileURLToPath(new URL('../modules/process', import.meta.url)), 'utf8')
  const [, reading = ''] = /printf '%s\\036' ([^]*?) >&3/.exec(module) ?? []
  const read = [...reading.matchAll(/"\$(\w+)"/g)].map(([, name = '']) => name)
  expect(new Set(read)).toEqual(new Set(Object.keys(PROCESS_SETTINGS)))
})

test.each([
  ['README', SETTINGS_README],
  ['nothing', ''],
  ['several on a line', "process='exec sleep 1' readyPort=80 stopSignal=SIGINT logSize=10M"],
  [
    'a state directory',
    'stateDirectory=/var/lib/..a.b/.c stateOwner=redis:redis stateMode=0750 snapshotCommand="redis-cli save"',
  ],
  ['a variable that is used', 'port=8080\nreadyPort=$port\n'],
  [
    'values that are expanded',
    'readyPort=${port:-80} readyTimeout="$timeout" logSize=$(cat size) stopTimeout=`cat stop`',
  ],
  ['a variable of a command', 'port=8080 readyPort=80 true'],
  ['comments and text', '# readyport=1\nprocess="a # b\nreadyport=1; c"; readyCommand=\'x=1\ny=2\'\n'],
  ['branches', 'if [ -e /etc/x ]; then readyPort=80; else readyPort=81; fi'],
])('processSettingsProblems() accepts %s', (_, text) => {
  expect(problemsOf(text)).toEqual([])
})

test.each([
  ['readyport=80', "1 'readyport' is not a setting of a process did you mean 'readyPort'?"],
  ['\n# port\nexport stoptimeout="3"', "3 'stoptimeout' is not a setting of a process did you mean 'stopTimeout'?"],
  ['a=1; pidfile=/run/a.pid\nprocess="$a"', "1 'pidfile' is not a setting of a process did you mean 'pidFile'?"],
  ['if true; then readyCmd=true; fi', "1 'readyCmd' is not a setting of a process"],
  ["process='a\nb'\nreadyPort=abc", "3 readyPort 'abc' is not a port, from 1 to 65535 "],
  ['readyPort=65536', "1 readyPort '65536' is not a port, from 1 to 65535 "],
  ['readyPort="0"', "1 readyPort '0' is not a port, from 1 to 65535 "],
  ['readyTimeout=30s', "1 readyTimeout '30s' is not a number of seconds "],
  ['timeout=1.5', "1 timeout '1.5' is not a number of seconds "],
  ['stopTimeout=-1', "1 stopTimeout '-1' is not a number of seconds "],
  ['stopSignal=9', "1 stopSignal '9' is not one of TERM, INT, QUIT, HUP, USR1, USR2, WINCH, KILL "],
  ['stateDirectory=var/lib', "1 stateDirectory 'var/lib' is not an absolute path"],
  ['stateDirectory=/var/../lib', "1 stateDirectory '/var/../lib' is not an absolute path"],
  ['stateDirectory=/var/./', "1 stateDirectory '/var/./' is not an absolute path"],
  ['stateDirectory=//', "1 stateDirectory '//' is not an absolute path without . and .., and a directory of its own"],
  ["stateOwner='a b'", "1 stateOwner 'a b' is not of the form USER:GROUP"],
  ['stateOwner=-R', "1 stateOwner '-R' is not of the form USER:GROUP"],
  ['stateMode=u+x', "1 stateMode 'u+x' is not an octal number"],
  ['logSize=10MB', "1 logSize '10MB' is not a number of bytes, optionally with k, M or G "],
])('processSettingsProblems() names what is wrong with %s', (text, problem) => {
  expect(problemsOf(text)).toEqual([expect.stringContaining(problem)])
})

test('processSettingsProblems() copes with any text, in time', () => {
  for (const piece of ["'", '"', '$(', '`', '\\', 'a=', "a='", '${', '((', '#', '\0']) {
    expect(problemsOf(piece.repeat(20_000)).length).toBeLessThan(20_001)
  }
})

test.each(['.', 'share', './x'])(
  'processSettingsProblems() warns of the working directory %s inside of the package',
  (value) => {
    expect(problemsOf(`workingDirectory=${value}\n`)).toEqual([
      `1 workingDirectory '${value}' is inside of the package: what a program writes there as root alters the package if it writes there, give it a stateDirectory, and name that as its workingDirectory`,
    ])
    expect(problemsOf('workingDirectory=/srv/web\nprocess="cd ."')).toEqual([])
  },
)
