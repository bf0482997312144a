/** The settings that define a model's cost. */
export const priceKeys = ['ModelPrice', 'ModelRatio', 'CompletionRatio'] as const;
