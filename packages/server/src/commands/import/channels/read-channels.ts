import { product } from '@tollgate/contract';
import type { JsonObject } from '../../../lib/json.ts';
import { textOf } from '../../../lib/json.ts';
import type { ForeignDatabase } from '../../../store/index.ts';
import { type Cells, readCells } from '../kit/cells.ts';
import { columnsOf } from '../kit/columns.ts';
import type { Source } from '../kit/detect.ts';
import { oneApiType, placeOf } from './one-api-types.ts';

/** A channel of the source, with type and address converted to Tollgate's. */
export interface SourceChannel {
  id: number;
  /** 0 for a vendor that Tollgate does not know. */
  type: number;
  /** The number of the vendor in the source. */
  sourceType: number;
  baseUrl: string;
  /** As stored: it may have several keys. */
  key: string;
  /** The extra field. */
  other: string;
  /** True if the source prices the mapped name. */
  priceAfterMapping: boolean;
  /** A difference to report; with `off` the channel is disabled. */
  changes: { words: string; off?: boolean }[];
  cells: Cells;
}

export async function readChannels(foreign: ForeignDatabase, source: Source): Promise<SourceChannel[]> {
  const rows = await foreign.all('channels', columnsOf('channels', source));
  return rows.map((row) => {
    const cells = readCells(row, 'channels');
    return samePath(source.program === 'one-api' ? ofOneApi(cells) : ofNewApi(cells));
  });
}

const ollama = 4;
const perplexity = 27;
const advanced = 58;
/** The path of Perplexity in both programs. */
const perplexityPaths = { paths: { 'openai-chat': '/chat/completions' } };

/**
 * Vendors that Tollgate calls by another path. The channel keeps its path, because a proxy in between may depend on
 * it.
 */
function samePath(channel: SourceChannel): SourceChannel {
  if (channel.type === ollama && channel.other === '') return { ...channel, other: 'native' };
  if (channel.type !== perplexity) return channel;
  return {
    ...channel,
    type: advanced,
    baseUrl: channel.baseUrl === '' ? 'https://api.perplexity.ai' : channel.baseUrl,
    other: JSON.stringify(perplexityPaths),
    changes: [
      ...channel.changes,
      {
        words:
          'is of the type Advanced custom now, so that it calls Perplexity under /chat/completions as before',
      },
    ],
  };
}

/** The name in the price tables of the source for a call to a model of the channel. */
export function pricedName({ cells, priceAfterMapping }: SourceChannel, model: string): string {
  const mapped = priceAfterMapping ? cells.json('model_mapping')[model] : undefined;
  return typeof mapped === 'string' && mapped !== '' ? mapped : model;
}

const counted = (program: Source['program']): SourceChannel['changes'] => [
  { words: `had its tokens counted by ${program} itself; ${product.name} charges what the vendor reports` },
];
/** Vendors whose usage new-api does not read: Dify, Cloudflare. */
const unread: ReadonlySet<number> = new Set([37, 39]);

const ofNewApi = (cells: Cells): SourceChannel => ({
  id: cells.whole('id'),
  type: cells.whole('type'),
  sourceType: cells.whole('type'),
  changes: unread.has(cells.whole('type')) ? counted('new-api') : [],
  baseUrl: cells.text('base_url'),
  key: cells.text('key'),
  other: cells.text('other'),
  // Of translated sources only.
  priceAfterMapping: cells.flag('price_after_mapping'),
  cells,
});

const aws = 33;
const vertex = 41;

/** One-api stores our extra field in `config`, and the keys of Google and Amazon in parts. */
function ofOneApi(cells: Cells): SourceChannel {
  const config = cells.json('config');
  const sourceType = cells.whole('type');
  const place = placeOf(oneApiType(sourceType, cells.text('models')), cells.text('base_url'));
  const stored = cells.text('key');
  const extra = ['api_version', 'plugin', 'library_id', 'user_id'].map((name) => textOf(config[name]));
  const channel = {
    id: cells.whole('id'),
    ...place,
    sourceType,
    key: stored,
    other: place.other ?? (cells.text('other') || (extra.find((each) => each !== '') ?? '')),
    priceAfterMapping: Object.keys(cells.json('model_mapping')).length > 0,
    changes: countsItself.has(sourceType) ? counted('one-api') : [],
    cells,
  };
  if (place.type === coze) return { ...channel, ...botOf(cells) };
  if (place.type === aws && stored === '')
    return { ...channel, key: parts(config, ['ak', 'sk', 'region']).join('|') };
  if (place.type !== vertex) return channel;
  const [region = '', , ...file] = stored.split('|');
  const adc = textOf(config.vertex_ai_adc) || file.join('|');
  return { ...channel, key: adc, other: textOf(config.region) || region };
}

const coze = 49;
/** Vendors whose usage one-api does not read: PaLM, Zhipu's old API, Gemini, Cloudflare. */
const countsItself: ReadonlySet<number> = new Set([11, 16, 24, 37]);

/** One-api stores the bot's id as the model; here it is in the extra field of the channel. */
function botOf(cells: Cells): Pick<SourceChannel, 'other' | 'changes'> {
  const models = cells
    .text('models')
    .split(',')
    .filter((name) => name.trim() !== '');
  const third = {
    words: `calls Coze by its third API now, with ${product.name} as the user; one-api counted the tokens itself, ${product.name} charges what Coze reports`,
  };
  if (models.length === 1) return { other: models[0]!.trim().replace(/^bot-/, ''), changes: [third] };
  const words = `names ${models.length} bots by its models, where ${product.name} has a channel for each: make them, with the bot's id in the extra field`;
  return { other: '', changes: [third, { words, off: true }] };
}

const parts = (config: JsonObject, names: readonly string[]): string[] =>
  names.map((name) => textOf(config[name]));
