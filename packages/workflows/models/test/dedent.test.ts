import { expect, test } from 'vitest'
import { dedent } from '../src/reading/dedent.ts'
import { load, specOf } from './models-in.ts'

test.each([
  ['a template literal', '\n    mkdir "$out"\n    cp x "$out"\n  ', 'mkdir "$out"\ncp x "$out"\n'],
  ['deeper lines', '\n  if true\n  then\n    echo\n  fi\n', 'if true\nthen\n  echo\nfi\n'],
  ['a line with less than the first', '\n    a\n  b\n      c\n', '  a\nb\n    c\n'],
  ['blank lines', '\n  a\n\n \n     \n  b\n', 'a\n\n\n   \nb\n'],
  ['a blank line at the beginning and one at the end', '\n\n  a\n\n  ', '\na\n\n'],
  ['no newline at the end', '\n  a\n  b', 'a\nb'],
  ['tabs', '\n\tcat <<-END\n\t\ta\n\tEND\n', 'cat <<-END\n\ta\nEND\n'],
  ['tabs and spaces, which have nothing in common', '\n\ta\n    b\n', '\ta\n    b\n'],
  ['a tab and then spaces', '\n\t  a\n\t b\n', ' a\nb\n'],
  ['a document in the script', '\n  cat <<END >f\n    x\n  END\n', 'cat <<END >f\n  x\nEND\n'],
  ['white space only', '\n   \n  ', '   \n'],
  ['one newline', '\n', ''],
  ['white space behind the quote', '  \n  a\n', 'a\n'],
  ['a text that begins behind its quote', '  a\n    b\n', '  a\n    b\n'],
  ['one line', 'make install', 'make install'],
  ['nothing', '', ''],
])('dedent() of %s', (_, text, expected) => expect(dedent(text)).toBe(expected))

test('dedent() does not change dedented text', () => {
  const once = dedent('\n    a\n      b\n\n    c\n    ')
  expect(dedent(once)).toBe(once)
})

test('scripts are dedented in programs, with `build` and without, and never in data', async () => {
  const infrastructure = 'a: { properties: { hostname: a } }'
  const program = `import { build } from 'davit'
    const script = \`
      one
        two
    \`
    export default { web: { type: 'x', pkg: build({ script }) }, plain: { type: 'x', pkg: { build: { script } } } }`
  const programs = await load({ 'infrastructure.yaml': infrastructure, 'services.ts': program })
  for (const name of ['web', 'plain']) expect(specOf(programs, name)).toMatchObject({ script: 'one\n  two\n' })
  const yaml = 'web: { type: x, pkg: { build: { script: "\\n  one\\n " } } }'
  const json = '{ "web": { "type": "x", "pkg": { "build": { "script": "\\n  one\\n " } } } }'
  for (const files of [{ 'services.yaml': yaml }, { 'services.json': json }]) {
    const data = await load({ 'infrastructure.yaml': infrastructure, ...files })
    expect(specOf(data, 'web')).toMatchObject({ script: '\n  one\n ' })
  }
})
