import { picoDollars } from './dollars.ts';
import { malformed } from './fault.ts';
import { fetchPages } from './pages.ts';
import { requireCount, type Fields, requireFields, nameOf } from './read-fields.ts';
import type { Ask, Span, UsageVendor, VendorLine } from './types.ts';

/** Figures of each usage call. For images, characters and seconds only requests are compared. */
const usages: Readonly<Record<string, (result: Fields) => Partial<VendorLine>>> = {
  completions: tokens,
  embeddings: (result) => ({ ...tokens(result), output: 0 }),
  moderations: (result) => ({ ...tokens(result), output: 0 }),
  images: requests,
  audio_speeches: requests,
  audio_transcriptions: requests,
};

/** `input_tokens` includes the cached ones. */
function tokens(result: Fields): Partial<VendorLine> {
  return known({
    calls: requireCount(result, 'num_model_requests'),
    input: requireCount(result, 'input_tokens'),
    cached: requireCount(result, 'input_cached_tokens'),
    output: requireCount(result, 'output_tokens'),
  });
}

function requests(result: Fields): Partial<VendorLine> {
  return known({ calls: requireCount(result, 'num_model_requests') });
}

const known = (counts: Record<string, number | undefined>): Partial<VendorLine> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));

/**
 * The usage and costs of an organization, with an admin key (platform.openai.com/docs/api-reference/usage): pages of
 * daily buckets, `start_time` in Unix seconds, each with results by model. Costs are in dollars by `line_item`, which
 * has the model name and, after a comma, the charged item.
 */
export const openai: UsageVendor = {
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  reach: (span) => span,
  async read(ask, span) {
    const lines: VendorLine[] = [];
    for (const [name, read] of Object.entries(usages)) {
      const path = `/v1/organization/usage/${name}`;
      for (const [day, result] of await fetchResults(ask, path, span, { group_by: 'model', limit: '31' }))
        lines.push({ day, model: nameOf(result['model']), ...read(result) });
    }
    const query = { group_by: 'line_item', limit: '180' };
    for (const [day, result] of await fetchResults(ask, '/v1/organization/costs', span, query))
      lines.push(costLine(day, result));
    return lines;
  },
};

function costLine(day: number, result: Fields): VendorLine {
  const amount = requireFields(result['amount'], '"amount"');
  const currency = nameOf(amount['currency']).toLowerCase();
  if (currency !== 'usd' && currency !== '') throw malformed(`costs are in ${currency}`);
  const cost = picoDollars(amount['value']);
  if (cost === undefined) throw malformed('"amount.value" is no amount');
  return { day, model: nameOf(result['line_item']).split(', ', 1)[0] ?? '', cost };
}

async function fetchResults(
  ask: Ask,
  path: string,
  { start, end }: Span,
  more: Record<string, string>,
): Promise<[day: number, result: Fields][]> {
  const query = new URLSearchParams({
    start_time: String(start),
    end_time: String(end),
    bucket_width: '1d',
    ...more,
  });
  return fetchPages(ask, path, query, (bucket) => requireCount(bucket, 'start_time'));
}
