import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Coordinator, type Outcome, type Started, succeeded } from './coordinator.ts'
import type { Host } from './hosts.ts'

const EXAMPLES = fileURLToPath(new URL('../../packages/examples', import.meta.url))

/** A copy of an example in the user's directory. */
export interface Example {
  readonly directory: string
  /** Runs the lines that its README has below a heading, as bash does in its directory, and rejects if one fails. */
  type(heading: string): Promise<Outcome>
  /** Starts the one line that its README has below a heading. */
  start(heading: string): Started
  /** Runs a bash script in its directory, and rejects if a line fails. */
  bash(script: string): Promise<Outcome>
  /** Changes a file, in which the text must be. */
  replace(file: string, old: string, by: string): Promise<void>
}

/** Copies an example as its README says, for machines with these addresses instead of `test1.example.org` and so on. */
export async function copyExample(user: Coordinator, name: string, hosts: readonly Host[]): Promise<Example> {
  const directory = join(user.directory, name)
  await cp(join(EXAMPLES, name), directory, { recursive: true })
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await change(join(entry.parentPath, entry.name), (text) => addressed(text, hosts))
  }
  const readme = await readFile(join(directory, 'README.md'), 'utf8')
  const bash = async (script: string) => succeeded(await user.bash(`set -e\n${SSH}\ncd '${directory}'\n${script}`))
  return {
    directory,
    bash,
    type: (heading) => bash(linesBelow(readme, heading)),
    start: (heading) => user.start(['bash', '-c', `cd '${directory}' && exec ${linesBelow(readme, heading)}`]),
    replace: (file, old, by) =>
      change(join(directory, file), (text) => {
        if (!text.includes(old)) throw new Error(`'${file}' of the example '${name}' does not contain '${old}'`)
        return text.replaceAll(old, by)
      }),
  }
}

/** The user types `ssh`; the keys of the test hosts are in a configuration of their own. */
const SSH = `ssh() { command ssh -F "$DAVIT_SSH_CONFIG" "$@"; }`

function addressed(text: string, hosts: readonly Host[]): string {
  return text.replaceAll(/\btest(\d+)\.example\.org\b/g, (name, number: string) => hosts[+number - 1]?.address ?? name)
}

function linesBelow(readme: string, heading: string): string {
  const [, section] = readme.split(`\n## ${heading}\n`)
  const [, lines] = /^```sh\n([^]*?)^```$/m.exec(section?.split('\n## ')[0] ?? '') ?? []
  if (lines === undefined) throw new Error(`the README has no lines for a shell below '${heading}'`)
  return lines
}

async function change(file: string, by: (text: string) => string): Promise<void> {
  await writeFile(file, by(await readFile(file, 'utf8')))
}
