import {
  type AlarmPlaceData,
  type AlarmService,
  alarmServices,
  AppError,
  type NewAlarmPlace,
} from '@tollgate/contract';
import { looksSealed, type Sealer, type SealPlace } from '../../../lib/seal.ts';
import { alarms as rows, type Db, inTransaction, options } from '../../../store/index.ts';
import type { Audit } from '../audit/index.ts';
import { optionPlace } from '../settings/index.ts';
import type { AlarmPlace } from './alarm-services.ts';

/** Maximum number of places that alarms are posted to. */
const mostPlaces = 20;

interface PlaceDeps {
  db: Db;
  sealer: Sealer;
  audit: Pick<Audit, 'record'>;
}

/** The seal place of a service's address and secrets. */
export const alarmPlaceSeal = (id: number): SealPlace => ({ column: 'alarm_places.place', row: id });

const isService = (text: string): text is AlarmService => (alarmServices as readonly string[]).includes(text);

/** A place with its secrets. */
export interface OpenPlace extends AlarmPlace {
  id: number;
  service: AlarmService;
  name: string;
}

/** All places, with their secrets. A place that cannot be decrypted has no address, so its delivery fails. */
export async function readPlaces({ db, sealer }: Pick<PlaceDeps, 'db' | 'sealer'>): Promise<OpenPlace[]> {
  return (await rows.places(db)).flatMap(({ id, service, name, place_sealed: sealed }) =>
    isService(service) ? [{ id, service, name, ...openPlace(sealer, id, sealed) }] : [],
  );
}

function openPlace(sealer: Sealer, id: number, sealed: string): AlarmPlace {
  try {
    return JSON.parse(sealer.open(sealed, alarmPlaceSeal(id))) as AlarmPlace;
  } catch {
    return { address: 'sealed', secret: '', receiver: '' };
  }
}

const add = (
  db: Db,
  sealer: Sealer,
  { service, name, address, secret, receiver }: NewAlarmPlace,
): Promise<number> =>
  rows.addPlace(db, { service, name }, (id) =>
    sealer.seal(JSON.stringify({ address, secret, receiver } satisfies AlarmPlace), alarmPlaceSeal(id)),
  );

/** Places that alarms are posted to, as root edits them. */
export function createAlarmPlaces({ db, sealer, audit }: PlaceDeps) {
  const targetOf = (id: number, name: string) => ({ type: 'setting' as const, id: `alarm-${id}`, name });
  return {
    /** All places without their secrets. */
    async list(): Promise<AlarmPlaceData[]> {
      return (await readPlaces({ db, sealer })).map(({ id, service, name, address, receiver }) => ({
        id,
        service,
        name,
        host: URL.canParse(address) ? new URL(address).host : '',
        receiver,
      }));
    },
    /** Adds a place, for alarms that begin later. Throws AppError alarm_places_full. */
    add: (place: NewAlarmPlace): Promise<number> =>
      inTransaction(db, async (tx) => {
        if ((await rows.places(tx)).length >= mostPlaces)
          throw new AppError('alarm_places_full', { max: mostPlaces });
        const id = await add(tx, sealer, place);
        await audit.record(tx, { target: targetOf(id, place.name || place.service) });
        return id;
      }),
    /** Throws AppError row_not_found. */
    remove: (id: number): Promise<void> =>
      inTransaction(db, async (tx) => {
        const row = (await rows.places(tx)).find((each) => each.id === id);
        if (!row || !(await rows.removePlace(tx, id))) throw new AppError('row_not_found');
        await audit.record(tx, { target: targetOf(id, row.name || row.service) });
      }),
  };
}
export type AlarmPlaces = ReturnType<typeof createAlarmPlaces>;

const formerKeys = ['AlarmAddress', 'AlarmSecret', 'AlarmReceiver'] as const;

/**
 * Moves the single service of earlier settings, and its deliveries, into the table. Only one process does it. Throws if
 * its secrets cannot be decrypted.
 */
export const adoptFormerPlace = (db: Db, sealer: Sealer): Promise<number> =>
  inTransaction(db, async (tx) => {
    const chosen = await options.find(tx, 'AlarmService');
    if (!chosen || !(await options.take(tx, 'AlarmService'))) return 0;
    const [address = '', secret = '', receiver = ''] = await Promise.all(
      formerKeys.map(async (key) => {
        const text = (await options.find(tx, key))?.value ?? '';
        return looksSealed(text) ? sealer.open(text, optionPlace(key)) : text;
      }),
    );
    for (const key of formerKeys) await options.remove(tx, key);
    if (!isService(chosen.value)) return 0;
    const place = { service: chosen.value, name: '', address: address.trim(), secret, receiver };
    await rows.renameWay(tx, 'post', String(await add(tx, sealer, place)));
    return 1;
  });
