import { type Operation, SLOW } from './operation.ts'

const CARRY = ['carry'] as const
const COLLECT = ['collect'] as const

/** Operations on the native store. */
export const STORE_OPERATIONS = {
  native_missing: {
    roles: CARRY,
    fields: 'REGISTRATIONS [PATH]... names [NAME]...',
    does: 'returns the names of paths that are not valid here, and keeps the others until this helper ends; if there are none, protects the PATHs instead',
    slowness: SLOW,
    isRepeatable: true,
  },
  native_closure: {
    roles: CARRY,
    fields: 'REGISTRATIONS [NAME]...',
    does: 'returns the registrations of paths and of all that they need, and keeps these until this helper ends; names those that are not valid',
    slowness: SLOW,
    isRepeatable: true,
  },
  native_commit: {
    roles: CARRY,
    fields: 'STORE INCOMING REGISTRATIONS ROOTS [NAME]... protect [NAME]... needs [NAME]...',
    does: 'makes the paths of a transfer valid and protects some of them, if the paths that they need are still valid',
    slowness: SLOW,
  },
  native_altered: {
    roles: ['carry', 'check'],
    fields: 'REGISTRATIONS SECONDS [NAME]...',
    does: 'names paths into which something was written, of these or of all, and what was written; looks for so many seconds',
    slowness: SLOW,
    isRepeatable: true,
  },
  native_mark: {
    roles: CARRY,
    fields: 'REGISTRATIONS [NAME]...',
    does: 'marks paths as altered: they are not valid until they are sent or made again, and what is there is set aside then',
    slowness: SLOW,
    isRepeatable: true,
  },
  native_discard: {
    roles: CARRY,
    fields: 'INCOMING',
    does: 'discards a transfer',
    slowness: SLOW,
    isRepeatable: true,
  },
  native_survey: {
    roles: COLLECT,
    fields: 'CHECKSUM STORE INCOMING REGISTRATIONS ROOTS LOCKS',
    does: 'lists what is kept (with a checksum), what is valid, and what is rubbish',
    slowness: SLOW,
    isRepeatable: true,
  },
  native_collect: {
    roles: COLLECT,
    fields: 'CHECKSUM SUM STORE INCOMING REGISTRATIONS ROOTS LOCKS LOGS [NAME]... rubbish [NAME]...',
    does: 'removes paths and rubbish, unless what is kept has changed since the survey',
    slowness: SLOW,
  },
} as const satisfies Readonly<Record<string, Operation>>
