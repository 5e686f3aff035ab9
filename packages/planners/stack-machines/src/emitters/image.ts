import { type Instance, placeOf, placeOfKey, placeOfValue } from '@davit/stack'
import { membersOf, textIn, textsIn } from '../endpoints.ts'
import { isVariable, printing } from '../shell.ts'
import type { Draft, Emitting, LinkAddresses } from '../unit.ts'
import { environmentOf, hasVariableNames, mountsOf, nulProblem } from './environment.ts'
import { type Problem, reportIncomplete } from './incomplete.ts'

/** A container of an image, in an archive or on the machine. */
export function emitImage(leaf: Instance, emitting: Emitting): Draft | undefined {
  const problem = problemOf(leaf) ?? mountProblem(leaf, emitting)
  if (problem !== undefined) return reportIncomplete(leaf, problem, emitting)
  if (!hasVariableNames(leaf, ['env'], emitting)) return undefined
  const image = imageOf(leaf, emitting)
  return (
    image && {
      type: 'docker-container',
      protocol: textIn(leaf, 'protocol') ?? 'http',
      packageFor({ links }) {
        const script = [image.commands, ...filesOf(leaf, emitting, links)].join('\n')
        return { build: { script, inputs: image.inputs } }
      },
    }
  )
}

interface Image {
  /** Commands that set `$image`, an archive or nothing, and `$tag`, what the image is called. */
  readonly commands: string
  readonly inputs: object
}

function imageOf(leaf: Instance, { sourceOf }: Emitting): Image | undefined {
  const image = textIn(leaf, 'image') ?? ''
  if (!isArchive(image)) return { commands: `tag='${image}' image=`, inputs: {} }
  const source = sourceOf(leaf, 'image', image)
  return source === undefined ? undefined : { commands: FIND_TAG, inputs: { image: { source, name: 'image' } } }
}

/** Commands that write the files of the module docker-container, about `$image` and `$tag`. */
function filesOf(leaf: Instance, emitting: Emitting, links: LinkAddresses): readonly string[] {
  const [readyPort = ''] = emitting.portsOf(leaf)
  const environment = [...environmentOf(leaf, emitting, links)].map(([name, value]) => `${name}=${value}`)
  const mounts = mountsOf(leaf, emitting).map(({ key, path }) => `${path}:${isVariable(key) ? path : key}`)
  const settings = [
    '"dockerImage=$image"',
    '"dockerImageTag=$tag"',
    'dockerStopTimeout=10',
    `dockerReadyPort=${readyPort}`,
  ]
  return [
    'mkdir -p "$out"',
    `printf '%s\\n' ${settings.join(' ')} >"$out/container-docker-settings"`,
    fileOf('createparams', ['--network=host', ...mounts.map((mount) => `--volume=${mount}`)]),
    fileOf('environment', environment.map(escaped)),
    fileOf('command', textsIn(leaf, 'command').map(escaped)),
  ]
}

/** Writes a file of lines of the module docker-container; without lines there is none. */
function fileOf(kind: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `{ ${printing(lines.join('\n'))}} >"$out/container-docker-${kind}"`
}

/** Writes a text in one line, as the module reads it. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

/** A path, or a name as archives have it; names of images are none of these. */
function isArchive(image: string): boolean {
  return /^\.{0,2}\/|\.(?:tar|tar\.[a-z0-9]+|tgz)$/.test(image)
}

function problemOf(leaf: Instance): Problem | undefined {
  const { properties, fqn } = leaf
  const image = textIn(leaf, 'image') ?? ''
  if (properties.has('build')) {
    return {
      message: `'${fqn}' has an image, and a package as well`,
      hint: 'remove `image` or `build`',
      place: placeOfValue(leaf, 'image'),
    }
  }
  if (!isArchive(image) && !/^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/.test(image)) {
    const message = `${JSON.stringify(image)} of '${fqn}' is no image`
    const hint = 'write the path of an archive, or a name such as web:1'
    return { message, hint, place: placeOfValue(leaf, 'image') }
  }
  return nulProblem(leaf, ['command', 'env'])
}

function mountProblem(leaf: Instance, emitting: Emitting): Problem | undefined {
  const key = [...membersOf(leaf, 'volumes').keys()].find((one) => !isVariable(one) && !/^\/[^:\p{Cc}]+$/u.test(one))
  if (key !== undefined) {
    const message = `'${leaf.fqn}' cannot have a volume at ${JSON.stringify(key)}`
    const hint = 'name a variable that gets its path, or an absolute path in the container, without `:`'
    return { message, hint, place: placeOfKey(leaf, 'volumes', key) }
  }
  const moded = emitting.offersFilesets && mountsOf(leaf, emitting).find(({ volume }) => volume.properties.has('mode'))
  if (!moded) return undefined
  const message = `'${leaf.fqn}' has an image, and cannot give the volume '${moded.volume.fqn}' its mode`
  return { message, hint: 'remove the `mode` of the volume', place: placeOf(moded.spot) }
}

/** The name of the image is in its archive. */
const FIND_TAG = `tag=$(tar -xOf "$image" manifest.json | tr -d '\\n' | grep -o '"RepoTags" *: *\\["[^"]*"' | head -n 1 | sed 's/"$//; s/.*"//')
if [ -z "$tag" ]; then
  echo "the archive does not say what its image is called: make it with 'docker save NAME'" >&2
  exit 1
fi`
