import { malformed, UsageFault } from './fault.ts';
import { type Fields, requireFields, requireList } from './read-fields.ts';
import type { Ask } from './types.ts';

const day = 86_400;
/** Maximum number of results of one query. */
const maxResults = 100_000;

/**
 * All results of a query in pages of daily buckets: `data`, `has_more` and `next_page`, the format of OpenAI and
 * Anthropic.
 */
export async function fetchPages(
  ask: Ask,
  path: string,
  query: URLSearchParams,
  startOf: (bucket: Fields) => number | undefined,
): Promise<[day: number, result: Fields][]> {
  const results: [number, Fields][] = [];
  const seen = new Set<string>();
  for (;;) {
    const page = requireFields(await ask(path, query), 'the page');
    for (const each of requireList(page['data'], '"data"')) results.push(...resultsIn(each, startOf));
    if (results.length > maxResults) throw new UsageFault('too_large', `more than ${maxResults} results`);
    if (page['has_more'] !== true) return results;
    const next = page['next_page'];
    if (typeof next !== 'string' || next === '') throw malformed('there is more, but no next page');
    // A vendor that repeats a page would cause an endless loop.
    if (seen.has(next)) throw malformed('the same page comes again');
    seen.add(next);
    query.set('page', next);
  }
}

function resultsIn(each: unknown, startOf: (bucket: Fields) => number | undefined): [number, Fields][] {
  const bucket = requireFields(each, 'a bucket');
  const start = startOf(bucket);
  if (start === undefined) throw malformed('a bucket has no start');
  return requireList(bucket['results'], '"results"').map((result) => [
    start - (start % day),
    requireFields(result, 'a result'),
  ]);
}
