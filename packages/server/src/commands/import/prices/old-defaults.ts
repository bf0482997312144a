import newApi2025 from './new-api-2025.json' with { type: 'json' };
import newApi2026 from './new-api-2026.json' with { type: 'json' };
import oneApi from './one-api.json' with { type: 'json' };
import type { ForeignDatabase } from '../../../store/index.ts';
import { countsDollars, type Source } from '../kit/detect.ts';

/** A ratio of the models that match a pattern. A locked one has priority over the stored ratio of the site. */
export interface OldRule {
  name: string;
  ratio: number;
  locked?: boolean;
}

/** One kind of ratio: entries by name, then rules of which the first match counts, then a default value. */
interface OldTable {
  table?: Record<string, number>;
  rules?: OldRule[];
  /** Null if the completion ratio applies. */
  else: number | null;
}

/** The built-in prices that a program applied without storing them. */
export interface OldDefaults {
  /** Source of the published prices. */
  source: string;
  /** Patterns of names with the price of another name. */
  names: string[][];
  /** The ratio of a model without a price; absent if such a model is refused. */
  unpriced?: number;
  /** Names of models with images at a thousand times their ratio, in quota units. */
  perImage?: string;
  ModelRatio: Record<string, number>;
  ModelPrice: Record<string, number>;
  CompletionRatio: OldTable;
  CacheRatio: OldTable;
  CreateCacheRatio: OldTable;
  ImageRatio: OldTable;
  AudioRatio: OldTable;
  AudioCompletionRatio: OldTable;
  /** US dollars per million tokens of sound, for models with a separate price for sound. */
  audioDollars?: OldRule[];
}

/** The defaults of a program's generation, identified by its tables. */
export function defaultsOf({ program }: Source, foreign: Pick<ForeignDatabase, 'tables'>): OldDefaults {
  if (countsDollars({ program })) return noDefaults;
  if (program === 'one-hub' || program === 'done-hub') return { ...noDefaults, unpriced: oneHubRatio };
  if (program === 'one-api') return oneApi as unknown as OldDefaults;
  const isLater = foreign.tables.get('channels')?.has('channel_info') ?? false;
  return (isLater ? newApi2026 : newApi2025) as unknown as OldDefaults;
}

/** A program whose own prices are unknown: those of Tollgate apply where it stores none. */
const noDefaults: OldDefaults = {
  source: '',
  names: [],
  ModelRatio: {},
  ModelPrice: {},
  CompletionRatio: { else: 1 },
  CacheRatio: { else: 1 },
  CreateCacheRatio: { else: null },
  ImageRatio: { else: 1 },
  AudioRatio: { else: 1 },
  AudioCompletionRatio: { else: 1 },
};

/** The ratio of one-hub for models without a price, of which input and output cost the same. */
const oneHubRatio = 30;
