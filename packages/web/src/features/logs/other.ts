/** What the list shows of a row's `other` (wire-facts 6.5). The receipt has the rest. */
export interface LogOther {
  modelRatio: number | null;
  /** US dollars per call; null when tokens are priced. */
  modelPrice: number | null;
  groupRatio: number | null;
  cachedTokens: number;
  /** Milliseconds; null when no first byte was seen. */
  firstTokenMs: number | null;
  /** Milliseconds in all; null on rows that only know whole seconds. */
  totalMs: number | null;
  upstreamModel: string | null;
  /** Channels tried, in order; for administrators alone. */
  channels: string[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Reads `other`; rows of other programs and ages may lack any of it. */
export function readOther(text: string): LogOther {
  const other = parse(text);
  const price = numberOrNull(other.model_price);
  const firstToken = numberOrNull(other.frt);
  const admin = isObject(other.admin_info) ? other.admin_info.use_channel : undefined;
  return {
    modelRatio: numberOrNull(other.model_ratio),
    modelPrice: price !== null && price >= 0 ? price : null,
    groupRatio: numberOrNull(other.group_ratio),
    cachedTokens: numberOrNull(other.cache_tokens) ?? 0,
    firstTokenMs: firstToken !== null && firstToken >= 0 ? firstToken : null,
    totalMs: numberOrNull(other.total_ms),
    upstreamModel:
      other.is_model_mapped === true && typeof other.upstream_model_name === 'string'
        ? other.upstream_model_name
        : null,
    channels: Array.isArray(admin) ? admin.map(String) : [],
  };
}
