import {
  finding,
  NO_WORKSPACE,
  parseWorkspace,
  type StackFinding,
  type StackFiles,
  UNREAD_WORKSPACE,
  type Workspace,
} from '@davit/stack'
import { findMufile, upwardsFrom, workspaceFileIn } from './find-mufile.ts'

/** A stack file with the workspace that it belongs to. */
export interface OpenedStack {
  /** Of the stack file; missing if there is an error. */
  readonly path: string | undefined
  /** Directory of the workspace. */
  readonly root: string
  readonly workspace: Workspace
  readonly findings: readonly StackFinding[]
}

/** Finds the stack file of an operand, and reads its workspace file if there is one. */
export function openStack(operand: string, files: StackFiles): OpenedStack {
  const { path, start, findings, isThere } = findMufile(operand)
  const { workspace, ...opened } = openWorkspace(start, files)
  const found = [...findings, ...opened.findings]
  return { ...opened, path, workspace: { ...workspace, isPartial: workspace.isPartial || !isThere }, findings: found }
}

/** Reads the workspace of a directory: the nearest one upwards with a workspace file, else the directory itself. */
export function openWorkspace(start: string, files: StackFiles): Omit<OpenedStack, 'path'> {
  const findings: StackFinding[] = []
  for (const directory of upwardsFrom(start)) {
    const file = workspaceFileIn(directory, findings)
    if (file === undefined) continue

    const read = readWorkspace(file, files)
    return { root: directory, workspace: read.workspace, findings: [...findings, ...read.findings] }
  }
  return { root: start, workspace: NO_WORKSPACE, findings }
}

function readWorkspace(path: string, files: StackFiles): ReturnType<typeof parseWorkspace> {
  const reading = files.read(path)
  const name = files.shown(path)
  if (reading.kind === 'text') return parseWorkspace({ name, text: reading.text.replace(/^\uFEFF/, '') })
  const hint = reading.kind === 'unreadable' ? reading.reason : 'it has just been removed'
  return { workspace: UNREAD_WORKSPACE, findings: [finding('MU103', [name], { hint })] }
}
