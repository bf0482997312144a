import { channelStatus, findFacts, type ServingChannel } from '@tollgate/contract';
import { channels as channelRows } from '../../../store/index.ts';
import { saveColumns } from './changes.ts';
import { changing, type ChannelsDeps } from './deps.ts';
import { readJsonObject } from './parse.ts';
import { changedColumns } from './rows.ts';
import type { Channels } from './service.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** The last name of a chain of mappings; circles are refused when a channel is saved. */
export function upstreamName(mapping: Mapping, model: string): string {
  let name = model;
  for (let steps = 0; steps < 20; steps += 1) {
    const next = mappedTo(mapping, name);
    if (next === '' || next === name) break;
    name = next;
  }
  return name;
}

const mappedTo = (mapping: Mapping, model: string): string => {
  const next = Object.hasOwn(mapping, model) ? mapping[model] : '';
  return typeof next === 'string' ? next : '';
};

/** Replacement of a model by mapping. */
export const channelReplacement = (deps: ChannelsDeps): Pick<Channels, 'withRetiring' | 'replaceModel'> => ({
  async withRetiring(model) {
    const rows = await channelRows.offering(deps.db, model);
    return rows.flatMap((row): ServingChannel[] => {
      const mapping = readJsonObject(row.model_mapping) ?? {};
      const upstream = upstreamName(mapping, model);
      const ends = findFacts(upstream)?.ends;
      if (ends === undefined) return [];
      const { id, name } = row;
      return [
        {
          id,
          name,
          enabled: row.status === channelStatus.enabled,
          from: mappedTo(mapping, model),
          upstream,
          ends,
          priced_after_mapping: readJsonObject(row.setting)?.price_after_mapping === true,
        },
      ];
    });
  },
  replaceModel: (model, changes) =>
    changing(deps, async (db) => {
      const changed: number[] = [];
      for (const { id, from, to } of changes.toSorted((a, b) => a.id - b.id)) {
        const row = await channelRows.findLocked(db, id);
        const mapping = row && readJsonObject(row.model_mapping);
        if (!row || !mapping || mappedTo(mapping, model) !== from) continue;
        const { [model]: _before, ...others } = mapping;
        const next = to === '' ? others : { ...mapping, [model]: to };
        const text = Object.keys(next).length === 0 ? '' : JSON.stringify(next, null, 2);
        await saveColumns(deps, db, row, changedColumns(row, { id, model_mapping: text }, deps));
        changed.push(id);
      }
      return changed;
    }),
});
