import type { JsonObject } from '../../../lib/json.ts';
import { textOf } from '../../../lib/json.ts';
import type { ForeignDatabase } from '../../../store/index.ts';
import { type Cells, cellsOf } from '../kit/cells.ts';
import type { Source } from '../kit/detect.ts';
import { oneApiType, placeOf } from './one-api-types.ts';

const columns = [
  'id',
  'type',
  'key',
  'status',
  'name',
  'weight',
  'priority',
  'created_time',
  'test_time',
  'response_time',
  'base_url',
  'other',
  'balance',
  'balance_updated_time',
  'models',
  'group',
  'model_mapping',
  'config',
  'system_prompt',
  'openai_organization',
  'test_model',
  'status_code_mapping',
  'auto_ban',
  'tag',
  'other_info',
  'setting',
  'settings',
  'channel_info',
  'param_override',
  'header_override',
  'remark',
];

/** A channel of the source, its type and address already as they are here. */
export interface SourceChannel {
  id: number;
  /** 0 for a vendor that Tollgate does not know. */
  type: number;
  baseUrl: string;
  /** As it is stored: several keys may stand in it. */
  key: string;
  /** The extra field. */
  other: string;
  cells: Cells;
}

export async function readChannels(foreign: ForeignDatabase, { program }: Source): Promise<SourceChannel[]> {
  const rows = await foreign.all('channels', columns);
  return rows.map((row) => {
    const cells = cellsOf(row, 'channels');
    return program === 'one-api' ? ofOneApi(cells) : ofNewApi(cells);
  });
}

const ofNewApi = (cells: Cells): SourceChannel => ({
  id: cells.whole('id'),
  type: cells.whole('type'),
  baseUrl: cells.text('base_url'),
  key: cells.text('key'),
  other: cells.text('other'),
  cells,
});

const aws = 33;
const vertex = 41;

/** One-api keeps in `config` what we keep in the extra field, and Google's and Amazon's keys in parts. */
function ofOneApi(cells: Cells): SourceChannel {
  const config = cells.json('config');
  const place = placeOf(oneApiType(cells.whole('type'), cells.text('models')), cells.text('base_url'));
  const stored = cells.text('key');
  const extra = ['api_version', 'plugin', 'library_id', 'user_id'].map((name) => textOf(config[name]));
  const channel = {
    id: cells.whole('id'),
    ...place,
    key: stored,
    other: cells.text('other') || (extra.find((each) => each !== '') ?? ''),
    cells,
  };
  if (place.type === aws && stored === '')
    return { ...channel, key: parts(config, ['ak', 'sk', 'region']).join('|') };
  if (place.type !== vertex) return channel;
  const [region = '', , ...file] = stored.split('|');
  const adc = textOf(config.vertex_ai_adc) || file.join('|');
  return { ...channel, key: adc, other: textOf(config.region) || region };
}

const parts = (config: JsonObject, names: readonly string[]): string[] =>
  names.map((name) => textOf(config[name]));
