import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** A process that shows a text to others. */
export interface Exposure {
  readonly pid: string
  readonly where: 'arguments' | 'environment'
  readonly argv: string
  readonly environment: string
}

/** Forms in which a secret could travel that are not a matter of davit. */
export function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  // What the last characters of base64 are depends on what follows.
  return [value, bytes.toString('base64').replace(/=*$/, '').slice(0, -1), bytes.toString('hex')]
}

/** Finds one of some texts in the arguments and environments of all processes of this machine. */
export function exposuresOf(texts: readonly string[]): readonly Exposure[] {
  const hasAny = (content: string) => texts.some((text) => content.includes(text))
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid): readonly Exposure[] => {
      const process = { pid, argv: contentOf(`/proc/${pid}/cmdline`), environment: contentOf(`/proc/${pid}/environ`) }
      return [
        ...(hasAny(process.argv) ? [{ ...process, where: 'arguments' } as const] : []),
        ...(hasAny(process.environment) ? [{ ...process, where: 'environment' } as const] : []),
      ]
    })
}

/** Names of the files below a directory that contain one of some texts, or one of its lines. */
export function filesWith(texts: readonly string[], directory: string): readonly string[] {
  const patterns = texts.flatMap((text) => ['-e', text])
  const { stdout } = spawnSync('grep', ['-rlF', '-D', 'skip', ...patterns, '.'], { cwd: directory, encoding: 'utf8' })
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace('./', ''))
}

/** Content of a file of /proc; empty if its process has ended. */
export function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
