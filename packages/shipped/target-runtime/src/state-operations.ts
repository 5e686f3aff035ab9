import { type Operation, SLOW, VERY_SLOW } from './operation.ts'

const STATE = ['state'] as const
const ADOPT = ['adopt'] as const

/** Operations on snapshots and on the state of components. */
export const STATE_OPERATIONS = {
  start_state: {
    roles: STATE,
    fields:
      'TARGET PROFILE TOKEN ACTIVITY SECONDS CONTAINER COMPONENT KEY REQUEST COMPRESSOR SNAPSHOT [-aside NAME] [-secret NAME WORD]... [FIELD WORD]...',
    does: 'starts `snapshot`, `restore`, `verify` or `collect-garbage` for a component, detached, and later reports how it ended; without a lock if the token is `-`',
    endsLater: true,
    detached: ['run_state'],
  },
  await_state: {
    roles: STATE,
    fields: 'TARGET CONTAINER COMPONENT REQUEST',
    does: 'waits for what concerns the state of a component, and reports how the activity of this request ended',
    endsLater: true,
  },
  state_marks: {
    roles: STATE,
    fields: 'TARGET CONTAINER COMPONENT',
    does: 'says whether the state of a component is in use, or may be deleted, how it was used last, which snapshot has all of it, and from which it has come',
    isRepeatable: true,
  },
  snapshot_components: {
    roles: STATE,
    fields: 'STORE',
    does: 'lists the components of which there are snapshots, even if no generation refers to them',
    isRepeatable: true,
  },
  snapshots: {
    roles: STATE,
    fields: 'STORE [CONTAINER COMPONENT]',
    does: 'lists snapshots, with the facts about them',
    slowness: SLOW,
    isRepeatable: true,
  },
  snapshot_files: {
    roles: STATE,
    fields: 'STORE CONTAINER COMPONENT SNAPSHOT [verify]',
    does: 'names the files of a snapshot; on request, it is verified before',
    slowness: VERY_SLOW,
    isRepeatable: true,
  },
  snapshot_missing: {
    roles: STATE,
    fields: 'STORE CONTAINER COMPONENT SNAPSHOT [FILE]...',
    does: 'names the files of a snapshot that no snapshot of the component has here, or says that it is here as a whole; moves aside what is damaged',
    slowness: VERY_SLOW,
    isRepeatable: true,
  },
  snapshot_commit: {
    roles: STATE,
    fields: 'STORE TRANSFER CONTAINER COMPONENT SNAPSHOT [FIELD WORD]... files [FILE]...',
    does: 'verifies a snapshot that was received, and makes it the latest',
    slowness: VERY_SLOW,
    isRepeatable: true,
  },
  snapshot_discard: { roles: STATE, fields: 'STORE TRANSFER', does: 'discards what was received', isRepeatable: true },
  note_verified: {
    roles: STATE,
    fields: 'STORE CONTAINER COMPONENT SNAPSHOT HOW TARGET',
    does: 'notes that a snapshot was verified now, on which target, and how: `content`, `loaded` or `failed`',
    isRepeatable: true,
  },
  discard_aside: {
    roles: STATE,
    fields: 'TARGET NAME',
    does: 'removes a store that was only made to verify a snapshot',
    slowness: SLOW,
    isRepeatable: true,
  },
  clean_snapshots: {
    roles: STATE,
    fields: 'STORE KEEP CONTAINER COMPONENT [--dry-run]',
    does: 'removes all but the last generations of a component, and snapshots that no generation refers to',
    slowness: SLOW,
    isRepeatable: true,
  },
  adopt_record: {
    roles: ADOPT,
    fields: 'TARGET PROFILE TOKEN CONTAINER KEY [FIELD WORD]...',
    does: 'writes the record of a service that Disnix has activated, or gives the one that is there its present module, and takes over what modules know of its processes',
    isRepeatable: true,
  },
  adopt_state: {
    roles: ADOPT,
    fields: 'TARGET PROFILE TOKEN --dry-run|- [CONTAINER COMPONENT]...',
    does: 'takes over the snapshots and markers of Dysnomia, by hard links where possible, and says which components it has not marked as active',
    slowness: VERY_SLOW,
    isRepeatable: true,
  },
  original_marks: {
    roles: ADOPT,
    fields: '',
    does: 'says what Dysnomia has marked as active, whatever the deployment',
    isRepeatable: true,
  },
  note_original: {
    roles: ADOPT,
    fields: 'TARGET PROFILE TOKEN PATH [CONTAINER COMPONENT]...',
    does: 'notes that a profile of Disnix was adopted, with the components that are active',
    isRepeatable: true,
  },
  give_back: {
    roles: ADOPT,
    fields: 'TARGET PROFILE TOKEN PATH [CONTAINER COMPONENT]...',
    does: 'sets the profile of Disnix, and gives Dysnomia its markers and the snapshots that its modules can read',
    slowness: VERY_SLOW,
    isRepeatable: true,
  },
} as const satisfies Readonly<Record<string, Operation>>
