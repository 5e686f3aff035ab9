import { once } from 'node:events'
import { DavitError } from '@davit/diagnostics'
import type { Channel } from '../channel.ts'
import { openSshChannel } from '../ssh-channel.ts'
import type { SshLink } from '../ssh-link.ts'

/** A link that several tools share. */
export class HeldLink {
  readonly link: SshLink
  readonly #openAnother: () => Promise<SshLink>
  #channels = 0
  #hasServed = false
  #isRetired = false
  #isOver = false

  constructor(link: SshLink, openAnother: () => Promise<SshLink>) {
    this.link = link
    this.#openAnother = openAnother
    link.onEnd(() => {
      this.#isOver = true
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Starts a script, on a link of its own if the server allows no more sessions on this one. */
  async run(script: string): Promise<Channel> {
    const isFirst = !this.#hasServed
    this.#hasServed = true
    try {
      return await this.#runHere(script)
    } catch (error) {
      // A server that refuses the very first session would refuse it on another link too.
      if (isFirst || !(error instanceof DavitError) || error.code !== 'session-refused') throw error
    }
    return runAlone(await this.#openAnother(), script)
  }

  /** Gives it up for new tools: it is closed when the last channel is over. */
  retire(): void {
    this.#isRetired = true
    this.#closeIfUnused()
  }

  async #runHere(script: string): Promise<Channel> {
    this.#channels += 1
    const release = (): void => {
      this.#channels -= 1
      this.#closeIfUnused()
    }
    try {
      const channel = await openSshChannel(this.link, script)
      void untilOver(channel).then(release)
      return channel
    } catch (error) {
      release()
      throw error
    }
  }

  #closeIfUnused(): void {
    if (this.#isRetired && this.#channels === 0) void this.link.close()
  }
}

async function runAlone(link: SshLink, script: string): Promise<Channel> {
  try {
    const channel = await openSshChannel(link, script)
    void untilOver(channel).then(() => link.close())
    return channel
  } catch (error) {
    await link.close()
    throw error
  }
}

async function untilOver({ stdout, stderr, exit }: Channel): Promise<void> {
  const closed = [stdout, stderr].map((stream) => (stream.closed ? undefined : once(stream, 'close').catch(() => {})))
  await Promise.all([...closed, exit.catch(() => {})])
}
