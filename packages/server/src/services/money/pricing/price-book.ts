import {
  announcedFor,
  type AnnouncedRatio,
  AppError,
  entriesOf,
  modelRatioAt,
  type PriceChange,
  type PriceEntries,
  type PriceTableKey,
  type PriceTables,
  type SeenPriceChange,
  settingDeclarations,
  withPriceChanges,
} from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import type { Settings } from '../../site/settings/index.ts';
import { tablesOf } from './snapshot.ts';

/** Checks a change before it is written; throws an AppError to refuse all changes. */
type CheckChange = (change: PriceChange, tables: PriceTables) => void;

/** The tables of prices as one object to read and write. */
export interface PriceBook {
  tables(): PriceTables;
  /** Vendors' announcements of models in the tables. */
  announced(): AnnouncedRatio[];
  /** True while no model ratios of the site's own are stored, so that announced ones are entered on their day. */
  follows(): boolean;
  /**
   * Writes changes of many models in one save of the options, all or none, based on the present values. Throws
   * `price_changed` if an entry differs from what the caller saw. Returns the number of changed models.
   */
  change(changes: readonly SeenPriceChange[], check?: CheckChange): Promise<number>;
}

/** Opens the tables of prices for changes. */
export function createPriceBook(settings: Pick<Settings, 'get' | 'change'>, clock: Clock): PriceBook {
  return {
    tables: () => tablesOf(settings),
    announced: () => announcedFor(settings.get('ModelRatio'), clock()),
    follows: () => settings.get('ModelRatio') === modelRatioAt(clock()),
    async change(changes, check) {
      await settings.change(() => {
        const before = tablesOf(settings);
        for (const change of changes) {
          checkSeen(change, entriesOf(before, change.model));
          check?.(change, before);
        }
        const { tables, changed } = withPriceChanges(before, changes);
        return Object.fromEntries(
          changed.map((key) => [key, settingDeclarations[key].format(tables[key])] as const),
        );
      });
      return new Set(changes.map(({ model }) => model)).size;
    },
  };
}

/** Two users may edit prices at once. Values that a user has not seen are never overwritten. */
function checkSeen({ model, set, seen }: SeenPriceChange, now: PriceEntries): void {
  for (const key of Object.keys(set) as PriceTableKey[]) {
    if ((seen[key] ?? null) !== (now[key] ?? null)) throw new AppError('price_changed', { model });
  }
}
