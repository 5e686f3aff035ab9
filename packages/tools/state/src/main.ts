import { tool as snapshot } from './snapshot.ts'
import { tool as snapshots } from './snapshots.ts'

export { snapshot, snapshots }
export const tools = [snapshot, snapshots]
