import type { SealPlace } from '../../../lib/seal.ts';
import type { SealedColumn, SealedRow } from '../../../store/index.ts';
import { headersPlace, keyPlace as channelKeyPlace, proxyPlace } from '../../calls/channels/index.ts';
import { authenticatorPlace } from '../../people/factors/index.ts';
import { keptPlace, partPlace } from '../../calls/routing/index.ts';
import { answerPlace } from '../../calls/idempotency/index.ts';
import { alarmPlaceSeal, webhookPlace } from '../../site/notify/index.ts';
import { secretPlace } from '../../people/oauth/index.ts';
import { codePlace } from '../../money/redemptions/index.ts';
import { isSealedKey, optionPlace } from '../../site/settings/index.ts';
import { keyPlace as tokenKeyPlace } from '../../people/tokens/index.ts';
import { firstKeyPlace } from './first-master-key.ts';

/** The location of encrypted texts: a column, or a member of its JSON. */
export interface SealedTexts extends SealedColumn {
  member?: string;
  /** The seal place of a row's text; undefined for rows whose text is not encrypted. */
  place(row: SealedRow): SealPlace | undefined;
}

const numberOf = (row: SealedRow, name: string): number => Number(row[name]);
const textOf = (row: SealedRow, name: string): string => String(row[name]);

/** Every location of encrypted texts. A test compares it with the schema, so that none is missing. */
export const sealedColumns: readonly SealedTexts[] = [
  {
    table: 'channels',
    key: 'id',
    column: 'key_sealed',
    needs: [],
    place: (row) => channelKeyPlace(numberOf(row, 'id')),
  },
  {
    table: 'channels',
    key: 'id',
    column: 'setting',
    needs: [],
    member: 'proxy_password',
    place: (row) => proxyPlace(numberOf(row, 'id')),
  },
  {
    table: 'channels',
    key: 'id',
    column: 'header_secrets_sealed',
    needs: [],
    place: (row) => headersPlace(numberOf(row, 'id')),
  },
  {
    table: 'channel_costs',
    key: 'channel_id',
    column: 'report_key_sealed',
    needs: [],
    place: (row) => ({ column: 'channel_costs.report_key', row: numberOf(row, 'channel_id') }),
  },
  {
    table: 'tokens',
    key: 'id',
    column: 'key_sealed',
    needs: ['user_id', 'key_hash'],
    place: (row) => tokenKeyPlace({ user_id: numberOf(row, 'user_id'), key_hash: textOf(row, 'key_hash') }),
  },
  {
    table: 'options',
    key: 'key',
    column: 'value',
    needs: [],
    place: (row) => (isSealedKey(textOf(row, 'key')) ? optionPlace(textOf(row, 'key')) : undefined),
  },
  {
    table: 'users',
    key: 'id',
    column: 'setting',
    needs: [],
    member: 'webhook_secret',
    place: (row) => webhookPlace(numberOf(row, 'id')),
  },
  {
    table: 'alarm_places',
    key: 'id',
    column: 'place_sealed',
    needs: [],
    place: (row) => alarmPlaceSeal(numberOf(row, 'id')),
  },
  {
    table: 'authenticators',
    key: 'user_id',
    column: 'secret_sealed',
    needs: [],
    place: (row) => authenticatorPlace(numberOf(row, 'user_id')),
  },
  {
    table: 'sign_in_providers',
    key: 'slug',
    column: 'client_secret_sealed',
    needs: [],
    place: (row) => secretPlace(textOf(row, 'slug')),
  },
  {
    table: 'idempotent_calls',
    key: 'id',
    column: 'answer',
    needs: ['name'],
    place: (row) => answerPlace(textOf(row, 'name')),
  },
  {
    table: 'kept_parts',
    key: 'id',
    column: 'body_sealed',
    needs: ['object', 'place', 'piece'],
    place: (row) =>
      partPlace({
        object: textOf(row, 'object'),
        place: numberOf(row, 'place'),
        piece: numberOf(row, 'piece'),
      }),
  },
  {
    table: 'kept_responses',
    key: 'name',
    column: 'conversation_sealed',
    needs: [],
    place: (row) => keptPlace(textOf(row, 'name')),
  },
  {
    table: 'redemptions',
    key: 'id',
    column: 'key_sealed',
    needs: ['key_hash'],
    place: (row) => codePlace(textOf(row, 'key_hash')),
  },
  {
    table: 'receipt_keys',
    key: 'serial',
    column: 'private_key_sealed',
    needs: ['kid'],
    place: (row) => ({ column: 'receipt_keys.private_key', row: textOf(row, 'kid') }),
  },
  { table: 'kept_keys', key: 'name', column: 'key_sealed', needs: [], place: () => firstKeyPlace },
];
