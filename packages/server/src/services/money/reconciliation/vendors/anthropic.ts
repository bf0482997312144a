import { picoDollars } from './dollars.ts';
import { malformed } from './fault.ts';
import { fetchPages } from './pages.ts';
import { requireCount, type Fields, requireFields, nameOf, sumOf } from './read-fields.ts';
import type { Ask, Span, UsageVendor, VendorLine } from './types.ts';

/**
 * Usage and costs of an organization, with an admin key (platform.claude.com/docs/en/api/admin, "Usage Report" and
 * "Cost Report"): pages of daily buckets, `starting_at` in RFC 3339. Tokens are split by cache use; requests are not
 * counted. Costs are decimal text in cents by description, which is the only field of costs other than tokens.
 */
export const anthropic: UsageVendor = {
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  reach: (span) => span,
  async read(ask, span) {
    const usage = await fetchResults(ask, '/v1/organizations/usage_report/messages', span, 'model');
    const costs = await fetchResults(ask, '/v1/organizations/cost_report', span, 'description');
    return [
      ...usage.map(([day, result]) => usageLine(day, result)),
      ...costs.map(([day, result]) => costLine(day, result)),
    ];
  },
};

function usageLine(day: number, result: Fields): VendorLine {
  const written = requireFields(result['cache_creation'] ?? {}, '"cache_creation"');
  const cached = requireCount(result, 'cache_read_input_tokens') ?? 0;
  const input = sumOf(
    requireCount(result, 'uncached_input_tokens'),
    requireCount(written, 'ephemeral_1h_input_tokens'),
    requireCount(written, 'ephemeral_5m_input_tokens'),
    cached,
  );
  const output = requireCount(result, 'output_tokens') ?? 0;
  return { day, model: nameOf(result['model']), input: input ?? 0, cached, output };
}

function costLine(day: number, result: Fields): VendorLine {
  const currency = nameOf(result['currency']).toUpperCase();
  if (currency !== 'USD' && currency !== '') throw malformed(`costs are in ${currency}`);
  const cost = picoDollars(result['amount'], true);
  if (cost === undefined) throw malformed('"amount" is no amount');
  return { day, model: nameOf(result['model'] ?? result['description']), cost };
}

function fetchResults(
  ask: Ask,
  path: string,
  { start, end }: Span,
  group: string,
): Promise<[day: number, result: Fields][]> {
  const query = new URLSearchParams({
    starting_at: timeOf(start),
    ending_at: timeOf(end),
    bucket_width: '1d',
    'group_by[]': group,
    limit: '31',
  });
  return fetchPages(ask, path, query, (bucket) => {
    const at = Date.parse(nameOf(bucket['starting_at']));
    return Number.isNaN(at) ? undefined : Math.floor(at / 1_000);
  });
}

const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000', '');
