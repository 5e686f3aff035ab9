/** Languages in which models are written. */
export const MODEL_LANGUAGES = ['yaml', 'typescript', 'nix'] as const
export type ModelLanguage = (typeof MODEL_LANGUAGES)[number]
