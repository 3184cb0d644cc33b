// Under which name the store knows whoever made its vectors (design D6).

/** The embedder that writes this store's vectors. */
export interface EmbedderIdentity {
  readonly id: string;
  readonly dimensions: number;
}
