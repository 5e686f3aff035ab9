import { finding, type Instance, placeOfKey } from '@davit/stack'
import { membersOf, textIn, textsIn } from '../endpoints.ts'
import { shellWord, withoutReferences } from '../shell.ts'
import type { Draft, Emitting } from '../unit.ts'
import { environmentText } from '../values.ts'
import { environmentOf, hasVariableNames, mountsOf, nulProblem } from './environment.ts'
import { emitImage } from './image.ts'
import { type Problem, reportIncomplete } from './incomplete.ts'
import { INTO_PACKAGE, startScript } from './start-script.ts'

/** A container: a program of a package, or an image. */
export function emitContainer(leaf: Instance, emitting: Emitting): Draft | undefined {
  if (leaf.properties.has('image')) return emitImage(leaf, emitting)
  const problem = problemOf(leaf)
  if (problem !== undefined) return reportIncomplete(leaf, problem, emitting)
  if (mountsAtPath(leaf, emitting) || !hasVariableNames(leaf, ['env', 'args', 'volumes'], emitting)) return undefined
  const inputs = inputsOf(leaf, emitting)
  if (inputs === undefined) return undefined
  const command = textsIn(leaf, 'command')
  const [readyPort] = emitting.portsOf(leaf)
  return {
    type: 'process',
    protocol: textIn(leaf, 'protocol') ?? 'http',
    packageFor({ links }) {
      const script = startScript({
        checks: ['package=${package-$out}', ...(command.length === 0 ? [CHECK_ONLY] : [])],
        paths: [INTO_PACKAGE],
        words: command.length === 0 ? [FIND_ONLY] : [`set -- ${command.map(shellWord).join(' ')}`, FIND_IN_PACKAGE],
        environment: environmentOf(leaf, emitting, links),
        modes: modesOf(leaf, emitting),
        readyPort,
      })
      return { build: { script, ...inputs } }
    },
  }
}

function problemOf(leaf: Instance): Problem | undefined {
  const { properties, fqn } = leaf
  if (!properties.has('build') && textsIn(leaf, 'command').length === 0) {
    return { message: `'${fqn}' has nothing to run`, hint: 'give it `build`, `command` or `image`' }
  }
  return nulProblem(leaf, ['command', 'env'])
}

/** Reports volumes at paths, which a process cannot have. */
function mountsAtPath(leaf: Instance, { findings }: Emitting): boolean {
  const paths = [...membersOf(leaf, 'volumes').keys()].filter((key) => key.startsWith('/'))
  for (const path of paths) {
    const message = `only a container with an image can mount a volume at ${JSON.stringify(path)}`
    const hint = 'name a variable instead, which gets the path of the volume'
    findings.push(finding('MU610', [leaf.fqn], { place: placeOfKey(leaf, 'volumes', path), message, hint }))
  }
  return paths.length > 0
}

/** The package in which it runs: a directory, or what a script makes; undefined if a path is wrong. */
function inputsOf(leaf: Instance, { sourceOf }: Emitting): object | undefined {
  const [build, script] = [textIn(leaf, 'build'), textIn(leaf, 'script')]
  const path = build === undefined ? undefined : sourceOf(leaf, 'build', build)
  if (build !== undefined && path === undefined) return undefined
  if (script === undefined) return path === undefined ? {} : { inputs: { package: { source: path, name: 'package' } } }
  const args = [...membersOf(leaf, 'args')].map(
    ([name, value]) => [name, withoutReferences(environmentText(value))] as const,
  )
  const sources = path === undefined ? {} : { sources: { source: path } }
  return { inputs: { package: { build: { script, env: new Map(args), ...sources } } } }
}

/** A fileset gives its directories no mode, so whoever mounts one does. */
function modesOf(leaf: Instance, emitting: Emitting): ReadonlyMap<string, string> {
  const mounts = emitting.offersFilesets ? mountsOf(leaf, emitting) : []
  return new Map(
    mounts.flatMap(({ volume, path }) => {
      const mode = textIn(volume, 'mode')
      return mode === undefined ? [] : [[path, mode] as const]
    }),
  )
}

const FIND_IN_PACKAGE = `case $1 in
  */*) ;;
  *) if [ -f "bin/$1" ] && [ -x "bin/$1" ]; then set -- "$PWD/bin/$@"; fi ;;
esac`

const FIND_ONLY = `set -- bin/*
until [ -f "$1" ] && [ -x "$1" ]; do shift; done
set -- "$PWD/$1"`

const CHECK_ONLY = `count=0
for file in "$package"/bin/*; do
  if [ -f "$file" ] && [ -x "$file" ]; then count=$((count + 1)); fi
done
if [ "$count" != 1 ]; then
  echo "the package has $count programs in 'bin': give the service a 'command'" >&2
  exit 1
fi`
