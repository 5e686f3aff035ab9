// On request, writes numbered entries into journals as fast as possible: NAME COUNT (PLACE MAXIMUM-BYTES)...
import { type Journal, openJournal } from '../../src/journal.ts'

const [id = '', count = '0', ...places] = process.argv.slice(2)

process.stdout.write('ready\n')
process.stdin.once('data', () => {
  for (let index = 0; index < places.length; index += 2) {
    const journal = openJournal(places[index] ?? '', Number(places[index + 1]))
    write(journal)
    journal.close()
  }
  process.exit(0)
})

function write(journal: Journal): void {
  for (let number = 1; number <= Number(count); number += 1) {
    const step = `${id} `.repeat(1 + (number % 40))
    journal.append({ kind: 'started', time: new Date().toISOString(), id, number, step })
  }
}
