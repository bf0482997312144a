import { AppError, type CsvMapping, type FetchedSource } from '@tollgate/contract';
import type { Sealer, SealPlace } from '../../../lib/seal.ts';
import { channelCosts, channels, type Db, inTransaction } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';

/** A channel, and the way to read its vendor's usage. */
interface ReportChannel {
  id: number;
  name: string;
  /** '' if its vendor has no such calls. */
  source: '' | FetchedSource;
  has_key: boolean;
  mapping: CsvMapping | null;
}

export interface ReportKeysDeps {
  db: Db;
  sealer: Sealer;
  audit: Pick<Audit, 'record'>;
}

/** Keys that read the usage of a vendor's account. They are only decrypted for that. */
export interface ReportKeys {
  list(): Promise<ReportChannel[]>;
  /** '' removes it. Throws AppError channel_not_found. */
  save(channelId: number, key: string): Promise<void>;
  /** The first of these channels with a key; undefined for none. */
  find(channelIds: readonly number[]): Promise<{ channelId: number; key: string } | undefined>;
}

/** Channel types with a vendor that reports usage. */
const sources: Readonly<Record<number, FetchedSource>> = { 1: 'openai', 14: 'anthropic', 20: 'openrouter' };

const placeOf = (channelId: number): SealPlace => ({ column: 'channel_costs.report_key', row: channelId });

/** Opens the keys. */
export const createReportKeys = ({ db, sealer, audit }: ReportKeysDeps): ReportKeys => ({
  async list() {
    const costs = new Map((await channelCosts.all(db)).map((row) => [row.channel_id, row]));
    return (await channels.all(db)).map(({ id, name, type }) => {
      const mapping = costs.get(id)?.report_mapping ?? null;
      return {
        id,
        name,
        source: sources[type] ?? '',
        has_key: (costs.get(id)?.report_key_sealed ?? '') !== '',
        // The text was written by Tollgate.
        mapping: mapping === null ? null : (JSON.parse(mapping) as CsvMapping),
      };
    });
  },
  async save(channelId, key) {
    const channel = await channels.find(db, channelId);
    if (!channel) throw new AppError('channel_not_found');
    await inTransaction(db, async (trx) => {
      await channelCosts.put(trx, channelId, { report_key_sealed: sealer.seal(key, placeOf(channelId)) });
      const target = { type: 'channel', id: channelId, name: channel.name } as const;
      await audit.record(trx, { target, note: { kept: key !== '' } });
    });
  },
  async find(channelIds) {
    for (const channelId of channelIds) {
      const sealed = (await channelCosts.find(db, channelId))?.report_key_sealed ?? '';
      if (sealed !== '') return { channelId, key: sealer.open(sealed, placeOf(channelId)) };
    }
    return undefined;
  },
});
