import { defineProvider } from '../provider-kit/index.ts';
import {
  adaptOpenWeights,
  listModels,
  namesIn,
  openaiEndpoints,
  type OpenaiProtocol,
} from '../families/openai/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Endpoint, FetchedModels, Provider } from '../types/index.ts';
import { hosted, ownMachine } from './hosted.ts';
import type { Preset } from './preset.ts';

export type { Preset } from './preset.ts';

/** Every preset, in the order of the console's list. */
export const presets: readonly Preset[] = [...hosted, ...ownMachine];

/** Makes a provider of a preset. */
export function presetProvider(preset: Preset): Provider {
  const { type, id, name, baseUrl, key, offers, models, known = [], refusesThoughts } = preset;
  const offered = Object.keys(offers) as OpenaiProtocol[];
  const paths: Partial<Record<OpenaiProtocol, string>> = {};
  const adapt: Partial<Record<OpenaiProtocol, Endpoint['adapt']>> = {};
  for (const protocol of offered) {
    const path = offers[protocol];
    if (typeof path === 'string') paths[protocol] = path;
    const change = changeOf(preset, protocol) ?? (protocol === 'openai-chat' ? adaptOpenWeights : undefined);
    if (change) adapt[protocol] = change;
  }
  return defineProvider({
    type,
    id,
    name,
    baseUrl,
    ...(key !== undefined && { hints: { key } }),
    models: known,
    endpoints: openaiEndpoints<OpenaiProtocol>(offered, {
      paths,
      adapt,
      ...(refusesThoughts && { readsReasoning: false }),
    }),
    ...(models !== false && { fetchModels: modelsAt(models) }),
  });
}

/** Renamed fields of a preset in the bodies of a protocol; undefined if there are none. */
function changeOf({ renames, omits }: Preset, protocol: OpenaiProtocol): Endpoint['adapt'] {
  const names = Object.entries(renames?.[protocol] ?? {});
  const values = Object.entries(omits?.[protocol] ?? {});
  if (names.length + values.length === 0) return undefined;
  return (body: JsonObject): undefined => {
    for (const [field, value] of values) if (body[field] === value) delete body[field];
    for (const [from, to] of names) {
      if (body[from] === undefined) continue;
      body[to] ??= body[from];
      delete body[from];
    }
  };
}

/** OpenAI's list of models, or the same entries without an object around them. */
const modelsAt = (path: string): FetchedModels => ({
  ...listModels(path),
  read: (body) => namesIn(Array.isArray(body) ? { data: body } : body, 'data', 'id'),
});
