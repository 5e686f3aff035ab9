import { stat } from 'node:fs/promises'

import {
  currentGeneration,
  type DeploymentPlace,
  otherDeployments,
  readJournal,
  readLeftBehind,
  readWanted,
} from '@davit/coordinator-state'
import { describeOwner, encodeOwner, isDead, readLockRecord } from '@davit/deployment-lock'
import { renderTime, shellWord } from '@davit/diagnostics'
import { isMissing } from '@davit/files'

import { type Check, fine, found } from '../check.ts'
import { attempt } from '../failed.ts'
import { refusedIn } from './refused-in.ts'
import { type CheckupTerms, forProfile } from '../terms.ts'
import { countOf, listed } from '../words.ts'

/** Looks at what this coordinator remembers of the deployment. */
export async function deploymentChecks(terms: CheckupTerms): Promise<readonly Check[]> {
  const refused = await refusedIn(terms.place)
  if (refused !== undefined) return [unreadable(refused)]
  const checks = [generationChecks, cutOffChecks, journalChecks, leftBehindChecks, privacyChecks]
  const all = await Promise.all(checks.map((check) => attempt('deployment', () => check(terms))))
  return all.flat()
}

/** One finding for all that cannot be read there. */
function unreadable(directory: string): Check {
  return found('deployment', 'error', {
    text: `this account may not read '${directory}'`,
    means: 'davit cannot tell what this machine remembers of the deployment',
    remedy: 'check its owner and permissions, and the user who runs this',
  })
}

async function generationChecks({ place, profile }: CheckupTerms): Promise<readonly Check[]> {
  const current = await currentGeneration(place)
  const others = (await otherDeployments(place)).map((name) => `'${name}'`)
  const also = others.length === 0 ? '' : `; this coordinator has also deployed ${others.join(', ')}`
  if (current === undefined) return [fine('deployment', `nothing is deployed as '${profile}'${also}`)]
  const { number, manifest } = current
  const targets = countOf(manifest.infrastructure.size, 'target')
  return [fine('deployment', `generation ${number} of '${profile}', on ${targets}${also}`)]
}

/** What a run has left that is over, or was killed. */
async function cutOffChecks(terms: CheckupTerms): Promise<readonly Check[]> {
  const { place, here, profile } = terms
  const record = await readLockRecord(place)
  if (record !== undefined && !isDead(record.owner, here)) {
    const who = describeOwner(encodeOwner(record.owner))
    return [fine('locks', `${who} works on '${profile}', or has locked it`)]
  }
  const wanted = await readWanted(place)
  if (wanted !== undefined)
    return [
      found('deployment', 'warning', {
        text: `a run of '${profile}' was cut off, or failed and was not undone`,
        means: 'services of before and of after may be active',
        remedy: `davit-env --resume${forProfile(terms)}, or --abort to go back`,
      }),
    ]
  if (record === undefined) return []
  const finding = {
    text: `'${profile}' was locked by a process that has ended`,
    means: 'the next run takes the lock',
    remedy: `davit-unlock --id ${record.token} --deployed${forProfile(terms)}`,
  }
  return [found('locks', 'note', finding)]
}

async function journalChecks({ place }: CheckupTerms): Promise<readonly Check[]> {
  const { entries, damaged } = await readJournal(place)
  const last = entries.at(-1)?.entry.time
  const told = entries.length === 0 ? [] : [fine('deployment', `${countOf(entries.length, 'line')} in the journal`)]
  const [first] = damaged
  const spoiled =
    first === undefined
      ? []
      : [
          found('deployment', 'note', {
            text: `${countOf(damaged.length, 'line')} of the journal cannot be read, the first in ${first.file}:${first.line}`,
            means: 'davit-journal leaves them out; nothing else needs the journal',
          }),
        ]
  return [...told, ...spoiled, ...(last === undefined ? [] : timeChecks(new Date(last)))]
}

function timeChecks(last: Date, now = new Date()): readonly Check[] {
  if (!(last.getTime() > now.getTime() + TOLERATED_MILLISECONDS)) return []
  const finding = {
    text: `the clock says ${renderTime(now)}, and the last entry of the journal is of ${renderTime(last)}`,
    means: 'the clock was set back; what counts days or leases takes them for shorter or longer than they are',
    remedy: 'timedatectl set-ntp true',
  }
  return [found('clock', 'warning', finding)]
}

const TOLERATED_MILLISECONDS = 5_000

async function leftBehindChecks(terms: CheckupTerms): Promise<readonly Check[]> {
  const left = await readLeftBehind(terms.place)
  const targets = [...new Set(left.map(({ target }) => target))]
  return targets.map((target) => {
    const services = left.filter((one) => one.target === target).map(({ name }) => name)
    return found('deployment', 'warning', {
      text: `${listed(services)} may still run on '${target}', which was removed from the infrastructure`,
      means: 'davit cannot stop it any more',
      remedy: `davit-generations --forget ${target}${forProfile(terms)}, once it is stopped`,
    })
  })
}

async function privacyChecks({ place }: CheckupTerms): Promise<readonly Check[]> {
  const mode = await modeOf(place)
  if (mode === undefined || (mode & 0o077) === 0) return []
  const finding = {
    text: `other accounts may enter '${place}'`,
    means: 'generations contain models, and the journal who did what',
    remedy: `chmod 700 ${shellWord(place)}`,
  }
  return [found('state', 'warning', finding)]
}

async function modeOf(place: DeploymentPlace): Promise<number | undefined> {
  try {
    return (await stat(place)).mode
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
