// Writes 1, 2, 3 and so on into redis, on whichever of the machines it runs, until it is interrupted by Ctrl-C. A number that was not
// confirmed is written again. Whenever redis was found, and at the end, all confirmed numbers must be there.
//
// usage: node client.mjs HOST...
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

const PORT = 6379
const hosts = process.argv.slice(2)
const key = `numbers:${Date.now()}`
let confirmed = 0
const interruption = new AbortController()
process.once('SIGINT', () => interruption.abort())

class Redis {
  constructor(host) {
    this.host = host
    this.socket = connect(PORT, host)
    this.socket.setTimeout(2000, () => this.socket.destroy())
    const lines = createInterface({ input: this.socket })
    this.answers = lines[Symbol.asyncIterator]()
    this.socket.on('error', () => {})
    this.socket.on('close', () => lines.close())
  }

  /** Returns the answer, which is a number, or fails. */
  async ask(command) {
    this.socket.write(`${command}\r\n`)
    const { value = 'no answer' } = await this.answers.next()
    if (!/^:\d+$/.test(value)) throw new Error(value)
    return value
  }

  /** Ends the program if a confirmed number is missing. */
  async check() {
    await this.ask(`EXISTS ${key}`)
    const numbers = Array.from({ length: confirmed }, (_, index) => index + 1)
    const answers = await Promise.all(numbers.map((number) => this.ask(`SISMEMBER ${key} ${number}`)))
    const missing = answers.filter((answer) => answer !== ':1').length
    console.error(`${this.host}: ${confirmed} numbers confirmed, ${missing} missing`)
    if (missing > 0) process.exit(1)
  }
}

let finished = false
for (let attempt = 0; !finished; attempt += 1) {
  const redis = new Redis(hosts[attempt % hosts.length])
  try {
    await redis.check()
    do {
      await redis.ask(`SADD ${key} ${confirmed + 1}`)
      confirmed += 1
    } while (!interruption.signal.aborted)
    await redis.check()
    finished = true
  } catch {
    await setTimeout(10)
  }
  redis.socket.destroy()
}
