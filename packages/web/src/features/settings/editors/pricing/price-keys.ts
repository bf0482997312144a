/** The settings that say what a model costs. */
export const priceKeys = ['ModelPrice', 'ModelRatio', 'CompletionRatio'] as const;
