// Each tool is loaded when its step comes, so that what needs none of them starts fast.
export const normalize = async () => (await import('@davit/normalize')).tool
export const compileStack = async () => (await import('@davit/compile-stack')).tool
export const delegateBuild = async () => (await import('@davit/delegate-build')).tool
export const manifest = async () => (await import('@davit/manifest')).tool
export const select = async () => (await import('@davit/select')).tool
export const distribute = async () => (await import('@davit/distribute')).tool
export const lock = async () => (await import('@davit/lock')).lock
export const activate = async () => (await import('@davit/activate')).tool
export const set = async () => (await import('@davit/set')).tool
export const generations = async () => (await import('@davit/generations')).tool
export const deleteState = async () => (await import('@davit/state')).deleteState
export const cleanSnapshots = async () => (await import('@davit/state')).cleanSnapshots
export const reconstruct = async () => (await import('@davit/reconstruct')).tool
