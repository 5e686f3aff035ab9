import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Shell } from '@davit/testing/shells'

import { Stateful } from './stateful.ts'

/** Makes a component that the module fileset activates in `target`, with a link and the given directives. */
export function fileset(shell: Shell, ...directives: readonly string[]): Stateful {
  const scene = new Stateful(shell, 'fileset', { files: { 'bin/hello': '#!/bin/sh\necho hello\n' } })
  scene.write(join(scene.component, '.dysnomia-targetdir'), `${targetOf(scene)}/\n`)
  specify(scene, ...directives)
  return scene
}

/** The specification has a link, then these directives; the last line has no end. */
export function specify(scene: Stateful, ...directives: readonly string[]): void {
  const lines = ['', `  symlink  ${scene.component}/bin/hello/`, '# a comment', 'target ./bin/', ...directives]
  scene.write(join(scene.component, '.dysnomia-fileset'), lines.join('\n'))
}

export function targetOf(scene: Stateful): string {
  return join(scene.directory, 'target')
}

export function write(scene: Stateful, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(targetOf(scene), path)), { recursive: true })
    writeFileSync(join(targetOf(scene), path), text)
  }
}
