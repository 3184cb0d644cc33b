// The port of embedders (design Q5): texts in, vectors of unit length out, under a name that the store remembers (D6).

/** What a call embeds: a question, or texts that questions look for. Some models measure the two differently. */
export type EmbedPurpose = 'query' | 'text';

/** How one call embeds. */
export interface EmbedOptions {
  readonly purpose: EmbedPurpose;
  /** When it aborts, an embedder that works elsewhere stops and rejects. */
  readonly signal?: AbortSignal;
}

/** Turns texts into vectors. Two embedders with one id give the same vectors. */
export interface Embedder {
  /** Recorded with the store's vectors and in manifests. */
  readonly id: string;
  readonly dimensions: number;
  /** One vector of unit length for each text, in order; `null` for a text in which nothing is known. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly (Float32Array | null)[]>;
}
