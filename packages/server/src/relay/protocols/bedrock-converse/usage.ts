import { counter, inputTokens, outputTokens, type Usage, usageOf } from '@tollgate/contract';
import { type JsonObject, objectsIn } from '../../../lib/json.ts';

/**
 * Bedrock's usage object in disjoint counters; undefined when it reports nothing. `inputTokens` excludes cache
 * reads and writes, `cacheDetails` has the writes by duration. Nova's own answers have the suffix `Count` for cached
 * tokens.
 */
export function readConverseUsage(raw: JsonObject, webSearchCalls = 0): Usage | undefined {
  const written = counter(raw.cacheWriteInputTokens ?? raw.cacheWriteInputTokenCount);
  let cacheWrite1h = 0;
  for (const { ttl, inputTokens: tokens } of objectsIn(raw.cacheDetails)) {
    if (ttl === '1h') cacheWrite1h += counter(tokens);
  }
  const usage = usageOf({
    input: counter(raw.inputTokens),
    cacheRead: counter(raw.cacheReadInputTokens ?? raw.cacheReadInputTokenCount),
    cacheWrite5m: Math.max(0, written - cacheWrite1h),
    cacheWrite1h,
    output: counter(raw.outputTokens),
    webSearchCalls,
  });
  return inputTokens(usage) + outputTokens(usage) + webSearchCalls === 0 ? undefined : usage;
}
