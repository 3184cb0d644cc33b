// The version of the analysis: what tells index rows that this program would make from those that an earlier one made.

/**
 * Raised by one whenever the terms, names or texts of an index entry come out differently than before; a test compares
 * them for a fixed corpus. Rows of another version go on serving, and `reindex` makes them anew. 0: made before this number
 * was kept.
 */
export const analysisVersion = 1;
