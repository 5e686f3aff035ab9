import { tool as cleanSnapshots } from './clean-snapshots.ts'
import { tool as copySnapshots } from './copy-snapshots.ts'
import { tool as deleteState } from './delete-state.ts'
import { tool as migrate } from './migrate.ts'
import { tool as restore } from './restore.ts'
import { tool as snapshot } from './snapshot.ts'
import { tool as snapshots } from './snapshots.ts'

export { description as cleanSnapshotsDescription } from './clean-snapshots-description.ts'
export { cleanStores } from './clean-snapshots.ts'
export { description as deleteStateDescription } from './delete-state-description.ts'
export { deleteState } from './delete-state.ts'
export const tools = [cleanSnapshots, copySnapshots, deleteState, migrate, restore, snapshot, snapshots]
