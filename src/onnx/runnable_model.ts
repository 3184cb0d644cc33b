// What the process that runs a model is told of it, and what it is asked.

/** How the vectors of a text's tokens become one. */
export type Pooling = 'mean' | 'cls';

/** A model with all that is needed to run it. */
export interface RunnableModel {
  readonly folder: string;
  readonly file: {
    /** What the model's numbers are. */
    readonly numbers: 'q8' | 'fp32';
    readonly subfolder: '' | 'onnx';
    /** True: its numbers lie in a second file. */
    readonly isSplit: boolean;
  };
  readonly pooling: Pooling;
  /** A text, or a question and a text together, count up to here. */
  readonly longestTokens: number;
}

/** What a model does: a text to a vector, or a question and a text to one number. */
export type Task = 'embed' | 'score';

/** What it is told first. */
export interface FirstMessage {
  readonly model: RunnableModel;
  readonly task: Task;
}

/** One text; a question beside it where it is scored. */
export interface Input {
  readonly text: string;
  readonly question?: string;
}

/** What it answers, one for each input in turn. */
export type InputAnswer = { readonly numbers: Float32Array } | { readonly failure: string };

/** All that it says: an answer, or that the model cannot be loaded and it is of no use. */
export type Answer = InputAnswer | { readonly lost: string };
