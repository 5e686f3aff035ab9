/** 256 Mi UTF-16 units: a bound on what is read at all, far beyond any deployment. */
export const MAX_TEXT_LENGTH = 256 * 1024 * 1024

/** In XML, where each takes about a kilobyte of memory; ten thousand services have half a million. */
export const MAX_XML_ELEMENTS = 2_000_000

/** In what a program made; what it shares counts wherever it is. */
export const MAX_PROGRAM_VALUES = 2_000_000

/** Of a text in YAML. */
export const MAX_YAML_LENGTH = 16 * 1024 * 1024

/** Lines, commas and opening brackets in YAML: there is one for each value, which takes a kilobyte of memory and 10 µs. */
export const MAX_YAML_PARTS = 1_000_000

/** Lists and tables within each other in what a person writes. */
export const MAX_MODEL_DEPTH = 200

/** Lists and tables, or elements, within each other in documents: what a person wrote stands deeper there. */
export const MAX_DOCUMENT_DEPTH = 220

/** Values that YAML aliases may add to a text. */
export const MAX_ALIASED_VALUES = 100_000
