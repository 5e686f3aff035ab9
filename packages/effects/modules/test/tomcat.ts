import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import { until } from '@davit/testing/wait'
import { expect } from 'vitest'

import type { Stateful } from './stateful.ts'

const HOME = '/usr/share/tomcat10'

export const noTomcat = !existsSync(`${HOME}/bin/catalina.sh`)
if (noTomcat) console.warn('SKIPPED: tests with tomcat10, which is not installed')

/** A Tomcat in the directory `base` of a scene. It looks every second for new applications. */
export class Tomcat {
  readonly base: string
  readonly properties: Readonly<Record<string, string>>
  private readonly port: number
  private readonly environment: Readonly<Record<string, string>>
  private child: ChildProcess | undefined

  constructor(scene: Stateful, port: number) {
    this.port = port
    this.base = scene.make('base')
    this.properties = { catalinaBaseDir: this.base, port: String(port), readyTimeout: '60' }
    this.environment = {
      ...scene.environment,
      PATH: '/usr/bin:/bin',
      CATALINA_HOME: HOME,
      CATALINA_BASE: this.base,
      CATALINA_OPTS: '-Xmx128m -XX:-UsePerfData -XX:+UseSerialGC -XX:TieredStopAtLevel=1',
    }
    for (const name of ['webapps', 'logs', 'work', 'temp']) scene.make(`base/${name}`)
    cpSync('/etc/tomcat10', join(this.base, 'conf'), { recursive: true })
    const configuration = join(this.base, 'conf/server.xml')
    const text = readFileSync(configuration, 'utf8')
      .replace('port="8005"', 'port="-1"')
      .replace('port="8080"', `address="127.0.0.1" port="${port}"`)
      .replaceAll('<Engine ', '<Engine backgroundProcessorDelay="1" ')
    writeFileSync(configuration, text)
    // Most of an application's start would go into looking through the archives of Tomcat for what these applications have not.
    const context = join(this.base, 'conf/context.xml')
    const scanner = '<Context><JarScanner scanClassPath="false" scanManifest="false"/>'
    writeFileSync(context, readFileSync(context, 'utf8').replace('<Context>', scanner))
  }

  async start(): Promise<void> {
    this.child = spawn(`${HOME}/bin/catalina.sh`, ['run'], { env: this.environment, stdio: 'ignore' })
    await until(async () => expect(await this.page('')).not.toBe('nothing'))
  }

  /** The status and the text of a page, or `nothing` if nobody answers. */
  async page(path: string): Promise<string> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.port}/${path}`, { redirect: 'manual' })
      return `${response.status} ${response.status === 200 ? await response.text() : ''}`.trim()
    } catch {
      return 'nothing'
    }
  }

  async stop(): Promise<void> {
    const { child } = this
    if (child === undefined || child.exitCode !== null) return
    child.kill()
    await until(() => child.exitCode !== null || child.signalCode !== null)
  }
}

/** A web archive: a zip file whose files are not compressed. */
export function webArchive(files: Readonly<Record<string, string>>): Buffer {
  const entries: Buffer[] = []
  const directory: Buffer[] = []
  let place = 0
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)]
    const common = Buffer.alloc(26)
    common.writeUInt16LE(10, 0)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, content])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(place, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x0a\0'), common, rest, name]))
    entries.push(entry)
    place += entry.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(size, 8)
  end.writeUInt32LE(place, 12)
  return Buffer.concat([...entries, ...directory, Buffer.from('PK\x05\x06'), end])
}
