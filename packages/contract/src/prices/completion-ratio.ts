/** Default of the option CompletionRatio (docs/compatibility.md#default-prices): an output token in input tokens. */
export const defaultCompletionRatio: Readonly<Record<string, number>> = {
  'gpt-4-gizmo-*': 2,
  'gpt-4o-gizmo-*': 3,
  'gpt-4-all': 2,
  'gpt-image-1': 8,
};
