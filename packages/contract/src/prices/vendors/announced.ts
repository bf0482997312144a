import { pricesIn, type VendorPrice } from './vendor-price.ts';

/** What a vendor has announced for a day to come. */
export interface AnnouncedPrice {
  /** The day from whose start in UTC it holds, YYYY-MM-DD. */
  day: string;
  prices: readonly VendorPrice[];
}

/**
 * Prices that follow those of the other files: the day, and behind it a line as there. All classes of a model change alike, so
 * that the ratios beside that of its input stay.
 *
 * - Google's prices for the start: of Gemini 4 Argon and Carbon until 30 November 2026 (ai.google.dev/gemini-api/docs/latest-model,
 *   LiteLLM's discussions 46238 and 50970), of Gemini 3.6 to 3.8 Flash until 31 December 2026 (ai.google.dev/gemini-api/docs/pricing,
 *   as usage-tab 1.2.0 of llm-kit and agent-telemetry 1.6.6 have it).
 */
const table = `
2026-12-01 gemini-4-argon gemini-4-carbon 4 20 0.2
2027-01-01 gemini-3.8-flash gemini-3.7-flash gemini-3.6-flash gemini-flash-latest 1.5 7.5 0.15
`;

/** The earlier days first. */
export const announcedPrices: readonly AnnouncedPrice[] = table
  .trim()
  .split('\n')
  .map((line) => {
    const [day = ''] = line.split(' ', 1);
    return { day, prices: pricesIn(line.slice(day.length + 1)) };
  });
