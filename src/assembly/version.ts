// Versions that change whenever bytes could (design M3).

/** Names the rendering rules: layout, escaping, wording, token accounting. */
export const rendererVersion = 'cam-renderer-2';

/** Names the selection rules S1 to S7 and their order. */
export const selectionVersion = 'cam-selection-2';
