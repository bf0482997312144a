/** The built-in list (docs/compatibility.md#default-model-lists), which ends with the models of the year. */
export const claudeModels: readonly string[] = [
  'claude-haiku-4-5-20251001',
  'claude-haiku-5-5',
  'claude-sonnet-4-5-20250929',
  'claude-sonnet-4-6',
  'claude-sonnet-5',
  'claude-sonnet-5-5',
  'claude-opus-4-5-20251101',
  'claude-opus-4-6',
  'claude-opus-4-7',
  'claude-opus-4-8',
  'claude-opus-5',
  'claude-opus-5-5',
  'claude-fable-5-1',
  'claude-fable-5-2',
];
