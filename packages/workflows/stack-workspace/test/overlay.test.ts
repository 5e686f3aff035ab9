import { expect, test } from 'vitest'
import { overlay } from '../src/overlay.ts'

/** Tells where a path is read. */
const FILES = {
  read: (path: string) => ({ kind: 'text', text: path }) as const,
  realPath: (path: string) => path,
  linkWithin: (root: string, path: string) => `link from ${root} to ${path}`,
  shown: (path: string) => `shown ${path}`,
}

function seen(path: string, hidesOthers: boolean): readonly unknown[] {
  const { files, stage, reveal } = overlay(FILES, '/w/.Mudeps', { hidesOthers })
  for (const name of ['a', 'a/b']) stage(`/w/.Mudeps/${name}`, `/t/${name.replace('/', '-')}`)
  reveal('/w/.Mudeps/c')
  return [files.read(path), files.realPath(path), files.linkWithin('/w', path), files.shown(path)]
}

test.each([
  ['a stack that was staged', 'a', '/t/a', '/t/a'],
  ['a file of one', 'a/Mu.yaml', '/t/a/Mu.yaml', '/t/a/Mu.yaml'],
  ['one below another', 'a/b/Mu.yaml', '/t/a-b/Mu.yaml', '/t/a-b/Mu.yaml'],
  ['one that was looked at', 'c/Mu.yaml', '/w/.Mudeps/c/Mu.yaml', '/w/.Mudeps/c/Mu.yaml'],
  ['another one', 'ab/Mu.yaml', '/w/.Mudeps/ab/Mu.yaml', undefined],
  ['what is beside fetched stacks', '../.Mudeps.yaml', '/w/.Mudeps.yaml', '/w/.Mudeps.yaml'],
])('overlay() of %s', (_, name, path, whenHidden) => {
  const asked = name.startsWith('../') ? `/w/${name.slice('../'.length)}` : `/w/.Mudeps/${name}`
  const at = (place: string | undefined) => [
    place === undefined ? { kind: 'absent' } : { kind: 'text', text: place },
    place,
    place === asked ? `link from /w to ${asked}` : undefined,
    `shown ${asked}`,
  ]
  expect(seen(asked, false)).toStrictEqual(at(path))
  expect(seen(asked, true)).toStrictEqual(at(whenHidden))
})
