import { expect, onTestFinished, test } from 'vitest'
import { coordinator } from '../harness/coordinator.ts'

test('a warning of Node in a tool fails its test, whatever its status', async () => {
  const user = await coordinator()
  onTestFinished(() => user.remove())
  const warned = user.bash(`node -e 'process.emitWarning("it leaks")' | cat`)
  await expect(warned).rejects.toThrow(/Node warns of a mistake in davit:\n\(node:\d+\) Warning: it leaks/)
  await expect(user.bash(`echo 'it was warned of' >&2`)).resolves.toMatchObject({ status: 0 })
})
