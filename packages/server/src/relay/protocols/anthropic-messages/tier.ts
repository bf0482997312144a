/** The service tier of an answer: Anthropic's word → the neutral one, which is OpenAI's. */
const tiers: Readonly<Record<string, string>> = { standard: 'default', priority: 'priority', batch: 'batch' };

export const readTier = (word: string): string | undefined =>
  Object.hasOwn(tiers, word) ? tiers[word] : undefined;

export const writeTier = (tier: string | undefined): string | undefined =>
  Object.keys(tiers).find((word) => tiers[word] === tier);
