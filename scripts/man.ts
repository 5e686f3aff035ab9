// Writes the manual page of every executable beside its source: tsx scripts/man.ts
// With a directory, writes pages and completions there, as they are installed: tsx scripts/man.ts DIR
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renderCompletion } from '../packages/toolkit/tool/src/render-completion.ts'
import { renderManPage } from '../packages/toolkit/tool/src/render-man-page.ts'
import { executables, toolOf } from './executables.ts'

const [share] = process.argv.slice(2)
for (const executable of executables()) {
  const { name, directory } = executable
  const tool = await toolOf(executable)
  write(
    share === undefined ? join(directory, 'man', `${name}.1`) : join(share, 'man/man1', `${name}.1`),
    renderManPage(tool),
  )
  if (share === undefined) continue
  write(join(share, 'bash-completion/completions', name), renderCompletion(tool, 'bash'))
  write(join(share, 'zsh/site-functions', `_${name}`), renderCompletion(tool, 'zsh'))
  write(join(share, 'fish/vendor_completions.d', `${name}.fish`), renderCompletion(tool, 'fish'))
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
