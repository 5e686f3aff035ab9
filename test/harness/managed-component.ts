import { builtInModules } from '@davit/modules'

import type { Host } from './hosts.ts'

const shipped = await builtInModules()

export interface Answer {
  readonly status: number
  /** Standard output, then standard error. */
  readonly output: string
}

/** Writes files: paths, each with its text. Those with `#!` are executable. */
const WRITE = `while [ $# -gt 0 ]; do
  mkdir -p "\${1%/*}" && printf %s "$2" >"$1" && case $2 in "#!"*) chmod 755 "$1" ;; esac || exit
  shift 2
done`

/** A component on a host, whose module is called by hand. */
export class ManagedComponent {
  readonly directory: string
  private readonly host: Host
  private readonly module: string
  private readonly properties: Readonly<Record<string, string>>

  private constructor(host: Host, { name, module, properties = {} }: ComponentOptions) {
    this.host = host
    this.module = module
    this.directory = `/srv/components/0123456789abcdefghijklmnopqrstuv-${name}`
    this.properties = { DAVIT_KEY: name, DAVIT_SERVICE: name, ...properties }
  }

  /** Writes the files, by path in the component, and the module. Those with `#!` are executable. */
  static async on(host: Host, options: ComponentOptions): Promise<ManagedComponent> {
    const component = new ManagedComponent(host, options)
    const script = new TextDecoder().decode(shipped.get(options.module)?.script)
    const files = Object.entries(options.files).map(([path, text]) => [`${component.directory}/${path}`, text])
    await host.sh(
      `rm -rf "$1"; shift; ${WRITE}`,
      component.directory,
      `/srv/modules/${options.module}`,
      script,
      ...files.flat(),
    )
    return component
  }

  /** Words before the module call it in another way. */
  async call(activity: string, words: readonly string[] = []): Promise<Answer> {
    const properties = Object.entries({
      DYSNOMIA_STATEDIR: '/srv/state',
      ...this.properties,
    }).map(([name, value]) => `${name}=${value}`)
    const script = 'cd /; "$@" 2>&1; echo "status $?"'
    const argv = ['env', ...properties, ...words, `/srv/modules/${this.module}`, activity, this.directory]
    const lines = (await this.host.sh(script, ...argv)).trimEnd().split('\n')
    return { status: Number(lines.pop()?.split(' ')[1]), output: lines.join('\n') }
  }

  /** Calls activities in turn, all of which must succeed. */
  async succeed(...activities: readonly string[]): Promise<void> {
    for (const activity of activities) {
      const { status, output } = await this.call(activity)
      if (status !== 0) throw new Error(`${activity} ended with ${status}: ${output}`)
    }
  }

  async write(path: string, text: string): Promise<void> {
    await this.host.sh(WRITE, path, text)
  }
}

export interface ComponentOptions {
  readonly name: string
  readonly module: string
  readonly files: Readonly<Record<string, string>>
  readonly properties?: Readonly<Record<string, string>>
}
