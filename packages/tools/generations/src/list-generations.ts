import {
  currentNumber,
  type DeploymentPlace,
  generationNumbers,
  type Origin,
  readGeneration,
} from '@davit/coordinator-state'
import { DavitError, nameText, printableLines, renderTime } from '@davit/diagnostics'

/** A generation as listed. */
export interface ListedGeneration {
  readonly number: number
  readonly isCurrent: boolean
  /** Undefined if its files cannot be read. */
  readonly content: GenerationContent | undefined
}

export interface GenerationContent {
  readonly origin: Origin
  readonly services: number
  readonly targets: number
}

/** Lists all generations, oldest first, including damaged ones. */
export async function listGenerations(place: DeploymentPlace): Promise<readonly ListedGeneration[]> {
  const current = await currentNumber(place)
  const listed: ListedGeneration[] = []
  for (const number of await generationNumbers(place)) {
    listed.push({ number, isCurrent: number === current, content: await contentOf(place, number) })
  }
  return listed
}

/** Finds one generation, which may be damaged; throws if it does not exist. */
export async function findGeneration(place: DeploymentPlace, number: number): Promise<ListedGeneration> {
  // Throws with a hint at the numbers that there are.
  if (!(await generationNumbers(place)).includes(number)) await readGeneration(place, number)
  return { number, isCurrent: number === (await currentNumber(place)), content: await contentOf(place, number) }
}

/** Renders a line for each generation. */
export function renderGenerations(generations: readonly ListedGeneration[]): string {
  return printableLines(
    generations.map(({ number, isCurrent, content }) => {
      const mark = isCurrent ? '  (current)' : ''
      return `${String(number).padStart(4)}  ${content === undefined ? 'cannot be read' : renderContent(content)}${mark}`
    }),
  )
}

async function contentOf(place: DeploymentPlace, number: number): Promise<GenerationContent | undefined> {
  try {
    const { manifest, origin } = await readGeneration(place, number)
    // Targets without a profile are not counted.
    return { origin, services: manifest.services.size, targets: manifest.profiles.size }
  } catch (error) {
    if (error instanceof DavitError) return undefined
    throw error
  }
}

function renderContent({ origin, services, targets }: GenerationContent): string {
  const time = renderTime(origin.time)
  const who = origin.user === '' ? '' : `, by ${shortened(origin.user)}`
  const where = origin.user === '' || origin.host === '' ? '' : ` on ${shortened(origin.host)}`
  return `${time}  ${countOf(services, 'service')} on ${countOf(targets, 'target')}${who}${where}`
}

/** Files may have been changed. */
function shortened(name: string): string {
  return nameText(name.slice(0, MAX_SHOWN))
}

const MAX_SHOWN = 100

/** `1 service`, `2 services` */
export function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
