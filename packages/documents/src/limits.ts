/** 256 Mi UTF-16 units: a bound on what is read at all, far beyond any deployment. */
export const MAX_TEXT_LENGTH = 256 * 1024 * 1024

/** Lists and tables within each other. */
export const MAX_DEPTH = 200

/** Elements within each other: the depth of values and what stands around them. */
export const MAX_XML_DEPTH = MAX_DEPTH + 20

/** Values that YAML aliases may add to a text. */
export const MAX_ALIASED_VALUES = 100_000

/** Diagnostics shown for one document. */
export const MAX_DIAGNOSTICS = 100
