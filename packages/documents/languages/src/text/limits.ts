/** 256 Mi UTF-16 units: larger texts are not read. Far beyond any deployment. */
export const MAX_TEXT_LENGTH = 256 * 1024 * 1024

/** Each element takes about a kilobyte of memory; ten thousand services have half a million. */
export const MAX_XML_ELEMENTS = 2_000_000

/** Limit for values that a program made; a value that occurs in several places counts each time. */
export const MAX_PROGRAM_VALUES = 2_000_000

/** Characters of a YAML text. */
export const MAX_YAML_LENGTH = 16 * 1024 * 1024

/** Lines, commas and opening brackets of a YAML text: one for each value, which takes a kilobyte of memory and 10 µs. */
export const MAX_YAML_PARTS = 1_000_000

/** Nesting of lists and tables in models. */
export const MAX_MODEL_DEPTH = 200

/** Nesting of lists, tables and elements in documents, which contain values of models at a deeper level. */
export const MAX_DOCUMENT_DEPTH = 220

/** Values that YAML aliases may add in total. */
export const MAX_ALIASED_VALUES = 100_000
