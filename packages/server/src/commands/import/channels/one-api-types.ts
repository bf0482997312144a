/** The type of a one-api channel here, and its default address. */
export interface OneApiType {
  type: number;
  baseUrl?: string;
  /**
   * Interpretation of the address. `whole` includes the version, and the path is appended to it.
   */
  address?: 'whole';
}

const openai = (baseUrl?: string): OneApiType => ({ type: 1, ...(baseUrl !== undefined && { baseUrl }) });

/** OpenAI's bodies below an address that includes the version. */
const openaiAt = (baseUrl?: string): OneApiType => ({ ...openai(baseUrl), address: 'whole' });
const geminiBase = 'https://generativelanguage.googleapis.com/v1beta/openai';

/**
 * One-api numbers with another meaning here (docs/compatibility.md#channel-types). All others up to 25 are the same,
 * and there are none above. 0 is no type: no provider here supports that vendor.
 */
const differing: Readonly<Record<number, OneApiType>> = {
  2: openai('https://oa.api2d.net'),
  4: openai('https://api.closeai-proxy.xyz'),
  5: openai('https://api.openai-sb.com'),
  8: openai(),
  26: openai('https://api.baichuan-ai.com'),
  27: { type: 35 },
  28: { type: 42 },
  29: openai('https://api.groq.com/openai'),
  30: { type: 4 },
  31: { type: 31 },
  32: openai('https://api.stepfun.com'),
  33: { type: 33 },
  34: { type: 49 },
  35: { type: 34 },
  36: { type: 43 },
  37: { type: 39 },
  38: { type: 0 },
  39: openai('https://api.together.xyz'),
  40: { type: 45 },
  41: openaiAt('https://api.novita.ai/v3/openai'),
  42: { type: 41 },
  43: { type: 0 },
  44: { type: 40 },
  45: { type: 48 },
  46: { type: 56 },
  47: { type: 46 },
  48: openai('https://spark-api-open.xf-yun.com'),
  49: { type: 17 },
  50: openaiAt(),
  51: openaiAt(geminiBase),
};

const lastSame = 25;
const zhipu = 16;
const zhipuV4 = 26;

/** Our type of a channel of one-api. */
export function oneApiType(type: number, models: string): OneApiType {
  if (type === zhipu && /(?:^|,)\s*glm-[4-9]/.test(models)) return { type: zhipuV4 };
  return differing[type] ?? { type: type <= lastSame ? type : 0 };
}

const advanced = 58;
/** Paths below an address that already includes the version. */
const belowVersion = {
  'openai-chat': '/chat/completions',
  'openai-completions': '/completions',
  'openai-embeddings': '/embeddings',
  'openai-images': '/images',
  'openai-audio': '/audio',
  'openai-moderations': '/moderations',
};

/** Type, address and extra field of a channel here, from its type and address in the source. */
export function placeOf(
  { type, baseUrl = '', address }: OneApiType,
  own: string,
): { type: number; baseUrl: string; other?: string } {
  const base = (own === '' ? baseUrl : own).replace(/\/+$/, '');
  if (address !== 'whole') return { type, baseUrl: base };
  // Our type appends /v1 and the path; below any other address the full paths are written.
  if (base.endsWith('/v1')) return { type, baseUrl: base.slice(0, -3) };
  return { type: advanced, baseUrl: base, other: JSON.stringify({ paths: belowVersion }) };
}
